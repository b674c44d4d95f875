"""Dead letters enter by id; their events go to the intake again, and what became of each letter leaves.

A letter is judged before anything of it is submitted, so a letter that fails again stays one letter.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TypeVar

import msgspec
from sqlalchemy import Connection

from lineage_hub.errors import Conflict, InvalidEvent, LineageHubError, NotFound
from lineage_hub.model import Scope
from lineage_hub.server.hub import Hub
from lineage_hub.server.splitting import open_envelope, split_array
from lineage_hub.store import dead_letters
from lineage_hub.store.dead_letters import DeadLetter
from lineage_hub.wire import Decoder

T = TypeVar("T")
# Letters that are replayed together share transactions, but their bodies are in memory at once.
_TOGETHER, _TOGETHER_BYTES = 200, 8 << 20
_MAX_ERRORS = 100
_decode_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


@dataclass(frozen=True, slots=True)
class Replayed:
    tenant: str
    event_ids: list[str]
    repeated: bool


@dataclass(slots=True)
class Total:
    replayed: int = 0
    failed: int = 0
    errors: list[dict[str, object]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Judged:
    letter: DeadLetter
    tenant: str
    events: list[bytes]
    error: LineageHubError | None = None


async def replay_one(hub: Hub, scope: Scope, letter_id: int) -> Replayed:
    letter = await asyncio.to_thread(_read, hub, scope, letter_id)
    judged = await asyncio.to_thread(_judge, hub, letter)
    error, ids, repeated = await _submit(hub, scope, judged)
    await hub.intake.write(lambda connection: _settle(connection, scope, letter, error))
    if error is not None:
        raise error
    return Replayed(judged.tenant, ids, repeated)


async def replay_every(hub: Hub, scope: Scope) -> Total:
    total = Total()
    waiting = await asyncio.to_thread(_ids, hub, scope)
    while waiting:
        some, taken = await asyncio.to_thread(_read_some, hub, scope, waiting)
        waiting = waiting[taken:]
        settled: list[tuple[DeadLetter, LineageHubError | None]] = []
        results = await asyncio.gather(*(_submit(hub, scope, judged) for judged in some))
        for judged, (error, _, _) in zip(some, results, strict=True):
            settled.append((judged.letter, error))
            if error is None:
                total.replayed += 1
                continue
            total.failed += 1
            if len(total.errors) < _MAX_ERRORS:
                total.errors.append({"id": judged.letter.id, "reason": error.message})

        def settle(connection: Connection, settled: list[tuple[DeadLetter, LineageHubError | None]] = settled) -> None:
            for letter, error in settled:
                _settle(connection, scope, letter, error)

        await hub.intake.write(settle)
    return total


def _ids(hub: Hub, scope: Scope) -> list[int]:
    with hub.store.reading() as connection:
        return dead_letters.ids(connection, scope)


def _read(hub: Hub, scope: Scope, letter_id: int) -> DeadLetter:
    with hub.store.reading() as connection:
        return dead_letters.get(connection, scope, letter_id)


def _read_some(hub: Hub, scope: Scope, letter_ids: list[int]) -> tuple[list[_Judged], int]:
    """The first few of the letters, and how many ids they took; those that went meanwhile are passed over."""
    some: list[_Judged] = []
    size = taken = 0
    for letter_id in letter_ids[:_TOGETHER]:
        taken += 1
        try:
            letter = _read(hub, scope, letter_id)
        except NotFound:
            continue
        some.append(_judge(hub, letter))
        size += letter.kept
        if size >= _TOGETHER_BYTES:
            break
    return some, taken


def _judge(hub: Hub, letter: DeadLetter) -> _Judged:
    """Which events the letter holds, or why it can't be replayed."""
    try:
        if letter.truncated:
            raise Conflict(
                f"only {letter.kept} of {letter.size} bytes were kept",
                subject=str(letter.id),
                action="send it again in smaller requests, or PATCH its body first",
            )
        tenant, events = _events(hub, letter)
        decoder = Decoder(recent=100, max_name_bytes=hub.settings.ingest_max_name_bytes)
        for at, event in enumerate(events):
            _decode(decoder, event, tenant, at if len(events) > 1 else None)
    except LineageHubError as error:
        return _Judged(letter, letter.tenant, [], error)
    return _Judged(letter, tenant, events)


def _events(hub: Hub, letter: DeadLetter) -> tuple[str, list[bytes]]:
    start = letter.body.lstrip()
    if start[:1] == b"[":
        return letter.tenant, split_array(letter.body)
    if letter.source.startswith("lineage/ingest") and _is_envelope(start):
        # A whole envelope is kept when it was refused as one; mended, it names its tenant itself.
        envelope = open_envelope(letter.body, hub.settings.ingest_max_events)
        return envelope.tenant, envelope.events
    return letter.tenant, [letter.body]


def _is_envelope(body: bytes) -> bool:
    """Not an event out of one: that may speak of events too, in a facet."""
    try:
        members = _decode_members(body)
    except (msgspec.DecodeError, RecursionError, ValueError):
        return b'"events"' in body and b'"eventTime"' not in body.partition(b'"events"')[0]
    return "events" in members and "eventTime" not in members


def _decode(decoder: Decoder, event: bytes, tenant: str, at: int | None) -> None:
    try:
        decoder.decode(event, tenant)
    except InvalidEvent as error:
        where = "" if at is None else f"event {at}: "
        raise InvalidEvent(where + error.message, subject=error.subject, action=error.action) from None


async def _submit(hub: Hub, scope: Scope, judged: _Judged) -> tuple[LineageHubError | None, list[str], bool]:
    if judged.error is not None:
        return judged.error, [], False
    source = f"replay of {judged.letter.id}"
    outcomes = await hub.intake.submit(scope.writing_to(judged.tenant), judged.events, source)
    error = next((outcome.error for outcome in outcomes if outcome.error is not None), None)
    ids = [outcome.event_id for outcome in outcomes if outcome.event_id is not None]
    return error, ids, all(outcome.repeated for outcome in outcomes)


def _settle(connection: Connection, scope: Scope, letter: DeadLetter, error: LineageHubError | None) -> None:
    try:
        # What was edited while it was replayed is another body, and waits for a replay of its own.
        if dead_letters.get(connection, scope, letter.id).edited_at != letter.edited_at:
            return
        if error is None:
            dead_letters.remove(connection, scope, letter.id)
        else:
            dead_letters.replace_reason(connection, scope, letter.id, error)
    except NotFound:
        return
