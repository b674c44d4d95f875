"""Another server enters; a hub learns what it tells beside its events: what users declared, described, tagged and own.

Each is compared with what the hub has by then, so that only what is new is sent, and an interrupted run goes on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from lineage_hub.cli.descriptions import DATASETS, JOBS, declaring_event, describing_event, run_events
from lineage_hub.cli.marquez import Marquez
from lineage_hub.cli.marquez_answers import Described, Known, Lists, Namespace, Source
from lineage_hub.cli.nodes import PAGE, quoted
from lineage_hub.cli.sayings import Sayings
from lineage_hub.cli.sending import Bar, Sender
from lineage_hub.errors import InvalidRequest, NotFound
from lineage_hub.settings import mask_url
from lineage_hub.wire import instant

DESCRIPTIONS, RUNS = "descriptions", "runs"
RUNS_AT_ONCE = 200
Refuse = Callable[[str, str, bytes], None]


class MovingOver:
    """`within` tells which moments are wanted; `said` are the tags that earlier runs have put on."""

    def __init__(
        self, server: Marquez, sender: Sender, within: Callable[[int], bool], said: set[str], refuse: Refuse
    ) -> None:
        self._server, self._sender, self._within, self._refuse = server, sender, within, refuse
        self._sayings = Sayings(sender, said, refuse)
        self._sources: dict[str, Source | None] = {}
        self._tags: set[str] = set()
        self.brought: Counter[str] = self._sayings.brought
        self.differing = self._sayings.differing

    def move(self, chosen: Sequence[str], bar: Bar) -> None:
        """Of the chosen namespaces, or all; then the sources and tags that things there have, or all."""
        if not chosen:
            self._sources = {one.name: one for one in self._server.sources()}
        namespaces = [one for one in self._server.namespaces() if not chosen or one.name in chosen]
        for namespace in namespaces:
            self._sayings.tell_namespace(namespace)
            for kind in (DATASETS, JOBS):
                self._move_all(kind, namespace, bar)
        for source in self._sources.values():
            if source is not None:
                self._sayings.tell_source(source)
        self._sayings.tell_tags(one for one in self._server.tags() if not chosen or one.name in self._tags)

    def _move_all(self, kind: str, namespace: Namespace, bar: Bar) -> None:
        known: dict[str, Known] | None = None
        for page in self._server.described(kind, namespace.name):
            if known is None:
                known = {one.name: one for one in self._known(kind, namespace.name)}
            self._move_page(kind, [(one, self._as_known(kind, one, known)) for one in page])
            bar.advance(len(page))

    def _move_page(self, kind: str, page: list[tuple[Described, Known]]) -> None:
        wanted = [(one, known) for one, known in page if not known.is_dropped and self._is_wanted(one, known)]
        told = [(DESCRIPTIONS if known.is_told else kind, self._event(kind, one, known)) for one, known in wanted]
        self._send([(counted, event) for counted, event in told if event is not None])
        for one, known in wanted:
            tags = one.all_tags()
            self._tags |= {tag for _, tag in tags}
            self._sayings.put_on(kind, known, tags - known.tags)
            if one.latest_run is not None and one.latest_run.id != known.latest_run:
                self._move_runs(one, known)

    def _event(self, kind: str, one: Described, known: Known) -> bytes | None:
        source = self._source(one.source_name) if kind == DATASETS and one.source_name else None
        if known.is_told:
            return describing_event(kind, one, known)
        return declaring_event(kind, one, known, mask_url(source.connection_url or "") if source else "")

    def _move_runs(self, one: Described, known: Known) -> None:
        runs = self._server.runs(one.namespace, one.name)
        have = set(self._known_runs(known))
        # Marquez calls a run whose id is no UUID by another id: such runs are there, and only look new.
        if have and have.isdisjoint(run.id for run in runs):
            return
        new = [run for run in runs if run.id not in have and self._is_within(run.began_at)]
        # The last one last: it tells the next time that all of them have come.
        new.sort(key=lambda run: (_instant(run.began_at), run.id))
        for start in range(0, len(new), RUNS_AT_ONCE):
            told = [run_events(known, run) for run in new[start : start + RUNS_AT_ONCE]]
            self._send([(RUNS if event is events[-1] else "", event) for events in told for event in events])

    def _source(self, name: str) -> Source | None:
        """As listed; else it is asked for by itself, once."""
        if name not in self._sources:
            self._sources[name] = self._server.source(name) if name != "default" else None
        return self._sources[name]

    def _send(self, events: list[tuple[str, bytes]]) -> None:
        refused = {one.index: one.reason for one in self._sender.send([text for _, text in events])}
        for index, (kind, text) in enumerate(events):
            if index in refused:
                self._refuse(kind or RUNS, refused[index], text)
            elif kind:
                self.brought[kind] += 1

    def _is_wanted(self, one: Described, known: Known) -> bool:
        """What the hub has is described whenever that was done."""
        return known.is_told or self._is_within(one.updated_at)

    def _is_within(self, moment: str) -> bool:
        return self._within(_instant(moment))

    def _known(self, kind: str, namespace: str) -> Iterator[Known]:
        for found in self._pages(f"/namespaces/{quoted(namespace)}/{kind}"):
            yield from (one.known() for one in found.datasets or found.jobs)

    def _as_known(self, kind: str, one: Described, known: dict[str, Known]) -> Known:
        """Under its name there: Marquez calls a child job by its parent's name and its own, and knows no aliases."""
        if found := known.get(one.name):
            return found
        try:
            path = f"/namespaces/{quoted(one.namespace)}/{kind}/{quoted(one.name)}"
            return self._sender.read(Described, path).known()
        except NotFound:
            return Known(one.namespace, one.name)

    def _known_runs(self, job: Known) -> Iterator[str]:
        path = f"/namespaces/{quoted(job.namespace)}/jobs/{quoted(job.name)}/runs"
        for found in self._pages(path, expand=True):
            yield from (run.id for run in found.runs)

    def _pages(self, path: str, **params: bool) -> Iterator[Lists]:
        offset = 0
        while True:
            try:
                found = self._sender.read(Lists, path, limit=PAGE, offset=offset, **params)
            except NotFound:
                return
            yield found
            if len(found.names()) < PAGE:
                return
            offset += PAGE


def _instant(moment: str) -> int:
    try:
        return instant(moment)
    except InvalidRequest:
        return 0
