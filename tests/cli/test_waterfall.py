"""A waterfall has a line for each span, a bar where and as long as it was, and fits the width that it is given."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineage_hub.cli.durations import difference, read_duration, shown
from lineage_hub.cli.trace_answers import Span, Stretch, Trace
from lineage_hub.cli.waterfall import FULL, LIGHT, columns_of, waterfall
from lineage_hub.errors import InvalidRequest


def span(name: str, depth: int, start: int, end: int, **more: object) -> Span:
    return Span(name, name, "etl", depth, start, end - start, **more)  # type: ignore[arg-type]


def trace(*spans: Span, path: tuple[tuple[str, int, int], ...] = (), whole: int = 0) -> Trace:
    whole = whole or max(one.offset_ns + one.duration_ns for one in spans)
    stretches = [Stretch(name, start, end - start) for name, start, end in path]
    return Trace("t", "2026-11-01T00:00:00Z", whole, list(spans), stretches, len(spans))


def drawn(of: Trace, width: int | None = None, limit: int = 500) -> list[str]:
    return ["".join(text for text, _ in line) for line in waterfall(of, width, limit)]


def bars(line: str) -> str:
    """The part of a line that holds its bar."""
    found = [at for at, char in enumerate(line) if char in FULL + LIGHT]
    return line[found[0] : found[-1] + 1]


def test_the_tree_the_bars_and_the_figures_stand_in_columns() -> None:
    of = trace(
        span("root", 0, 0, 60, self_ns=10, critical_ns=10),
        span("read", 1, 0, 20, self_ns=20, critical_ns=20),
        span("write", 1, 30, 60, self_ns=30, critical_ns=30),
        span("inner", 2, 30, 45),
        path=(("read", 0, 20), ("root", 20, 30), ("write", 30, 60)),
    )
    assert drawn(of) == [
        "             0                   20 ns               40 ns          60 ns       took      self",
        "root  etl    ░░░░░░░░░░░░░░░░░░░░██████████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░      60 ns     10 ns",
        "├─ read      ████████████████████                                              20 ns     20 ns",
        "└─ write                                   ██████████████████████████████      30 ns     30 ns",
        "   └─ inner                                ░░░░░░░░░░░░░░░                     15 ns      0 ns",
    ]


def test_branches_end_where_no_sibling_follows() -> None:
    of = trace(span("a", 0, 0, 9), span("b", 1, 0, 9), span("c", 2, 0, 9), span("d", 1, 0, 9), span("e", 0, 0, 9))
    names = [line.partition(LIGHT)[0].rstrip() for line in drawn(of)[1:]]
    assert names == ["a  etl", "├─ b", "│  └─ c", "└─ d", "e  etl"]


def test_errors_other_services_and_oddities_are_marked() -> None:
    of = trace(
        span("a", 0, 0, 9, status="ERROR"),
        Span("b", "b", "db", 1, 0, 9, outside_parent=True),
        span("c", 0, 0, 9, orphan=True),
        span("d", 0, 0, 9, cycle=True),
    )
    lines = drawn(of)
    assert lines[1].startswith("a  etl ✗")
    assert lines[2].startswith("└─ b  db (outside its parent)")
    assert lines[3].startswith("c  etl (parent missing)")
    assert lines[4].startswith("d  etl (cycle)")


def test_a_name_is_seen_however_deep_it_lies() -> None:
    lines = drawn(trace(*(span(f"n{depth}", depth, 0, 9) for depth in range(60))), width=100)
    assert all(f"n{depth} " in line for depth, line in enumerate(lines[1:]))


def test_a_name_can_not_steer_the_terminal() -> None:
    assert "a\\x1b[31m\\n" in drawn(trace(span("a\x1b[31m\n", 0, 0, 9)))[1]


def test_what_is_short_has_a_cell_and_what_is_beyond_the_limit_none() -> None:
    lines = drawn(trace(span("a", 0, 0, 10**9), span("b", 1, 10**9 - 1, 10**9), span("c", 1, 0, 0)), limit=2)
    assert len(lines) == 3
    assert bars(lines[2]) == LIGHT


def test_the_path_is_seen_however_short_it_is() -> None:
    of = trace(span("a", 0, 0, 10**9, critical_ns=1), path=(("a", 5, 6),))
    assert FULL in drawn(of)[1]


spans = st.lists(
    st.builds(
        lambda depth, start, long, name: span(name, depth, start, start + long),
        st.integers(0, 12),
        st.integers(-50, 1000),
        st.integers(0, 1000),
        st.text(max_size=90),
    ),
    min_size=1,
    max_size=8,
)


def connected(found: list[Span]) -> list[Span]:
    """Each at most one deeper than the one before it, as in a tree."""
    deepest = -1
    made = []
    for one in found:
        deepest = min(one.depth, deepest + 1)
        made.append(Span(one.span_id, one.name, one.service, deepest, one.offset_ns, one.duration_ns))
    return made


@given(spans, st.integers(60, 250))
def test_no_line_is_wider_than_the_terminal(found: list[Span], width: int) -> None:
    lines = drawn(trace(*connected(found), whole=1000), width)
    assert len(lines) == len(found) + 1
    assert all(columns_of(line) <= width for line in lines)


@given(spans)
def test_a_pipe_gets_whole_names(found: list[Span]) -> None:
    from lineage_hub.terminal import one_line

    lines = drawn(trace(*connected(found), whole=1000))
    assert all(one_line(one.name) in line for one, line in zip(found, lines[1:], strict=True))


@pytest.mark.parametrize(
    ("nanoseconds", "text"),
    [
        (0, "0 ns"), (999, "999 ns"), (1_000, "1.00 µs"), (12_345, "12.3 µs"), (999_499, "999 µs"),
        (999_500, "1.00 ms"), (250_000_000, "250 ms"), (9_994_999_999, "9.99 s"), (48_210_000_000, "48.2 s"),
        (99_949_999_999, "99.9 s"), (99_950_000_000, "1m 40s"), (3_599_400_000_000, "59m 59s"),
        (3_600_000_000_000, "1h 00m"), (-1_500_000, "-1.50 ms"),
    ],
)  # fmt: skip
def test_a_duration_has_three_digits_and_the_unit_that_suits(nanoseconds: int, text: str) -> None:
    assert shown(nanoseconds) == text


def test_a_difference_has_a_sign() -> None:
    assert [difference(one) for one in (5, 0, -5)] == ["+5 ns", "0 ns", "-5 ns"]


def test_a_duration_is_read_as_it_is_written() -> None:
    texts = ("250ms", "2s", "1.5m", "1 h", "10us", "5ns")
    assert [read_duration(text, "--x") for text in texts] == pytest.approx([250, 2000, 90e3, 3600e3, 0.01, 5e-6])
    assert read_duration(None, "--x") is None
    for text in ("", "5", "fast", "-1s", "1d"):
        with pytest.raises(InvalidRequest, match="--x"):
            read_duration(text, "--x")
