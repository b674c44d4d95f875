"""Spans, metrics and logs enter as OpenTelemetry's exporters send them, or in the hub's envelope.

Once they are durable the answer leaves, as OTLP has it: https://opentelemetry.io/docs/specs/otlp/#otlphttp. What reads
them is imported by the first request: most hubs start without ever getting one.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from fastapi import APIRouter, Request, Response

from lineage_hub.errors import ExtraMissing, LineageHubError, UnsupportedEncoding
from lineage_hub.model import DEFAULT_TENANT
from lineage_hub.server import openapi
from lineage_hub.server.bodies import RefusedBody, read_body
from lineage_hub.server.errors import answer_of, note_error, render
from lineage_hub.server.hub import hub_of
from lineage_hub.server.notes import note_of

if TYPE_CHECKING:
    from lineage_hub.wire.otlp import Encoding, Kind
    from lineage_hub.wire.otlp.envelope import TelemetryEnvelope

MEDIA_TYPES: dict[Encoding, str] = {"protobuf": "application/x-protobuf", "json": "application/json"}
_ENCODINGS: dict[str, Encoding] = {media_type: encoding for encoding, media_type in MEDIA_TYPES.items()}

router = APIRouter(tags=["Telemetry in"])


@router.post("/v1/traces", summary="Take spans", **openapi.OTLP)
async def post_traces(request: Request) -> Response:
    """OTLP's ExportTraceServiceRequest; spans that can't be kept are counted, the others are taken."""
    return await _export(request, "traces")


@router.post("/v1/metrics", summary="Take data points of metrics", **openapi.OTLP)
async def post_metrics(request: Request) -> Response:
    """OTLP's ExportMetricsServiceRequest; points that can't be kept are counted, the others are taken."""
    return await _export(request, "metrics")


@router.post("/v1/logs", summary="Take log records", **openapi.OTLP)
async def post_logs(request: Request) -> Response:
    """OTLP's ExportLogsServiceRequest; records that can't be kept are counted, the others are taken."""
    return await _export(request, "logs")


@router.post("/api/v1/telemetry/ingest", summary="Take an envelope of spans and metrics", **openapi.TELEMETRY)
async def post_telemetry(request: Request) -> Response:
    """`{namespace, traces, metrics, source}`: the namespace is the tenant that they are stored for."""
    from lineage_hub.server.otlp_taking import hand_over, read_aside, ready
    from lineage_hub.wire.otlp.envelope import read_envelope

    hub = hub_of(request.scope)
    taker = ready(hub.taker)
    body = await _body(request)
    found = await read_aside(body, lambda: read_envelope(body, hub.settings.ingest_max_events))
    note_of(request.scope).tenant = found.namespace
    spans = [hand_over(taker, "traces", name, body, one) for name, one in found.spans.items()]
    points = [hand_over(taker, "metrics", name, body, one) for name, one in found.points.items()]
    # They wait together for their inserts. Should one fail, all may be sent again: repeats count once.
    for outcome in await asyncio.gather(*spans, *points, return_exceptions=True):
        if isinstance(outcome, BaseException):
            raise outcome
    return Response(render(_tally(found)), media_type=MEDIA_TYPES["json"])


def _tally(found: TelemetryEnvelope) -> dict[str, object]:
    return {
        "traces_accepted": sum(one.count for one in found.spans.values()),
        "traces_rejected": found.spans_rejected,
        "metrics_accepted": sum(one.count for one in found.points.values()),
        "metrics_rejected": found.points_rejected,
        "errors": found.errors,
        "namespace": found.namespace,
    }


async def _export(request: Request, kind: Kind) -> Response:
    from lineage_hub.server.otlp_taking import ready, take
    from lineage_hub.wire.otlp import answers

    hub = hub_of(request.scope)
    content_type = request.headers.get("content-type", "")
    encoding = _ENCODINGS.get(content_type.partition(";")[0].strip().lower())
    try:
        if encoding is None:
            raise _unread(content_type)
        taker = ready(hub.taker)
        body = await _body(request)
        found = await take(taker, kind, DEFAULT_TENANT, body, encoding, hub.clock())
        return Response(answers.response(kind, found, encoding), media_type=MEDIA_TYPES[encoding])
    except LineageHubError as error:
        return _refusal(request, error, encoding or "json")


async def _body(request: Request) -> bytes:
    limit = hub_of(request.scope).settings.ingest_max_body_bytes
    try:
        return await read_body(request.scope, request.receive, limit=limit, keep=0)
    except RefusedBody as refused:
        raise refused.error from None


def _unread(content_type: str) -> UnsupportedEncoding:
    return UnsupportedEncoding(
        f"the content type {content_type[:80]!r} is not read",
        subject="content-type",
        action=f"send {' or '.join(_ENCODINGS)}",
    )


def _refusal(request: Request, error: LineageHubError, encoding: Encoding) -> Response:
    """The status and the headers of any error, with the body that OTLP wants."""
    from lineage_hub.wire.otlp import answers

    if isinstance(error, ExtraMissing):
        # What writes protobuf may be what is missing.
        encoding = "json"
    told = note_error(request.scope, error)
    status, headers, _ = answer_of(told)
    body = answers.status(told, encoding)
    response = Response(body, status, media_type=MEDIA_TYPES[encoding])
    response.raw_headers += [one for one in headers if one[0] not in (b"content-type", b"content-length")]
    return response
