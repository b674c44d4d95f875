"""The text of an event enters, the parts of it that aren't interned leave: facets of its run and of its datasets."""

from __future__ import annotations

import msgspec
from msgspec import Raw, Struct

from lineage_hub.wire.canonical import canonical

Facets = dict[str, Raw]


class RawDataset(Struct):
    namespace: str
    name: str
    facets: Facets | None = None
    inputFacets: Facets | None = None
    outputFacets: Facets | None = None


class RawRun(Struct):
    facets: Facets | None = None
    runId: str = ""


class RawEvent(Struct):
    producer: str = ""
    run: RawRun | None = None
    inputs: list[RawDataset] | None = None
    outputs: list[RawDataset] | None = None
    dataset: RawDataset | None = None


_decode = msgspec.json.Decoder(RawEvent).decode


def decode(text: bytes) -> RawEvent:
    try:
        return _decode(text)
    except msgspec.ValidationError:  # a repeated key, of which an earlier value has another type
        return _decode(canonical(text))


class OwnDataset(Struct, gc=False):
    """Only with what belongs to one run: its other facets are most of an event's text."""

    namespace: str
    name: str
    inputFacets: Facets | None = None
    outputFacets: Facets | None = None


class OwnRun(Struct, gc=False):
    facets: Facets | None = None


class OwnEvent(Struct, gc=False):
    run: OwnRun | None = None
    inputs: list[OwnDataset] | None = None
    outputs: list[OwnDataset] | None = None


_decode_own = msgspec.json.Decoder(OwnEvent).decode


def decode_own(text: bytes) -> OwnEvent:
    try:
        return _decode_own(text)
    except msgspec.ValidationError:
        return _decode_own(canonical(text))


class _RunOnly(Struct):
    """Skips the datasets, which are most of an event's text."""

    run: RawRun | None = None


_decode_run = msgspec.json.Decoder(_RunOnly).decode


def decode_run(text: bytes) -> _RunOnly:
    try:
        return _decode_run(text)
    except msgspec.ValidationError:
        return _decode_run(canonical(text))
