"""A real hub with a small body limit; after each test it takes and shows the next event."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.hub_process import HubProcess
from tests.input.client import BODY_LIMIT, WAYS, Client, Way

IN_MEMORY = Path("/dev/shm")  # where there is one: these tests are not about durability


@pytest.fixture(scope="session")
def running() -> Iterator[HubProcess]:
    limit = {"LINEAGE_HUB_INGEST_MAX_BODY_BYTES": str(BODY_LIMIT)}
    memory = IN_MEMORY if IN_MEMORY.is_dir() else None
    with (
        tempfile.TemporaryDirectory(dir=memory) as folder,
        HubProcess(Path(folder) / "data", environment=limit) as hub,
    ):
        yield hub


@pytest.fixture(scope="session")
def session_client(running: HubProcess) -> Iterator[Client]:
    with httpx.Client(base_url=f"{running.url}/api/v1/", timeout=60) as http:
        yield Client(http)


@pytest.fixture
def client(session_client: Client) -> Iterator[Client]:
    """Whatever a test sends, afterwards the hub takes and shows the next event."""
    yield session_client
    session_client.still_works()
    session_client.drop_letters()


@pytest.fixture(params=WAYS, ids=lambda way: way.path)
def way(request: pytest.FixtureRequest) -> Way:
    found: Way = request.param
    return found
