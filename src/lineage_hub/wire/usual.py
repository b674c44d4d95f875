"""The text of an event or facet enters that has the members the spec names and no others; its values leave.

Members stand in the order of their names, so that a value is written in canonical form without being sorted. What says
more, or says it otherwise, is refused with `msgspec.ValidationError`: it has to be read member by member.
"""

from __future__ import annotations

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from lineage_hub.wire.canonical import canonical
from lineage_hub.wire.facets import Key

Text = str | None | UnsetType


class UsualElement(Struct, forbid_unknown_fields=True, gc=False, kw_only=True):
    facets: Raw | UnsetType = UNSET
    inputFacets: Raw | UnsetType = UNSET
    name: Raw
    namespace: Raw
    outputFacets: Raw | UnsetType = UNSET


class UsualRun(Struct, forbid_unknown_fields=True, gc=False, kw_only=True):
    facets: dict[str, Raw] | UnsetType = UNSET
    runId: Raw


class UsualEvent(Struct, forbid_unknown_fields=True, gc=False, kw_only=True):
    eventTime: str
    eventType: Text = UNSET
    inputs: list[UsualElement] | UnsetType = UNSET
    job: UsualElement
    outputs: list[UsualElement] | UnsetType = UNSET
    producer: str
    run: UsualRun
    schemaURL: Text = UNSET


class _Facet(Struct, forbid_unknown_fields=True, gc=False):
    producer: Text = msgspec.field(default=UNSET, name="_producer")
    schema_url: Text = msgspec.field(default=UNSET, name="_schemaURL")


class _Column(Struct, forbid_unknown_fields=True, gc=False):
    description: Text = UNSET
    name: Text = UNSET
    type: Text = UNSET


class _Schema(_Facet, gc=False):
    fields: list[_Column] | UnsetType = UNSET


class _Transformation(Struct, forbid_unknown_fields=True, gc=False):
    description: Text = UNSET
    masking: bool | UnsetType | None = UNSET
    subtype: str | UnsetType = UNSET
    type: str | UnsetType = UNSET


class _InputField(Struct, forbid_unknown_fields=True, gc=False):
    field: str
    name: str
    namespace: str
    transformations: list[_Transformation] | UnsetType = UNSET


class _OutputField(Struct, forbid_unknown_fields=True, gc=False):
    inputFields: list[_InputField]
    transformationDescription: Text = UNSET
    transformationType: Text = UNSET


class _ColumnLineage(_Facet, kw_only=True, gc=False):
    fields: dict[str, _OutputField]


usual_event = msgspec.json.Decoder(UsualEvent).decode
encode_usual = msgspec.json.Encoder(order="deterministic").encode
_schema = msgspec.json.Decoder(_Schema).decode
_column_lineage = msgspec.json.Decoder(_ColumnLineage).decode


def written(name: str, text: bytes) -> tuple[bytes, list[Key] | None]:
    """A facet in canonical form; with it, of column lineage that says nothing unusual, the datasets that it names."""
    try:
        if name == "schema":
            return encode_usual(_schema(text)), None
        if name == "columnLineage":
            lineage = _column_lineage(text)
            named = [(each.namespace, each.name) for field in lineage.fields.values() for each in field.inputFields]
            return encode_usual(lineage), named
    except msgspec.ValidationError:
        pass
    return canonical(text), None
