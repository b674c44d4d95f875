"""What was measured is judged without Spark: shares as they were written, and nothing but what was asked."""

from datetime import UTC, datetime
from typing import Any

import pytest

from lineage_hub.spark.pipeline.definition import Rule
from lineage_hub.spark.pipeline.quality.results import RuleResult, judged, name_of

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)


def result(rule: dict[str, Any], checked: int, previous: int | None = None, **measured: Any) -> RuleResult:
    return judged(Rule.model_validate(rule), ("c",), checked, measured, previous, NOW)


@pytest.mark.parametrize("percent", range(100))
def test_a_share_is_exactly_what_was_written(percent: int) -> None:
    rule = {"expression": "x", "tolerance": percent / 100}
    assert result(rule, 100, broken=percent).passed
    assert not result(rule, 100, broken=percent + 1).passed


@pytest.mark.parametrize("percent", range(1, 100))
def test_a_change_is_exactly_what_was_written(percent: int) -> None:
    assert result({"row_count_change": {"max_drop": percent / 100}}, 100 - percent, 100).passed
    assert not result({"row_count_change": {"max_drop": percent / 100}}, 99 - percent, 100).passed
    assert result({"row_count_change": {"max_growth": percent / 100}}, 100 + percent, 100).passed
    assert not result({"row_count_change": {"max_growth": percent / 100}}, 101 + percent, 100).passed


def test_a_time_to_come_is_fresh() -> None:
    micros = int(datetime(2026, 11, 17, tzinfo=UTC).timestamp() * 1_000_000)
    assert result({"freshness": {"column": "c", "within": "1s"}}, 1, latest=micros).passed


@pytest.mark.parametrize(
    ("rule", "name"),
    [
        ({"not_null": ["a", "b.c"]}, "not_null(a, b.c)"),
        ({"range": {"column": "a", "min": 1}}, "range(a)"),
        ({"row_count": {"min": 1}}, "row_count"),
        ({"expression": "a >\n   b"}, "expression(a > b)"),
        ({"expression": "x" * 100}, "expression(" + "x" * 79 + "…)"),
        ({"row_count": {"min": 1}, "name": "any rows"}, "any rows"),
    ],
)
def test_a_rule_without_a_name_goes_by_what_it_is_about(rule: dict[str, Any], name: str) -> None:
    assert name_of(Rule.model_validate(rule)) == name


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        ({"row_count": {}}, "5 rows; wanted are any"),
        ({"row_count": {"min": 1, "max": 3}}, "5 rows; wanted are from 1 to 3"),
        ({"row_count_change": {}}, "5 rows after 4, a change of +25 %"),
    ],
)
def test_ends_that_are_left_out(rule: dict[str, Any], says: str) -> None:
    assert result(rule, 5, 4).says == says
