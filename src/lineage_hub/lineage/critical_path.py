"""A tree of spans enters; the chain of stretches that decided when it ended leaves, from its begin to its end.

From the end back: whatever child ended last was waited for, so the path goes into it, and goes on where it started.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from lineage_hub.lineage.traces import SpanTree


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of the path: the span at this position was itself at work, not one of its children."""

    at: int
    started_at: int
    ended_at: int

    @property
    def duration_ns(self) -> int:
        return self.ended_at - self.started_at


def critical_path(tree: SpanTree, beneath: int | None = None) -> list[Stretch]:
    """Of the whole trace, or of what one span and those inside of it did.

    Without gaps beneath one span; several roots may have gaps between them, where no span says what was waited for.
    """
    if not tree.spans:
        return []
    if beneath is not None:
        one = tree.spans[beneath]
        top = _Open(beneath, one.started_at, one.ended_at, tree)
    else:
        ends = [tree.spans[at] for at in tree.roots]
        top = _Open(None, min(one.started_at for one in ends), max(one.ended_at for one in ends), tree)
    path = [one for one in _backwards(tree, top) if one.duration_ns]
    if not path:
        # All of it took no time at all: then the last root is the path.
        last = max(tree.roots, key=lambda at: tree.spans[at].ended_at) if beneath is None else beneath
        return [Stretch(last, tree.spans[last].started_at, tree.spans[last].ended_at)]
    return path[::-1]


@dataclass(slots=True)
class _Open:
    """A span that the walk is in: from where to where it counts, and how far back the walk has come."""

    at: int | None
    start: int
    cursor: int
    tree: SpanTree
    waiting: list[tuple[int, int, int]] = field(init=False)

    def __post_init__(self) -> None:
        inside: Iterable[int] = self.tree.roots if self.at is None else self.tree.children[self.at]
        # The last to end stands last; of those that end together the longest.
        self.waiting = _clipped(self.tree, inside, self.start, self.cursor)


def _clipped(tree: SpanTree, inside: Iterable[int], start: int, end: int) -> list[tuple[int, int, int]]:
    """(end, start, position), as far as they lie within their parent."""
    spans = tree.spans
    found = [(min(spans[at].ended_at, end), max(spans[at].started_at, start), at) for at in inside]
    found = [one for one in found if one[0] > one[1]]
    return sorted(found, key=lambda one: (one[0], -one[1], -one[2]))


def _backwards(tree: SpanTree, top: _Open) -> Iterator[Stretch]:
    opened = [top]
    while opened:
        inner = opened[-1]
        while inner.waiting and inner.waiting[-1][0] > inner.cursor:
            # It was still at work when a later part of the path began: nobody waited for it.
            inner.waiting.pop()
        if not inner.waiting:
            if inner.at is not None:
                yield Stretch(inner.at, inner.start, inner.cursor)
            opened.pop()
            continue
        end, start, child = inner.waiting.pop()
        if inner.at is not None:
            yield Stretch(inner.at, end, inner.cursor)
        inner.cursor = start
        opened.append(_Open(child, start, end, tree))


def time_on_path(path: Sequence[Stretch]) -> dict[int, int]:
    """By position: the nanoseconds of the path that a span itself had."""
    found: dict[int, int] = {}
    for one in path:
        found[one.at] = found.get(one.at, 0) + one.duration_ns
    return found
