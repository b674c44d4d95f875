"""A dataset's columns before and after enter; what was added, removed, changed, moved and likely renamed leaves."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from lineage_hub.wire.columns import Column

# Names that are this alike; `order_id` and `orderid` are 0.93, `total` and `amount` 0.36.
ALIKE = 0.6
# What the same place weighs against names: of two columns side by side the names tell which is which.
PLACE = 0.25
# To compare every name with every other one costs a square.
MOST_PAIRS = 10_000


class TypeChange(NamedTuple):
    path: str
    before: str | None
    after: str | None


class Move(NamedTuple):
    """Places count from one, among all columns."""

    path: str
    before: int
    after: int


class Rename(NamedTuple):
    """`because` names what is the same: the type always, and the place or the name nearly."""

    before: str
    after: str
    because: tuple[str, ...]


class SchemaChange(NamedTuple):
    added: list[Column]
    removed: list[Column]
    changed: list[TypeChange]
    moved: list[Move]
    renamed: list[Rename]
    described: list[str]
    equal: int

    def __bool__(self) -> bool:
        return any(self[:6])


def schema_change(before: Sequence[Column], after: Sequence[Column]) -> SchemaChange:
    old = {column.path: column for column in before}
    new = {column.path: column for column in after}
    removed = [column for column in before if column.path not in new]
    added = [column for column in after if column.path not in old]
    renamed = _renamed(removed, added, list(old), list(new))
    gone, come = {one.before for one in renamed}, {one.after for one in renamed}
    both = [path for path in new if path in old]
    changed = [TypeChange(path, old[path].type, new[path].type) for path in both if old[path].type != new[path].type]
    described = [path for path in both if old[path].description != new[path].description]
    moved = _moved([path for path in old if path in new], both, list(old), list(new))
    touched = {one.path for one in changed} | {one.path for one in moved} | set(described)
    return SchemaChange(
        [column for column in added if column.path not in come],
        [column for column in removed if column.path not in gone],
        changed,
        moved,
        renamed,
        described,
        sum(path not in touched for path in both),
    )


def _moved(before: list[str], after: list[str], old: list[str], new: list[str]) -> list[Move]:
    """The fewest columns that must have moved: those outside the longest part that kept its order."""
    if before == after:
        return []
    place = {path: number for number, path in enumerate(before)}
    kept = _longest_rising([place[path] for path in after])
    was = {path: number for number, path in enumerate(old, 1)}
    now = {path: number for number, path in enumerate(new, 1)}
    return [Move(path, was[path], now[path]) for path in after if place[path] not in kept]


def _longest_rising(numbers: Sequence[int]) -> set[int]:
    """The members of one longest rising part of these, which are all different."""
    ends: list[int] = []
    led_by: dict[int, int | None] = {}
    for number in numbers:
        at = bisect_left(ends, number)
        led_by[number] = ends[at - 1] if at else None
        ends[at : at + 1] = [number]
    found: set[int] = set()
    last: int | None = ends[-1] if ends else None
    while last is not None:
        found.add(last)
        last = led_by[last]
    return found


def _renamed(removed: list[Column], added: list[Column], old: list[str], new: list[str]) -> list[Rename]:
    """Pairs of the same type whose place or name fits, the best ones first; each column is in one pair at most."""
    if not removed or not added:
        return []
    survivors = set(old) & set(new)
    places_before, places_after = _neighbours(old, survivors), _neighbours(new, survivors)
    by_name = len(removed) * len(added) <= MOST_PAIRS
    rated: list[tuple[float, int, int, Rename]] = []
    for first, gone in enumerate(removed):
        for second, come in enumerate(added if by_name else added[first : first + 1]):
            if _type(gone) != _type(come) or _above(gone.path) != _above(come.path):
                continue
            alike = SequenceMatcher(None, gone.path.lower(), come.path.lower()).ratio()
            same_place = places_before[gone.path] == places_after[come.path]
            because = ("type", *(["place"] if same_place else []), *(["name"] if alike >= ALIKE else []))
            if len(because) > 1:
                rated.append((alike + PLACE * same_place, -first, -second, Rename(gone.path, come.path, because)))
    taken: set[str] = set()
    found = []
    for *_, one in sorted(rated, reverse=True):
        if not {f"-{one.before}", f"+{one.after}"} & taken:
            taken |= {f"-{one.before}", f"+{one.after}"}
            found.append(one)
    return sorted(found, key=lambda one: new.index(one.after))


def _neighbours(paths: Iterable[str], survivors: set[str]) -> Mapping[str, tuple[str | None, int, str | None]]:
    """Between which columns that stayed one stands, and as which of those that stand there."""
    found: dict[str, tuple[str | None, int, str | None]] = {}
    left: str | None = None
    between: list[str] = []
    for path in (*paths, None):
        if path is None or path in survivors:
            found.update({one: (left, number, path) for number, one in enumerate(between)})
            left, between = path, []
        else:
            between.append(path)
    return found


def _type(column: Column) -> str:
    return (column.type or "").lower()


def _above(path: str) -> str:
    return path.rpartition(".")[0]
