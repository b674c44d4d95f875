"""Data points of one shape enter: numbers, histograms, exponential histograms or summaries; their own columns leave."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lineage_hub.wire.otlp import attributes
from lineage_hub.wire.otlp.columns import LATEST_NS

# A point may say that there was nothing to measure; then it has no value.
_NOTHING_RECORDED = 1
Own = dict[str, list[Any]]


def _numbers(points: list[Any]) -> Own:
    which = [point.WhichOneof("value") for point in points]
    if None in which and not all(which[at] or _says_nothing(point) for at, point in enumerate(points)):
        raise attributes.Doubtful
    return {
        "value": [float(point.as_int) if kind == "as_int" else point.as_double
                  for point, kind in zip(points, which, strict=True)],
        "int_value": [point.as_int for point in points],
        "is_int": [kind == "as_int" for kind in which],
        "exemplars": _exemplars(points),
    }  # fmt: skip


def _says_nothing(point: Any) -> bool:
    return bool(point.flags & _NOTHING_RECORDED)


def _histograms(points: list[Any]) -> Own:
    if not all(map(_fits, points)):
        raise attributes.Doubtful
    return {
        **_spread(points),
        "bucket_counts": [list(point.bucket_counts) for point in points],
        "explicit_bounds": [list(point.explicit_bounds) for point in points],
        "exemplars": _exemplars(points),
    }


def _fits(point: Any) -> bool:
    buckets, bounds = len(point.bucket_counts), len(point.explicit_bounds)
    return buckets == bounds + 1 or (buckets == 0 and bounds == 0)


def _exponential(points: list[Any]) -> Own:
    return {
        **_spread(points),
        "scale": [point.scale for point in points],
        "zero_count": [point.zero_count for point in points],
        "zero_threshold": [point.zero_threshold for point in points],
        "positive_offset": [point.positive.offset for point in points],
        "positive_counts": [list(point.positive.bucket_counts) for point in points],
        "negative_offset": [point.negative.offset for point in points],
        "negative_counts": [list(point.negative.bucket_counts) for point in points],
        "exemplars": _exemplars(points),
    }


def _spread(points: list[Any]) -> Own:
    return {
        "value": [point.sum for point in points],
        "count": [point.count for point in points],
        "min": [point.min for point in points],
        "max": [point.max for point in points],
        "has_sum": [point.HasField("sum") for point in points],
        "has_min": [point.HasField("min") for point in points],
        "has_max": [point.HasField("max") for point in points],
    }


def _summaries(points: list[Any]) -> Own:
    return {
        "value": [point.sum for point in points],
        "count": [point.count for point in points],
        "has_sum": [True] * len(points),
        "quantiles": [[(one.quantile, one.value) for one in point.quantile_values] for point in points],
    }


def _exemplars(points: list[Any]) -> list[list[tuple[int, float, str, str, dict[str, str]]]]:
    return [[_exemplar(one) for one in found] if (found := point.exemplars) else [] for point in points]


def _exemplar(one: Any) -> tuple[int, float, str, str, dict[str, str]]:
    if one.time_unix_nano > LATEST_NS:
        raise attributes.Doubtful
    value = float(one.as_int) if one.WhichOneof("value") == "as_int" else one.as_double
    about = attributes.as_dict(one.filtered_attributes)
    return one.time_unix_nano, value, one.trace_id.hex(), one.span_id.hex(), about


SHAPES: dict[str, Callable[[list[Any]], Own]] = {
    "number": _numbers,
    "histogram": _histograms,
    "exponential_histogram": _exponential,
    "summary": _summaries,
}


def complaint_of_shape(shape: str, point: Any) -> str | None:
    if shape == "number" and point.WhichOneof("value") is None and not _says_nothing(point):
        return "it has no value"
    if shape == "histogram" and not _fits(point):
        return f"it has {len(point.bucket_counts)} bucket counts and {len(point.explicit_bounds)} bounds"
    for one in getattr(point, "exemplars", ()):
        if one.time_unix_nano > LATEST_NS:
            return "an exemplar of it is after 2262-04-11, the last time that can be kept"
        wrong = attributes.complaint(one.filtered_attributes)
        if wrong is not None:
            return f"an exemplar of it: {wrong}"
    return None
