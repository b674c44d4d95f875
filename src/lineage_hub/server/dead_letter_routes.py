"""Questions about rejected bodies enter; letters leave, and mended ones go back to the intake.

A letter goes only after its events are durable, so a crash in between costs a repeat, never an event.
"""

from __future__ import annotations

import base64
from typing import Annotated

import msgspec
from fastapi import APIRouter, Path, Query, Request, Response

from lineage_hub.errors import InvalidRequest
from lineage_hub.model import EVERYTHING
from lineage_hub.server import openapi
from lineage_hub.server.bodies import RefusedBody, read_body
from lineage_hub.server.errors import render
from lineage_hub.server.hub import Hub, hub_of
from lineage_hub.server.notes import note_of
from lineage_hub.server.replay import replay_every, replay_one
from lineage_hub.store import dead_letters
from lineage_hub.store.dead_letters import DeadLetter
from lineage_hub.wire import instant_text

LetterId = Annotated[int, Path(ge=1, le=2**63 - 1, description="The dead letter's id.")]
Limit = Annotated[int, Query(ge=1, le=1000, description="Most items in the answer.")]
Offset = Annotated[int, Query(ge=0, le=2**31, description="Items to pass over.")]

router = APIRouter(prefix="/api/v1/dead-letters", tags=["Dead letters"])


class _Edit(msgspec.Struct, forbid_unknown_fields=True):
    body: msgspec.Raw


_decode_edit = msgspec.json.Decoder(_Edit).decode
_decode_text = msgspec.json.Decoder(str).decode


@router.get("", summary="List dead letters, newest first", **openapi.LETTERS)
def list_letters(request: Request, limit: Limit = 100, offset: Offset = 0) -> Response:
    """Each with why it was rejected and how its body begins."""
    with hub_of(request.scope).store.reading() as connection:
        letters = dead_letters.page(connection, EVERYTHING, limit, offset)
        total = dead_letters.count(connection, EVERYTHING)
    items = [{**_facts(letter), "excerpt": letter.body.decode("utf-8", "replace")} for letter in letters]
    return _json({"deadLetters": items, "totalCount": total})


@router.get("/{letter_id}", summary="Show a dead letter with its body", **openapi.LETTER)
def get_letter(request: Request, letter_id: LetterId) -> Response:
    """The body as text, or in base64 if it isn't UTF-8."""
    with hub_of(request.scope).store.reading() as connection:
        letter = dead_letters.get(connection, EVERYTHING, letter_id)
    return _json(_whole(letter))


@router.patch("/{letter_id}", summary="Mend a dead letter's body", **openapi.EDIT_LETTER)
async def edit_letter(request: Request, letter_id: LetterId) -> Response:
    """`{"body": …}` with the event as JSON, or as a string that holds its text. Replay it afterwards."""
    hub = hub_of(request.scope)
    body = _edited(await _body(hub, request))
    edited_at = hub.clock()
    letter = await hub.intake.write(
        lambda connection: dead_letters.replace_body(connection, EVERYTHING, letter_id, body, edited_at)
    )
    return _json(_whole(letter))


@router.delete("/{letter_id}", status_code=204, summary="Drop a dead letter", **openapi.DROP_LETTER)
async def drop_letter(request: Request, letter_id: LetterId) -> Response:
    await hub_of(request.scope).intake.write(lambda connection: dead_letters.remove(connection, EVERYTHING, letter_id))
    return Response(status_code=204)


@router.post("/{letter_id}/replay", summary="Take a dead letter's events again", **openapi.REPLAY_LETTER)
async def replay_letter(request: Request, letter_id: LetterId) -> Response:
    """If all its events are taken the letter goes; else it stays, with what is wrong with it now."""
    replayed = await replay_one(hub_of(request.scope), EVERYTHING, letter_id)
    note_of(request.scope).tenant = replayed.tenant
    return _json(
        {
            "eventId": replayed.event_ids[0] if replayed.event_ids else None,
            "eventIds": replayed.event_ids,
            "repeated": replayed.repeated,
            "tenant": replayed.tenant,
        }
    )


@router.post("/replay", summary="Take every dead letter again", **openapi.REPLAY_ALL)
async def replay_letters(request: Request) -> Response:
    """Oldest first. Those whose events are taken go; the others stay with their reason."""
    total = await replay_every(hub_of(request.scope), EVERYTHING)
    return _json({"replayed": total.replayed, "failed": total.failed, "errors": total.errors})


def _facts(letter: DeadLetter) -> dict[str, object]:
    return {
        "id": letter.id,
        "receivedAt": instant_text(letter.received_at),
        "editedAt": None if letter.edited_at is None else instant_text(letter.edited_at),
        "tenant": letter.tenant,
        "source": letter.source,
        "error": letter.error,
        "reason": letter.reason,
        "subject": letter.subject,
        "size": letter.size,
        "truncated": letter.truncated,
    }


def _whole(letter: DeadLetter) -> dict[str, object]:
    try:
        return {**_facts(letter), "encoding": "utf-8", "body": letter.body.decode()}
    except UnicodeDecodeError:
        return {**_facts(letter), "encoding": "base64", "body": base64.b64encode(letter.body).decode()}


async def _body(hub: Hub, request: Request) -> bytes:
    try:
        return await read_body(request.scope, request.receive, limit=hub.settings.ingest_max_body_bytes, keep=0)
    except RefusedBody as refused:
        raise refused.error from None


def _edited(body: bytes) -> bytes:
    try:
        edit = bytes(_decode_edit(body).body)
        return _decode_text(edit).encode() if edit[:1] == b'"' else edit
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise InvalidRequest(
            f"the edit can't be read: {error}", subject="body", action='send {"body": <the mended event>}'
        ) from None


def _json(value: object) -> Response:
    return Response(render(value), media_type="application/json")
