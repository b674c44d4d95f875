"""The text of an event enters; its producer, and the facets of its job, its run and its datasets, leave."""

from __future__ import annotations

import msgspec
from msgspec import Raw, Struct

from lineage_hub.wire.canonical import canonical
from lineage_hub.wire.raw import Facets, RawEvent
from lineage_hub.wire.times import instant


class RawJob(Struct):
    facets: Facets | None = None


class ToldEvent(RawEvent):
    job: RawJob | None = None
    producer: str = ""
    eventTime: str = ""


class _TopOnly(Struct):
    """Skips what is most of an event's text; of a repeated member the last value counts, whatever type it has."""

    producer: Raw = Raw(b'""')
    eventTime: Raw = Raw(b'""')


_decode = msgspec.json.Decoder(ToldEvent).decode
_decode_top = msgspec.json.Decoder(_TopOnly).decode
_decode_text = msgspec.json.Decoder(str).decode


def decode_told(text: bytes) -> ToldEvent:
    try:
        return _decode(text)
    except msgspec.ValidationError:  # a repeated key, of which an earlier value has another type
        return _decode(canonical(text))


def producer_of(text: bytes) -> str:
    """As the store names it."""
    return _decode_text(_decode_top(text).producer).replace("\0", " ")


def time_of(text: bytes) -> int:
    return instant(_decode_text(_decode_top(text).eventTime), "eventTime")
