"""What happened up to a horizon enters, as whole runs and single events; those that the present rests on leave.

The others can go: at the horizon and at any later moment, no answer but the lists of what went differs without them.
docs/retention.md has the reasons.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nlargest
from typing import Any, NamedTuple

from lineage_hub.lineage.check_series import CheckSeries, CheckWords, Saying
from lineage_hub.lineage.habits import WRITES_KEPT
from lineage_hub.lineage.names import Cuts, cuts_met, moment_of, place
from lineage_hub.lineage.rows import EventRow, Ord
from lineage_hub.lineage.runs import READ, RunFacts
from lineage_hub.lineage.shapes import COMPLETE, DATASET_EVENT, JOB, RUNNING, Mention, Shape
from lineage_hub.lineage.shapes import run_id as run_text

# Which event says it (by its number), of which name, on which side: the version that it names.
Named = Mapping[tuple[int, int, int], str]
# A group of names that were ever joined or renamed into each other, and what a version is called.
Version = tuple[int, str]


class Unit(NamedTuple):
    """A run with all its events, or a single event; they are kept or go as a whole."""

    rows: tuple[EventRow, ...]
    facts: RunFacts
    old: bool
    """Whether all of it had happened and was known by the horizon; only then may it go."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What bears on old units from outside: what happened or became known later, and what other tenants tell."""

    cuts: Cuts
    """Those up to the horizon."""
    groups: Mapping[int, int] = field(default_factory=dict)
    """Of names that were ever joined or renamed; any other is a group of its own."""
    held: Collection[int] = frozenset()
    """Names of which every mention must stay."""
    crowded: Collection[int] = frozenset()
    """Groups of so many names that each version which was told in them stays."""
    versions: Named = field(default_factory=dict)
    told_elsewhere: Collection[Version] = frozenset()
    ids_elsewhere: Collection[bytes] = frozenset()
    """Of runs; a tool may use one id for runs of several jobs."""
    named_elsewhere: Collection[tuple[int, bytes]] = frozenset()
    """Runs of jobs that are named there as parents."""
    shapes_elsewhere: Mapping[int, Collection[int]] = field(default_factory=dict)
    """Of the events of each job."""
    checks: Mapping[int, Sequence[CheckWords]] = field(default_factory=dict)
    """What old events tell of checks, by their numbers."""
    checks_elsewhere: Mapping[int, Sequence[Ord]] = field(default_factory=dict)
    """By group, when up to the horizon other events told of checks."""


class _Winners:
    """The first and the last unit of each kind, by any order."""

    def __init__(self) -> None:
        self.first: dict[Hashable, tuple[Any, int]] = {}
        self.last: dict[Hashable, tuple[Any, int]] = {}

    def oldest(self, key: Hashable, rank: Any, unit: int) -> None:
        before = self.first.get(key)
        if before is None or rank < before[0]:
            self.first[key] = (rank, unit)

    def newest(self, key: Hashable, rank: Any, unit: int) -> None:
        before = self.last.get(key)
        if before is None or rank > before[0]:
            self.last[key] = (rank, unit)

    def both(self, key: Hashable, rank: Any, unit: int) -> None:
        self.oldest(key, rank, unit)
        self.newest(key, rank, unit)

    def ends(self, key: Hashable) -> set[int]:
        return {ends[key][1] for ends in (self.first, self.last) if key in ends}

    def all(self) -> set[int]:
        return {unit for ends in (self.first, self.last) for _, unit in ends.values()}


class Keeping:
    """`wins` stay by themselves; `on_demand` only if something that stays needs them."""

    def __init__(
        self,
        units: list[Unit],
        shapes: Mapping[int, Shape],
        around: Surroundings,
        breathe: Callable[[], None] = lambda: None,
        writes_kept: int = WRITES_KEPT,
    ) -> None:
        """`breathe` is called again and again, for others that share the processor."""
        self._units, self._shapes, self._around, self._breathe = units, shapes, around, breathe
        self._writes_kept = writes_kept
        self._wins, self._on_demand = _Winners(), _Winners()
        self._unit_of = {row.ord: at for at, unit in enumerate(units) for row in unit.rows}
        self._of_run = {unit.facts.key[1:]: at for at, unit in enumerate(units) if unit.facts.key[2]}
        self._sharing: dict[bytes, set[int]] = {}
        for at, unit in enumerate(units):
            if unit.facts.key[2]:
                self._sharing.setdefault(unit.facts.key[2], set()).add(at)
        self._members: dict[int, set[int]] = {}
        for name, group in around.groups.items():
            self._members.setdefault(group, set()).add(name)
        self._tellers: dict[Version, set[int]] = {}
        self._told_by: dict[int, set[Version]] = {}
        # By name and by group: what a version is, when it was made, and the unit that tells so.
        self._made: dict[Hashable, dict[Hashable, tuple[Ord, int]]] = {}
        self._naming_writes: set[tuple[int, int]] = set()

    def kept(self) -> set[int]:
        for at, unit in enumerate(self._units):
            self._breathe()
            self._tell(at, unit)
            if unit.old:
                self._observe(at, unit)
        self._rank_versions()
        self._rank_named_runs()
        found: set[int] = {at for at, unit in enumerate(self._units) if not unit.old}
        found |= self._wins.all() | self._wanted_elsewhere() | self._held() | self._checking() | self._made_last()
        frontier = found
        while frontier := {need for at in frontier for need in self._needs(at)} - found:
            found = found | frontier
        return found

    # What stays by itself

    def _observe(self, at: int, unit: Unit) -> None:
        facts, wins = unit.facts, self._wins
        job = facts.key[1]
        if facts.key[2]:
            wins.newest(("latest run", job), facts.start, at)
        if facts.has_datasets:
            wins.newest(("started", job), facts.start, at)
            if facts.candidate is not None:
                wins.newest(("head", job), facts.candidate, at)
            version = _version_of(unit)
            self._on_demand.both(version, facts.start, at)
            if facts.key[2]:
                self._on_demand.newest(("run of", version), facts.start, at)
        for row in unit.rows:
            shape = self._shapes[row.shape]
            for entity in {shape.subject, *shape.named}:
                wins.both(("entity", entity), row.ord, at)
            if shape.kind != DATASET_EVENT:
                wins.newest(("own", job), row.ord, at)
                for facet in shape.job_facets:
                    wins.newest(("job facet", job, facet), row.ord, at)
            if row.parent and row.parent_run is not None:
                self._on_demand.both(("naming", row.parent, row.parent_run), row.ord, at)
            for mention in shape.mentions:
                self._observe_mention(at, unit, row, shape, mention)

    def _observe_mention(self, at: int, unit: Unit, row: EventRow, shape: Shape, mention: Mention) -> None:
        wins, name, job = self._wins, mention.dataset, row.subject
        written = mention.side not in READ
        wins.both(("entity", name), row.ord, at)
        wins.both(("mentioned", name), row.ord, at)
        if shape.kind != DATASET_EVENT:
            wins.both(("edge", job, name, written), row.ord, at)
        for source in mention.sources:
            wins.both(("entity", source), row.ord, at)
            wins.both(("edge", job, source, "columns"), row.ord, at)
        if "symlinks" in mention.facets:
            wins.newest(("symlinks", name, mention.side), row.ord, at)
        lies_on = self._place(unit, row, shape, mention)
        if lies_on is None:
            return
        wins.newest(("alive", lies_on, name), row.ord, at)
        for facet in mention.facets:
            wins.newest(("facet", lies_on, name, mention.side, facet), row.ord, at)
        if written and "columnLineage" in mention.facets and row.type in (COMPLETE, RUNNING, JOB):
            wins.newest(("columns", job, lies_on, name), row.ord, at)
        if written and unit.facts.key[2] and unit.facts.state == "COMPLETED":
            wins.newest(("written", lies_on), unit.facts.end, at)
            if unit.facts.end is not None and (at, lies_on) not in self._naming_writes:
                self._make(lies_on, at, unit.facts.end, at)

    def _place(self, unit: Unit, row: EventRow, shape: Shape, mention: Mention) -> int | None:
        if mention.dataset not in self._around.cuts:
            return mention.dataset
        when, after = moment_of(row, shape, mention, unit.facts.start, unit.facts.streaming)
        return place(mention.dataset, when, after, self._around.cuts)

    def _held(self) -> set[int]:
        """Units that speak of names of which all must stay, and the last cut of each name, which tells its versions."""
        found = {self._unit_of[cuts[-1].ord] for cuts in self._around.cuts.values() if cuts[-1].ord in self._unit_of}
        if self._around.held:
            speaking = {n for n, shape in self._shapes.items() if not shape.speaks_of.isdisjoint(self._around.held)}
            found |= {at for at, unit in enumerate(self._units) if any(row.shape in speaking for row in unit.rows)}
        return found

    def _checking(self) -> set[int]:
        """Units that say how each check stands."""
        if not self._around.checks:
            return set()
        series = CheckSeries(self._around.groups, self._around.crowded)
        for at, unit in enumerate(self._units):
            if unit.old and any(row.seq in self._around.checks for row in unit.rows):
                self._breathe()
                series.observe(at, self._sayings(unit))
        return series.kept(self._around.checks_elsewhere)

    def _sayings(self, unit: Unit) -> Iterator[Saying]:
        for row in sorted(unit.rows, key=lambda row: row.ord, reverse=True):
            shape = self._shapes[row.shape]
            for words in self._around.checks.get(row.seq, ()):
                mention = next(m for m in shape.mentions if (m.dataset, m.side) == (words.dataset, words.side))
                lies_on = self._place(unit, row, shape, mention)
                if lies_on is not None:
                    yield Saying(row.ord, lies_on, words)

    # Versions of datasets

    def _made_last(self) -> set[int]:
        """Units that made the last versions of each dataset: how often it is written shows in them."""
        return {unit for made in self._made.values() for _, unit in nlargest(self._writes_kept, made.values())}

    def _make(self, lies_on: int, version: Hashable, made: Ord, at: int) -> None:
        for level in (lies_on, ("group", self._group(lies_on))) if lies_on in self._around.groups else (lies_on,):
            self._made.setdefault(level, {})[version] = (made, at)

    def _tell(self, at: int, unit: Unit) -> None:
        """Which versions a unit names; the first unit that names one says when it was created."""
        if not self._around.versions:
            return
        newest: dict[int, tuple[tuple[Ord, int], str]] = {}
        completed = bool(unit.facts.key[2]) and unit.facts.state == "COMPLETED"
        for row in unit.rows:
            shape = self._shapes[row.shape]
            for mention in shape.mentions:
                name = self._around.versions.get((row.seq, mention.dataset, mention.side))
                if name is None:
                    continue
                group = self._group(mention.dataset)
                self._told_by.setdefault(at, set()).add((group, name))
                self._tellers.setdefault((group, name), set()).add(at)
                lies_on = self._place(unit, row, shape, mention) if unit.old else None
                if lies_on is None:
                    continue
                if not (completed and mention.side not in READ):
                    for level in (lies_on, ("group", group)):
                        self._on_demand.oldest(("mentioned", level, group, name), row.ord, at)
                elif lies_on not in newest or (row.ord, mention.side) > newest[lies_on][0]:
                    newest[lies_on] = ((row.ord, mention.side), name)
        for lies_on, (_, name) in newest.items():
            group = self._group(lies_on)
            self._naming_writes.add((at, lies_on))
            for level in (lies_on, ("group", group)):
                self._on_demand.oldest(("written", level, group, name), unit.facts.end, at)

    def _rank_versions(self) -> None:
        """The version that was created last is the current one; where many names are one dataset, all stay."""
        created: dict[tuple[Any, int, str], Any] = {}
        for (what, *key), (rank, _) in self._told_first():
            if what == "written" or tuple(key) not in created:
                created[tuple(key)] = rank
        for (level, group, name), rank in created.items():
            for what in ("written", "mentioned"):
                for unit in self._on_demand.ends((what, level, group, name)):
                    self._wins.newest(("version", what, level), rank, unit)
                    self._made.setdefault(level, {})[what, name] = (rank, unit)
        for version, tellers in self._tellers.items():
            if version[0] in self._around.crowded:
                for at in tellers:
                    self._wins.newest(("teller", at), 0, at)

    def _told_first(self) -> list[tuple[tuple[Any, ...], tuple[Any, int]]]:
        told = [
            (key, first)
            for key, first in self._on_demand.first.items()
            if isinstance(key, tuple) and len(key) == 4 and key[0] in ("mentioned", "written")
        ]
        return sorted(told, key=lambda one: one[0][0])

    def _group(self, name: int) -> int:
        return self._around.groups.get(name, name)

    # What others need

    def _rank_named_runs(self) -> None:
        """Of a job without events of its own the run that was named last stands for its latest."""
        for key, (rank, _) in list(self._on_demand.first.items()):
            if isinstance(key, tuple) and key[0] == "naming":
                _, job, run = key
                for unit in self._on_demand.ends(key):
                    self._wins.newest(
                        ("named", job, unit == self._on_demand.first[key][1]), (rank[0], run_text(run)), unit
                    )

    def _wanted_elsewhere(self) -> set[int]:
        found: set[int] = set()
        for run in self._around.ids_elsewhere:
            found |= self._sharing.get(run, set())
        for job, run in self._around.named_elsewhere:
            found |= self._naming(job, run)
        for version in self._around.told_elsewhere:
            found |= self._first_tellers(version)
        for key in self._on_demand.last:
            if isinstance(key, _JobVersion) and self._may_be_elsewhere(key):
                found |= self._of_version(key)
        return found

    def _may_be_elsewhere(self, version: _JobVersion) -> bool:
        """Whether runs made of those shapes can have that version."""
        inputs: set[int] = set()
        outputs: set[int] = set()
        locations: set[str | None] = {None}
        for number in self._around.shapes_elsewhere.get(version.job, ()):
            shape = self._shapes[number]
            read = {mention.dataset for mention in shape.mentions if mention.side in READ}
            wrote = {mention.dataset for mention in shape.mentions if mention.side not in READ}
            if read <= version.inputs and wrote <= version.outputs:
                inputs |= read
                outputs |= wrote
                locations.add(shape.location)
        return inputs == version.inputs and outputs == version.outputs and version.location in locations

    def _needs(self, at: int) -> Iterator[int]:
        self._breathe()
        unit = self._units[at]
        facts = unit.facts
        yield from self._sharing.get(facts.key[2], ())
        if facts.has_datasets:
            yield from self._of_version(_version_of(unit))
        for version in self._told_by.get(at, ()):
            yield from self._first_tellers(version)
        for row in unit.rows:
            if row.parent and row.parent_run is not None:
                yield from self._naming(row.parent, row.parent_run)
            if self._around.cuts:
                yield from self._cutting(unit, row)

    def _cutting(self, unit: Unit, row: EventRow) -> Iterator[int]:
        shape, cuts = self._shapes[row.shape], self._around.cuts
        for mention in shape.mentions:
            names = [(mention.dataset, mention), *((source, None) for source in mention.sources)]
            for name, told in names:
                if name in cuts:
                    when, after = moment_of(row, shape, told, unit.facts.start, unit.facts.streaming)
                    for cut in cuts_met(name, when, after, cuts):
                        if cut.ord in self._unit_of:
                            yield self._unit_of[cut.ord]

    def _of_version(self, version: _JobVersion) -> set[int]:
        return self._on_demand.ends(version) | self._on_demand.ends(("run of", version))

    def _naming(self, job: int, run: bytes) -> set[int]:
        own = self._of_run.get((job, run))
        return self._on_demand.ends(("naming", job, run)) | (set() if own is None else {own})

    def _first_tellers(self, version: Version) -> set[int]:
        group, name = version
        found: set[int] = set()
        for at in self._tellers.get(version, ()):
            found |= {at} if group in self._around.crowded else set()
        levels: set[Any] = {("group", group), *self._members.get(group, (group,))}
        for level in levels:
            for what in ("written", "mentioned"):
                found |= self._on_demand.ends((what, level, group, name))
        return found


class _JobVersion(NamedTuple):
    job: int
    inputs: frozenset[int]
    outputs: frozenset[int]
    location: str | None


def _version_of(unit: Unit) -> _JobVersion:
    facts = unit.facts
    return _JobVersion(facts.key[1], facts.inputs, facts.outputs, facts.location)


def in_order_of_removal(units: Collection[Unit], shapes: Mapping[int, Shape]) -> list[Unit]:
    """Those that others rest on come last, so that a sweep which is broken off leaves nothing without its ground."""
    named = {(row.parent, row.parent_run) for unit in units for row in unit.rows if row.parent}

    def rests(unit: Unit) -> int:
        if any(mention.marks for row in unit.rows for mention in shapes[row.shape].mentions):
            return 2
        return 1 if unit.facts.key[1:] in named else 0

    return sorted(units, key=lambda unit: (rests(unit), *(-part for part in unit.facts.start[:1])))
