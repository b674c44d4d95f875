"""What old units tell of checks enters; the units leave that say how each check stands, and since when it fails.

These are the last result of each, the last that passed, and the first that failed after it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

from lineage_hub.lineage.rows import Ord
from lineage_hub.lineage.runs import READ


class CheckWords(NamedTuple):
    """A facet that an event gives of a dataset; `results` is None when it takes back what was said before."""

    dataset: int
    side: int
    facet: str
    place: int
    results: tuple[tuple[Hashable, bool | None], ...] | None

    @property
    def key(self) -> tuple[str, bool, int]:
        """Of the words of a run that have the same the newest counts."""
        return self.facet, self.side not in READ, self.place

    @property
    def fails(self) -> bool:
        return any(success is False for _, success in self.results or ())


class Saying(NamedTuple):
    ord: Ord
    lies_on: int
    words: CheckWords


class _Point(NamedTuple):
    ord: Ord
    unit: int
    success: bool


class CheckSeries:
    """Joined names may be one dataset now and two later, so results count for each name, and for the group of names."""

    def __init__(self, groups: Mapping[int, int], crowded: Collection[int]) -> None:
        self._groups, self._crowded = groups, crowded
        self._points: dict[tuple[Hashable, int, Hashable], list[_Point]] = {}
        self._kept: set[int] = set()

    def observe(self, unit: int, sayings: Iterable[Saying]) -> None:
        """All that a unit says, newest first."""
        newest: dict[tuple[Hashable, int], dict[tuple[str, bool, int], Saying]] = {}
        for one in sayings:
            group = self._groups.get(one.lies_on, one.lies_on)
            if group in self._crowded:
                self._kept.add(unit)
            for level in {one.lies_on, ("group", group)} if one.lies_on in self._groups else {one.lies_on}:
                newest.setdefault((level, group), {}).setdefault(one.words.key, one)
        for (level, group), words in newest.items():
            told = [one for one in words.values() if one.words.results is not None]
            results: dict[Hashable, list[bool]] = {}
            for one in told:
                for check, success in one.words.results or ():
                    if success is not None:
                        results.setdefault(check, []).append(success)
            for check, said in results.items():
                point = _Point(max(one.ord for one in told), unit, all(said))
                self._points.setdefault((level, group, check), []).append(point)

    def kept(self, elsewhere: Mapping[int, Sequence[Ord]]) -> set[int]:
        """`elsewhere` has, by group, when up to the horizon others told of checks: after them a failure may be the
        first."""
        found = set(self._kept)
        for (_, group, _), points in self._points.items():
            found |= _standing(sorted(points), elsewhere.get(group, ()))
        return found


def _standing(points: list[_Point], elsewhere: Sequence[Ord]) -> set[int]:
    passed = max((at for at, point in enumerate(points) if point.success), default=-1)
    failing = points[passed + 1 :]
    found = {points[-1].unit} | ({points[passed].unit} if passed >= 0 else set())
    ords = [point.ord for point in failing]
    first = {0, *(bisect_right(ords, ord) for ord in elsewhere)}
    return found | {failing[at].unit for at in first if at < len(failing)}
