"""Points of histograms enter as rows; for each group and step of time the count, the sum and quantiles leave."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from lineage_hub.lineage.buckets import Explicit, Exponential, Histogram, merged, quantiles
from lineage_hub.query.telemetry.asking import Answer, Row

LEVELS = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
COLUMNS = """
    count, value, has_sum, has_min, has_max, min, max, temporality, bucket_counts, explicit_bounds, scale, zero_count,
    zero_threshold, positive_offset, positive_counts, negative_offset, negative_counts
"""


@dataclass(slots=True)
class _Step:
    count: int = 0
    total: float = 0.0
    has_sum: bool = True
    least: list[float | None] = field(default_factory=list)
    most: list[float | None] = field(default_factory=list)
    shapes: list[Histogram] = field(default_factory=list)


def steps_of(rows: Iterable[Row], since: int, step_s: int) -> dict[tuple[str, str], dict[int, Answer]]:
    """By service and labels, then by the second at which a step begins. Rows come stream by stream, in order."""
    groups: dict[tuple[str, str], dict[int, _Step]] = {}
    before: Row | None = None
    for row in rows:
        neighbour = before if before is not None and before["stream"] == row["stream"] else None
        before = row
        if row["at"] < since or not _counts(row, neighbour, since):
            continue
        second = row["at"] // (step_s * 1_000_000_000) * step_s
        step = groups.setdefault((row["service_name"], row["labels"]), {}).setdefault(second, _Step())
        _add(step, row, neighbour)
    return {
        group: {second: _answer(step, step_s) for second, step in sorted(steps.items())}
        for group, steps in groups.items()
    }


def _counts(row: Row, before: Row | None, since: int) -> bool:
    """The first point of a cumulative stream says nothing of the stretch, unless it began within it."""
    return row["temporality"] == "DELTA" or before is not None or row["began"] >= max(since, 1)


def _add(step: _Step, row: Row, before: Row | None) -> None:
    shape, count, total = _shape(row), row["count"], row["value"]
    delta = row["temporality"] == "DELTA"
    if not delta and before is not None:
        restarted = row["began"] > before["began"] and row["began"] >= before["at"]
        left = None if restarted or count < before["count"] else _difference(shape, _shape(before))
        if left is not None:
            shape, count, total = left, count - before["count"], total - before["value"]
    step.count += count
    step.total += total
    step.has_sum &= row["has_sum"]
    if count:
        # The extremes of a cumulative point are those since its beginning.
        step.least.append(row["min"] if delta and row["has_min"] else None)
        step.most.append(row["max"] if delta and row["has_max"] else None)
    step.shapes.append(shape)


def _difference(now: Histogram, before: Histogram) -> Histogram | None:
    if isinstance(now, Explicit) and isinstance(before, Explicit):
        return now.minus(before)
    if isinstance(now, Exponential) and isinstance(before, Exponential):
        return now.minus(before)
    return None


def _shape(row: Row) -> Histogram:
    if row["metric_type"] == "histogram":
        return Explicit(tuple(row["explicit_bounds"]), tuple(row["bucket_counts"]))
    return Exponential(
        row["scale"],
        row["zero_threshold"],
        row["zero_count"],
        {row["positive_offset"] + at: count for at, count in enumerate(row["positive_counts"]) if count},
        {row["negative_offset"] + at: count for at, count in enumerate(row["negative_counts"]) if count},
    )


def _answer(step: _Step, step_s: int) -> Answer:
    least = _extreme(step.least, min)
    most = _extreme(step.most, max)
    buckets = [bucket for shape in merged(step.shapes) for bucket in shape.buckets()]
    found = quantiles(buckets, list(LEVELS.values()), least, most)
    return {
        "count": step.count,
        "rate": step.count / step_s,
        "sum": step.total if step.has_sum else None,
        "mean": step.total / step.count if step.has_sum and step.count else None,
        "min": least,
        "max": most,
        **(dict(zip(LEVELS, found, strict=True)) if found else dict.fromkeys(LEVELS)),
    }


def _extreme(known: list[float | None], of: Callable[[list[float]], float]) -> float | None:
    """Of all points, or of none."""
    told = [one for one in known if one is not None]
    return of(told) if told and len(told) == len(known) else None
