"""A body that holds events enters; the text of each event leaves, byte for byte as it was sent.

What isn't JSON as a whole is refused as a whole: where its events begin can't be known.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
from msgspec import Raw

from lineage_hub.errors import BodyTooLarge, InvalidRequest
from lineage_hub.model.scope import is_tenant_name
from lineage_hub.server.spans import items_of, members_of

_NDJSON = frozenset({"application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines"})
_decode_array = msgspec.json.Decoder(list[Raw]).decode
_decode_any = msgspec.json.Decoder(Raw).decode
_MAX_SOURCE = 200
_OWN = ("namespace", "events", "source")


class _EnvelopeShape(msgspec.Struct):
    namespace: str
    events: list[Raw]
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Envelope:
    tenant: str
    events: list[bytes]
    source: str | None


_decode_envelope = msgspec.json.Decoder(_EnvelopeShape).decode


def split_events(body: bytes, content_type: str, most: int) -> list[bytes]:
    """The events of an array, of lines, or of a body that is one event."""
    media_type = content_type.partition(";")[0].strip().lower()
    if media_type in _NDJSON:
        return _at_most(_lines(body), most)
    if body.lstrip()[:1] == b"[":
        return _at_most(split_array(body), most)
    if not body.strip():
        raise InvalidRequest("the body is empty", subject="body", action="send a JSON array of events, or one a line")
    try:
        _decode_any(body)
    except (msgspec.DecodeError, RecursionError, ValueError):
        return _at_most(_lines(body), most)
    return [body]


def split_array(body: bytes) -> list[bytes]:
    try:
        return [bytes(item) for item in _decode_array(body)]
    except RecursionError:
        raise _not_json("nested too deeply") from None
    except (msgspec.DecodeError, ValueError) as error:
        # Perhaps one event spoils the others: then it is refused alone, by the one who decodes it.
        items = items_of(body)
        if items is None:
            raise _not_json(str(error)) from None
        return items


def open_envelope(body: bytes, most: int) -> Envelope:
    """`{namespace, events, source}`; the namespace is the tenant."""
    try:
        found = _envelope(body)
    except msgspec.ValidationError as error:
        raise InvalidRequest(
            f"the envelope is not valid: {error}",
            subject="envelope",
            action="send {namespace, events[], source?}",
        ) from None
    except RecursionError:
        raise _not_json("nested too deeply") from None
    except (msgspec.DecodeError, ValueError) as error:
        raise _not_json(str(error)) from None
    if not is_tenant_name(found.namespace):
        raise InvalidRequest(
            f"the namespace {found.namespace[:60]!r} is not valid",
            subject="namespace",
            action="use 3 to 50 lower-case letters, digits and hyphens, with a letter or digit at both ends",
        )
    source = None if found.source is None else found.source[:_MAX_SOURCE]
    return Envelope(found.namespace, _at_most([bytes(item) for item in found.events], most), source)


def _envelope(body: bytes) -> _EnvelopeShape:
    try:
        return _decode_envelope(body)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        parts = members_of(body, listed="events")
        if parts is None:
            raise
        members, events = parts
        outline = b",".join(b'"%s":%s' % (key.encode(), members[key]) for key in _OWN if key in members)
        found = _decode_envelope(b"{" + outline + b"}")
        found.events = [Raw(event) for event in events]
        return found


def _lines(body: bytes) -> list[bytes]:
    return [text for line in body.split(b"\n") if (text := line.strip(b" \t\r"))]


def _at_most(events: list[bytes], most: int) -> list[bytes]:
    if len(events) > most:
        raise BodyTooLarge(
            f"{len(events)} events are more than the {most} that one request may have",
            subject="body",
            action="send them in several requests, or raise ingest_max_events",
        )
    return events


def _not_json(why: str) -> InvalidRequest:
    return InvalidRequest(
        f"the body is not JSON: {why}", subject="body", action="send a JSON array of events, or one a line"
    )
