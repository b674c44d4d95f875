"""Another server, or files, enter; a hub has their events, and a summary of what became of them leaves."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from lineage_hub.cli.app import app
from lineage_hub.cli.delivery import MOST_LISTED, Reject, Send, Totals, check_json, print_rejects, rejects_file
from lineage_hub.cli.hub import Hub
from lineage_hub.cli.imported_before import Imported, ImportedBefore
from lineage_hub.cli.marquez import MOST_EVENTS, OVERLAP_NS, Marquez, Read
from lineage_hub.cli.options import HUB, takes_settings
from lineage_hub.cli.send_events import CONTINUE, INTERRUPTED, send_events
from lineage_hub.cli.sending import BATCH_BYTES, GIVE_UP_AFTER_S, Bar, Sender, progress
from lineage_hub.cli.times import HELP as TIME_HELP
from lineage_hub.cli.times import read_time
from lineage_hub.errors import Transient
from lineage_hub.settings import Settings, mask_url
from lineage_hub.terminal import one_line, print_json
from lineage_hub.wire import instant

importing = typer.Typer(help="Bring events from another server, or from files.", no_args_is_help=True)
app.add_typer(importing, name="import")

EXAMPLES = """Examples:

lineage-hub import marquez http://marquez:5000

lineage-hub import marquez http://marquez:5000 --dry-run

lineage-hub import marquez http://marquez:5000 --from 90d --namespace shop

lineage-hub import file archive/ --rejects rejected.ndjson"""

# What comes beside events, and how the summary calls it.
BROUGHT = {
    "descriptions": "descriptions",
    "datasets": "declared datasets",
    "jobs": "declared jobs",
    "runs": "declared runs",
    "tagged": "tags put on",
    "namespaces": "namespaces with owner or description",
    "sources": "sources",
    "tags": "tags declared",
}
MOST_SHOWN = 20

# One command under two names: files are sent in one way only.
importing.command("file", epilog=EXAMPLES)(send_events)


@importing.command("marquez", epilog=EXAMPLES)
@takes_settings(*HUB)
def import_marquez(
    settings: Settings,
    source: Annotated[str, typer.Argument(metavar="URL", help="The old server, such as http://marquez:5000.")],
    start: Annotated[str | None, typer.Option("--from", help=f"Only events from then on. {TIME_HELP}")] = None,
    end: Annotated[str | None, typer.Option("--to", help="Only events before then.")] = None,
    namespace: Annotated[
        list[str] | None, typer.Option(help="Only events of jobs, or datasets, in this namespace; may be repeated.")
    ] = None,
    source_api_key: Annotated[str, typer.Option(help="Key that is sent to the old server, as a bearer token.")] = "",
    events_only: Annotated[
        bool, typer.Option("--events-only", help="Leave out what users declared and described.")
    ] = False,
    page: Annotated[int, typer.Option(help="Events in one page.", min=1, max=MOST_EVENTS)] = 500,
    rejects: Annotated[
        Path | None, typer.Option(help="File for what was rejected: NDJSON with place, reason and event.")
    ] = None,
    restart: Annotated[bool, typer.Option("--restart", help="Read from the beginning, whatever was read.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only read and count; no hub is asked.")] = False,
    give_up_after: Annotated[
        float, typer.Option(help="Seconds to wait for a server or hub that is away or busy.", min=0)
    ] = GIVE_UP_AFTER_S,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Bring the events of a server that speaks Marquez's API; what was interrupted is continued by the same command."""
    first, last = _time(start, "--from"), _time(end, "--to")
    namespaces = sorted(set(namespace or ()))
    # As they were written: a while ago is another time whenever it is asked.
    before = ImportedBefore(f"{mask_url(source)} {start} {end}", mask_url(settings.url), namespaces)
    if restart:
        before.forget()
    with ExitStack() as opened:
        server = opened.enter_context(Marquez(settings, source, source_api_key, give_up_after))
        reject = opened.enter_context(rejects_file(rejects, append=before.load().read > 0))
        hub = None if dry_run else opened.enter_context(Hub(settings))
        send: Send = check_json if hub is None else Sender(hub, give_up_after).send
        moving = _Moving(send, namespaces, reject, before, remembers=not dry_run)
        try:
            moving.move(server, first, last, page)
            if hub is not None and not events_only:
                moving.move_over(server, Sender(hub, give_up_after), first, last)
        except KeyboardInterrupt:
            _tell(moving, as_json=as_json, dry_run=dry_run)
            print(f"interrupted; {CONTINUE}", file=sys.stderr)
            raise typer.Exit(INTERRUPTED) from None
        except Transient as error:
            print_rejects(moving.totals)
            error.action = f"{moving.totals.sent} events were sent before that; {CONTINUE}. Else: {error.action}"
            raise
    _tell(moving, as_json=as_json, dry_run=dry_run)
    if moving.totals.rejected:
        raise typer.Exit(1)


class _Moving:
    """`total` is what the server says that it has; it may grow while it is read."""

    def __init__(
        self,
        send: Send,
        namespaces: list[str],
        reject: Callable[[Reject, bytes], None],
        before: ImportedBefore,
        *,
        remembers: bool,
    ) -> None:
        self._send, self._namespaces, self._before, self._remembers = send, namespaces, before, remembers
        self._reject = reject
        self.totals = Totals()
        self.read = self.passed_over = 0
        self.total: int | None = None
        self.brought: Counter[str] = Counter()
        self.differing: list[str] = []
        self.left_out: dict[str, str] = {}

    def move(self, server: Marquez, first: int | None, last: int | None, page: int) -> None:
        state = self._before.load() if self._remembers else Imported("", "", [])
        self.totals.files, self.totals.sent_before = 1, state.sent
        # The bound is inclusive, and servers differ in whether theirs is.
        begin = None if first is None else first - OVERLAP_NS
        after = begin if state.at is None else state.at - OVERLAP_NS
        self.total = server.total(begin, last)
        with progress(self.total, "Reading events") as bar:
            bar.advance(state.read)
            for events in server.pages(after, last, page):
                self._take(server, [one for one in events if _is_within(one, first, last)])
                self._note(state, events, bar)

    def move_over(self, server: Marquez, sender: Sender, first: int | None, last: int | None) -> None:
        """What the server tells beside its events."""
        from lineage_hub.cli.moving_over import MovingOver

        state = self._before.load()
        said = set(state.said)
        over = MovingOver(server, sender, lambda at: _is_between(at, first, last), said, self._refuse)
        self.brought, self.differing, self.left_out = over.brought, over.differing, server.left_out
        try:
            with progress(None, "Reading descriptions") as bar:
                over.move(self._namespaces, bar)
        finally:
            state.said = sorted(said)
            self._save(state)

    def _refuse(self, kind: str, reason: str, text: bytes) -> None:
        self._count_reject(kind, self.totals.rejected + 1, reason, text)

    def _take(self, server: Marquez, events: list[Read]) -> None:
        wanted = [one for one in events if not self._namespaces or one.namespace in self._namespaces]
        self.passed_over += len(events) - len(wanted)
        for part in _parts(wanted):
            refused = {one.index: one.reason for one in self._send([one.text for one in part])}
            for index, one in enumerate(part):
                if index in refused:
                    self._count_reject(server.shown_url, self.totals.found + 1, refused[index], one.text)
                else:
                    self.totals.sent += 1

    def _count_reject(self, where: str, number: int, reason: str, text: bytes) -> None:
        found = Reject(where, 0, number, reason)
        self.totals.rejected += 1
        self._reject(found, text)
        if len(self.totals.rejects) < MOST_LISTED:
            self.totals.rejects.append(found)

    def _note(self, state: Imported, events: list[Read], bar: Bar) -> None:
        self.read += len(events)
        bar.advance(len(events))
        state.read += len(events)
        state.sent = self.totals.sent_before + self.totals.sent
        times = [one.at for one in events if one.at is not None]
        state.at = max([*times, *([] if state.at is None else [state.at])], default=None)
        self._save(state)

    def _save(self, state: Imported) -> None:
        if self._remembers:
            try:
                self._before.save(state)
            except OSError as error:
                self._remembers = False
                print(f"this run can't be continued later: {self._before.kept_in}: {error.strerror}", file=sys.stderr)


def _is_within(one: Read, first: int | None, last: int | None) -> bool:
    return one.at is None or _is_between(one.at, first, last)


def _is_between(at: int, first: int | None, last: int | None) -> bool:
    return (first is None or at >= first) and (last is None or at < last)


def _parts(events: list[Read]) -> list[list[Read]]:
    """Requests that a hub takes."""
    parts: list[list[Read]] = [[]]
    size = 0
    for one in events:
        if parts[-1] and size + len(one.text) > BATCH_BYTES:
            parts.append([])
            size = 0
        parts[-1].append(one)
        size += len(one.text)
    return [part for part in parts if part]


def _time(text: str | None, name: str) -> int | None:
    written = read_time(text, name)
    return None if written is None else instant(written, name)


def _tell(moving: _Moving, *, as_json: bool, dry_run: bool) -> None:
    totals = moving.totals
    found = {name: value for name, value in totals.summary().items() if name != "files"}
    brought = {name: moving.brought[name] for name in BROUGHT}
    found |= {"read": moving.read, "passed_over": moving.passed_over, "brought": brought}
    found |= {"differing": moving.differing, "left_out": moving.left_out}
    found |= {"total_at_source": moving.total, "dry_run": dry_run}
    if as_json:
        print_json(found)
        return
    what = "found, nothing was sent" if dry_run else "sent"
    before = f", {totals.sent_before} sent before (--restart reads them again)" if totals.sent_before else ""
    other = f", {moving.passed_over} of other namespaces" if moving.passed_over else ""
    print(f"{totals.sent} events {what}, {totals.rejected} rejected{other}{before}, in {found['seconds']:.1f} s")
    if moving.brought:
        print("beside events: " + ", ".join(f"{count} {BROUGHT[name]}" for name, count in brought.items() if count))
    for path, why in moving.left_out.items():
        print(one_line(f"left out, because the old server could not tell: {path}: {why}"), file=sys.stderr)
    for one in moving.differing[:MOST_SHOWN]:
        print(one_line(f"the hub says otherwise, and was left as it is: {one}"), file=sys.stderr)
    if len(moving.differing) > MOST_SHOWN:
        print(f"… {len(moving.differing) - MOST_SHOWN} more; --json lists them", file=sys.stderr)
    print_rejects(totals)
    if totals.rejected and not dry_run:
        print("see and mend them with `lineage-hub dead-letters`", file=sys.stderr)
