"""Attributes leave with the types that they came with; the span that fits a run best is the one that overlaps most."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineage_hub.query.telemetry.rollups import middle
from lineage_hub.query.telemetry.run_trace import best_fit
from lineage_hub.query.telemetry.values import typed, typed_value

NESTED = {
    "kvlistValue": {
        "values": [
            {"key": "a", "value": {"arrayValue": {"values": [{"boolValue": True}, {"doubleValue": 0.5}, {}]}}},
            {"key": "b", "value": {"kvlistValue": {}}},
            {"key": "c"},
        ]
    }
}


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("plain", "string", "plain"),
        ("9223372036854775807", "int", 2**63 - 1),
        ("0.1", "double", 0.1),
        ("NaN", "double", "NaN"),
        ("-Infinity", "double", "-Infinity"),
        ("true", "bool", True),
        ("false", "bool", False),
        ("AAEC", "bytes", "AAEC"),
        ("", "empty", None),
        (json.dumps(NESTED), "map", {"a": [True, 0.5, None], "b": {}, "c": None}),
        ('{"arrayValue":{"values":[{"intValue":"7"}]}}', "array", [7]),
        ("not what it says", "int", "not what it says"),
        ("[broken", "array", "[broken"),
        ("[1]", "map", "[1]"),
        ("what comes later", "newer", "what comes later"),
    ],
)
def test_a_value_has_its_type_and_what_can_not_be_read_is_text(text: str, kind: str, value: object) -> None:
    assert typed_value(text, kind) == value
    json.dumps(typed_value(text, kind), allow_nan=False)


def test_names_come_in_order_and_are_text_unless_said_otherwise() -> None:
    assert list(typed({"b": "1", "a": "1"}, {"b": "int"}).items()) == [("a", "1"), ("b", 1)]


times = st.tuples(st.integers(0, 20), st.integers(0, 10)).map(lambda one: (one[0], one[0] + one[1]))


@given(times, st.lists(times, max_size=5))
def test_the_best_fit_shares_most_of_its_time(run: tuple[int, int], spans: list[tuple[int, int]]) -> None:
    rows = [{"started_at": s, "duration_ns": e - s, "span_id": str(at)} for at, (s, e) in enumerate(spans)]
    best = best_fit(run, rows)

    def ticks(time: tuple[int, int]) -> set[float]:
        """Both ends count: what took no time overlaps what it lies in."""
        return {tick / 2 for tick in range(2 * time[0], 2 * time[1] + 1)}

    touching = [one for one in spans if ticks(one) & ticks(run)]
    if best is None:
        assert not touching
        return
    chosen = spans[int(best["span_id"])]

    def share(time: tuple[int, int]) -> float:
        inner = set(range(*time)) & set(range(*run))
        whole = max(time[1], run[1]) - min(time[0], run[0])
        return len(inner) / whole if whole else 1.0

    assert chosen in touching
    assert share(chosen) == max(share(one) for one in touching)


@given(st.integers(0, 2**63 - 1))
def test_the_middle_of_what_is_kept_is_near_to_what_it_stands_for(duration: int) -> None:
    digits = max(duration.bit_length() - 8, 0)
    kept = duration >> digits << digits
    assert abs(middle(float(kept)) - duration) <= duration / 256 + 1e-9
