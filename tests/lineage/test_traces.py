"""Trees of spans against a second, naive reading of the same spans: whatever is sent, each span stands there once."""

from __future__ import annotations

import itertools
import random

from hypothesis import given
from hypothesis import strategies as st

from lineage_hub.lineage.critical_path import critical_path, time_on_path
from lineage_hub.lineage.trace_changes import compare_traces, path_of
from lineage_hub.lineage.traces import SpanTree, covered, self_times, span_tree
from lineage_hub.model.span import Span


def span(
    span_id: str, parent: str = "", start: int = 0, end: int = 10, name: str = "work", service: str = "etl"
) -> Span:
    return Span("t", span_id, parent, name, service, start, end - start)


IDS = [f"s{number}" for number in range(8)]


@st.composite
def any_spans(draw: st.DrawFn) -> list[Span]:
    """Parents may be missing, be the span itself or stand in a circle; ids may repeat; clocks may differ."""
    found = []
    for _ in range(draw(st.integers(1, 9))):
        start = draw(st.integers(0, 12))
        found.append(
            span(
                draw(st.sampled_from(IDS)),
                draw(st.sampled_from(["", "", *IDS, "missing"])),
                start,
                start + draw(st.integers(0, 12)),
                draw(st.sampled_from("abc")),
                draw(st.sampled_from(["etl", "db"])),
            )
        )
    return found


@st.composite
def sane_spans(draw: st.DrawFn) -> list[Span]:
    """One root, unique ids, parents that exist."""
    found = [span("s0", "", 0, draw(st.integers(1, 20)))]
    for number in range(1, draw(st.integers(1, 8))):
        start = draw(st.integers(-3, 22))
        parent = f"s{draw(st.integers(0, number - 1))}"
        found.append(span(f"s{number}", parent, start, start + draw(st.integers(0, 15)), draw(st.sampled_from("abc"))))
    return found


def ids(tree: SpanTree) -> list[str]:
    return [one.span_id for one in tree.spans]


# The tree


@given(any_spans(), st.randoms(use_true_random=False))
def test_each_id_stands_once_whatever_the_order_of_arrival(spans: list[Span], dice: random.Random) -> None:
    tree = span_tree(spans)
    assert sorted(ids(tree)) == sorted({one.span_id for one in spans})
    assert tree.repeated == len(spans) - len(tree.spans)
    dice.shuffle(spans)
    assert span_tree(spans) == tree


@given(any_spans())
def test_a_parent_is_the_one_that_was_named_unless_it_is_missing_or_beneath(spans: list[Span]) -> None:
    tree = span_tree(spans)
    known = set(ids(tree))
    for at, one in enumerate(tree.spans):
        parent = tree.parents[at]
        if parent is not None:
            assert tree.spans[parent].span_id == one.parent_span_id
            assert at in tree.children[parent]
            assert tree.depths[at] == tree.depths[parent] + 1
            assert parent < at
        else:
            assert at in tree.roots
            assert tree.depths[at] == 0
            assert (at in tree.orphans) == (one.parent_span_id not in ("", *known))
            assert (at in tree.cut) == (one.parent_span_id in known)


@given(any_spans())
def test_a_circle_is_cut_once_and_only_there(spans: list[Span]) -> None:
    tree = span_tree(spans)
    named = {one.span_id: one.parent_span_id for one in tree.spans}
    circles = set()
    for one in named:
        seen = [one]
        while named.get(seen[-1]) in named and named[seen[-1]] not in seen:
            seen.append(named[seen[-1]])
        if named.get(seen[-1]) == one:
            circles.add(frozenset(seen))
    cuts = {ids(tree)[at] for at in tree.cut}
    assert len(cuts) == len(circles)
    assert all(len(cuts & circle) == 1 for circle in circles)


@given(any_spans())
def test_what_is_beneath_a_span_are_its_descendants(spans: list[Span]) -> None:
    tree = span_tree(spans)
    for at in range(len(tree.spans)):
        found, waiting = set(), [at]
        while waiting:
            found.add(waiting[-1])
            waiting += tree.children[waiting.pop()]
        assert set(tree.beneath(at)) == found


def test_of_two_with_one_id_the_one_that_ends_later_stays() -> None:
    tree = span_tree([span("a", end=5), span("a", end=9), span("a", end=7)])
    assert [one.ended_at for one in tree.spans] == [9]
    assert tree.repeated == 2


def test_a_child_outside_of_its_parent_is_said_to_be_and_not_moved() -> None:
    tree = span_tree(
        [span("a", start=10, end=20), span("b", "a", 8, 12), span("c", "a", 12, 20), span("d", "a", 19, 25)]
    )
    assert [tree.is_outside(at) for at in range(4)] == [False, True, False, True]
    assert [(one.started_at, one.ended_at) for one in tree.spans[1:]] == [(8, 12), (12, 20), (19, 25)]


def test_depth_is_not_bounded_by_the_interpreter() -> None:
    chain = [span("n0", "", 0, 20_000), *(span(f"n{at}", f"n{at - 1}", at, 20_000 - at) for at in range(1, 5_000))]
    tree = span_tree(chain)
    assert max(tree.depths) == 4_999
    assert sum(one.duration_ns for one in critical_path(tree)) == 20_000
    assert len(compare_traces(tree, tree)) == 5_000


# Self time


@given(any_spans())
def test_self_time_is_what_is_left_when_every_nanosecond_is_looked_at(spans: list[Span]) -> None:
    tree = span_tree(spans)
    for at, own in enumerate(self_times(tree)):
        one = tree.spans[at]
        inside = [tree.spans[child] for child in tree.children[at]]
        alone = [
            tick
            for tick in range(one.started_at, one.ended_at)
            if not any(child.started_at <= tick < child.ended_at for child in inside)
        ]
        assert own == len(alone)


@given(st.lists(st.tuples(st.integers(0, 15), st.integers(0, 15)), max_size=6))
def test_what_is_covered_is_counted_once(intervals: list[tuple[int, int]]) -> None:
    assert covered(intervals) == len({tick for start, end in intervals for tick in range(start, end)})


def test_nanoseconds_are_exact_at_the_present_time() -> None:
    now = 1_794_000_000_123_456_789
    tree = span_tree([span("a", "", now, now + 1_000_000_001), span("b", "a", now + 1, now + 1_000_000_000)])
    assert self_times(tree) == [2, 999_999_999]


# The critical path


def who_decides(tree: SpanTree, at: int, start: int, end: int, owner: dict[int, int]) -> None:
    """Back from the end, a nanosecond at a time, into whichever child ends right there; the longest first."""
    spans = tree.spans
    bounds = {c: (max(spans[c].started_at, start), min(spans[c].ended_at, end)) for c in tree.children[at]}
    tick = end
    while tick > start:
        here = [c for c, (first, last) in bounds.items() if last == tick and first < last]
        if here:
            child = min(here, key=lambda c: (bounds[c][0], c))
            who_decides(tree, child, *bounds[child], owner)
            tick = bounds[child][0]
        else:
            owner[tick - 1] = at
            tick -= 1


@given(sane_spans())
def test_the_path_is_the_one_found_nanosecond_by_nanosecond(spans: list[Span]) -> None:
    tree = span_tree(spans)
    root = tree.spans[0]
    owner: dict[int, int] = {}
    who_decides(tree, 0, root.started_at, root.ended_at, owner)
    path = critical_path(tree)
    assert {tick: one.at for one in path for tick in range(one.started_at, one.ended_at)} == owner
    assert critical_path(tree, 0) == path


@given(any_spans())
def test_the_path_goes_forward_without_gaps_beneath_one_span(spans: list[Span]) -> None:
    tree = span_tree(spans)
    for at, one in enumerate(tree.spans):
        path = critical_path(tree, at)
        assert path[0].started_at == one.started_at
        assert path[-1].ended_at == one.ended_at
        assert all(first.ended_at == second.started_at for first, second in itertools.pairwise(path))
        assert all(part.at in tree.beneath(at) for part in path)
        assert sum(time_on_path(path).values()) == one.duration_ns


@given(any_spans())
def test_of_several_roots_the_path_is_theirs_alone_and_ends_with_the_last(spans: list[Span]) -> None:
    tree = span_tree(spans)
    path = critical_path(tree)
    roots = [tree.spans[at] for at in tree.roots]
    # One that took no time is on the path only if none took any.
    roots = [one for one in roots if one.duration_ns] or roots
    assert path[-1].ended_at == max(one.ended_at for one in roots)
    at_work = {tick for one in roots for tick in range(one.started_at, one.ended_at)}
    on_path = {tick for one in path for tick in range(one.started_at, one.ended_at)}
    assert on_path <= at_work
    for first, second in itertools.pairwise(path):
        assert first.ended_at <= second.started_at


def test_of_parallel_children_the_last_to_end_is_on_the_path_and_then_what_it_waited_for() -> None:
    tree = span_tree(
        [
            span("root", "", 0, 100),
            span("read", "root", 5, 40),
            span("quick", "root", 50, 60),
            span("slow", "root", 45, 90),
            span("inner", "slow", 50, 85),
        ]
    )
    path = [(ids(tree)[one.at], one.started_at, one.ended_at) for one in critical_path(tree)]
    assert path == [
        ("root", 0, 5),
        ("read", 5, 40),
        ("root", 40, 45),
        ("slow", 45, 50),
        ("inner", 50, 85),
        ("slow", 85, 90),
        ("root", 90, 100),
    ]


def test_a_trace_that_took_no_time_has_its_root_as_path() -> None:
    tree = span_tree([span("a", "", 5, 5), span("b", "a", 5, 5)])
    assert [(ids(tree)[one.at], one.duration_ns) for one in critical_path(tree)] == [("a", 0)]


def test_no_spans_have_no_path() -> None:
    assert critical_path(span_tree([])) == []


# Two traces


def paths(tree: SpanTree) -> dict[tuple[tuple[str, str, int], ...], int]:
    """By the names and occurrences on the way, worked out for each span from the root down."""
    found: dict[tuple[tuple[str, str, int], ...], int] = {}

    def walk(siblings: tuple[int, ...], above: tuple[tuple[str, str, int], ...]) -> None:
        for place, at in enumerate(siblings):
            one = tree.spans[at]
            earlier = [tree.spans[other] for other in siblings[:place]]
            number = sum((other.service, other.name) == (one.service, one.name) for other in earlier)
            way = (*above, (one.service, one.name, number))
            found[way] = at
            walk(tree.children[at], way)

    walk(tree.roots, ())
    return found


@given(any_spans(), any_spans())
def test_what_changed_is_what_differs_by_path_and_occurrence(old: list[Span], new: list[Span]) -> None:
    before, after = span_tree(old), span_tree(new)
    was, now = paths(before), paths(after)
    changes = compare_traces(before, after)
    assert len(changes) == len(was.keys() | now.keys())
    told = {(one.before and one.before.span.span_id, one.after and one.after.span.span_id): one for one in changes}
    own = self_times(before), self_times(after)
    for way in was.keys() | now.keys():
        first = before.spans[was[way]] if way in was else None
        second = after.spans[now[way]] if way in now else None
        change = told[first and first.span_id, second and second.span_id]
        assert path_of(changes, changes.index(change)) == [name for _, name, _ in way]
        assert change.occurrence == way[-1][2]
        took = [one.duration_ns if one else 0 for one in (first, second)]
        assert change.difference_ns == took[1] - took[0]
        mine = [own[0][was[way]] if first else 0, own[1][now[way]] if second else 0]
        assert change.self_difference_ns == mine[1] - mine[0]
        if first is None:
            assert change.kind == "added"
        elif second is None:
            assert change.kind == "removed"
        else:
            assert change.kind == {-1: "faster", 0: "same", 1: "slower"}[(took[1] > took[0]) - (took[1] < took[0])]


@given(any_spans())
def test_a_trace_is_the_same_as_itself(spans: list[Span]) -> None:
    tree = span_tree(spans)
    assert {one.kind for one in compare_traces(tree, tree)} == {"same"}


def test_the_ratio_says_how_many_times_as_long_it_took() -> None:
    (change,) = compare_traces(span_tree([span("a", end=10)]), span_tree([span("z", end=25)]))
    assert (change.kind, change.ratio) == ("slower", 2.5)
