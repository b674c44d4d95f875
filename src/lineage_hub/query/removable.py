"""A tenant and a horizon enter; the events that may go leave, in an order in which they may go.

All is read in one snapshot of the store; what arrives meanwhile is later than the horizon, or counts as learned late.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from sqlalchemy import Connection

from lineage_hub.lineage.names import cuts_by_dataset
from lineage_hub.lineage.retention import Keeping, Surroundings, Unit, Version, in_order_of_removal
from lineage_hub.lineage.rows import CutRow, EventRow
from lineage_hub.lineage.runs import run_facts, static_facts
from lineage_hub.lineage.shapes import DATASET_EVENT, Shape
from lineage_hub.model import EVERYTHING, NOW
from lineage_hub.query.versions import version_name
from lineage_hub.store import retention
from lineage_hub.store.open import LineageStore
from lineage_hub.store.reader import Reader
from lineage_hub.wire.raw import decode

# In a group of more names than these, which of them are one dataset at a later moment is open.
PAIR = 2


@dataclass(frozen=True, slots=True)
class Removable:
    units: list[Unit]
    """Whole runs and single events."""
    examined: int


def removable(
    store: LineageStore, tenant: int, horizon_at: int, breathe: Callable[[], None] = lambda: None
) -> Removable:
    """`breathe` is called again and again, for others that share the processor."""
    with store.reading() as connection:
        return _Survey(connection, store, tenant, horizon_at, breathe).removable()


class _Survey:
    def __init__(
        self,
        connection: Connection,
        store: LineageStore,
        tenant: int,
        horizon_at: int,
        breathe: Callable[[], None],
    ) -> None:
        self._connection, self._tenant, self._horizon, self._breathe = connection, tenant, horizon_at, breathe
        # What other tenants tell bears on it too.
        self._reader = Reader(connection, store.library, EVERYTHING, NOW)
        self._shapes: dict[int, Shape] = {}
        self._ids_elsewhere: set[bytes] = set()

    def removable(self) -> Removable:
        rows = retention.old_events(self._connection, self._tenant, self._horizon)
        units = self._units(rows)
        kept = Keeping(units, self._shapes, self._surroundings(units), self._breathe).kept()
        going = [unit for at, unit in enumerate(units) if at not in kept]
        return Removable(in_order_of_removal(going, self._shapes), len(rows))

    def _units(self, old: list[EventRow]) -> list[Unit]:
        runs = {row.run for row in old if row.run is not None}
        later = retention.later_of_runs(self._connection, self._tenant, self._horizon, sorted(runs))
        self._shapes.update(self._reader.shapes({row.shape for row in (*old, *later)}))
        by_run: dict[tuple[int, int, bytes], list[EventRow]] = {}
        units: list[Unit] = []
        for row in old:
            if row.run is None:
                units.append(Unit((row,), static_facts(row, self._shapes[row.shape]), True))
            else:
                by_run.setdefault(row.run_key, []).append(row)
        grown = set()
        for row in later:
            if row.run_key in by_run:
                by_run[row.run_key].append(row)
                grown.add(row.run_key)
            elif row.run is not None:
                self._ids_elsewhere.add(row.run)
        for key, events in by_run.items():
            self._breathe()
            facts = run_facts(key, events, self._shapes)
            units.append(Unit(facts.events, facts, key not in grown))
        return units

    def _surroundings(self, units: list[Unit]) -> Surroundings:
        cuts = retention.cuts(self._connection)
        groups = _groups(
            [(cut.dataset, cut.continues_as) for cut in cuts if cut.continues_as is not None]
            + [(dataset, other) for dataset, other, _ in self._reader.links()]
        )
        sizes: dict[int, int] = {}
        for group in groups.values():
            sizes[group] = sizes.get(group, 0) + 1
        versions, told_elsewhere = self._versions(units, groups)
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
            ids_elsewhere=self._ids_elsewhere,
            named_elsewhere=self._named_elsewhere(units),
            shapes_elsewhere=self._shapes_elsewhere(units),
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

    def _named_elsewhere(self, units: list[Unit]) -> set[tuple[int, bytes]]:
        parents = {unit.facts.key[1:] for unit in units if unit.facts.key[2]}
        for unit in units:
            for row in unit.rows:
                if row.parent and row.parent_run is not None:
                    parents.add((row.parent, row.parent_run))
        return retention.named_elsewhere(self._connection, self._tenant, self._horizon, parents)

    def _shapes_elsewhere(self, units: list[Unit]) -> dict[int, set[int]]:
        jobs = {unit.facts.key[1] for unit in units if unit.facts.has_datasets}
        by_job = self._reader.shapes_of(jobs)
        shapes = self._reader.shapes({number for numbers in by_job.values() for number in numbers})
        self._shapes.update(shapes)
        own = {n for n, shape in shapes.items() if shape.subject in jobs and shape.kind != DATASET_EVENT}
        found: dict[int, set[int]] = {}
        for number in retention.shapes_elsewhere(self._connection, self._tenant, self._horizon, own):
            found.setdefault(shapes[number].subject, set()).add(number)
        return found

    # Versions that events name stand in their texts

    def _versions(
        self, units: list[Unit], groups: dict[int, int]
    ) -> tuple[dict[tuple[int, int, int], str], set[Version]]:
        naming = {n for n, shape in self._shapes.items() if any("version" in m.facets for m in shape.mentions)}
        if not naming:
            return {}, set()
        found = self._named_by([row for unit in units for row in unit.rows if row.shape in naming])
        names = {m.dataset for n in naming for m in self._shapes[n].mentions if "version" in m.facets}
        of_groups = {groups.get(name, name) for name in names}
        names |= {name for name, group in groups.items() if group in of_groups}
        by_name = self._reader.shapes_of(names)
        shapes = self._reader.shapes({number for numbers in by_name.values() for number in numbers})
        self._shapes.update(shapes)
        telling = {n for n, shape in shapes.items() if any("version" in m.facets for m in shape.mentions)}
        elsewhere: set[Version] = set()
        for rows in retention.events_elsewhere(self._connection, self._tenant, self._horizon, telling):
            told = self._named_by(rows)
            elsewhere |= {(groups.get(dataset, dataset), name) for (_, dataset, _), name in told.items()}
        return found, elsewhere

    def _named_by(self, rows: Collection[EventRow]) -> dict[tuple[int, int, int], str]:
        texts = self._reader.texts(rows)
        found: dict[tuple[int, int, int], str] = {}
        for row in rows:
            self._breathe()
            event = decode(texts[row.seq])
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
