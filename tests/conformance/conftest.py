"""Every test here that asks for a database runs on each kind of it, through the same code."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from lineage_hub.store.open import LineageStore
from tests.conformance.databases import Database, Databases, Sender
from tests.postgres_server import PostgresServer

BACKENDS = [
    pytest.param("sqlite"),
    # It needs a server of its own, so it is left out of the quick tests.
    pytest.param("postgresql", marks=pytest.mark.slow),
]


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def databases(request: pytest.FixtureRequest, tmp_path: Path, backend: str) -> Iterator[Databases]:
    with ExitStack() as opened:
        if backend == "sqlite":
            yield Databases(backend, tmp_path, opened, lambda: "")
            return
        server: PostgresServer = request.getfixturevalue("postgres_server")
        yield Databases(backend, tmp_path, opened, lambda: opened.enter_context(server.database()))


@pytest.fixture
def database(databases: Databases) -> Database:
    return databases.new()


@pytest.fixture
def store(database: Database) -> LineageStore:
    return database.store()


@pytest.fixture
def sender(database: Database, store: LineageStore) -> Sender:
    return database.sender(store)
