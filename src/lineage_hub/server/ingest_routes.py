"""Bodies with one event or many enter; once each is durable or kept as a dead letter, the answer leaves.

Nothing here looks into an event: its text goes to the intake byte for byte.
"""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import APIRouter, Request, Response
from sqlalchemy import Connection as DatabaseConnection
from starlette.types import Receive, Send
from starlette.types import Scope as Connection

from lineage_hub.errors import LineageHubError
from lineage_hub.ingest.intake import Outcome
from lineage_hub.model import EVERYTHING, Scope
from lineage_hub.server import openapi
from lineage_hub.server.bodies import RefusedBody, read_body
from lineage_hub.server.errors import JSON, note_error, render, send_error
from lineage_hub.server.hub import Hub, hub_of
from lineage_hub.server.notes import note_of
from lineage_hub.server.splitting import open_envelope, split_events
from lineage_hub.store import dead_letters

ONE_EVENT = "/api/v1/lineage"
FROM_ONE, FROM_BATCH, FROM_ENVELOPE, FROM_WEBHOOK = (
    "lineage",
    "lineage/batch",
    "lineage/ingest",
    "webhook/lineage",
)
# An answer lists this many failures; the dead letters have them all.
MAX_ERRORS = 1000

router = APIRouter(prefix="/api/v1", tags=["Events in"])


async def take_event(connection: Connection, receive: Receive, send: Send) -> None:
    """POST /api/v1/lineage as a plain ASGI endpoint; docs/decisions/0005-one-event-path.md says why."""
    hub = hub_of(connection)
    try:
        body = await _body(hub, connection, receive, FROM_ONE)
        outcome = (await hub.intake.submit(EVERYTHING, (body,), FROM_ONE))[0]
        error = outcome.error
    except LineageHubError as failure:
        error = failure
    if error is not None:
        await send_error(send, note_error(connection, error))
        return
    answer = b'{"eventId":"%s","repeated":%s}' % (
        (outcome.event_id or "").encode(),
        b"true" if outcome.repeated else b"false",
    )
    headers = [(b"content-type", JSON), (b"content-length", b"%d" % len(answer))]
    await send({"type": "http.response.start", "status": 201, "headers": headers})
    await send({"type": "http.response.body", "body": answer})


class _OneEventAnswer(Response):
    async def __call__(self, scope: Connection, receive: Receive, send: Send) -> None:
        await take_event(scope, receive, send)


@router.post("/lineage", status_code=201, summary="Take one event", **openapi.ONE_EVENT)
async def post_event(request: Request) -> Response:
    """A RunEvent, JobEvent or DatasetEvent; it is durable and readable when the answer comes."""
    return _OneEventAnswer()


@router.post("/lineage/batch", status_code=204, summary="Take many events", **openapi.BATCH)
async def post_batch(request: Request) -> Response:
    """OpenLineage's batch endpoint, array or NDJSON: 204 if all were taken, else 200 with what failed."""
    hub = hub_of(request.scope)
    body = await _body(hub, request.scope, request.receive, FROM_BATCH)
    try:
        events = split_events(body, request.headers.get("content-type", ""), hub.settings.ingest_max_events)
    except LineageHubError as error:
        await keep(hub, EVERYTHING, error, body, FROM_BATCH)
        raise
    outcomes = await hub.intake.submit(EVERYTHING, events, FROM_BATCH)
    failed = [(at, outcome.error) for at, outcome in enumerate(outcomes) if outcome.error is not None]
    if not failed:
        return Response(status_code=204)
    retriable = sum(error.transient for _, error in failed)
    return _json(
        {
            "status": "partial_success",
            "summary": {
                "received": len(outcomes),
                "successful": len(outcomes) - len(failed),
                "failed": len(failed),
                "retriable": retriable,
                "non_retriable": len(failed) - retriable,
            },
            "failed_events": [
                {"index": at, "reason": error.message, "retriable": error.transient} for at, error in failed
            ],
        }
    )


@router.post("/lineage/ingest", summary="Take an envelope of events for a tenant", **openapi.ENVELOPE)
async def post_envelope(request: Request) -> Response:
    """`{namespace, events, source}`: the namespace is the tenant that the events are stored for."""
    hub = hub_of(request.scope)
    body = await _body(hub, request.scope, request.receive, FROM_ENVELOPE)
    try:
        envelope = open_envelope(body, hub.settings.ingest_max_events)
    except LineageHubError as error:
        await keep(hub, EVERYTHING, error, body, FROM_ENVELOPE)
        raise
    note_of(request.scope).tenant = envelope.tenant
    source = f"{FROM_ENVELOPE}:{envelope.source}" if envelope.source else FROM_ENVELOPE
    outcomes = await hub.intake.submit(EVERYTHING.writing_to(envelope.tenant), envelope.events, source)
    return _json({**tally(outcomes), "namespace": envelope.tenant})


@router.post("/webhook/lineage", summary="Take what a system pushes", **openapi.WEBHOOK)
async def post_webhook(request: Request) -> Response:
    """One event, a JSON array of events, or NDJSON."""
    hub = hub_of(request.scope)
    body = await _body(hub, request.scope, request.receive, FROM_WEBHOOK)
    try:
        events = split_events(body, request.headers.get("content-type", ""), hub.settings.ingest_max_events)
    except LineageHubError as error:
        await keep(hub, EVERYTHING, error, body, FROM_WEBHOOK)
        raise
    return _json(tally(await hub.intake.submit(EVERYTHING, events, FROM_WEBHOOK)))


def tally(outcomes: Sequence[Outcome]) -> dict[str, object]:
    errors = [f"event {at}: {each.error.message}" for at, each in enumerate(outcomes) if each.error is not None]
    return {"accepted": len(outcomes) - len(errors), "rejected": len(errors), "errors": errors[:MAX_ERRORS]}


async def _body(hub: Hub, connection: Connection, receive: Receive, source: str) -> bytes:
    keep_bytes = hub.settings.dead_letter_body_bytes
    try:
        return await read_body(connection, receive, limit=hub.settings.ingest_max_body_bytes, keep=keep_bytes)
    except RefusedBody as refused:
        await keep(hub, EVERYTHING, refused.error, refused.kept, source, size=refused.size)
        raise refused.error from None


async def keep(
    hub: Hub, scope: Scope, error: LineageHubError, body: bytes, source: str, *, size: int | None = None
) -> None:
    """A body that is refused as a whole becomes one dead letter before its sender hears of it."""
    letter = dead_letters.Rejected.because(error, body, source, hub.clock(), size=size)

    def add(connection: DatabaseConnection) -> None:
        evicted = dead_letters.add(connection, scope, [letter], hub.settings.dead_letter_max)
        hub.intake.counts["evicted"] += evicted
        hub.intake.counts["refused"] += 1

    await hub.intake.write(add)


def _json(value: object) -> Response:
    return Response(render(value), media_type="application/json")
