"""Every kind of metric becomes rows, with numbers exact and what is missing marked as missing."""

from __future__ import annotations

from typing import Any

import pytest
from opentelemetry.proto.metrics.v1 import metrics_pb2 as m

from lineage_hub.wire.otlp import read_metrics
from tests.wire.otlp.messages import T0, gauge, key_values, metrics, rows_of
from tests.wire.otlp.slow_reading import EMPTY_POINT

Row = dict[str, Any]


def read(*given: m.Metric) -> Any:
    return read_metrics(metrics(*given).SerializeToString())


def only(*given: m.Metric) -> Row:
    found = read(*given)
    assert (found.count, found.rejected) == (1, 0)
    return rows_of(found.columns)[0]


def point(**about: Any) -> m.NumberDataPoint:
    return m.NumberDataPoint(**{"time_unix_nano": T0, **about})


def test_a_gauge_is_a_row() -> None:
    row = only(gauge(point(as_double=1.5, attributes=key_values({"a": 1}))))
    assert row == {
        **EMPTY_POINT,
        "timestamp": T0,
        "start_timestamp": 0,
        "metric_name": "queue.size",
        "metric_type": "gauge",
        "unit": "1",
        "description": "waiting",
        "temporality": "",
        "is_monotonic": False,
        "value": 1.5,
        "flags": 0,
        "attributes": {"a": "1"},
        "attribute_types": {"a": "int"},
        "service_name": "shop",
        "resource_attributes": {"service.name": "shop"},
        "resource_attribute_types": {},
        "scope_name": "tests",
        "scope_version": "",
    }


@pytest.mark.parametrize("value", [2**63 - 1, -(2**63), 2**53 + 1, 0])
def test_an_integer_is_exact(value: int) -> None:
    row = only(gauge(point(as_int=value)))
    assert (row["int_value"], row["is_int"], row["value"]) == (value, True, float(value))


def test_a_sum_has_temporality_and_direction() -> None:
    added = {"data_points": [point(as_double=0.5)], "is_monotonic": True}
    row = only(m.Metric(name="n", sum={**added, "aggregation_temporality": 1}))
    assert (row["metric_type"], row["temporality"], row["is_monotonic"]) == ("sum", "DELTA", True)
    row = only(m.Metric(name="n", sum={**added, "aggregation_temporality": 2, "is_monotonic": False}))
    assert (row["temporality"], row["is_monotonic"]) == ("CUMULATIVE", False)


def test_a_histogram_tells_what_it_has_not() -> None:
    about: Row = {"time_unix_nano": T0, "count": 2**64 - 1, "bucket_counts": [1, 2], "explicit_bounds": [0.5]}
    bare = only(m.Metric(name="n", histogram={"data_points": [m.HistogramDataPoint(**about)]}))
    assert (bare["has_sum"], bare["has_min"], bare["has_max"], bare["count"]) == (False, False, False, 2**64 - 1)
    assert (bare["bucket_counts"], bare["explicit_bounds"]) == ([1, 2], [0.5])
    zeros = m.HistogramDataPoint(**about, sum=0.0, min=0.0, max=-1.0)
    full = only(m.Metric(name="n", histogram={"data_points": [zeros], "aggregation_temporality": 2}))
    assert (full["has_sum"], full["has_min"], full["has_max"]) == (True, True, True)
    assert (full["value"], full["min"], full["max"], full["temporality"]) == (0.0, 0.0, -1.0, "CUMULATIVE")


def test_an_exponential_histogram_keeps_both_sides() -> None:
    given = m.ExponentialHistogramDataPoint(
        time_unix_nano=T0, count=9, sum=4.5, scale=-3, zero_count=2, zero_threshold=0.01,
        positive={"offset": -7, "bucket_counts": [1, 0, 3]}, negative={"offset": 5, "bucket_counts": [2**64 - 1]},
    )  # fmt: skip
    row = only(m.Metric(name="n", exponential_histogram={"data_points": [given]}))
    assert row["metric_type"] == "exponential_histogram"
    assert (row["scale"], row["zero_count"], row["zero_threshold"]) == (-3, 2, 0.01)
    assert (row["positive_offset"], row["positive_counts"]) == (-7, [1, 0, 3])
    assert (row["negative_offset"], row["negative_counts"]) == (5, [2**64 - 1])
    assert (row["value"], row["has_sum"], row["count"]) == (4.5, True, 9)


def test_a_summary_keeps_its_quantiles() -> None:
    pairs = [m.SummaryDataPoint.ValueAtQuantile(quantile=q, value=v) for q, v in ((0.5, 1.0), (0.99, 7.5))]
    given = m.SummaryDataPoint(time_unix_nano=T0, count=3, sum=9.0, quantile_values=pairs)
    row = only(m.Metric(name="n", summary={"data_points": [given]}))
    assert (row["metric_type"], row["value"], row["count"]) == ("summary", 9.0, 3)
    assert row["quantiles"] == [(0.5, 1.0), (0.99, 7.5)]


def test_an_exemplar_leads_to_its_trace() -> None:
    exemplar = m.Exemplar(
        time_unix_nano=T0 + 1, as_int=5, trace_id=b"\x01" * 16, span_id=b"\x02" * 8,
        filtered_attributes=key_values({"user": "u"}),
    )  # fmt: skip
    row = only(gauge(point(as_double=1.0, exemplars=[exemplar])))
    assert row["exemplars"] == [(T0 + 1, 5.0, "01" * 16, "02" * 8, {"user": "u"})]


def test_all_kinds_come_in_one_body() -> None:
    found = read(
        gauge(point(as_int=1), point(as_int=2)),
        m.Metric(name="h", histogram={"data_points": [m.HistogramDataPoint(time_unix_nano=T0)]}),
        m.Metric(name="s", sum={"data_points": [point(as_double=3.0)]}),
        m.Metric(name="nothing"),
    )
    assert found.count == 4
    assert sorted(found.columns["metric_type"]) == ["gauge", "gauge", "histogram", "sum"]
    assert sorted(found.names()) == ["h", "queue.size", "s"]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (gauge(point(), name="bad"), "has no value"),
        (gauge(point(as_int=1, start_time_unix_nano=2**63), name="bad"), "after 2262-04-11"),
        (gauge(point(as_int=1, exemplars=[m.Exemplar(time_unix_nano=2**63)]), name="bad"), "an exemplar of it"),
        (gauge(point(as_int=1, attributes=key_values({"big": "x" * (2 << 20)})), name="bad"), "attribute 0 has"),
        (
            m.Metric(
                name="bad", histogram={"data_points": [m.HistogramDataPoint(bucket_counts=[1], explicit_bounds=[1])]}
            ),
            "1 bucket counts and 1 bounds",
        ),
        (gauge(point(as_int=1), name=""), "no name"),
    ],
)
def test_a_point_that_can_not_be_kept_is_refused_alone(bad: m.Metric, reason: str) -> None:
    found = read(gauge(point(as_int=1)), bad, gauge(point(as_int=2)))
    assert (found.count, found.rejected) == (2, 1)
    assert found.columns["int_value"] == [1, 2]
    assert reason in found.reasons[0]


def test_a_point_may_say_that_nothing_was_recorded() -> None:
    row = only(gauge(point(flags=1)))
    assert (row["flags"], row["value"], row["is_int"]) == (1, 0.0, False)


def test_metrics_that_are_too_many_are_refused_by_name() -> None:
    found = read(gauge(point(as_int=1), point(as_int=2), name="a"), gauge(point(as_int=3), name="b"))
    found.refuse({"a"}, "too many")
    assert (found.count, found.rejected, found.reasons) == (1, 2, ["metric 'a': too many"])
    assert rows_of(found.columns)[0]["metric_name"] == "b"
    assert all(len(column) == 1 for column in found.columns.values())
