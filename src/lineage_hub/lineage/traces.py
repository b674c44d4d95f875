"""Spans in any order enter, with parents missing, repeated or in a circle; a tree of each span once leaves.

Times are never moved: a child that lies outside of its parent, by a clock or because nobody waited for it, is marked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lineage_hub.model.span import Span

Interval = tuple[int, int]


@dataclass(frozen=True, slots=True)
class SpanTree:
    """Spans as they are drawn: a parent before its children, siblings by their start. Positions refer to `spans`."""

    spans: tuple[Span, ...]
    parents: tuple[int | None, ...]
    children: tuple[tuple[int, ...], ...]
    depths: tuple[int, ...]
    roots: tuple[int, ...]
    orphans: frozenset[int]
    """Roots whose parent is not among the spans."""
    cut: frozenset[int]
    """Roots that name a parent beneath them: there the circle was cut."""
    repeated: int
    """Spans that were left out, because another one has the same id."""

    def is_outside(self, at: int) -> bool:
        """Whether it starts before its parent or ends after it."""
        parent = self.parents[at]
        if parent is None:
            return False
        inner, outer = self.spans[at], self.spans[parent]
        return inner.started_at < outer.started_at or inner.ended_at > outer.ended_at

    def beneath(self, at: int) -> range:
        """It and all that is inside of it: they stand together."""
        end = at + 1
        while end < len(self.spans) and self.depths[end] > self.depths[at]:
            end += 1
        return range(at, end)


def span_tree(spans: Iterable[Span]) -> SpanTree:
    found, repeated = _each_once(spans)
    parent_of = {one.span_id: one.parent_span_id for one in found.values() if one.parent_span_id in found}
    cut = _cuts(found, parent_of)
    for span_id in cut:
        del parent_of[span_id]
    inside: dict[str, list[Span]] = {}
    tops: list[Span] = []
    # The least comes last, where a stack gives it first.
    for one in sorted(found.values(), key=_drawing_order, reverse=True):
        above = parent_of.get(one.span_id)
        (tops if above is None else inside.setdefault(above, [])).append(one)
    order: list[Span] = []
    parents: list[int | None] = []
    depths: list[int] = []
    children: list[list[int]] = []
    waiting: list[tuple[Span, int | None, int]] = [(one, None, 0) for one in tops]
    while waiting:
        one, parent, depth = waiting.pop()
        at = len(order)
        order.append(one)
        parents.append(parent)
        depths.append(depth)
        children.append([])
        if parent is not None:
            children[parent].append(at)
        waiting += [(child, at, depth + 1) for child in inside.get(one.span_id, ())]
    roots = tuple(at for at, parent in enumerate(parents) if parent is None)
    return SpanTree(
        tuple(order),
        tuple(parents),
        tuple(map(tuple, children)),
        tuple(depths),
        roots,
        frozenset(at for at in roots if order[at].parent_span_id and order[at].parent_span_id not in found),
        frozenset(at for at in roots if order[at].span_id in cut),
        repeated,
    )


def _each_once(spans: Iterable[Span]) -> tuple[dict[str, Span], int]:
    """Of those with one id the one that says most: it ends last, then the rest decides, never the order of arrival."""
    found: dict[str, Span] = {}
    repeated = 0
    for one in spans:
        other = found.setdefault(one.span_id, one)
        if other is not one:
            repeated += 1
            found[one.span_id] = max(other, one, key=_says_most)
    return found, repeated


def _says_most(one: Span) -> tuple[object, ...]:
    return (
        one.ended_at, -one.started_at, one.failed, len(one.attributes), len(one.events),
        one.name, one.service, one.parent_span_id, repr(sorted(one.attributes.items())),
    )  # fmt: skip


def _drawing_order(one: Span) -> tuple[int, int, str]:
    return one.started_at, -one.ended_at, one.span_id


def _cuts(found: dict[str, Span], parent_of: dict[str, str]) -> set[str]:
    """In each circle the span that starts first: it becomes a root."""
    cut: set[str] = set()
    settled: set[str] = set()
    for start in found:
        way: dict[str, None] = {}
        one: str | None = start
        while one is not None and one not in settled and one not in way:
            way[one] = None
            one = parent_of.get(one)
        if one is not None and one in way:
            steps = list(way)
            circle = steps[steps.index(one) :]
            cut.add(min(circle, key=lambda span_id: _drawing_order(found[span_id])))
        settled.update(way)
    return cut


def self_times(tree: SpanTree) -> list[int]:
    """Of each span the nanoseconds in which none of its children was at work."""
    return [
        one.duration_ns - covered([_within(tree.spans[child], one) for child in tree.children[at]])
        for at, one in enumerate(tree.spans)
    ]


def _within(inner: Span, outer: Span) -> Interval:
    return max(inner.started_at, outer.started_at), min(inner.ended_at, outer.ended_at)


def covered(intervals: Sequence[Interval]) -> int:
    """How much lies in at least one of them; what ends before it starts covers nothing."""
    total = 0
    reached: int | None = None
    for start, end in sorted(intervals):
        if reached is not None:
            start = max(start, reached)
        if end > start:
            total += end - start
            reached = end
    return total
