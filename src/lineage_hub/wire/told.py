"""The text of an event enters; its producer, and the facets of its job, its run and its datasets, leave."""

from __future__ import annotations

import msgspec
from msgspec import Raw, Struct

from lineage_hub.wire.canonical import canonical
from lineage_hub.wire.raw import Facets, RawEvent


class RawJob(Struct):
    facets: Facets | None = None


class ToldEvent(RawEvent):
    job: RawJob | None = None
    producer: str = ""
    eventTime: str = ""


class _ProducerOnly(Struct):
    producer: Raw = Raw(b'""')


_decode = msgspec.json.Decoder(ToldEvent).decode
_decode_producer = msgspec.json.Decoder(_ProducerOnly).decode


def decode_told(text: bytes) -> ToldEvent:
    try:
        return _decode(text)
    except msgspec.ValidationError:  # a repeated key, of which an earlier value has another type
        return _decode(canonical(text))


def producer_of(text: bytes) -> str:
    """As the store names it."""
    return msgspec.json.decode(_decode_producer(text).producer, type=str).replace("\0", " ")
