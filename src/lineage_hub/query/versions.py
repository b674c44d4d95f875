"""A dataset enters, its versions leave: one for each run that wrote it, or those that producers named.

The rules are those of docs/fold.md, section "Dataset versions".
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Set
from dataclasses import dataclass
from itertools import islice

from lineage_hub.lineage.names import opening_cut
from lineage_hub.lineage.rows import EventRow, Ord, RunKey
from lineage_hub.lineage.runs import RunFacts
from lineage_hub.lineage.shapes import RUN_EVENT, WRITTEN, Mention
from lineage_hub.lineage.shapes import run_id as run_text
from lineage_hub.query.facts import Placed, mentions_of, newest_placed, placed_mentions
from lineage_hub.query.identity import dataset_version
from lineage_hub.query.latest import Latest, load_latest
from lineage_hub.query.raw import of_side, raw_events
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.wire import facets as read
from lineage_hub.wire.raw import RawEvent

PAGE = 20
LAST = 2**63 - 1
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
        # In the order of their ends, the last first.
        self._runs: list[RunFacts] = []
        self._ends: list[Ord] = []
        self._known: set[RunKey] = set()
        latest = snapshot.latest.get(job)
        if latest is not None:
            self.top = LAST
            for end, run in latest.completed:
                self._add(run, end)
            self._done = latest.since is None
            self._at = latest.since - 1 if latest.since is not None else 0

    def last_written(self, names: Set[int], bound: Ord | None) -> RunFacts | None:
        """The last that wrote one of these and ended before the bound."""
        seen = 0
        while True:
            place = seen if bound is None else max(seen, self._after(bound))
            for run in islice(self._runs, place, None):
                if not names.isdisjoint(run.outputs):
                    return run
            if self._done:
                return None
            seen = len(self._runs)
            self._extend()

    def _after(self, bound: Ord) -> int:
        """The place of the first that ended before the bound."""
        ends, low, high = self._ends, 0, len(self._ends)
        while low < high:
            middle = (low + high) // 2
            if ends[middle] < bound:
                high = middle
            else:
                low = middle + 1
        return low

    def _extend(self) -> None:
        rows = self._snapshot.reader.candidates_before(self._job, self._at, self._limit)
        self._take([row for row in rows if row.run is not None])
        self._done = len(rows) < self._limit
        if rows and rows[-1].event_at == self._at:
            self._limit *= 2
        elif rows:
            self._at = rows[-1].event_at

    def _take(self, rows: list[EventRow]) -> None:
        runs = self._snapshot.runs_of(rows)
        for row in rows:
            run = runs[row.run_key]
            if run.state == "COMPLETED" and run.end == row.ord and run.key not in self._known:
                self._add(run, row.ord)

    def _add(self, run: RunFacts, end: Ord) -> None:
        self._known.add(run.key)
        self._runs.append(run)
        self._ends.append(end)


class _Lately:
    """The completed runs that wrote a dataset from one time on, in the order of their ends."""

    def __init__(self, names: Set[int], writers: Collection[Latest]) -> None:
        written = [(end, run.key) for writer in writers for end, run in writer.completed if names & run.outputs]
        written.sort()
        self._ends = [end for end, _ in written]
        self._keys = [key for _, key in written]
        # Before this others may have written it.
        self._since = max([writer.since for writer in writers if writer.since is not None], default=-LAST)

    def before(self, bound: Ord) -> RunKey | None:
        """The last that ended before the bound, if it is sure that none did later."""
        place = bisect_left(self._ends, bound) - 1
        return self._keys[place] if place >= 0 and self._ends[place][0] >= self._since else None


class Versions:
    """Versions of datasets, as far as one request asks for them."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._all: dict[int, list[Version]] = {}
        self._plain: dict[int, bool] = {}
        self._known_writers: dict[int, set[int]] = {}
        self._histories: dict[int, _History] = {}
        self._tenants: dict[int, str] | None = None
        self._lately: dict[int, _Lately] = {}
        self._of_runs: dict[tuple[int, RunKey], str] = {}
        self._parts_of_runs: dict[RunKey, tuple[str, ...]] = {}
        # The name of a dataset and the cut that opened it.
        self._begun: dict[int, tuple[tuple[str, str], Ord | None]] = {}
        # Datasets whose versions were looked at, for whoever remembers an answer that shows them.
        self.asked: set[int] = set()
        self._placed: dict[int, list[Placed]] = {}

    def all_of(self, dataset: int) -> list[Version]:
        """In the order of their creation."""
        if dataset not in self._all:
            self._all[dataset] = self._find(dataset)
        return self._all[dataset]

    def has(self, dataset: int, name: str) -> bool:
        """Whether there is a version that is named so."""
        wanted = self._id(dataset, "version", name)
        return any(version.id == wanted for version in self.all_of(dataset))

    def is_current(self, dataset: int, name: str) -> bool:
        last = self.last_before(dataset, None)
        return last is not None and last.id == self._id(dataset, "version", name)

    def last_before(self, dataset: int, bound: Ord | None) -> Version | None:
        """The current one, or the one that was current at that ord."""
        self.asked.add(dataset)
        if dataset in self._all or not self.is_plain(dataset):
            known = self.all_of(dataset)
            return next((v for v in reversed(known) if bound is None or v.created < bound), None)
        run = self._last_of_writers(dataset, bound)
        if run is None or run.end is None:
            return None
        return Version(self._of_run(dataset, run.key), run.end, run)

    def _last_of_writers(self, dataset: int, bound: Ord | None) -> RunFacts | None:
        """The run whose version a plain dataset has."""
        found, last = None, None
        for job in self._writers(dataset):
            run = self._last_written(dataset, job, bound)
            if run is not None and run.end is not None and (last is None or run.end > last):
                found, last = run, run.end
        return found

    def of_run(self, dataset: int, mentions: list[Spoken], run: RunFacts, *, written: bool) -> str | None:
        """The id that an input or output of this run shows; `mentions` are those that lie on the dataset."""
        named = self._named_by(mentions)
        if named is not None:
            return self._id(dataset, "version", named)
        if written:
            # A run that hasn't completed has made no version.
            return self._of_run(dataset, run.key) if run.state == "COMPLETED" else None
        if self._snapshot.horizon_at is not None and run.start[0] <= self._snapshot.horizon_at:
            # The run that had made it then may be gone, and an earlier one would be shown in its place.
            return None
        if dataset in self._all or not self.is_plain(dataset):
            before = self.last_before(dataset, run.start)
            return before.id if before else None
        self.asked.add(dataset)
        lately = self._lately.get(dataset)
        key = lately.before(run.start) if lately is not None else None
        if key is None:
            wrote = self._last_of_writers(dataset, run.start)
            key = wrote.key if wrote is not None else None
        return self._of_run(dataset, key) if key is not None else None

    def read_by(self, dataset: int, mentions: list[Spoken], run: RunFacts) -> Version | None:
        """The version that an input of this run shows, with the run that wrote it."""
        named = self._named_by(mentions)
        if named is None:
            return self.last_before(dataset, run.start)
        version_id = self._id(dataset, "version", named)
        return next((version for version in self.all_of(dataset) if version.id == version_id), None)

    def load_writers(self, datasets: Collection[int]) -> None:
        """Read in bulk the runs that may have written what others read of these; their shapes have been read."""
        writers = {one: self._writers(one) for one in datasets if self.is_plain(one) and one not in self._lately}
        every = {job for jobs in writers.values() for job in jobs}
        load_latest(self._snapshot, every)
        self._snapshot.names(every)
        for one, jobs in writers.items():
            names = self._snapshot.names_under(one)
            self._lately[one] = _Lately(names, [self._snapshot.latest[job] for job in jobs])

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
        top = bound[0] if bound else LAST
        history = self._histories.get(job)
        if history is None or history.top < top:
            history = self._histories[job] = _History(self._snapshot, job, top)
        return history.last_written(names, bound)

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
            key = self._id(dataset, "version", name) if name is not None else self._of_run(dataset, run_key)
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
        begun = self._begun.get(dataset)
        if begun is None:
            members = self._snapshot.joined((dataset,)).all_of(dataset)
            begun = self._snapshot.name(dataset), opening_cut(members, self._snapshot.cuts)
            self._begun[dataset] = begun
        return dataset_version(*begun, kind, *what)

    def _of_run(self, dataset: int, key: RunKey) -> str:
        """What one run writes others read."""
        known = self._of_runs.get((dataset, key))
        if known is None:
            known = self._of_runs[dataset, key] = self._id(dataset, "run", *self._run_parts(key))
        return known

    def _run_parts(self, key: RunKey) -> tuple[str, ...]:
        known = self._parts_of_runs.get(key)
        if known is None:
            if self._tenants is None:
                self._tenants = self._snapshot.reader.tenant_names()
            known = self._tenants[key[0]], *self._snapshot.name(key[1]), run_text(key[2])
            self._parts_of_runs[key] = known
        return known


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
