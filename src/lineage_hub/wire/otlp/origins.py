"""The resource and the scope of a group of items enter as bytes; who made the items leaves, row by row."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from lineage_hub.wire.otlp import attributes, schema
from lineage_hub.wire.otlp.columns import Column, MapColumn, Refusals
from lineage_hub.wire.otlp.texts import read_message

RUN_ID, PIPELINE_RUN_ID = "openlineage.run_id", "pipeline.run_id"
# What OpenTelemetry calls a service that has no name.
NAMELESS = "unknown_service"


@dataclass(frozen=True, slots=True)
class Resource:
    raws: tuple[bytes, ...]
    service_name: str
    run_id: str
    pipeline_run_id: str
    complaint: str | None = None


@schema.remembered(512)
def read_resource(raw: bytes) -> Resource:
    """One that can't be used says why: its items are refused, and others are not."""
    try:
        message = read_message(schema.module("opentelemetry.proto.resource.v1.resource_pb2").Resource, raw)
    except schema.decode_error():
        return Resource((), "", "", "", "their resource can't be read")
    raws = tuple(one.SerializeToString() for one in message.attributes)
    wrong = attributes.complaint(raws)
    if wrong is not None:
        return Resource((), "", "", "", f"their resource: {wrong}")
    found = attributes.as_dict(raws)
    name = found.get("service.name") or NAMELESS
    return Resource(raws, name, found.get(RUN_ID, ""), found.get(PIPELINE_RUN_ID, ""))


@schema.remembered(2048)
def read_scope(raw: bytes) -> tuple[str, str] | None:
    """Name and version."""
    scope_class = schema.module("opentelemetry.proto.common.v1.common_pb2").InstrumentationScope
    try:
        scope = read_message(scope_class, raw)
    except schema.decode_error():
        return None
    return scope.name, scope.version


@dataclass(slots=True)
class Origins:
    """Of rows in the order in which they are added."""

    resources: list[Resource] = field(default_factory=list)
    of_row: list[int] = field(default_factory=list)
    scopes: list[tuple[str, str]] = field(default_factory=list)

    def add(self, resource: bytes, scope: bytes, items: int, what: str, refusals: Refusals) -> bool:
        """Whether the items may be taken."""
        made_by, made_with = read_resource(resource), read_scope(scope)
        wrong = made_by.complaint or ("their scope can't be read" if made_with is None else None)
        if wrong is not None or made_with is None:
            refusals.add(f"{items} {what}", wrong or "", items)
            return False
        if not self.resources or self.resources[-1] is not made_by:
            self.resources.append(made_by)
        self.of_row += [len(self.resources) - 1] * items
        self.scopes += [made_with] * items
        return True

    def chosen(self, rows: list[int]) -> Origins:
        return Origins(self.resources, [self.of_row[at] for at in rows], [self.scopes[at] for at in rows])

    def run_ids(self) -> list[str]:
        """What the resource says; an item's own attribute says more."""
        return [self.resources[at].run_id for at in self.of_row]

    def pipeline_run_ids(self) -> list[str]:
        return [self.resources[at].pipeline_run_id for at in self.of_row]

    def columns(self) -> dict[str, Column]:
        texts, types = attributes.map_columns([one.raws for one in self.resources])
        return {
            "service_name": [self.resources[at].service_name for at in self.of_row],
            "resource_attributes": _shared(texts, self.of_row),
            "resource_attribute_types": _shared(types, self.of_row),
            "scope_name": [name for name, _ in self.scopes],
            "scope_version": [version for _, version in self.scopes],
        }


def _shared(maps: MapColumn, rows: list[int]) -> MapColumn:
    return MapColumn(maps.offsets, maps.keys, maps.values, list(rows))


def gather(groups: Any, scopes: str, items: str, what: str, refusals: Refusals) -> tuple[list[Any], Origins]:
    """The items of all groups of a request in one list, so that each column is made at once."""
    found: list[Any] = []
    origins = Origins()
    for group in groups:
        for scope in getattr(group, scopes):
            some = list(getattr(scope, items))
            if some and origins.add(group.resource, scope.scope, len(some), what, refusals):
                found += some
    return found, origins
