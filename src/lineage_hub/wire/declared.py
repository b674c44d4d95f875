"""What users declare in bodies of Marquez's API enters; the events that say the same leave, as text.

What no event can say, such as who owns a namespace, leaves as a body to be kept.
"""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, Struct

from lineage_hub import __version__
from lineage_hub.errors import InvalidRequest
from lineage_hub.wire.canonical import digest
from lineage_hub.wire.described import ARGUMENTS_FACET, DECLARED_FACET
from lineage_hub.wire.times import instant, instant_text

PRODUCER = f"https://github.com/lineage-hub/lineage-hub/tree/{__version__}"
_SPEC = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/"
_FACETS = {
    "schema": ("1-1-1", "SchemaDatasetFacet"),
    "dataSource": ("1-0-1", "DatasourceDatasetFacet"),
    "documentation": ("1-0-1", "DocumentationDatasetFacet"),
    "version": ("1-0-1", "DatasetVersionDatasetFacet"),
    "datasetType": ("1-0-0", "DatasetTypeDatasetFacet"),
    "jobType": ("2-0-3", "JobTypeJobFacet"),
    "sql": ("1-0-1", "SQLJobFacet"),
    "sourceCodeLocation": ("1-0-1", "SourceCodeLocationJobFacet"),
    "nominalTime": ("1-0-1", "NominalTimeRunFacet"),
}
Json = dict[str, Any]
Text = Annotated[str, Meta(min_length=1)]
S = TypeVar("S", bound=Struct)


class NamespaceBody(Struct):
    ownerName: Text
    description: str | None = None


class SourceBody(Struct):
    type: Text
    connectionUrl: Text
    description: str | None = None


class TagBody(Struct):
    description: str | None = None


class FieldBody(Struct):
    name: Text
    type: str | None = None
    description: str | None = None
    tags: list[Text] | None = None


class DatasetBody(Struct):
    type: Text
    physicalName: Text
    sourceName: Text
    fields: list[FieldBody] | None = None
    tags: list[Text] | None = None
    description: str | None = None
    schemaLocation: str | None = None
    runId: str | None = None


class DatasetName(Struct, frozen=True):
    namespace: Text
    name: Text


class JobBody(Struct):
    type: Text
    inputs: list[DatasetName] = []
    outputs: list[DatasetName] = []
    location: str | None = None
    description: str | None = None
    context: dict[str, str] | None = None
    tags: list[Text] | None = None
    runId: str | None = None


class RunBody(Struct):
    id: Text | None = None
    nominalStartTime: str | None = None
    nominalEndTime: str | None = None
    args: dict[str, str | int | float | bool | None] | None = None


def read_body(body: bytes, kind: type[S], action: str) -> S:
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise InvalidRequest(f"the body can't be read: {error}", subject="body", action=action) from None


def _facet(facet: str, /, **content: object) -> Json:
    version, title = _FACETS[facet]
    url = f"https://openlineage.io/spec/facets/{version}/{title}.json#/$defs/{title}"
    return {"_producer": PRODUCER, "_schemaURL": url, **content}


def _own_facet(facet: str, /, **content: object) -> Json:
    return {"_producer": PRODUCER, "_schemaURL": f"{PRODUCER}/docs/facets/{facet}.json", **content}


def _event(kind: str, event_at: int, **content: object) -> bytes:
    return msgspec.json.encode(
        {"eventTime": instant_text(event_at), "producer": PRODUCER, "schemaURL": _SPEC + kind, **content}
    )


def dataset_facets(body: DatasetBody, source_uri: str | None) -> Json:
    """All that the body has: what it leaves out is not taken back, it was said by others."""
    facets: Json = {
        "datasetType": _facet("datasetType", datasetType=body.type),
        "dataSource": _facet("dataSource", name=body.sourceName, uri=source_uri or ""),
        DECLARED_FACET: _own_facet("declared", physicalName=body.physicalName),
    }
    if body.schemaLocation is not None:
        facets[DECLARED_FACET]["schemaLocation"] = body.schemaLocation
    if body.fields:
        shown = [{"name": one.name, "type": one.type, "description": one.description} for one in body.fields]
        fields = [{key: value for key, value in one.items() if value is not None} for one in shown]
        facets["schema"] = _facet("schema", fields=fields)
    if body.description is not None:
        facets["documentation"] = _facet("documentation", description=body.description)
    return facets


def version_of(facets: Json) -> str:
    """What is declared is a version of the dataset; the same again is the same version."""
    return digest(msgspec.json.encode(facets, order="sorted")).hex()


def dataset_event(namespace: str, name: str, facets: Json, version: str, event_at: int) -> bytes:
    facets = {**facets, "version": _facet("version", datasetVersion=version)}
    return _event("DatasetEvent", event_at, dataset={"namespace": namespace, "name": name, "facets": facets})


# Marquez's words for how a job works, and OpenLineage's.
PROCESSING = {"STREAM": "STREAMING"}


def job_event(namespace: str, name: str, body: JobBody, event_at: int) -> bytes:
    facets: Json = {
        "jobType": _facet(
            "jobType", processingType=PROCESSING.get(body.type.upper(), body.type.upper()), integration="LINEAGE_HUB"
        )
    }
    if body.description is not None:
        facets["documentation"] = _facet("documentation", description=body.description)
    if body.location is not None:
        facets["sourceCodeLocation"] = _facet("sourceCodeLocation", type="git", url=body.location)
    queries = [text for key, text in (body.context or {}).items() if key.lower() == "sql"]
    if queries:
        facets["sql"] = _facet("sql", query=queries[0])
    job = {"namespace": namespace, "name": name, "facets": facets}
    return _event("JobEvent", event_at, job=job, inputs=named(body.inputs), outputs=named(body.outputs))


def named(datasets: list[DatasetName]) -> list[Json]:
    return [{"namespace": one.namespace, "name": one.name} for one in datasets]


def run_facets(body: RunBody) -> Json:
    facets: Json = {}
    nominal = {
        key: value
        for key, value in (("nominalStartTime", body.nominalStartTime), ("nominalEndTime", body.nominalEndTime))
        if value is not None
    }
    for key, value in nominal.items():
        instant(value, key)
    if nominal:
        facets["nominalTime"] = _facet("nominalTime", **nominal)
    if body.args:
        texts = {key: value if isinstance(value, str) else _text(value) for key, value in body.args.items()}
        facets[ARGUMENTS_FACET] = _own_facet("arguments", arguments=texts)
    return facets


def _text(value: object) -> str:
    return msgspec.json.encode(value).decode()


def run_event(
    kind: str,
    job: tuple[str, str],
    run_id: str,
    event_at: int,
    facets: Json | None = None,
    inputs: list[Json] | None = None,
    outputs: list[Json] | None = None,
) -> bytes:
    """`kind` is OpenLineage's eventType."""
    return _event(
        "RunEvent",
        event_at,
        eventType=kind,
        run={"runId": run_id, "facets": facets or {}},
        job={"namespace": job[0], "name": job[1]},
        inputs=inputs or [],
        outputs=outputs or [],
    )
