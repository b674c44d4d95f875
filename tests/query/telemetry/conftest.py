"""The telemetry store with its real engine, holding seeded spans and logs; don't write to it: tests share it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from lineage_hub.settings import Settings
from lineage_hub.store.telemetry.open import TelemetryStore, open_telemetry
from tests.query.telemetry.seeded import Seeded, SeededLog, log_columns, logs, span_columns, spans


@dataclass
class Known:
    store: TelemetryStore
    spans: list[Seeded]
    logs: list[SeededLog]


@pytest.fixture(scope="session")
def known(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Known]:
    folder: Path = tmp_path_factory.mktemp("telemetry")
    store = open_telemetry(Settings(data_dir=folder))
    try:
        made = spans(7)
        half = len(made) // 2
        # In several inserts, so that the states of rollups are merged.
        store.insert("traces", span_columns(made[:half]), 1)
        store.insert("traces", span_columns(made[half:]), 2)
        told = logs(8, made)
        store.insert("logs", log_columns(told), 3)
        yield Known(store, made, told)
    finally:
        store.close()
