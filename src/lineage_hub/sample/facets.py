"""Plain values enter; OpenLineage facets leave as dicts, with their producer and the schema they follow.

Versions are those of OpenLineage 1.54; a test compares each facet with openlineage-python's own classes.
"""

from collections.abc import Iterable, Mapping, Sequence

Json = dict[str, object]

SPEC = "https://openlineage.io/spec"
EVENT_SCHEMA = f"{SPEC}/2-0-2/OpenLineage.json#/$defs/"
AIRFLOW = "https://github.com/apache/airflow/tree/providers-openlineage/2.7.1"
DBT = "https://github.com/OpenLineage/OpenLineage/tree/1.54.0/integration/dbt"
SPARK = "https://github.com/OpenLineage/OpenLineage/tree/1.54.0/integration/spark"
FLINK = "https://github.com/OpenLineage/OpenLineage/tree/1.54.0/integration/flink"
CATALOG = "https://catalog.bookshop.example/openlineage"


def facet(producer: str, schema: str, **content: object) -> Json:
    """`schema` is version and name, as in "1-0-1/OwnershipJobFacet"."""
    name = schema.rpartition("/")[2]
    return {"_producer": producer, "_schemaURL": f"{SPEC}/facets/{schema}.json#/$defs/{name}"} | content


def schema(producer: str, columns: Iterable[tuple[str, str]]) -> Json:
    fields = [{"name": name, "type": kind} for name, kind in columns]
    return facet(producer, "1-2-0/SchemaDatasetFacet", fields=fields)


def column_lineage(producer: str, fields: Mapping[str, Sequence[Json]], dataset: Sequence[Json] = ()) -> Json:
    body: Json = {"fields": {name: {"inputFields": list(sources)} for name, sources in fields.items()}}
    if dataset:
        body["dataset"] = list(dataset)
    return facet(producer, "1-2-0/ColumnLineageDatasetFacet", **body)


def input_field(namespace: str, name: str, field: str, subtype: str = "IDENTITY", kind: str = "DIRECT") -> Json:
    how: Json = {"type": kind, "subtype": subtype, "description": "", "masking": subtype == "MASKING"}
    if subtype == "MASKING":
        how["subtype"] = "TRANSFORMATION"
    return {"namespace": namespace, "name": name, "field": field, "transformations": [how]}


def parent(producer: str, run: tuple[str, str, str], root: tuple[str, str, str]) -> Json:
    """Both are (run id, job namespace, job name)."""
    named = [{"run": {"runId": one[0]}, "job": {"namespace": one[1], "name": one[2]}} for one in (run, root)]
    return facet(producer, "1-2-0/ParentRunFacet", **named[0], root=named[1])


def nominal_time(producer: str, start: str, end: str) -> Json:
    return facet(producer, "1-0-1/NominalTimeRunFacet", nominalStartTime=start, nominalEndTime=end)


def error_message(producer: str, message: str, language: str, trace: str) -> Json:
    return facet(
        producer,
        "1-0-1/ErrorMessageRunFacet",
        message=message,
        programmingLanguage=language,
        stackTrace=trace,
    )


def processing_engine(producer: str, name: str, version: str, adapter: str) -> Json:
    return facet(
        producer,
        "1-1-1/ProcessingEngineRunFacet",
        name=name,
        version=version,
        openlineageAdapterVersion=adapter,
    )


def job_type(producer: str, processing: str, integration: str, kind: str) -> Json:
    return facet(
        producer,
        "2-0-4/JobTypeJobFacet",
        processingType=processing,
        integration=integration,
        jobType=kind,
    )


def sql(producer: str, query: str, dialect: str) -> Json:
    return facet(producer, "1-1-0/SQLJobFacet", query=query, dialect=dialect)


def source_code_location(producer: str, repository: str, path: str, commit: str) -> Json:
    return facet(
        producer,
        "1-1-0/SourceCodeLocationJobFacet",
        type="git",
        url=f"{repository}/blob/{commit}/{path}",
        repoUrl=repository,
        path=path,
        version=commit,
        branch="main",
    )


def documentation(producer: str, on: str, text: str) -> Json:
    """`on` is Dataset or Job, here and below."""
    return facet(producer, f"1-1-0/Documentation{on}Facet", description=text)


def ownership(producer: str, on: str, *teams: str) -> Json:
    owners = [{"name": f"team:{team}", "type": "OWNER"} for team in teams]
    return facet(producer, f"1-0-1/Ownership{on}Facet", owners=owners)


def tags(producer: str, on: str, *entries: Json) -> Json:
    return facet(producer, f"1-0-0/Tags{on}Facet", tags=list(entries))


def lifecycle(producer: str, change: str, previous: tuple[str, str] | None = None) -> Json:
    body: Json = {"lifecycleStateChange": change}
    if previous is not None:
        body["previousIdentifier"] = {"namespace": previous[0], "name": previous[1]}
    return facet(producer, "1-0-1/LifecycleStateChangeDatasetFacet", **body)


def symlinks(producer: str, *tables: tuple[str, str]) -> Json:
    identifiers = [{"namespace": space, "name": name, "type": "TABLE"} for space, name in tables]
    return facet(producer, "1-0-1/SymlinksDatasetFacet", identifiers=identifiers)


def storage(producer: str, layer: str, file_format: str) -> Json:
    return facet(producer, "1-0-1/StorageDatasetFacet", storageLayer=layer, fileFormat=file_format)


def data_source(producer: str, uri: str) -> Json:
    return facet(producer, "1-0-1/DatasourceDatasetFacet", name=uri, uri=uri)


def version(producer: str, name: str) -> Json:
    return facet(producer, "1-0-1/DatasetVersionDatasetFacet", datasetVersion=name)


def assertions(producer: str, *checks: Json) -> Json:
    return facet(producer, "1-1-0/DataQualityAssertionsDatasetFacet", assertions=list(checks))


def quality_metrics(producer: str, rows: int, size: int, columns: Json) -> Json:
    return facet(
        producer,
        "1-0-3/DataQualityMetricsInputDatasetFacet",
        rowCount=rows,
        bytes=size,
        columnMetrics=columns,
    )


def input_statistics(producer: str, rows: int, size: int, files: int) -> Json:
    return facet(producer, "1-0-0/InputStatisticsInputDatasetFacet", rowCount=rows, size=size, fileCount=files)


def output_statistics(producer: str, rows: int, size: int, files: int = 1) -> Json:
    return facet(producer, "1-0-2/OutputStatisticsOutputDatasetFacet", rowCount=rows, size=size, fileCount=files)
