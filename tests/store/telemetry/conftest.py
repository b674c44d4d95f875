"""One engine for the tests of a module; each test has ids of its own, so that they don't see each other's rows."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from lineage_hub.settings import Settings
from lineage_hub.store.telemetry.open import TelemetryStore, open_telemetry


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hub")


@pytest.fixture(scope="module")
def store(data: Path) -> Iterator[TelemetryStore]:
    found = open_telemetry(Settings(data_dir=data, telemetry_retention="team-b=7"))
    try:
        yield found
    finally:
        found.close()
