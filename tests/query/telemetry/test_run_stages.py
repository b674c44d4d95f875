"""The stages of a run: the spans in which its time went by, under names that are the same in each run."""

from __future__ import annotations

from typing import Any

from lineage_hub.query.telemetry.run_stages import stages_of
from lineage_hub.query.telemetry.run_trace import Joined

SECOND = 1_000_000_000
OWN = Joined("t", "run", "trace")


def span(span_id: str, parent: str, name: str, start: float, took: float, **more: Any) -> dict[str, Any]:
    empty = dict.fromkeys(("stage", "stage_id", "attempt", "skew", "spilled", "gc_ms", "run_id", "status_message"), "")
    return {
        **empty, "trace_id": "t", "span_id": span_id, "parent_span_id": parent, "operation_name": name,
        "started_at": int(start * SECOND), "duration_ns": int(took * SECOND), "status_code": "OK", **more,
    }  # fmt: skip


def names(*spans: dict[str, Any]) -> list[str]:
    return [stage.name for stage in stages_of(spans, OWN, "r")]


def test_what_mostly_waits_for_its_children_is_no_stage() -> None:
    found = names(
        span("run", "", "load", 0, 100),
        span("a", "run", "spark job 3", 0, 60),
        span("b", "a", "scan", 0, 30),
        span("c", "a", "sort", 30, 30),
        span("d", "run", "write", 60, 40),
        span("e", "d", "commit", 95, 5),
    )
    assert found == ["scan", "sort", "write"]


def test_spark_s_own_numbers_are_no_names_and_twins_have_numbers() -> None:
    found = names(
        span("run", "", "load", 0, 100),
        span("a", "run", "spark stage 17", 0, 10),
        span("b", "run", "spark stage 18", 10, 10, stage="count at load.py:7"),
        span("c", "run", "spark stage 19", 20, 10, stage="count at load.py:7"),
    )
    assert found == ["spark stage", "count at load.py:7", "count at load.py:7 (2)"]


def test_attempts_of_one_stage_are_one() -> None:
    first = span("a", "run", "spark stage 1", 5, 10, stage="sort", stage_id="1", attempt="0", status_code="ERROR")
    again = span("b", "run", "spark stage 1", 20, 30, stage="sort", stage_id="1", attempt="1", skew="2.5", gc_ms="1500")
    [stage] = stages_of([span("run", "", "load", 0, 100), first, again], OWN, "r")
    assert (stage.started_at, stage.duration_s, stage.attempts) == (5, 45, 2)
    assert (stage.skew, stage.gc_s, stage.error) == (2.5, 1.5, None)


def test_a_run_whose_own_span_has_not_arrived_has_those_inside_of_it() -> None:
    assert names(span("a", "run", "scan", 0, 30)) == ["scan"]
    assert names(span("a", "elsewhere", "scan", 0, 30, run_id="r"), span("b", "other", "sort", 0, 30)) == ["scan"]


def test_a_run_without_spans_inside_has_no_stages() -> None:
    assert names(span("run", "", "load", 0, 100)) == []


def test_spans_in_a_circle_end() -> None:
    circle = [span("a", "b", "x", 0, 10), span("b", "a", "y", 0, 10), span("run", "a", "load", 0, 10)]
    assert names(*circle, span("c", "run", "scan", 0, 10)) == ["scan"]
