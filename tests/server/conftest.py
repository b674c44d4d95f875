"""A whole hub on a folder of its own, reached through its ASGI interface."""

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from lineage_hub.server.app import create_app
from lineage_hub.settings import Settings

Event = dict[str, Any]
EventMaker = Callable[..., Event]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path, ingest_max_body_bytes=1 << 20, ingest_max_events=50, dead_letter_max=100)


@pytest.fixture
def client(settings: Settings) -> Iterator[TestClient]:
    with TestClient(create_app(settings)) as opened:
        yield opened


@pytest.fixture
def event() -> EventMaker:
    number = itertools.count()

    def make(**changes: Any) -> Event:
        made: Event = {
            "eventType": "START",
            "eventTime": "2026-11-01T09:30:00Z",
            "producer": "https://example.com/tests",
            "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
            "run": {"runId": f"run-{next(number)}"},
            "job": {"namespace": "shop", "name": "load"},
        }
        return {key: value for key, value in {**made, **changes}.items() if value is not None}

    return make
