"""A dataset and a stretch of time enter; how much each run read from it and wrote to it leaves, run by run."""

from __future__ import annotations

from statistics import median
from typing import Any

from lineage_hub.query.datasets import find_dataset
from lineage_hub.query.own_words import own_words
from lineage_hub.query.quality import window
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.query.spoken import told_by
from lineage_hub.wire.quality import READ_FACET, WRITTEN_FACET, read_statistics

Answer = dict[str, Any]
_SIDES = {WRITTEN_FACET: "written", READ_FACET: "read"}


def statistics(snapshot: Snapshot, namespace: str, name: str, since: int, until: int, limit: int) -> Answer:
    """Of the last events in that stretch, at most so many."""
    dataset = find_dataset(snapshot, namespace, name)
    told = own_words(snapshot, dataset, since, until, limit, _SIDES.__contains__)
    points: dict[str, list[tuple[Any, Answer]]] = {"written": [], "read": []}
    for teller in told.tellers:
        for word in teller.words:
            counted = read_statistics(word.text)
            figures = {"rowCount": counted.rowCount, "size": counted.size, "fileCount": counted.fileCount}
            if any(value is not None for value in figures.values()):
                points[_SIDES[word.facet]].append((word.row.ord, {**told_by(snapshot, word.row), **figures}))
    return {
        **window(snapshot, dataset, told),
        **{
            side: _series([point for _, point in sorted(found, key=lambda one: one[0])])
            for side, found in points.items()
        },
    }


def _series(points: list[Answer]) -> Answer:
    usual = {}
    for figure in ("rowCount", "size", "fileCount"):
        values = [point[figure] for point in points if point[figure] is not None]
        usual[figure] = median(values) if values else None
    return {"median": usual, "points": points}
