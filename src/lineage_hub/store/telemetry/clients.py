"""The engine in a child process, or the address of a server, enters; a client leaves that is connected to it.

A client is made when it is first needed, and again after an engine was restarted or a host has gone.
"""

from __future__ import annotations

import threading
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol

from lineage_hub.errors import ExtraMissing
from lineage_hub.store.telemetry.address import Address
from lineage_hub.store.telemetry.child import Engine, EngineChild

if TYPE_CHECKING:
    from clickhouse_connect.driver.client import Client

CONNECT_S = 10
ANSWER_S = 300
MOST_CONNECTIONS = 32


class Clients(Protocol):
    """For all threads; errors are those of clickhouse-connect, or already the hub's."""

    def connected(self) -> Client: ...

    def lose(self, client: Client, *, settle: bool) -> None:
        """It doesn't answer. `settle` asks that nothing that it was sent still happens."""

    def end(self, query: str) -> None:
        """What was sent by this name does not happen any more when it returns."""

    def close(self) -> None: ...


class EmbeddedClients:
    def __init__(self, child: EngineChild) -> None:
        self.child = child
        self._lock = threading.Lock()
        self._client: Client | None = None
        self._of: Engine | None = None

    def connected(self) -> Client:
        if find_spec("chdb") is None or find_spec("clickhouse_connect") is None:
            raise ExtraMissing.of("telemetry", "telemetry")
        engine = self.child.running()
        with self._lock:
            if self._client is None or self._of is not engine:
                from clickhouse_connect.driver.httputil import get_pool_manager

                # A pool of its own goes past the proxy of the environment; on loopback, compressing costs more
                # than it saves.
                self._client = _client(
                    host="127.0.0.1",
                    port=engine.port,
                    password=engine.secret,
                    pool_mgr=get_pool_manager(maxsize=MOST_CONNECTIONS),
                    compress=False,
                )
                self._of = engine
            return self._client

    def lose(self, client: Client, *, settle: bool) -> None:
        with self._lock:
            if self._client is client:
                engine, self._client, self._of = self._of, None, None
                if settle and engine is not None:
                    engine.process.kill()
                    engine.process.wait()

    def end(self, query: str) -> None:
        """It ended with the engine that it was sent to."""

    def close(self) -> None:
        self.child.close()


class ServerClients:
    """Hosts are tried in turn, and the one that answered is kept."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._lock = threading.Lock()
        self._client: Client | None = None
        self._at = 0

    def connected(self) -> Client:
        if find_spec("clickhouse_connect") is None:
            raise ExtraMissing.of("telemetry", "telemetry")
        client = self._client
        if client is not None:
            return client
        with self._lock:
            if self._client is None:
                self._client = self._reached()
            return self._client

    def _reached(self) -> Client:
        from clickhouse_connect.driver.exceptions import ClickHouseError

        failure: Exception | None = None
        for _ in self._address.hosts:
            try:
                return self._client_of(self._at % len(self._address.hosts))
            except (ClickHouseError, OSError) as error:
                failure = error
                self._at += 1
        assert failure is not None
        raise failure

    def _client_of(self, place: int) -> Client:
        address = self._address
        host, port = address.hosts[place]
        return _client(
            host=host,
            port=port,
            username=address.user,
            password=address.password,
            interface="https" if address.secure else "http",
            verify=address.verify,
            dedicated_pool=True,
            **dict(address.files),
        )

    def end(self, query: str) -> None:
        """On each host that answers: which one it was sent to, by a hub that is gone, nobody knows."""
        from clickhouse_connect.driver.exceptions import ClickHouseError

        for place in range(len(self._address.hosts)):
            try:
                client = self._client_of(place)
            except (ClickHouseError, OSError):
                continue
            try:
                client.command("KILL QUERY WHERE query_id = {query:String} SYNC", parameters={"query": query})
            finally:
                client.close()

    def lose(self, client: Client, *, settle: bool) -> None:
        with self._lock:
            if self._client is client:
                self._client = None
                self._at += 1

    def close(self) -> None:
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()


def _client(**options: Any) -> Client:
    import clickhouse_connect

    return clickhouse_connect.get_client(
        connect_timeout=CONNECT_S,
        send_receive_timeout=ANSWER_S,
        # Threads share a client, which one session would forbid.
        autogenerate_session_id=False,
        show_clickhouse_errors="scrub",
        client_name="lineage-hub",
        **options,
    )
