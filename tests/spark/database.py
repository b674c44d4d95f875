"""A PostgreSQL that Spark reaches over TCP: it starts when the first test asks, and each test has an empty database."""

import socket
from collections.abc import Iterator
from dataclasses import dataclass

import psycopg
import pytest

from tests.postgres_server import USER, PostgresServer, running_server


@dataclass(frozen=True)
class Database:
    """An empty database: `jdbc_url` for Spark, `run` for the test itself."""

    jdbc_url: str
    url: str

    def run(self, sql: str) -> list[tuple[object, ...]]:
        with psycopg.connect(self.url, autocommit=True) as connection:
            found = connection.execute(sql)  # type: ignore[call-overload]
            return found.fetchall() if found.description else []


@pytest.fixture(scope="session")
def tcp_postgres() -> Iterator[PostgresServer]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with running_server(port) as server:
        yield server


@pytest.fixture
def database(tcp_postgres: PostgresServer) -> Iterator[Database]:
    with tcp_postgres.database() as url:
        name = url.split("@/")[1].split("?")[0]
        yield Database(f"jdbc:postgresql://127.0.0.1:{tcp_postgres.port}/{name}?user={USER}", url)
