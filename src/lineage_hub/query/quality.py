"""A dataset and a stretch of time enter; what checks said of it leaves as series, one for each assertion and column.

Also what was measured of its columns, run by run.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import to_builtins

from lineage_hub.query.datasets import find_dataset
from lineage_hub.query.horizon import begins_at
from lineage_hub.query.own_words import Teller, Told, own_words
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.query.spoken import told_by
from lineage_hub.wire import instant_text
from lineage_hub.wire.described import ColumnMetrics
from lineage_hub.wire.quality import ASSERTION_FACETS, METRIC_FACETS, Assertion, read_assertions, read_metrics

Answer = dict[str, Any]
_FACETS = frozenset({*ASSERTION_FACETS, *METRIC_FACETS})


def quality(snapshot: Snapshot, namespace: str, name: str, since: int, until: int, limit: int) -> Answer:
    """Of the last events in that stretch, at most so many."""
    dataset = find_dataset(snapshot, namespace, name)
    told = own_words(snapshot, dataset, since, until, limit, _FACETS.__contains__)
    return {
        **window(snapshot, dataset, told),
        "assertions": assertions(snapshot, told),
        "metrics": [point for teller in told.tellers if (point := _measured(snapshot, teller)) is not None],
    }


def assertions(snapshot: Snapshot, told: Told) -> list[Answer]:
    """One for each assertion and column, with how it went each time."""
    series: dict[tuple[str, str], list[Answer]] = {}
    severity: dict[tuple[str, str], str | None] = {}
    for teller in told.tellers:
        for key, found in _checks(teller).items():
            series.setdefault(key, []).append(_point(snapshot, teller, found))
            severity[key] = next((one.severity for one in found if one.severity), severity.get(key))
    return [
        {"assertion": key[0], "column": key[1] or None, "severity": severity[key], **_summary(points)}
        for key, points in sorted(series.items())
    ]


def window(snapshot: Snapshot, dataset: int, told: Told) -> Answer:
    """What the answer is about, and whether older events were left out."""
    namespace, name = snapshot.name(dataset)
    spoken = told.spoken
    oldest = min((one.row.event_at for one in spoken.said), default=None)
    return {
        "dataset": {"namespace": namespace, "name": name},
        "eventsLookedAt": spoken.looked_at,
        "truncated": spoken.truncated,
        "lookedBackTo": instant_text(oldest) if oldest is not None else None,
        **begins_at(snapshot),
    }


def _checks(teller: Teller) -> dict[tuple[str, str], list[Assertion]]:
    """By assertion and column; the same may be told in two places, or of two arguments."""
    found: dict[tuple[str, str], list[Assertion]] = {}
    for word in teller.words:
        if word.facet in ASSERTION_FACETS:
            for one in read_assertions(word.text):
                found.setdefault((one.assertion, one.column or ""), []).append(one)
    return found


def _point(snapshot: Snapshot, teller: Teller, found: Iterable[Assertion]) -> Answer:
    distinct = sorted(set(found), key=repr)
    said = [one.success for one in distinct if one.success is not None]
    point: Answer = {**told_by(snapshot, teller.row), "success": all(said) if said else None}
    # What is told of it belongs to the one that failed.
    shown = next((one for one in distinct if one.success is False), distinct[0])
    for name, value in (("expected", shown.expected), ("actual", shown.actual)):
        if value is not None:
            point[name] = value
    return point


def _summary(points: list[Answer]) -> Answer:
    said = [point for point in points if point["success"] is not None]
    failing: list[Answer] = []
    for point in reversed(said):
        if point["success"]:
            break
        failing.append(point)
    return {
        "checks": len(said),
        "failures": sum(not point["success"] for point in said),
        "successRate": sum(point["success"] for point in said) / len(said) if said else None,
        "success": said[-1]["success"] if said else None,
        "failingSince": failing[-1]["at"] if failing else None,
        "points": points,
    }


def _measured(snapshot: Snapshot, teller: Teller) -> Answer | None:
    words = [word for word in teller.words if word.facet in METRIC_FACETS]
    if not words:
        return None
    # The spec's name before the older one; what a writer says before what a reader says.
    words.sort(key=lambda word: (METRIC_FACETS.index(word.facet), not word.written, word.row.ord))
    every = [read_metrics(word.text) for word in words]
    columns: dict[str, ColumnMetrics] = {}
    for metrics in reversed(every):
        columns.update(metrics.columns)
    return {
        **told_by(snapshot, teller.row),
        "rowCount": _first(metrics.rows for metrics in every),
        "bytes": _first(metrics.size for metrics in every),
        "fileCount": _first(metrics.files for metrics in every),
        "columns": {
            name: {key: value for key, value in to_builtins(one).items() if value is not None}
            for name, one in sorted(columns.items())
        },
    }


def _first(values: Iterable[int | None]) -> int | None:
    return next((value for value in values if value is not None), None)
