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


def describing_events(server: Marquez, hub: Hub, namespaces: list[str]) -> Iterator[bytes]:
    """Dated when the server last changed them, so that they are the same the next time."""
    for kind in ("datasets", "jobs"):
        for one in server.described(kind):
            if namespaces and one.namespace not in namespaces:
                continue
            if one.description or one.all_tags():
                known = _known(hub, kind, one)
                if facets := _unknown(kind, one, known):
                    yield msgspec.json.encode(_event(kind, one, known, facets))


def _known(hub: Hub, kind: str, one: Described) -> Described:
    """As the hub has it, under its name there: Marquez calls a child job by its parent's name and its own."""
    try:
        return hub.read(Described, f"/namespaces/{quoted(one.namespace)}/{kind}/{quoted(one.name)}")
    except NotFound:
        return Described(one.namespace, one.name, one.updated_at)


def _unknown(kind: str, one: Described, known: Described) -> dict[str, object]:
    facets: dict[str, object] = {}
    if one.description and one.description != known.description:
        facets["documentation"] = {**_facet(_DOCUMENTATION[kind]), "description": one.description}
    if one.all_tags() - known.all_tags():
        # A facet replaces the one before it, so that what is known is said again.
        tags = sorted(one.all_tags() | known.all_tags())
        facets["tags"] = {**_facet(_TAGS[kind]), "tags": [_tag(*tag) for tag in tags]}
    return facets


def _tag(field: str, text: str) -> dict[str, str]:
    key, colon, value = text.partition(":")
    tag = {"key": key, "value": value if colon and key else "true", "source": "IMPORT"}
    return {**tag, "field": field} if field else tag


def _facet(schema: str) -> dict[str, str]:
    return {"_producer": PRODUCER, "_schemaURL": f"{_FACETS}{schema}.json"}


def _event(kind: str, one: Described, known: Described, facets: dict[str, object]) -> dict[str, object]:
    subject = {"namespace": known.namespace, "name": known.name, "facets": facets}
    told: dict[str, object] = {"eventTime": one.updated_at, "producer": PRODUCER}
    if kind == "datasets":
        return {**told, "schemaURL": f"{_SCHEMA}DatasetEvent", "dataset": subject}
    return {**told, "schemaURL": f"{_SCHEMA}JobEvent", "job": subject, "inputs": [], "outputs": []}
