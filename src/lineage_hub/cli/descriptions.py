"""A job or dataset of another server and what a hub has of it enter; the event that tells the rest leaves, if any.

What was declared by hand, or described in a server's own UI, is in none of its events. Events are dated when the server
last changed what they tell of, so that they are the same the next time.
"""

from __future__ import annotations

import msgspec
from msgspec import Raw

from lineage_hub.cli.marquez_answers import DatasetName, Described, JobRun, Known
from lineage_hub.wire.declared import PROCESSING, version_of
from lineage_hub.wire.described import ARGUMENTS_FACET, DECLARED_FACET

PRODUCER = "https://github.com/MarquezProject/marquez"
DATASETS, JOBS = "datasets", "jobs"
_SCHEMA = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/"
_FACETS = "https://openlineage.io/spec/facets/"
_DOCUMENTATION = {DATASETS: "1-1-0/DocumentationDatasetFacet", JOBS: "1-1-0/DocumentationJobFacet"}
_ENDS = {"COMPLETED": "COMPLETE", "FAILED": "FAIL", "ABORTED": "ABORT"}
# It tells of a moment, not of how things are.
_PASSING = "lifecycleStateChange"
Facets = dict[str, object]


def describing_event(kind: str, one: Described, known: Known) -> bytes | None:
    """Of what events tell of at the hub: its description, and the edges of a job that has never run."""
    facets: Facets = {}
    if one.description and one.description != known.description:
        facets["documentation"] = _documentation(kind, one.description)
    lacks_edges = (one.inputs or one.outputs) and not known.has_datasets and known.latest_run is None
    if not facets and not lacks_edges:
        return None
    return _event(kind, one, known, facets, one if lacks_edges else None)


def declaring_event(kind: str, one: Described, known: Known, source_url: str) -> bytes:
    """Of what no event tells of at the hub: all that the server knows."""
    facets = _dataset_facets(one, source_url) if kind == DATASETS else _job_facets(one)
    if one.description:
        facets["documentation"] = _documentation(kind, one.description)
    facets |= {name: facet for name, facet in _objects(one.facets).items() if name != _PASSING}
    if kind == DATASETS and "version" not in facets:
        facets["version"] = {**_facet("1-0-1/DatasetVersionDatasetFacet"), "datasetVersion": version_of(facets)}
    return _event(kind, one, known, facets, one)


def run_events(job: Known, run: JobRun) -> list[bytes]:
    """Its start and its end, as far as it came."""
    facets: Facets = dict(_objects(run.facets))
    nominal = {"nominalStartTime": run.nominal_start_time, "nominalEndTime": run.nominal_end_time}
    if run.nominal_start_time and "nominalTime" not in facets:
        told = {name: value for name, value in nominal.items() if value}
        facets["nominalTime"] = {**_facet("1-0-1/NominalTimeRunFacet"), **told}
    # Of a run that events tell of the server makes arguments itself, out of their facets.
    if run.args and not run.facets:
        texts = {name: value if isinstance(value, str) else _text(value) for name, value in run.args.items()}
        facets[ARGUMENTS_FACET] = {**_own_facet("arguments"), "arguments": texts}
    inputs = [_side(one.dataset_version_id, "inputFacets", one.facets) for one in run.input_dataset_versions or ()]
    outputs = [_side(one.dataset_version_id, "outputFacets", one.facets) for one in run.output_dataset_versions or ()]
    moments = [("OTHER" if run.state == "NEW" else "START", run.began_at)]
    if run.state in _ENDS:
        moments.append((_ENDS[run.state], run.ended_at or run.began_at))
    return [
        msgspec.json.encode(
            {
                "eventType": event_type,
                "eventTime": moment,
                "producer": PRODUCER,
                "schemaURL": f"{_SCHEMA}RunEvent",
                "run": {"runId": run.id, "facets": facets},
                "job": {"namespace": job.namespace, "name": job.name},
                "inputs": inputs,
                "outputs": outputs,
            }
        )
        for event_type, moment in moments
    ]


def _dataset_facets(one: Described, source_url: str) -> Facets:
    facets: Facets = {}
    if one.type:
        facets["datasetType"] = {**_facet("1-0-0/DatasetTypeDatasetFacet"), "datasetType": one.type}
    if one.source_name and one.source_name != "default":
        facets["dataSource"] = {
            **_facet("1-0-1/DatasourceDatasetFacet"), "name": one.source_name, "uri": source_url,
        }  # fmt: skip
    if one.fields:
        facets["schema"] = _schema(one)
    declared = {"physicalName": one.physical_name, "schemaLocation": one.schema_location}
    if told := {name: value for name, value in declared.items() if value}:
        facets[DECLARED_FACET] = {**_own_facet("declared"), **told}
    return facets


def _job_facets(one: Described) -> Facets:
    facets: Facets = {}
    if one.type:
        works = PROCESSING.get(one.type.upper(), one.type.upper())
        facets["jobType"] = {**_facet("2-0-3/JobTypeJobFacet"), "processingType": works, "integration": "MARQUEZ"}
    if one.location:
        facets["sourceCodeLocation"] = {
            **_facet("1-0-1/SourceCodeLocationJobFacet"), "type": "git", "url": one.location,
        }  # fmt: skip
    return facets


def _schema(one: Described) -> Facets:
    shown = [{"name": field.name, "type": field.type, "description": field.description} for field in one.fields or ()]
    fields = [{name: value for name, value in field.items() if value is not None} for field in shown]
    return {**_facet("1-1-1/SchemaDatasetFacet"), "fields": fields}


def _documentation(kind: str, description: str) -> Facets:
    return {**_facet(_DOCUMENTATION[kind]), "description": description}


def _facet(schema: str) -> Facets:
    return {"_producer": PRODUCER, "_schemaURL": f"{_FACETS}{schema}.json"}


def _own_facet(name: str) -> Facets:
    return {"_producer": PRODUCER, "_schemaURL": f"{PRODUCER}/{name}.json"}


def _objects(facets: dict[str, Raw] | None) -> dict[str, Raw]:
    return {name: facet for name, facet in (facets or {}).items() if bytes(facet).lstrip()[:1] == b"{"}


def _text(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _side(name: DatasetName, where: str, facets: dict[str, Raw] | None) -> Facets:
    told: Facets = {"namespace": name.namespace, "name": name.name}
    return {**told, where: found} if (found := _objects(facets)) else told


def _event(kind: str, one: Described, known: Known, facets: Facets, edges: Described | None) -> bytes:
    subject = {"namespace": known.namespace, "name": known.name, "facets": facets}
    told: Facets = {"eventTime": one.updated_at, "producer": PRODUCER}
    if kind == DATASETS:
        return msgspec.json.encode({**told, "schemaURL": f"{_SCHEMA}DatasetEvent", "dataset": subject})
    inputs, outputs = (edges.inputs or [], edges.outputs or []) if edges else ([], [])
    job = {"schemaURL": f"{_SCHEMA}JobEvent", "job": subject, "inputs": inputs, "outputs": outputs}
    return msgspec.json.encode({**told, **job})
