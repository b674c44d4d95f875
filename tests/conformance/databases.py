"""A kind of database enters; empty databases of it leave, and stores, senders and questions on them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from httpx import Response
from sqlalchemy import Connection, Table, func, select
from starlette.testclient import TestClient

from lineage_hub.ingest.intake import Intake, Outcome
from lineage_hub.lineage.rules.model import RuleSet
from lineage_hub.model import DEFAULT_TENANT, EVERYTHING, Scope
from lineage_hub.server.app import create_app
from lineage_hub.settings import Settings, load_settings
from lineage_hub.store import rules
from lineage_hub.store.folding import Progress
from lineage_hub.store.open import LineageStore, open_store
from tests.oracle.build import Body, spelled
from tests.oracle.events import Taken
from tests.properties.hubs import Clock

T = TypeVar("T")


@dataclass(frozen=True)
class Database:
    """One empty database; as many stores and hubs as a test wants may be open on it."""

    settings: Settings
    _opened: ExitStack = field(repr=False)

    def store(self) -> LineageStore:
        """Open until the test ends."""
        store = open_store(self.settings)
        self._opened.callback(store.close)
        return store

    def sender(self, store: LineageStore | None = None, clock: Clock | None = None) -> Sender:
        return self._opened.enter_context(sending(store or self.store(), self.settings, clock or Clock()))

    def hub(self) -> Hub:
        clock = Clock()
        return Hub(self._opened.enter_context(TestClient(create_app(self.settings, clock=clock))), clock)


@dataclass(frozen=True)
class Databases:
    """Makes databases of one kind."""

    backend: str
    _folder: Path
    _opened: ExitStack = field(repr=False)
    _new_url: Callable[[], str]

    def new(self) -> Database:
        number = sum(1 for _ in self._folder.iterdir())
        data_dir = self._folder / str(number)
        data_dir.mkdir()
        flags = {"data_dir": data_dir, "database_url": self._new_url(), "log_level": "error"}
        return Database(load_settings(flags, environ={}), self._opened)


@dataclass
class Sender:
    """An intake of its own; what one call sends is one transaction."""

    store: LineageStore
    clock: Clock
    _intake: Intake
    _runner: asyncio.Runner

    def send(self, bodies: Sequence[Body | bytes], tenant: str = DEFAULT_TENANT) -> list[Outcome]:
        raws = [body if isinstance(body, bytes) else spelled(body) for body in bodies]
        scope = EVERYTHING.writing_to(tenant)
        return self._runner.run(self._intake.submit(scope, raws, "lineage"))

    def send_taken(self, taken: Iterable[Taken]) -> None:
        """One by one, each when it was known."""
        for one in taken:
            self.clock.now = one.known_at
            (outcome,) = self.send([one.raw], one.tenant)
            assert outcome.error is None, outcome

    def write(self, call: Callable[[Connection], T]) -> T:
        return self._runner.run(self._intake.write(call))

    def set_rules(self, wanted: RuleSet) -> None:
        self.write(lambda connection: rules.change(connection, EVERYTHING, lambda _: wanted, self.clock.now))

    def fold_again(self) -> Progress:
        """One step of it."""
        return self._runner.run(self._intake.fold_again())

    def fold_all_again(self) -> None:
        while not self.fold_again().done:
            pass


@dataclass
class Hub:
    """A whole hub, reached over HTTP."""

    _client: TestClient
    clock: Clock

    def take(self, one: Taken) -> None:
        """When it was known, for its tenant."""
        self.clock.now = one.known_at
        envelope = b'{"namespace": "%s", "events": [%s]}' % (one.tenant.encode(), one.raw)
        answer = self._client.post("/api/v1/lineage/ingest", content=envelope)
        assert (answer.status_code, answer.json()["rejected"]) == (200, 0), answer.text

    def post(self, body: Body | bytes) -> int:
        content = body if isinstance(body, bytes) else spelled(body)
        return self._client.post("/api/v1/lineage", content=content).status_code

    def call(self, method: str, path: str, **content: Any) -> Response:
        """A second after the last call."""
        self.clock.now += 1_000_000_000
        return self._client.request(method, f"/api/v1{path}", **content)

    def get(self, question: object) -> tuple[int, bytes]:
        answer = self._client.get(str(question))
        return answer.status_code, answer.content


@contextmanager
def sending(store: LineageStore, settings: Settings, clock: Clock) -> Iterator[Sender]:
    intake = Intake(store, settings, clock)
    with asyncio.Runner() as runner:
        intake.start()
        try:
            yield Sender(store, clock, intake, runner)
        finally:
            runner.run(intake.stop())


def count(store: LineageStore, table: Table) -> int:
    with store.reading() as connection:
        return int(connection.execute(select(func.count()).select_from(table)).scalar_one())


def limited_to(*tenants: str) -> Scope:
    return Scope(tenants[0] if tenants else DEFAULT_TENANT, frozenset(tenants))
