"""A hub for the events of one producer, and a way to ask it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hub_process import HubProcess
from tests.producers.answers import Answers


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[HubProcess]:
    with HubProcess(tmp_path / "data") as running:
        yield running


@pytest.fixture
def answers(hub: HubProcess) -> Iterator[Answers]:
    asked = Answers(hub.url)
    yield asked
    asked.close()
