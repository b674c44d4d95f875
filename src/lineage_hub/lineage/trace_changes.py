"""Two trees of spans enter, of two runs of one job, say; what was added, removed, slower and faster leaves.

Spans match by the names on the way to them, and of several with one name under one parent the first matches the first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from lineage_hub.lineage.traces import SpanTree, self_times
from lineage_hub.model.span import Span

ADDED, REMOVED, SLOWER, FASTER, SAME = "added", "removed", "slower", "faster", "same"
# Positions in the two trees, and the number of the pair among those of its name.
_Pair = tuple[int | None, int | None, int]


@dataclass(frozen=True, slots=True)
class Measured:
    span: Span
    self_ns: int


@dataclass(frozen=True, slots=True)
class SpanChange:
    """`parent` is the position of the change that it is inside of; `occurrence` counts siblings of its name from 0."""

    parent: int | None
    occurrence: int
    before: Measured | None
    after: Measured | None

    @property
    def span(self) -> Span:
        """As it is now, else as it was."""
        one = self.after or self.before
        assert one is not None
        return one.span

    @property
    def kind(self) -> str:
        if self.before is None:
            return ADDED
        if self.after is None:
            return REMOVED
        difference = self.difference_ns
        return SAME if difference == 0 else SLOWER if difference > 0 else FASTER

    @property
    def difference_ns(self) -> int:
        """Of the whole span; what was not there took no time."""
        return _duration(self.after) - _duration(self.before)

    @property
    def self_difference_ns(self) -> int:
        """Without what its children did: this tells a cause from what only waited for it."""
        return (self.after.self_ns if self.after else 0) - (self.before.self_ns if self.before else 0)

    @property
    def ratio(self) -> float | None:
        before = _duration(self.before)
        return _duration(self.after) / before if before and self.after is not None else None


def _duration(one: Measured | None) -> int:
    return one.span.duration_ns if one is not None else 0


def compare_traces(before: SpanTree, after: SpanTree) -> list[SpanChange]:
    """In the order in which the two trees are drawn over each other."""
    own = self_times(before), self_times(after)
    found: list[SpanChange] = []
    waiting: list[tuple[int | None, _Pair]] = []

    def wait_for(parent: int | None, old: Sequence[int], new: Sequence[int]) -> None:
        pairs = [(parent, pair) for pair in _matched(before, after, old, new)]
        waiting.extend(reversed(pairs))

    wait_for(None, before.roots, after.roots)
    while waiting:
        parent, (old, new, occurrence) = waiting.pop()
        was = None if old is None else Measured(before.spans[old], own[0][old])
        now = None if new is None else Measured(after.spans[new], own[1][new])
        found.append(SpanChange(parent, occurrence, was, now))
        inside = () if old is None else before.children[old], () if new is None else after.children[new]
        wait_for(len(found) - 1, *inside)
    return found


def path_of(changes: Sequence[SpanChange], at: int) -> list[str]:
    """The names from the root to it."""
    names: list[str] = []
    above: int | None = at
    while above is not None:
        names.append(changes[above].span.name)
        above = changes[above].parent
    return names[::-1]


def _matched(before: SpanTree, after: SpanTree, old: Iterable[int], new: Iterable[int]) -> Iterator[_Pair]:
    """Siblings in pairs, in the order of the later trace; what it lacks follows."""
    by_name = _by_name(before, old), _by_name(after, new)
    for name in dict.fromkeys([*by_name[1], *by_name[0]]):
        pairs = zip_longest(by_name[0].get(name, ()), by_name[1].get(name, ()))
        for occurrence, (first, second) in enumerate(pairs):
            yield first, second, occurrence


def _by_name(tree: SpanTree, siblings: Iterable[int]) -> dict[tuple[str, str], list[int]]:
    found: dict[tuple[str, str], list[int]] = {}
    for at in siblings:
        found.setdefault((tree.spans[at].service, tree.spans[at].name), []).append(at)
    return found
