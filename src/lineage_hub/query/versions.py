"""A dataset enters, its versions leave: one for each run that wrote it, or those that producers named.

The rules are those of docs/fold.md, section "Dataset versions".
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Set
from dataclasses import dataclass

from lineage_hub.lineage.names import opening_cut
from lineage_hub.lineage.rows import EventRow, Ord, RunKey
from lineage_hub.lineage.runs import RunFacts
from lineage_hub.lineage.shapes import RUN_EVENT, Mention
from lineage_hub.lineage.shapes import run_id as run_text
from lineage_hub.query.facts import Placed, mentions_of, newest_placed, placed_mentions
from lineage_hub.query.identity import dataset_version
from lineage_hub.query.raw import of_side, raw_events
from lineage_hub.query.snapshot import WRITTEN, Snapshot
from lineage_hub.wire import facets as read
from lineage_hub.wire.raw import RawEvent

PAGE = 20
# An event and one of its mentions.
Spoken = tuple[EventRow, Mention]


@dataclass(frozen=True, slots=True)
class Version:
    id: str
    created: Ord
    run: RunFacts | None
    """The run that wrote it first, if one did."""


class _History:
    """A job's completed runs from one time on downwards, read page by page as far as they are asked for."""

    def __init__(self, snapshot: Snapshot, job: int, top: int) -> None:
        self._snapshot, self._job, self.top = snapshot, job, top
        self._at, self._limit, self._done = top, PAGE, False
        self._runs: dict[RunKey, RunFacts] = {}

    def completed(self) -> Iterator[RunFacts]:
        seen = 0
        while True:
            runs = list(self._runs.values())
            yield from runs[seen:]
            seen = len(runs)
            if self._done:
                return
            self._extend()

    def _extend(self) -> None:
        rows = self._snapshot.reader.candidates_before(self._job, self._at, self._limit)
        runs = self._snapshot.runs_of(row for row in rows if row.run is not None)
        for row in rows:
            run = runs[row.run_key] if row.run is not None else None
            if run is not None and run.state == "COMPLETED" and run.end == row.ord:
                self._runs.setdefault(run.key, run)
        self._done = len(rows) < self._limit
        if rows and rows[-1].event_at == self._at:
            self._limit *= 2
        elif rows:
            self._at = rows[-1].event_at


class Versions:
    """Versions of datasets, as far as one request asks for them."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._all: dict[int, list[Version]] = {}
        self._plain: dict[int, bool] = {}
        self._known_writers: dict[int, set[int]] = {}
        self._histories: dict[int, _History] = {}
        self._tenants: dict[int, str] | None = None
        # Datasets whose versions were looked at, for whoever remembers an answer that shows them.
        self.asked: set[int] = set()
        self._placed: dict[int, list[Placed]] = {}

    def all_of(self, dataset: int) -> list[Version]:
        """In the order of their creation."""
        if dataset not in self._all:
            self._all[dataset] = self._find(dataset)
        return self._all[dataset]

    def last_before(self, dataset: int, bound: Ord | None) -> Version | None:
        """The current one, or the one that was current at that ord."""
        self.asked.add(dataset)
        if dataset in self._all or not self.is_plain(dataset):
            known = self.all_of(dataset)
            return next((v for v in reversed(known) if bound is None or v.created < bound), None)
        found: Version | None = None
        for job in self._writers(dataset):
            run = self._last_written(dataset, job, bound)
            if run is not None and run.end is not None and (found is None or run.end > found.created):
                found = Version(self._id(dataset, "run", *self._run_parts(run.key)), run.end, run)
        return found

    def of_run(self, dataset: int, mentions: list[Spoken], run: RunFacts, *, written: bool) -> str | None:
        """The id that an input or output of this run shows; `mentions` are those that lie on the dataset."""
        named = self._named_by(mentions)
        if named is not None:
            return self._id(dataset, "version", named)
        if written:
            # A run that hasn't completed has made no version.
            return self._id(dataset, "run", *self._run_parts(run.key)) if run.state == "COMPLETED" else None
        if self._snapshot.horizon_at is not None and run.start[0] <= self._snapshot.horizon_at:
            # The run that had made it then may be gone, and an earlier one would be shown in its place.
            return None
        before = self.last_before(dataset, run.start)
        return before.id if before else None

    def read_by(self, dataset: int, mentions: list[Spoken], run: RunFacts) -> Version | None:
        """The version that an input of this run shows, with the run that wrote it."""
        named = self._named_by(mentions)
        if named is None:
            return self.last_before(dataset, run.start)
        version_id = self._id(dataset, "version", named)
        return next((version for version in self.all_of(dataset) if version.id == version_id), None)

    def bearing_on(self, dataset: int) -> Set[int]:
        """All whose events may change its versions, as long as nothing new is said of it (`told_of` stays the same)."""
        if self.is_plain(dataset):
            return self._writers(dataset)
        return self._snapshot.bearing_on(dataset) | self._snapshot.jobs_speaking_of([dataset])

    def _writers(self, dataset: int) -> set[int]:
        if dataset not in self._known_writers:
            self._known_writers[dataset] = writers_of(self._snapshot, dataset)
        return self._known_writers[dataset]

    def is_plain(self, dataset: int) -> bool:
        """Neither cut nor ever named by a version facet: then the last completed run decides, and few rows are read."""
        if dataset not in self._plain:
            names = self._snapshot.names_under(dataset)
            by_name = self._snapshot.shapes_of(names)
            shapes = self._snapshot.reader.shapes({n for name in names for n in by_name[name]})
            self._plain[dataset] = not any(name in self._snapshot.cuts for name in names) and not any(
                "version" in m.facets for shape in shapes.values() for m in mentions_of(shape, names)
            )
        return self._plain[dataset]

    def _last_written(self, dataset: int, job: int, bound: Ord | None) -> RunFacts | None:
        names = self._snapshot.names_under(dataset)
        if bound is None:
            head = self._snapshot.heads([job])[job]
            if head is not None and head.key[2] and head.state == "COMPLETED" and not names.isdisjoint(head.outputs):
                return head
        top = bound[0] if bound else 2**63 - 1
        if job not in self._histories or self._histories[job].top < top:
            self._histories[job] = _History(self._snapshot, job, top)
        for run in self._histories[job].completed():
            assert run.end is not None
            if (bound is None or run.end < bound) and not names.isdisjoint(run.outputs):
                return run
        return None

    def placed(self, dataset: int) -> list[Placed]:
        """All mentions that lie on it at present."""
        if dataset not in self._placed:
            names = self._snapshot.names_under(dataset)
            self._placed[dataset] = placed_mentions(self._snapshot, dataset, names)
        return self._placed[dataset]

    def _find(self, dataset: int) -> list[Version]:
        placed = [one for one in self.placed(dataset) if one.mention.side in WRITTEN or "version" in one.mention.facets]
        named = self._version_names(placed)
        written: dict[str, tuple[Ord, RunFacts]] = {}
        mentioned: dict[str, Ord] = {}
        by_run: dict[RunKey, list[Placed]] = {}
        for one in placed:
            wrote = one.mention.side in WRITTEN and one.row.run is not None and one.run.state == "COMPLETED"
            if wrote:
                by_run.setdefault(one.row.run_key, []).append(one)
            elif (name := named.get(_place(one))) is not None:
                key = self._id(dataset, "version", name)
                mentioned[key] = min(mentioned.get(key, one.row.ord), one.row.ord)
        for run_key, outputs in by_run.items():
            run = outputs[0].run
            assert run.end is not None
            holders = [one for one in outputs if "version" in one.mention.facets]
            newest = newest_placed(self._snapshot, holders)
            name = named.get(_place(newest)) if newest else None
            key = self._id(dataset, "version", name) if name is not None else self._id(
                dataset, "run", *self._run_parts(run_key)
            )  # fmt: skip
            if key not in written or run.end < written[key][0]:
                written[key] = (run.end, run)
        found = [Version(key, at, None) for key, at in mentioned.items() if key not in written]
        found += [Version(key, at, run) for key, (at, run) in written.items()]
        return sorted(found, key=lambda version: (version.created, version.run is not None, version.id))

    def _version_names(self, placed: list[Placed]) -> dict[tuple[int, int, int], str]:
        holding = [one for one in placed if "version" in one.mention.facets]
        rows = {one.row.seq: one.row for one in holding}
        events = {row.seq: event for row, event in raw_events(self._snapshot, rows.values())}
        found = {}
        for one in holding:
            name = version_name(events[one.row.seq], one.mention, self._snapshot.name(one.mention.dataset))
            if name is not None:
                found[_place(one)] = name
        return found

    def _named_by(self, mentions: list[Spoken]) -> str | None:
        """What the newest version facet says; of two names in one event the least speaks."""
        holding = [(row, mention) for row, mention in mentions if "version" in mention.facets]
        if not holding:
            return None
        names = self._snapshot.names(mention.dataset for _, mention in holding)
        row, mention = max(sorted(holding, key=lambda one: names[one[1].dataset]), key=lambda one: one[0].ord)
        event = raw_events(self._snapshot, [row])[0][1]
        return version_name(event, mention, names[mention.dataset])

    def _id(self, dataset: int, kind: str, *what: str) -> str:
        members = self._snapshot.joined((dataset,)).all_of(dataset)
        return dataset_version(self._snapshot.name(dataset), opening_cut(members, self._snapshot.cuts), kind, *what)

    def _run_parts(self, key: RunKey) -> tuple[str, ...]:
        if self._tenants is None:
            self._tenants = self._snapshot.reader.tenant_names()
        return self._tenants[key[0]], *self._snapshot.name(key[1]), run_text(key[2])


def writers_of(snapshot: Snapshot, dataset: int) -> set[int]:
    """Jobs whose runs ever wrote it."""
    names = snapshot.names_under(dataset)
    by_name = snapshot.shapes_of(names)
    shapes = snapshot.reader.shapes({n for name in names for n in by_name[name]})
    return {
        shape.subject
        for shape in shapes.values()
        if shape.kind == RUN_EVENT and any(m.side in WRITTEN for m in mentions_of(shape, names))
    }


def current_versions(snapshot: Snapshot, datasets: Collection[int]) -> dict[int, str | None]:
    """The id of each dataset's present version."""
    found: dict[int, str | None] = snapshot.recall("version", datasets)
    missing = [dataset for dataset in datasets if dataset not in found]
    if missing:
        versions = Versions(snapshot)
        snapshot.load_shapes(missing)
        jobs = snapshot.jobs_speaking_of(missing)
        snapshot.heads(jobs)
        snapshot.names({*missing, *jobs})
        current = {dataset: versions.last_before(dataset, None) for dataset in missing}
        fresh = {dataset: last.id if last else None for dataset, last in current.items()}
        snapshot.keep("version", fresh, lambda one: snapshot.bearing_on(one) | snapshot.jobs_speaking_of([one]))
        found.update(fresh)
    return found


def told_of(snapshot: Snapshot, datasets: Collection[int]) -> dict[int, int]:
    """How many different things were ever said of each; a shape that is new may make any job a writer of it."""
    names = {dataset: snapshot.names_under(dataset) for dataset in datasets}
    by_name = snapshot.shapes_of({name for group in names.values() for name in group})
    return {dataset: sum([len(by_name[name]) for name in group]) for dataset, group in names.items()}


def _place(one: Placed) -> tuple[int, int, int]:
    return one.row.seq, one.mention.dataset, one.mention.side


def version_name(event: RawEvent, mention: Mention, name: tuple[str, str]) -> str | None:
    dataset = of_side(event, mention.side).get(name)
    facet = (dataset.facets or {}).get("version") if dataset else None
    if facet is None or read.is_tombstone(bytes(facet)):
        return None
    return read.version(bytes(facet)) or None
