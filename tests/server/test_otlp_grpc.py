"""OTLP over gRPC is answered as its specification says, beside the hub's HTTP."""

from __future__ import annotations

import asyncio
import dataclasses
import hashlib
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.metrics.v1.metrics_pb2 import NumberDataPoint

from lineage_hub.errors import Conflict, ExtraMissing, LineageHubError, Overloaded
from lineage_hub.server.app import create_app
from lineage_hub.settings import Settings
from lineage_hub.wire.otlp.schema import service_name
from tests.hub_process import free_port
from tests.server.recording_taker import RecordingTaker
from tests.wire.otlp.messages import T0, gauge, logs, metrics, span, traces

TRACES = f"/{service_name('traces')}/Export"
BODY = traces(span(), span(name="bad", trace_id=b"")).SerializeToString()


@asynccontextmanager
async def running(folder: Path, taker: RecordingTaker | None, **about: Any) -> AsyncIterator[grpc.aio.Channel]:
    settings = Settings(data_dir=folder, ingest_max_body_bytes=1 << 20, otlp_grpc_port=free_port(), log_level="error")
    app = create_app(dataclasses.replace(settings, **about), telemetry=taker)
    async with (
        app.router.lifespan_context(app),
        grpc.aio.insecure_channel(f"127.0.0.1:{app.state.settings.otlp_grpc_port}") as channel,
    ):
        yield channel


async def refusal_of(channel: grpc.aio.Channel, body: bytes) -> tuple[grpc.StatusCode, Status]:
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await channel.unary_unary(TRACES)(body)
    details = dict(refused.value.trailing_metadata()).get("grpc-status-details-bin", b"")
    return refused.value.code(), Status.FromString(details)


@pytest.mark.parametrize(
    "compression", [grpc.Compression.NoCompression, grpc.Compression.Gzip, grpc.Compression.Deflate]
)
def test_every_kind_is_taken(tmp_path: Path, compression: grpc.Compression) -> None:
    taker = RecordingTaker()
    points = gauge(NumberDataPoint(time_unix_nano=T0, as_int=1))
    bodies = {
        "traces": BODY,
        "metrics": metrics(points).SerializeToString(),
        "logs": logs(LogRecord()).SerializeToString(),
    }

    async def export() -> bytes:
        async with running(tmp_path, taker) as channel:
            for kind in ("metrics", "logs", "traces"):
                answer = await channel.unary_unary(f"/{service_name(kind)}/Export")(
                    bodies[kind], compression=compression
                )
            return answer

    partial = ExportTraceServiceResponse.FromString(asyncio.run(export())).partial_success
    assert partial.rejected_spans == 1
    assert "span 'bad'" in partial.error_message
    assert [one.kind for one in taker.submissions] == ["metrics", "logs", "traces"]
    assert taker.submissions[2].identity == hashlib.sha256(BODY).digest()


def test_a_body_that_can_not_be_read_is_an_invalid_argument(tmp_path: Path) -> None:
    async def export() -> tuple[grpc.StatusCode, Status]:
        async with running(tmp_path, RecordingTaker()) as channel:
            return await refusal_of(channel, BODY[:-3])

    code, status = asyncio.run(export())
    assert (code, status.code) == (grpc.StatusCode.INVALID_ARGUMENT, 3)
    assert "ExportTraceServiceRequest" in status.message


def test_what_may_be_sent_again_is_unavailable_and_says_when(tmp_path: Path) -> None:
    async def export() -> tuple[grpc.StatusCode, Status]:
        async with running(tmp_path, RecordingTaker(Overloaded("the queue is full", retry_after_s=4))) as channel:
            return await refusal_of(channel, BODY)

    code, status = asyncio.run(export())
    info = RetryInfo()
    assert code == grpc.StatusCode.UNAVAILABLE
    assert status.details[0].Unpack(info)
    assert info.retry_delay.seconds == 4


def test_a_defect_says_nothing_of_its_cause(tmp_path: Path) -> None:
    class Broken(RecordingTaker):
        async def submit(self, *_: Any, **__: Any) -> None:
            raise RuntimeError("a secret")

    async def export() -> tuple[grpc.StatusCode, Status]:
        async with running(tmp_path, Broken()) as channel:
            return await refusal_of(channel, BODY)

    code, status = asyncio.run(export())
    assert code == grpc.StatusCode.INTERNAL
    assert "secret" not in status.message


@pytest.mark.parametrize("compression", [grpc.Compression.NoCompression, grpc.Compression.Gzip])
def test_a_message_over_the_limit_is_refused_and_others_are_taken(
    tmp_path: Path, compression: grpc.Compression
) -> None:
    taker = RecordingTaker()

    async def export() -> grpc.StatusCode:
        async with running(tmp_path, taker) as channel:
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await channel.unary_unary(TRACES)(bytes(8 << 20), compression=compression)
            await channel.unary_unary(TRACES)(BODY)
            return refused.value.code()

    assert asyncio.run(export()) == grpc.StatusCode.RESOURCE_EXHAUSTED
    assert len(taker.rows("traces")) == 1


def test_a_port_that_is_taken_is_told_plainly(tmp_path: Path) -> None:
    async def start(port: int) -> None:
        async with running(tmp_path, RecordingTaker(), otlp_grpc_port=port):
            pass

    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        with pytest.raises(Conflict, match="can't listen for gRPC"):
            asyncio.run(start(other.getsockname()[1]))


def test_a_port_without_the_extra_names_the_command_that_brings_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As if it were not installed.
    monkeypatch.setitem(sys.modules, "clickhouse_connect", None)

    async def start() -> None:
        async with running(tmp_path, None):
            pass

    with pytest.raises(ExtraMissing) as refused:
        asyncio.run(start())
    assert isinstance(refused.value, LineageHubError)
    assert refused.value.action == "pip install 'lineage-hub[telemetry]'"


def test_when_the_hub_stops_nobody_listens(tmp_path: Path) -> None:
    port = free_port()

    async def run() -> None:
        async with running(tmp_path, RecordingTaker(), otlp_grpc_port=port) as channel:
            await channel.unary_unary(TRACES)(BODY)

    asyncio.run(run())
    with pytest.raises(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port), timeout=5):
        pass
