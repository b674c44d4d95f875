"""Spans, metrics and logs enter over gRPC as OpenTelemetry's exporters send them; OTLP's answers leave.

What is answered with OK is durable; what may be tried again is UNAVAILABLE and says when:
https://opentelemetry.io/docs/specs/otlp/#otlpgrpc.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from lineage_hub.errors import Conflict, ExtraMissing, InternalError, LineageHubError
from lineage_hub.logs import get_logger
from lineage_hub.model import DEFAULT_TENANT
from lineage_hub.server.errors import defect
from lineage_hub.server.hub import Hub
from lineage_hub.server.otlp_taking import ready, take
from lineage_hub.wire.otlp import answers, schema
from lineage_hub.wire.otlp.columns import Kind

KINDS: tuple[Kind, ...] = ("traces", "metrics", "logs")
Export = Callable[[bytes, Any], Awaitable[bytes]]
_log = get_logger("server")


@asynccontextmanager
async def listening(hub: Hub) -> AsyncIterator[None]:
    """Until the end; then calls in flight may finish."""
    try:
        import grpc  # type: ignore[import-untyped]
        import grpc.aio  # type: ignore[import-untyped]
    except ImportError:
        raise ExtraMissing.of("telemetry", "OTLP over gRPC") from None
    ready(hub.taker)
    settings = hub.settings
    server = grpc.aio.server(
        handlers=[_service(grpc, hub, kind) for kind in KINDS],
        options=[
            ("grpc.max_receive_message_length", settings.ingest_max_body_bytes),
            # A second hub on the same port would take half of the calls.
            ("grpc.so_reuseport", 0),
        ],
    )
    host = settings.server_host
    address = f"[{host}]:{settings.otlp_grpc_port}" if ":" in host else f"{host}:{settings.otlp_grpc_port}"
    try:
        server.add_insecure_port(address)
    except RuntimeError:
        raise Conflict(
            f"the hub can't listen for gRPC on {address}",
            subject="otlp_grpc_port",
            action="stop what listens there, or name another port",
        ) from None
    await server.start()
    _log.info("listening_grpc", address=address)
    try:
        yield
    finally:
        await server.stop(settings.server_shutdown_s)


def _service(grpc: Any, hub: Hub, kind: Kind) -> Any:
    # Without a deserializer a handler gets the bytes: their hash is the request's identity, as with HTTP.
    handler = grpc.unary_unary_rpc_method_handler(_export(grpc, hub, kind))
    return grpc.method_handlers_generic_handler(schema.service_name(kind), {"Export": handler})


def _export(grpc: Any, hub: Hub, kind: Kind) -> Export:
    route = f"/{schema.service_name(kind)}/Export"
    codes = {code.value[0]: code for code in grpc.StatusCode}

    async def export(body: bytes, context: Any) -> bytes:
        started = time.perf_counter()
        error: LineageHubError | None = None
        try:
            found = await take(ready(hub.taker), kind, DEFAULT_TENANT, body, "protobuf", hub.clock())
        except LineageHubError as raised:
            error = raised
        except Exception as raised:
            _log.exception("request_failed", method="gRPC", route=route)
            error = InternalError(str(raised))
        _note(hub, route, error, time.perf_counter() - started)
        if error is None:
            return answers.response(kind, found, "protobuf")
        told = defect("gRPC") if error.status == 500 else error
        details = answers.status(told, "protobuf", retry_info=True)
        context.set_trailing_metadata((("grpc-status-details-bin", details),))
        await context.abort(codes[answers.code_of(told)], answers.message_of(told))
        raise AssertionError("a call that was aborted goes on")

    return export


def _note(hub: Hub, route: str, error: LineageHubError | None, seconds: float) -> None:
    """As every request: in the log and in the metrics, under the status that HTTP would have."""
    status = 200 if error is None else error.status
    hub.metrics.observe_request("POST", route, status, seconds)
    told = {} if error is None else {"error": error.code}
    _log.info("request", method="gRPC", route=route, status=status, duration_ms=round(seconds * 1000, 3), **told)
