"""Jobs and datasets of another server enter; events that tell a hub what it doesn't know of them yet leave.

Descriptions and tags can be given in a server's own UI, so no event has them.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from lineage_hub.cli.hub import Hub
from lineage_hub.cli.marquez import Described, Marquez
from lineage_hub.cli.nodes import quoted
from lineage_hub.errors import NotFound

PRODUCER = "https://github.com/MarquezProject/marquez"
_SCHEMA = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/"
_FACETS = "https://openlineage.io/spec/facets/"
_DOCUMENTATION = {"datasets": "1-1-0/DocumentationDatasetFacet", "jobs": "1-1-0/DocumentationJobFacet"}
_TAGS = {"datasets": "1-0-0/TagsDatasetFacet", "jobs": "1-0-0/TagsJobFacet"}


class _Known(msgspec.Struct):
    description: str | None = None
    tags: list[str] = []


def describing_events(server: Marquez, hub: Hub, namespaces: list[str]) -> Iterator[bytes]:
    """Dated when the server last changed them, so that they are the same the next time."""
    for kind in ("datasets", "jobs"):
        for one in server.described(kind):
            if namespaces and one.namespace not in namespaces:
                continue
            if facets := _unknown(hub, kind, one):
                yield msgspec.json.encode(_event(kind, one, facets))


def _unknown(hub: Hub, kind: str, one: Described) -> dict[str, object]:
    if not one.description and not one.tags:
        return {}
    try:
        known = hub.read(_Known, f"/namespaces/{quoted(one.namespace)}/{kind}/{quoted(one.name)}")
    except NotFound:
        known = _Known()
    facets: dict[str, object] = {}
    if one.description and one.description != known.description:
        facets["documentation"] = {**_facet(_DOCUMENTATION[kind]), "description": one.description}
    if set(one.tags) - set(known.tags):
        tags = sorted({*one.tags, *known.tags})
        facets["tags"] = {**_facet(_TAGS[kind]), "tags": [_tag(tag) for tag in tags]}
    return facets


def _tag(text: str) -> dict[str, str]:
    key, colon, value = text.partition(":")
    return {"key": key, "value": value if colon and key else "true", "source": "IMPORT"}


def _facet(schema: str) -> dict[str, str]:
    return {"_producer": PRODUCER, "_schemaURL": f"{_FACETS}{schema}.json"}


def _event(kind: str, one: Described, facets: dict[str, object]) -> dict[str, object]:
    subject = {"namespace": one.namespace, "name": one.name, "facets": facets}
    told: dict[str, object] = {"eventTime": one.updated_at, "producer": PRODUCER}
    if kind == "datasets":
        return {**told, "schemaURL": f"{_SCHEMA}DatasetEvent", "dataset": subject}
    return {**told, "schemaURL": f"{_SCHEMA}JobEvent", "job": subject, "inputs": [], "outputs": []}
