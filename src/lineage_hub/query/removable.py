"""A tenant and a horizon enter; the events that may go leave, in an order in which they may go.

All is read in one snapshot of the store; what arrives meanwhile is later than the horizon, or counts as learned late.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass

from sqlalchemy import Connection

from lineage_hub.lineage.habits import WRITES_KEPT
from lineage_hub.lineage.names import cuts_by_dataset
from lineage_hub.lineage.retention import Keeping, Surroundings, Unit, Version, in_order_of_removal
from lineage_hub.lineage.rows import CutRow, EventRow, Ord
from lineage_hub.lineage.runs import run_facts, static_facts
from lineage_hub.lineage.shapes import DATASET_EVENT, Shape
from lineage_hub.model import EVERYTHING, NOW
from lineage_hub.query.checks_told import ChecksTold, Told, tellers
from lineage_hub.query.raw import folded
from lineage_hub.query.versions import version_name
from lineage_hub.store import retention
from lineage_hub.store.open import LineageStore
from lineage_hub.store.reader import Reader

# In a group of more names than these, which of them are one dataset at a later moment is open.
PAIR = 2


@dataclass(frozen=True, slots=True)
class Removable:
    units: list[Unit]
    """Whole runs and single events."""
    examined: int


def removable(
    store: LineageStore,
    tenant: int,
    horizon_at: int,
    breathe: Callable[[], None] = lambda: None,
    checks: ChecksTold | None = None,
    writes_kept: int = WRITES_KEPT,
) -> Removable:
    """`breathe` is called again and again, for others that share the processor; `checks` remembers what was read."""
    with store.reading() as connection:
        survey = _Survey(connection, store, tenant, horizon_at, checks or ChecksTold())
    # A snapshot that stays open for long keeps SQLite's log from being emptied, so all thinking comes after it.
    return survey.removable(breathe, writes_kept)


class _Survey:
    """What is to be known about a tenant up to its horizon, read at once."""

    def __init__(
        self, connection: Connection, store: LineageStore, tenant: int, horizon_at: int, checks: ChecksTold
    ) -> None:
        self._connection, self._tenant, self._horizon = connection, tenant, horizon_at
        # What other tenants tell bears on it too.
        self._reader = Reader(connection, store.library, EVERYTHING, NOW)
        self._shapes: dict[int, Shape] = {}
        self._old = retention.old_events(connection, tenant, horizon_at)
        runs = {row.run for row in self._old if row.run is not None}
        self._later = retention.later_of_runs(connection, tenant, horizon_at, sorted(runs))
        self._rows = [*self._old, *self._later]
        self._shapes.update(self._reader.shapes({row.shape for row in self._rows}))
        own = {row.run_key for row in self._old if row.run is not None}
        self._elsewhere = {row.run for row in self._later if row.run is not None and row.run_key not in own}
        self._grown = {row.run_key for row in self._later if row.run_key in own}
        self._around = self._surroundings([row for row in self._rows if row.run is None or row.run_key in own], checks)

    def removable(self, breathe: Callable[[], None], writes_kept: int) -> Removable:
        units = list(self._units(breathe))
        kept = Keeping(units, self._shapes, self._around, breathe, writes_kept).kept()
        going = [unit for at, unit in enumerate(units) if at not in kept]
        return Removable(in_order_of_removal(going, self._shapes), len(self._old))

    def _units(self, breathe: Callable[[], None]) -> Iterator[Unit]:
        by_run: dict[tuple[int, int, bytes], list[EventRow]] = {}
        for row in self._old:
            breathe()
            if row.run is None:
                yield Unit((row,), static_facts(row, self._shapes[row.shape]), True)
            else:
                by_run.setdefault(row.run_key, []).append(row)
        for row in self._later:
            if row.run_key in by_run:
                by_run[row.run_key].append(row)
        for key, events in by_run.items():
            breathe()
            facts = run_facts(key, events, self._shapes)
            yield Unit(facts.events, facts, key not in self._grown)

    def _surroundings(self, rows: list[EventRow], checks: ChecksTold) -> Surroundings:
        cuts = retention.cuts(self._connection)
        groups = _groups(
            [(cut.dataset, cut.continues_as) for cut in cuts if cut.continues_as is not None]
            + [(dataset, other) for dataset, other, _ in self._reader.links()]
        )
        sizes: dict[int, int] = {}
        for group in groups.values():
            sizes[group] = sizes.get(group, 0) + 1
        versions, told_elsewhere = self._versions(rows, groups)
        going = [row for row in self._old if row.run is None or row.run_key not in self._grown]
        checked = checks.by(self._reader, going, self._shapes)
        return Surroundings(
            cuts=cuts_by_dataset(
                CutRow(cut.dataset, (cut.event_at, bytes(cut.event_id)), cut.continues_as)
                for cut in cuts
                if cut.event_at <= self._horizon
            ),
            groups=groups,
            held=self._held(cuts, groups),
            crowded={group for group, size in sizes.items() if size > PAIR},
            versions=versions,
            told_elsewhere=told_elsewhere,
            ids_elsewhere=self._elsewhere,
            named_elsewhere=self._named_elsewhere(rows),
            shapes_elsewhere=self._shapes_elsewhere(rows),
            checks=checked,
            checks_elsewhere=self._checks_elsewhere(checked, groups),
        )

    def _held(self, cuts: list[retention.CutFact], groups: dict[int, int]) -> set[int]:
        """Names whose history ends differently for other readers, or at other moments of knowledge."""
        if not cuts:
            return set()
        late = retention.learned_late(self._connection, self._tenant, self._horizon)
        ended = {
            groups.get(cut.dataset, cut.dataset)
            for cut in cuts
            if late or cut.tenant != self._tenant or (cut.event_at <= self._horizon < cut.known_at)
        }
        return ended | {name for name, group in groups.items() if group in ended}

    def _named_elsewhere(self, rows: list[EventRow]) -> set[tuple[int, bytes]]:
        parents = {(row.subject, row.run) for row in rows if row.run is not None}
        parents |= {(row.parent, row.parent_run) for row in rows if row.parent and row.parent_run is not None}
        return retention.named_elsewhere(self._connection, self._tenant, self._horizon, parents)

    def _shapes_elsewhere(self, rows: list[EventRow]) -> dict[int, set[int]]:
        jobs = {row.subject for row in rows if self._shapes[row.shape].has_datasets}
        by_job = self._reader.shapes_of(jobs)
        shapes = self._reader.shapes({number for numbers in by_job.values() for number in numbers})
        self._shapes.update(shapes)
        own = {n for n, shape in shapes.items() if shape.subject in jobs and shape.kind != DATASET_EVENT}
        found: dict[int, set[int]] = {}
        for number in retention.shapes_elsewhere(self._connection, self._tenant, self._horizon, own):
            found.setdefault(shapes[number].subject, set()).add(number)
        return found

    def _checks_elsewhere(self, checked: Told, groups: dict[int, int]) -> dict[int, list[Ord]]:
        """By group: only between two failures that may go does it matter whether others told that all was well."""
        failing = {
            row.ord: {groups.get(words.dataset, words.dataset) for words in checked[row.seq] if words.fails}
            for row in self._old
            if row.seq in checked
        }
        of_groups = set[int]().union(*failing.values())
        if not of_groups:
            return {}
        names = {name for name, group in groups.items() if group in of_groups} | of_groups
        by_name = self._reader.shapes_of(names)
        shapes = self._reader.shapes({number for numbers in by_name.values() for number in numbers})
        self._shapes.update(shapes)
        ords = [ord for ord, found in failing.items() if found]
        rows = [row for row in self._old if row.run is not None and row.run_key in self._grown and row.shape in shapes]
        rows += retention.others_between(
            self._connection, self._tenant, self._horizon, shapes, min(ords)[0], max(ords)[0]
        )
        found: dict[int, set[Ord]] = {}
        for row, datasets in tellers(self._reader, rows, self._shapes):
            for group in {groups.get(one, one) for one in datasets} & of_groups:
                found.setdefault(group, set()).add(row.ord)
        return {group: sorted(told) for group, told in found.items()}

    # Versions that events name stand in their texts

    def _versions(
        self, rows: list[EventRow], groups: dict[int, int]
    ) -> tuple[dict[tuple[int, int, int], str], set[Version]]:
        naming = {n for n, shape in self._shapes.items() if any("version" in m.facets for m in shape.mentions)}
        if not naming:
            return {}, set()
        found = self._named_by([row for row in rows if row.shape in naming])
        names = {m.dataset for n in naming for m in self._shapes[n].mentions if "version" in m.facets}
        of_groups = {groups.get(name, name) for name in names}
        names |= {name for name, group in groups.items() if group in of_groups}
        by_name = self._reader.shapes_of(names)
        shapes = self._reader.shapes({number for numbers in by_name.values() for number in numbers})
        self._shapes.update(shapes)
        telling = {n for n, shape in shapes.items() if any("version" in m.facets for m in shape.mentions)}
        elsewhere: set[Version] = set()
        for page in retention.events_elsewhere(self._connection, self._tenant, self._horizon, telling):
            told = self._named_by(page)
            elsewhere |= {(groups.get(dataset, dataset), name) for (_, dataset, _), name in told.items()}
        return found, elsewhere

    def _named_by(self, rows: Collection[EventRow]) -> dict[tuple[int, int, int], str]:
        told = self._reader.told(rows)
        found: dict[tuple[int, int, int], str] = {}
        for row in rows:
            event = folded(self._reader, row, *told[row.seq])
            for mention in self._shapes[row.shape].mentions:
                if "version" in mention.facets:
                    name = version_name(event, mention, self._reader.names((mention.dataset,))[mention.dataset])
                    if name is not None:
                        found[row.seq, mention.dataset, mention.side] = name
        return found


def _groups(pairs: Iterable[tuple[int, int]]) -> dict[int, int]:
    """The least number of each set of names that hang together."""
    members: dict[int, set[int]] = {}
    for pair in pairs:
        merged = {*pair}.union(*(members[one] for one in pair if one in members))
        for one in merged:
            members[one] = merged
    return {name: min(group) for name, group in members.items()}
