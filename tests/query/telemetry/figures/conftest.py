"""A telemetry store with seeded runs and metrics; don't write to it: tests share it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from lineage_hub.settings import Settings
from lineage_hub.store.telemetry.open import TelemetryStore, open_telemetry
from tests.query.telemetry.figures.measured import Measured, every_point, measured
from tests.query.telemetry.figures.seeded import RunRow, columns, earlier, point_columns, run_rows, spark_spans
from tests.query.telemetry.seeded import Seeded, span_columns


@dataclass
class Figures:
    store: TelemetryStore
    runs: list[RunRow]
    spans: list[Seeded]
    metrics: Measured


@pytest.fixture(scope="session")
def figures(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Figures]:
    store = open_telemetry(Settings(data_dir=tmp_path_factory.mktemp("figures")))
    try:
        runs = run_rows(3)
        spans = spark_spans(4, runs)
        store.insert("pipeline_runs", columns(earlier(runs)), 1)
        store.insert("pipeline_runs", columns(runs), 2)
        store.insert("traces", span_columns(spans), 3)
        metrics = measured(5)
        store.insert("metrics", point_columns(every_point(metrics)), 4)
        yield Figures(store, runs, spans, metrics)
    finally:
        store.close()
