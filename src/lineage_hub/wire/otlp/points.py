"""A body of /v1/metrics enters; the columns of the table `metrics` leave, a row for each data point that can be kept.

Points of one shape are read together: each column is made at once, and what a shape doesn't have is filled in.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lineage_hub.wire.otlp import attributes
from lineage_hub.wire.otlp.columns import LATEST_NS, Column, Encoding, PointColumns, Refusals
from lineage_hub.wire.otlp.counting import parse
from lineage_hub.wire.otlp.json_form import protobuf_of
from lineage_hub.wire.otlp.origins import Origins
from lineage_hub.wire.otlp.point_shapes import SHAPES, complaint_of_shape

_TEMPORALITIES = {1: "DELTA", 2: "CUMULATIVE"}
# What a column holds for points whose shape doesn't have it; lists are never changed, so one may stand for all.
_NOTHING: list[Any] = []
_FILLED: dict[str, Any] = {
    "value": 0.0, "int_value": 0, "is_int": False, "count": 0, "min": 0.0, "max": 0.0, "has_sum": False,
    "has_min": False, "has_max": False, "bucket_counts": _NOTHING, "explicit_bounds": _NOTHING, "scale": 0,
    "zero_count": 0, "zero_threshold": 0.0, "positive_offset": 0, "positive_counts": _NOTHING, "negative_offset": 0,
    "negative_counts": _NOTHING, "quantiles": _NOTHING, "exemplars": _NOTHING,
}  # fmt: skip
Metric = Any


class _Shaped:
    """Points of one shape, and beside each the metric and the origin it belongs to."""

    def __init__(self) -> None:
        self.points: list[Any] = []
        self.metrics: list[tuple[str, str, str, str, str, bool]] = []
        self.origins = Origins()

    def chosen(self, rows: list[int]) -> _Shaped:
        found = _Shaped()
        found.points, found.metrics = [self.points[at] for at in rows], [self.metrics[at] for at in rows]
        found.origins = self.origins.chosen(rows)
        return found


def read_metrics(body: bytes, encoding: Encoding = "protobuf") -> PointColumns:
    refusals = Refusals()
    if encoding == "json":
        body = protobuf_of("metrics", body, refusals)
    shaped = _gather(parse("metrics", body).resource_metrics, refusals)
    whole = PointColumns(_columns("gauge", _Shaped()), 0)
    for shape, some in shaped.items():
        try:
            columns = _columns(shape, some)
        except attributes.Doubtful:
            good = [at for at in range(len(some.points)) if _is_good(shape, some, at, refusals)]
            some = some.chosen(good)
            columns = _columns(shape, some)
        found = PointColumns(columns, len(some.points))
        if whole.count:
            whole.extend(found)
        elif found.count:
            whole = found
    whole.rejected, whole.reasons = refusals.count, refusals.reasons
    return whole


def _gather(groups: Any, refusals: Refusals) -> dict[str, _Shaped]:
    shaped: dict[str, _Shaped] = {}
    for group in groups:
        for scope in group.scope_metrics:
            for metric in scope.metrics:
                kind = metric.WhichOneof("data")
                if kind is None:
                    # It has no points that could be kept or refused.
                    continue
                data = getattr(metric, kind)
                points = list(data.data_points)
                if not metric.name:
                    refusals.add(f"{len(points)} data points", "their metric has no name", len(points))
                    continue
                some = shaped.setdefault("number" if kind in ("gauge", "sum") else kind, _Shaped())
                if some.origins.add(group.resource, scope.scope, len(points), "data points", refusals):
                    some.points += points
                    some.metrics += [_described(metric, kind, data)] * len(points)
    return shaped


def _described(metric: Metric, kind: str, data: Any) -> tuple[str, str, str, str, str, bool]:
    temporality = _TEMPORALITIES.get(getattr(data, "aggregation_temporality", 0), "")
    return metric.name, kind, metric.unit, metric.description, temporality, getattr(data, "is_monotonic", False)


def _columns(shape: str, some: _Shaped) -> dict[str, Column]:
    points, metrics = some.points, some.metrics
    times = [point.time_unix_nano for point in points]
    starts = [point.start_time_unix_nano for point in points]
    if max(max(times, default=0), max(starts, default=0)) > LATEST_NS:
        raise attributes.Doubtful
    texts, types = attributes.map_columns([point.attributes for point in points])
    read: Callable[[list[Any]], dict[str, list[Any]]] = SHAPES.get(shape, lambda _: {})
    own = read(points)
    return {
        "timestamp": times,
        "start_timestamp": starts,
        "metric_name": [one[0] for one in metrics],
        "metric_type": [one[1] for one in metrics],
        "unit": [one[2] for one in metrics],
        "description": [one[3] for one in metrics],
        "temporality": [one[4] for one in metrics],
        "is_monotonic": [one[5] for one in metrics],
        **{name: own.get(name) or [filler] * len(points) for name, filler in _FILLED.items()},
        "flags": [point.flags for point in points],
        "attributes": texts,
        "attribute_types": types,
        **some.origins.columns(),
    }


def _is_good(shape: str, some: _Shaped, at: int, refusals: Refusals) -> bool:
    point = some.points[at]
    if max(point.time_unix_nano, point.start_time_unix_nano) > LATEST_NS:
        wrong: str | None = "its time is after 2262-04-11, the last that can be kept"
    else:
        wrong = attributes.complaint(point.attributes) or complaint_of_shape(shape, point)
    if wrong is not None:
        refusals.add(f"a data point of {some.metrics[at][0][:80]!r} at {point.time_unix_nano}", wrong)
    return wrong is None
