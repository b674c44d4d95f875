"""Settings enter, a `TelemetryStore` leaves: tables of ClickHouse, in a child process of the hub or on a server.

Nothing is started, connected or imported before the first insert or question.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from lineage_hub.errors import InternalError, StoreUnavailable
from lineage_hub.settings import Settings
from lineage_hub.store.telemetry.address import DATABASE, read_address
from lineage_hub.store.telemetry.arrow import Type, read_type, table_of
from lineage_hub.store.telemetry.child import EngineChild
from lineage_hub.store.telemetry.clients import ANSWER_S, Clients, EmbeddedClients, ServerClients
from lineage_hub.store.telemetry.failures import is_lost, translated
from lineage_hub.store.telemetry.migrate import migrate
from lineage_hub.store.telemetry.rebuilding import SELECT_OF_VIEWS, disagreeing, rebuilding
from lineage_hub.store.telemetry.retention import Retention, read_retention

if TYPE_CHECKING:
    from clickhouse_connect.driver.client import Client

FOLDER = "telemetry"
# A question that takes longer is wrong; it would hold a connection that others wait for.
LONGEST_QUESTION_S = 60
MIB, GIB = 1 << 20, 1 << 30
# What is larger is sorted and grouped on disk; a question that doesn't fit even so must not end the hub's machine.
QUESTION = {
    "max_execution_time": LONGEST_QUESTION_S,
    "max_memory_usage": 2 * GIB,
    "max_bytes_before_external_group_by": GIB // 2,
    "max_bytes_before_external_sort": GIB // 2,
    # What one core would read alone otherwise: a few hours of spans.
    "merge_tree_min_rows_for_concurrent_read": 16_384,
    "merge_tree_min_bytes_for_concurrent_read": MIB,
}
# A statement of which nobody hears any more must not happen later: a server gives up before its client does.
WITHIN_TIME = {"max_execution_time": ANSWER_S - 20}
DAY_NS = 86_400 * 10**9
# ClickHouse refuses an insert into more partitions, of which each day is one.
MOST_DAYS = 100
# A datetime of Python has no nanoseconds.
TIMES_AS_INTEGERS = {"DateTime64*": "int"}
# So often hours are made anew before others get a turn.
REBUILDS = 6
T = TypeVar("T")


class TelemetryStore:
    """For all threads. Inserts go on beside each other and beside questions, but not while hours are rebuilt."""

    def __init__(self, clients: Clients, database: str, retention: Retention) -> None:
        self._clients = clients
        self._database = database
        self._retention = retention
        self._preparing = threading.Lock()
        self._types: dict[str, dict[str, Type]] | None = None
        self._gate = _Gate()

    def insert(self, table: str, columns: Mapping[str, Sequence[Any]], batch: int) -> None:
        """Durable when it returns. One that fails may be there in part: `remove` it, and `rebuild` its hours."""
        name = table.removeprefix(f"{DATABASE}.")

        def work(client: Client) -> None:
            query = _query_of(batch, name)
            for number, part in enumerate(self._parts(name, columns, batch)):
                # With a token the rows aren't hashed, by which ClickHouse would know a repeat.
                settings = {**WITHIN_TIME, "query_id": query, "insert_deduplication_token": f"{query}-{number}"}
                client.insert_arrow(name, part, database=self._database, settings=settings)

        with self._gate.shared():
            self._with_client(work, attempts=1, settle=True)

    def ask(self, sql: str, parameters: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """Parameters are bound by the engine: `{name:Type}`. Times leave as integers of their column's unit.

        A question is asked once more when the engine died over it.
        """

        def work(client: Client) -> list[dict[str, Any]]:
            answer = client.query(
                sql, parameters=dict(parameters or {}) or None, settings=QUESTION, query_formats=TIMES_AS_INTEGERS
            )
            return [dict(row) for row in answer.named_results()]

        return self._with_client(work, attempts=2)

    def run(self, sql: str, parameters: Mapping[str, Any] | None = None) -> None:
        bound = dict(parameters or {}) or None
        self._with_client(
            lambda client: client.command(sql, parameters=bound, settings=WITHIN_TIME), attempts=1, settle=True
        )

    def remove(self, batch: int, tables: Iterable[str]) -> None:
        """No row of the batch is in the tables when it returns."""
        for table in tables:
            name = table.removeprefix(f"{DATABASE}.")
            if "batch" not in self._columns(name):
                raise InternalError(f"the table {name} has no batches", subject="telemetry")
            with translated():
                self._clients.end(_query_of(batch, name))
            if self.ask(f"SELECT 1 FROM {name} WHERE batch = {{batch:UInt64}} LIMIT 1", {"batch": batch}):
                self.run(f"DELETE FROM {name} WHERE batch = {int(batch)}")

    def rebuild(self, hours: Iterable[int]) -> None:
        """Rollups and ranges of these hours (since 1970) say what `traces` says; done twice it does no harm.

        Another hub may rebuild one of them, or insert into it, at the same time; then it is done again, after a pause.
        """
        left = sorted(set(hours))
        with self._gate.alone():
            selects = {row["name"]: row["as_select"] for row in self.ask(SELECT_OF_VIEWS)}
            for attempt in range(REBUILDS):
                if attempt:
                    # Of different length in each hub, so that one of them is alone in the end.
                    time.sleep(random.uniform(0, 0.2 * 2**attempt))
                for statement in rebuilding(left, selects, self._columns):
                    self.run(statement)
                left = [row["hour"] for row in self.ask(disagreeing(left))] if left else []
                if not left:
                    return
        raise StoreUnavailable(
            f"{len(left)} hours of rollups don't say what the spans say",
            subject="telemetry",
            action="others write into them; a running hub tries again by itself",
        )

    def close(self) -> None:
        """In order: what was sent is done first."""
        self._clients.close()

    def _with_client(self, work: Callable[[Client], T], *, attempts: int, settle: bool = False) -> T:
        with translated():
            while True:
                attempts -= 1
                client = self._clients.connected()
                try:
                    self._prepare(client)
                    return work(client)
                except Exception as error:
                    if not is_lost(error):
                        raise
                    self._clients.lose(client, settle=settle)
                    if not attempts:
                        raise

    def _prepare(self, client: Client) -> None:
        """The tables are there, and what they look like is known."""
        if self._types is None:
            with self._preparing:
                if self._types is None:
                    migrate(client, self._database)
                    self._types = _types(client)
        client.database = self._database

    def _columns(self, table: str) -> dict[str, Type]:
        if self._types is None:
            self.ask("SELECT 1")
        assert self._types is not None
        if table not in self._types:
            raise InternalError(f"there is no table {table}", subject="telemetry")
        return self._types[table]

    def _parts(self, table: str, columns: Mapping[str, Sequence[Any]], batch: int) -> Iterator[Any]:
        types = self._columns(table)
        rows = next((len(values) for values in columns.values() if not isinstance(values, str)), 0)
        if not rows:
            return
        whole: dict[str, Any] = dict(columns)
        if "batch" in types:
            whole["batch"] = [batch] * rows
        namespaces = columns.get("namespace", "")
        ends = self._retention.expires_at(namespaces)
        whole["expires_at"] = ends * rows if isinstance(namespaces, str) else ends
        yield from _by_days(table_of(types, whole), columns["timestamp"])


class _Gate:
    """Many may pass together, or one alone."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._inside = 0
        self._closed = False

    @contextmanager
    def shared(self) -> Iterator[None]:
        with self._changed:
            self._changed.wait_for(lambda: not self._closed)
            self._inside += 1
        try:
            yield
        finally:
            with self._changed:
                self._inside -= 1
                self._changed.notify_all()

    @contextmanager
    def alone(self) -> Iterator[None]:
        with self._changed:
            self._changed.wait_for(lambda: not self._closed)
            self._closed = True
            self._changed.wait_for(lambda: not self._inside)
        try:
            yield
        finally:
            with self._changed:
                self._closed = False
                self._changed.notify_all()


def open_telemetry(settings: Settings) -> TelemetryStore:
    retention = read_retention(settings)
    if settings.clickhouse_url:
        address = read_address(settings.clickhouse_url)
        return TelemetryStore(ServerClients(address), address.database, retention)
    child = EngineChild(Path(settings.data_dir) / FOLDER)
    return TelemetryStore(EmbeddedClients(child), DATABASE, retention)


def _query_of(batch: int, table: str) -> str:
    """The name of an insert, by which a server can be told to end it."""
    return f"lineage-hub-{batch}-{table}"


def _types(client: Client) -> dict[str, dict[str, Type]]:
    found: dict[str, dict[str, Type]] = {}
    # What the tables make themselves can't be inserted.
    answer = client.query(
        "SELECT table, name, type FROM system.columns"
        " WHERE database = currentDatabase() AND default_kind != 'MATERIALIZED' ORDER BY table, position"
    )
    for table, name, text in answer.result_rows:
        found.setdefault(table, {})[name] = read_type(text)
    return found


def _by_days(table: Any, timestamps: Sequence[int]) -> Iterator[Any]:
    """Nearly always all of it; what comes from many days is told day by day."""
    days = {at // DAY_NS for at in timestamps}
    if len(days) <= MOST_DAYS:
        yield table
        return
    order = sorted(days)
    for first in range(0, len(order), MOST_DAYS):
        some = set(order[first : first + MOST_DAYS])
        yield table.take([row for row, at in enumerate(timestamps) if at // DAY_NS in some])
