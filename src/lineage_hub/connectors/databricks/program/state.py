"""Changes of scopes, collections and objects enter; they can be taken back, and those of branches become one state."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeAlias

from lineage_hub.connectors.databricks.program.guards import Guard
from lineage_hub.connectors.databricks.program.joins import join, unknown_of
from lineage_hub.connectors.databricks.program.values import ABSENT, Alternatives, Cells, Scope, Value, same

# id of the object and key → (the object, the key, the value before)
Trail: TypeAlias = dict[tuple[int, Hashable], tuple[Cells, Hashable, Value]]


class State:
    """All writes go through here; with a trail, what was before is kept."""

    def __init__(self) -> None:
        self.trails: list[Trail] = []

    def put(self, where: Cells, key: Hashable, value: Value) -> None:
        cells = where.cells
        if self.trails:
            trail = self.trails[-1]
            location = (id(where), key)
            if location not in trail:
                trail[location] = (where, key, cells.get(key, ABSENT))
        if value is ABSENT:
            cells.pop(key, None)
        else:
            cells[key] = value

    def begin(self) -> Trail:
        trail: Trail = {}
        self.trails.append(trail)
        return trail

    def end(self) -> Trail:
        """The newest trail ends; what it kept counts for the one around it."""
        trail = self.trails.pop()
        if self.trails:
            around = self.trails[-1]
            for location, kept in trail.items():
                around.setdefault(location, kept)
        return trail

    @staticmethod
    def now(trail: Trail) -> Trail:
        """What the trail's places hold now."""
        return {place: (where, key, where.cells.get(key, ABSENT)) for place, (where, key, _) in trail.items()}

    @staticmethod
    def restore(kept: Trail) -> None:
        for where, key, value in kept.values():
            if value is ABSENT:
                where.cells.pop(key, None)
            else:
                where.cells[key] = value

    def merge(self, arms: Sequence[tuple[Guard, Trail, Trail]], born_before: int) -> None:
        """Arms are (guard, what was before, what is after); each began where the state was before them all."""
        before: Trail = {}
        for _, old, _ in arms:
            for place, kept in old.items():
                before.setdefault(place, kept)
        for place, (where, key, old_value) in before.items():
            if where.serial >= born_before:
                # It was made in one arm and is reached from there only.
                for _, old, after in arms:
                    if place in old:
                        self.put(where, key, after[place][2])
                continue
            options = [(guard, after[place][2] if place in after else old_value) for guard, _, after in arms]
            first = options[0][1]
            self.put(where, key, first if all(same(first, one) for _, one in options) else join(options))

    def forget(self, trail: Trail, now: Trail, *, keep_same: bool = True) -> list[tuple[Cells, Hashable]]:
        """What changed becomes unknown, made of what it was before and after."""
        lost = []
        for place, (where, key, old) in trail.items():
            new = now[place][2]
            if keep_same and same(old, new):
                continue
            if old is ABSENT and isinstance(where, Scope):
                self.put(where, key, ABSENT)  # bound within the loop: it binds it again
                continue
            self.put(where, key, _either(old, new))
            lost.append((where, key))
        return lost


def _either(old: Value, new: Value) -> Value:
    from lineage_hub.connectors.databricks.program.values import Carrier

    present = [one for one in (old, new) if one is not ABSENT]
    if len(present) == 2 and all(isinstance(one, Carrier) for one in present) and type(old) is type(new):
        return join([(frozenset(), present[0]), (frozenset(), present[1])])
    return unknown_of(*(one for one in present if not isinstance(one, Alternatives)))
