"""Settings enter; a hub that listens runs until it is told to stop, and leaves nothing unwritten.

SIGTERM and SIGINT end it in order: no new connections, requests in flight finish, the intake is drained.
"""

from __future__ import annotations

import asyncio
import errno
import gc
import math
import signal
import socket
import time
from contextlib import ExitStack
from importlib.util import find_spec
from typing import Any

import uvicorn

from lineage_hub import __version__
from lineage_hub.errors import Conflict, ExtraMissing, InvalidSetting
from lineage_hub.logs import get_logger
from lineage_hub.server.app import create_app
from lineage_hub.settings import Settings
from lineage_hub.store.open import open_store

# Producers send in bursts with pauses; a connection that outlives them saves its next handshake.
_KEEP_ALIVE_S = 75
_BACKLOG = 2048
# So many moments without a hitch are longer than a request is on its way, and not felt when the hub is stopped.
_LAST_CALLS = 25
_MOMENT_S = 0.02
# A machine that is too busy to give us such moments is also slow to hand over what clients have sent.
_LAST_CALL_S = 5.0

_log = get_logger("server")


class HubServer(uvicorn.Server):
    """Says where it listens, also when the port was chosen by the system."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            app: Any = self.config.app
            page = f"{self.url()}{app.state.hub.settings.root_path.rstrip('/')}/"
            _log.info("listening", url=self.url(), page=page, version=__version__)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """A kept-alive connection is closed after an answer that says so, or when nothing came over it for a moment.

        Closed at once, it would cut off the request that its client has just sent.
        """
        for server in self.servers:
            server.close()
        # Those who listen would keep it waiting for their end.
        app: Any = self.config.app
        app.state.hub.feed.close()
        self.server_state.default_headers = [*self.server_state.default_headers, (b"connection", b"close")]
        for connection in list(self.server_state.connections):
            cycle = getattr(connection, "cycle", None)
            if cycle is not None and not cycle.response_complete:
                connection.shutdown()
        await self._wait_for_last_requests()
        await super().shutdown(sockets)

    async def _wait_for_last_requests(self) -> None:
        calm, now = 0, time.monotonic()
        deadline = now + _LAST_CALL_S
        # uvicorn tells nobody when a connection has ended.
        while self.server_state.connections and not self.force_exit and calm < _LAST_CALLS and now < deadline:
            await asyncio.sleep(_MOMENT_S)
            before, now = now, time.monotonic()
            calm += now - before < 2 * _MOMENT_S

    def url(self) -> str:
        host = self.config.host
        port: int = self.servers[0].sockets[0].getsockname()[1]
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def make_server(settings: Settings) -> HubServer:
    """The store is opened first, so that one that can't be opened is told plainly and nothing listens."""
    return HubServer(
        uvicorn.Config(
            create_app(settings, store=open_store(settings)),
            host=settings.server_host,
            port=settings.server_port,
            loop="uvloop",
            http="httptools",
            ws="none",
            lifespan="on",
            log_config=None,
            log_level="warning",
            access_log=False,
            server_header=False,
            backlog=_BACKLOG,
            timeout_keep_alive=_KEEP_ALIVE_S,
            timeout_graceful_shutdown=math.ceil(settings.server_shutdown_s),
        )
    )


def bind(host: str, port: int, flag: str = "--port") -> list[socket.socket]:
    """To every address that the host's name has. Nothing listens yet, so a client is refused until the hub is ready."""
    try:
        found = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        raise InvalidSetting(
            f"{host!r} is not the name or address of a machine",
            subject="server_host",
            action="name another with --host",
        ) from None
    bound: list[socket.socket] = []
    refused: OSError | None = None
    for family, _, _, _, address in found:
        try:
            bound.append(_bound_to(family, address))
        except OSError as error:
            refused = error
    # A machine without IPv6 still has names for it, so one address is enough; a port that is taken is not.
    if refused is not None and (not bound or refused.errno == errno.EADDRINUSE):
        for one in bound:
            one.close()
        raise Conflict(
            f"the hub can't listen on {host}, port {port}: {refused.strerror}",
            subject=f"{host}:{port}",
            action=f"stop what listens there, or name another with {flag} or --host",
        )
    return bound


def _bound_to(family: int, address: tuple[Any, ...]) -> socket.socket:
    one = socket.socket(family, socket.SOCK_STREAM)
    try:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        one.bind(address)
    except OSError:
        one.close()
        raise
    return one


def run(settings: Settings) -> None:
    if settings.otlp_grpc_port:
        _check_grpc(settings)
    with ExitStack() as stack:
        bound = [stack.enter_context(one) for one in bind(settings.server_host, settings.server_port)]
        _serve(make_server(settings), bound)
    _log.info("stopped")


def _check_grpc(settings: Settings) -> None:
    """What would fail when the app starts is told plainly before."""
    if find_spec("grpc") is None:
        raise ExtraMissing.of("telemetry", "OTLP over gRPC")
    for one in bind(settings.server_host, settings.otlp_grpc_port, "--otlp-grpc-port"):
        one.close()


def _serve(server: HubServer, bound: list[socket.socket]) -> None:
    # What is loaded by now stays; answers are large and free of cycles, so looking for cycles often finds nothing.
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    gc.enable()
    # The server raises the signal that stopped it once more when it is done; that is no failure.
    before = signal.signal(signal.SIGTERM, lambda number, frame: None)
    try:
        server.run(bound)
    except KeyboardInterrupt:
        pass
    finally:
        signal.signal(signal.SIGTERM, before)
