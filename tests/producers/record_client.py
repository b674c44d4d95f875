"""Programs that use openlineage-python and openlineage-sql run; what they send leaves as one file of events a story.

    python -m tests.producers.record_client [STORY …]

Made once: the files are fixtures, and what must be true of them is written by hand beside them.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import (
    DatasetEvent,
    InputDataset,
    Job,
    JobEvent,
    OutputDataset,
    Run,
    RunEvent,
    RunState,
    StaticDataset,
)
from openlineage.client.facet_v2 import (
    column_lineage_dataset,
    dataset_version_dataset,
    documentation_dataset,
    error_message_run,
    job_type_job,
    lifecycle_state_change_dataset,
    nominal_time_run,
    output_statistics_output_dataset,
    ownership_dataset,
    parent_run,
    schema_dataset,
    sql_job,
    symlinks_dataset,
)
from openlineage.client.transport.file import FileConfig, FileTransport
from openlineage_sql import parse

STORIES = Path(__file__).parents[1] / "fixtures" / "stories" / "client_recorded"
ZERO = datetime(2026, 4, 1, 6, tzinfo=UTC)
ETL, DB = "etl", "postgres://db:5432"
Program = Callable[[OpenLineageClient], None]
PROGRAMS: dict[str, Program] = {}


def story(program: Program) -> Program:
    PROGRAMS[program.__name__] = program
    return program


def at(seconds: float) -> str:
    return (ZERO + timedelta(seconds=seconds)).isoformat()


def run_id(number: int) -> str:
    return f"01964000-0000-7000-8000-{number:012d}"


def told(state: RunState, seconds: float, run: int, job: str, **parts: Any) -> RunEvent:
    return RunEvent(
        eventType=state,
        eventTime=at(seconds),
        run=Run(runId=run_id(run), facets=parts.pop("run_facets", {})),
        job=Job(namespace=ETL, name=job, facets=parts.pop("job_facets", {})),
        producer="https://example.com/etl",
        **parts,
    )


def source(name: str, **facets: Any) -> InputDataset:
    return InputDataset(namespace=DB, name=name, facets=facets)


def target(name: str, rows: int | None = None, **facets: Any) -> OutputDataset:
    counted = output_statistics_output_dataset.OutputStatisticsOutputDatasetFacet(rowCount=rows)
    return OutputDataset(
        namespace=DB, name=name, facets=facets, outputFacets={"outputStatistics": counted} if rows else {}
    )


def fields(*names: str) -> schema_dataset.SchemaDatasetFacet:
    return schema_dataset.SchemaDatasetFacet(
        fields=[schema_dataset.SchemaDatasetFacetFields(name=name, type="TEXT") for name in names]
    )


def taken_from(**columns: tuple[str, str]) -> column_lineage_dataset.ColumnLineageDatasetFacet:
    return column_lineage_dataset.ColumnLineageDatasetFacet(
        fields={
            column: column_lineage_dataset.Fields(
                inputFields=[column_lineage_dataset.InputField(namespace=DB, name=name, field=field)]
            )
            for column, (name, field) in columns.items()
        }
    )


@story
def a_run_from_start_to_end(client: OpenLineageClient) -> None:
    above = parent_run.ParentRunFacet(
        run=parent_run.Run(runId=run_id(1)),
        job=parent_run.Job(namespace=ETL, name="nightly"),
        root=parent_run.Root(
            run=parent_run.RootRun(runId=run_id(9)), job=parent_run.RootJob(namespace="cron", name="all")
        ),
    )
    nominal = nominal_time_run.NominalTimeRunFacet(nominalStartTime=at(0), nominalEndTime=at(86_400))
    kind = job_type_job.JobTypeJobFacet(processingType="BATCH", integration="SQL", jobType="QUERY")
    client.emit(told(RunState.START, 0, 2, "load", run_facets={"parent": above, "nominalTime": nominal}))
    client.emit(told(RunState.RUNNING, 1, 2, "load", inputs=[source("raw", schema=fields("a", "b"))]))
    output = target("clean", 7, schema=fields("a"), columnLineage=taken_from(a=("raw", "a")))
    client.emit(told(RunState.COMPLETE, 2, 2, "load", outputs=[output], job_facets={"jobType": kind}))


@story
def a_failure_with_its_error(client: OpenLineageClient) -> None:
    error = error_message_run.ErrorMessageRunFacet(message="no such column", programmingLanguage="PYTHON")
    client.emit(told(RunState.START, 0, 10, "load", inputs=[source("raw")], outputs=[target("clean")]))
    client.emit(told(RunState.FAIL, 1, 10, "load", run_facets={"errorMessage": error}))


@story
def documents_about_datasets_and_jobs(client: OpenLineageClient) -> None:
    owners = ownership_dataset.OwnershipDatasetFacet(owners=[ownership_dataset.Owner(name="team:shop", type="STEWARD")])
    about = documentation_dataset.DocumentationDatasetFacet(description="One row an order")
    dataset = StaticDataset(namespace=DB, name="orders", facets={"ownership": owners, "documentation": about})
    client.emit(DatasetEvent(eventTime=at(0), dataset=dataset, producer="https://example.com/catalog"))
    job = Job(namespace=ETL, name="export", facets={"sql": sql_job.SQLJobFacet(query="SELECT 1")})
    designed = {"inputs": [source("orders")], "outputs": [target("exported")]}
    client.emit(JobEvent(eventTime=at(1), job=job, producer="https://example.com/catalog", **designed))


@story
def a_table_that_is_renamed_and_dropped(client: OpenLineageClient) -> None:
    change = lifecycle_state_change_dataset
    renamed = change.LifecycleStateChangeDatasetFacet(
        lifecycleStateChange=change.LifecycleStateChange.RENAME,
        previousIdentifier=change.PreviousIdentifier(name="new", namespace=DB),
    )
    dropped = change.LifecycleStateChangeDatasetFacet(lifecycleStateChange=change.LifecycleStateChange.DROP)
    client.emit(told(RunState.COMPLETE, 0, 20, "build", inputs=[source("raw")], outputs=[target("new")]))
    client.emit(told(RunState.COMPLETE, 10, 21, "swap", outputs=[target("current", lifecycleStateChange=renamed)]))
    client.emit(told(RunState.COMPLETE, 20, 22, "clean", outputs=[target("current", lifecycleStateChange=dropped)]))


@story
def versions_that_the_producer_names(client: OpenLineageClient) -> None:
    def version(name: str) -> dataset_version_dataset.DatasetVersionDatasetFacet:
        return dataset_version_dataset.DatasetVersionDatasetFacet(datasetVersion=name)

    client.emit(told(RunState.COMPLETE, 0, 30, "write", outputs=[target("t", version=version("41"))]))
    client.emit(told(RunState.COMPLETE, 10, 31, "write", outputs=[target("t", version=version("42"))]))
    client.emit(told(RunState.COMPLETE, 20, 32, "read", inputs=[source("t", version=version("41"))]))


@story
def a_table_and_its_place(client: OpenLineageClient) -> None:
    place = symlinks_dataset.SymlinksDatasetFacet(
        identifiers=[symlinks_dataset.Identifier(namespace="s3://lake", name="t", type="LOCATION")]
    )
    lake = InputDataset(namespace="s3://lake", name="t")
    client.emit(told(RunState.COMPLETE, 0, 40, "write", outputs=[target("t", symlinks=place)]))
    client.emit(told(RunState.COMPLETE, 10, 41, "read", inputs=[lake], outputs=[target("report")]))


def told_by_sql(client: OpenLineageClient, statements: Iterable[str], dialect: str) -> None:
    """As integrations that have only a statement do: tables and columns are what the parser finds."""
    for number, statement in enumerate(statements):
        found = parse([statement], dialect=dialect)
        columns = {
            one.descendant.name: column_lineage_dataset.Fields(
                inputFields=[
                    column_lineage_dataset.InputField(namespace=DB, name=each.origin.qualified_name, field=each.name)
                    for each in one.lineage
                    if each.origin is not None
                ]
            )
            for one in found.column_lineage
        }
        facets = {"columnLineage": column_lineage_dataset.ColumnLineageDatasetFacet(fields=columns)} if columns else {}
        job_facets = {"sql": sql_job.SQLJobFacet(query=statement)}
        inputs = [source(table.qualified_name) for table in found.in_tables]
        outputs = [target(table.qualified_name, **facets) for table in found.out_tables]
        name = f"statement_{number}"
        client.emit(told(RunState.START, number * 10, 50 + number, name, job_facets=job_facets))
        complete = {"inputs": inputs, "outputs": outputs, "job_facets": job_facets}
        client.emit(told(RunState.COMPLETE, number * 10 + 1, 50 + number, name, **complete))


@story
def sql_insert_with_a_join(client: OpenLineageClient) -> None:
    statement = (
        "INSERT INTO shop.daily (day, total) SELECT o.day, sum(o.amount) AS total "
        "FROM shop.orders o JOIN shop.customers c ON o.customer = c.id GROUP BY o.day"
    )
    told_by_sql(client, [statement], "postgres")


@story
def sql_with_a_cte_and_a_copy(client: OpenLineageClient) -> None:
    statements = [
        "CREATE TABLE shop.recent AS WITH late AS (SELECT id, amount FROM shop.orders) SELECT id, amount FROM late",
        "INSERT INTO shop.archive SELECT * FROM shop.recent",
    ]
    told_by_sql(client, statements, "postgres")


def record(name: str) -> int:
    """How many events the story has."""
    STORIES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "events"
        client = OpenLineageClient(transport=FileTransport(FileConfig(log_file_path=str(path), append=True)))
        PROGRAMS[name](client)
        client.close()
        lines = [line for line in path.read_text().splitlines() if line]
    (STORIES / f"{name}.ndjson").write_text("\n".join(lines) + "\n")
    return len(lines)


if __name__ == "__main__":
    for name in sys.argv[1:] or PROGRAMS:
        print(name, record(name), "events")
