"""Events that openlineage-python sends over HTTP, plain and packed, are stored, and their lineage is right."""

from __future__ import annotations

import datetime
from collections.abc import Iterator

import pytest
from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import (
    Dataset,
    DatasetEvent,
    InputDataset,
    Job,
    JobEvent,
    OutputDataset,
    Run,
    RunEvent,
    RunState,
)
from openlineage.client.facet_v2 import (
    column_lineage_dataset,
    documentation_dataset,
    error_message_run,
    job_type_job,
    lifecycle_state_change_dataset,
    nominal_time_run,
    output_statistics_output_dataset,
    parent_run,
    schema_dataset,
    sql_job,
)
from openlineage.client.transport.http import HttpCompression, HttpConfig, HttpTransport
from openlineage.client.uuid import generate_new_uuid

from tests.hub_process import HubProcess
from tests.producers.answers import Answers

NAMESPACE, DATABASE = "etl", "postgres://db:5432"
PRODUCER = "https://example.com/etl"
START = datetime.datetime(2026, 3, 1, 9, 30, tzinfo=datetime.UTC)

pytestmark = pytest.mark.slow
ORDERS, CUSTOMERS, DAILY = "shop.public.orders", "shop.public.customers", "shop.public.daily"


@pytest.fixture(params=[None, HttpCompression.GZIP], ids=["plain", "gzip"])
def client(request: pytest.FixtureRequest, hub: HubProcess) -> Iterator[OpenLineageClient]:
    opened = OpenLineageClient(transport=HttpTransport(HttpConfig(url=hub.url, compression=request.param)))
    yield opened
    opened.close()


def at(seconds: float) -> str:
    return (START + datetime.timedelta(seconds=seconds)).isoformat()


def run_event(state: RunState, seconds: float, run_id: str, job: str = "daily_totals", **parts: object) -> RunEvent:
    job_facets = parts.pop("job_facets", {})
    run_facets = parts.pop("run_facets", {})
    return RunEvent(
        eventType=state,
        eventTime=at(seconds),
        run=Run(runId=run_id, facets=run_facets),  # type: ignore[arg-type]
        job=Job(namespace=NAMESPACE, name=job, facets=job_facets),  # type: ignore[arg-type]
        producer=PRODUCER,
        **parts,  # type: ignore[arg-type]
    )


def field_of(name: str, field: str, kind: str = "DIRECT") -> column_lineage_dataset.InputField:
    how = column_lineage_dataset.Transformation(type=kind, subtype="AGGREGATION", description="sum", masking=False)
    return column_lineage_dataset.InputField(namespace=DATABASE, name=name, field=field, transformations=[how])


def test_runs_their_states_datasets_and_columns_are_found_again(client: OpenLineageClient, answers: Answers) -> None:
    good, bad, parent = str(generate_new_uuid()), str(generate_new_uuid()), str(generate_new_uuid())
    schema = schema_dataset.SchemaDatasetFacet(
        fields=[schema_dataset.SchemaDatasetFacetFields(name="total", type="NUMERIC", description="of a day")]
    )
    columns = column_lineage_dataset.ColumnLineageDatasetFacet(
        fields={
            "total": column_lineage_dataset.Fields(
                inputFields=[field_of(ORDERS, "amount"), field_of(CUSTOMERS, "country", "INDIRECT")]
            )
        },
        dataset=[field_of(ORDERS, "day", "INDIRECT")],
    )
    written = output_statistics_output_dataset.OutputStatisticsOutputDatasetFacet(rowCount=7, size=700, fileCount=1)
    inputs = [InputDataset(namespace=DATABASE, name=name) for name in (ORDERS, CUSTOMERS)]
    output = OutputDataset(
        namespace=DATABASE,
        name=DAILY,
        facets={"schema": schema, "columnLineage": columns},
        outputFacets={"outputStatistics": written},
    )
    above = parent_run.ParentRunFacet(
        run=parent_run.Run(runId=parent), job=parent_run.Job(namespace=NAMESPACE, name="nightly")
    )
    nominal = nominal_time_run.NominalTimeRunFacet(nominalStartTime=at(0), nominalEndTime=at(86_400))
    job_facets = {
        "sql": sql_job.SQLJobFacet(query="insert into daily select …"),
        "jobType": job_type_job.JobTypeJobFacet(processingType="BATCH", integration="SQL", jobType="QUERY"),
    }
    client.emit(
        run_event(RunState.START, 0, good, run_facets={"parent": above, "nominalTime": nominal}, job_facets=job_facets)
    )
    client.emit(run_event(RunState.RUNNING, 1, good, inputs=inputs))
    client.emit(run_event(RunState.COMPLETE, 2.5, good, inputs=inputs, outputs=[output]))
    error = error_message_run.ErrorMessageRunFacet(message="no such table", programmingLanguage="SQL")
    client.emit(run_event(RunState.START, 10, bad, run_facets={"parent": above}))
    client.emit(run_event(RunState.FAIL, 11, bad, run_facets={"errorMessage": error}))

    run = answers.get(f"/jobs/runs/{good}")
    assert (run["state"], run["durationMs"]) == ("COMPLETED", 2500)
    assert [one["datasetVersionId"]["name"] for one in run["inputDatasetVersions"]] == [CUSTOMERS, ORDERS]
    (out,) = run["outputDatasetVersions"]
    assert out["facets"]["outputStatistics"]["rowCount"] == 7
    assert run["facets"]["parent"]["job"]["name"] == "nightly"
    failed = answers.get(f"/jobs/runs/{bad}")
    assert failed["state"] == "FAILED"
    assert failed["facets"]["errorMessage"]["message"] == "no such table"

    job = answers.get(f"/namespaces/{NAMESPACE}/jobs/daily_totals")
    assert job["parentJobName"] == "nightly"
    assert job["latestRun"]["state"] == "FAILED"
    assert [one["name"] for one in job["inputs"]] == [CUSTOMERS, ORDERS]
    assert [one["name"] for one in job["outputs"]] == [DAILY]
    assert job["facets"]["sql"]["query"] == "insert into daily select …"
    daily = answers.dataset((DATABASE, DAILY))
    assert [(one["name"], one["type"], one["description"]) for one in daily["fields"]] == [
        ("total", "NUMERIC", "of a day")
    ]
    assert answers.lineage(edges="current").edges >= {
        ((DATABASE, ORDERS), (DATABASE, DAILY)),
        ((DATABASE, CUSTOMERS), (DATABASE, DAILY)),
    }
    to_fields, to_datasets = answers.columns(edges="current")
    assert to_fields == {
        ((DATABASE, ORDERS, "amount"), (DATABASE, DAILY, "total")),
        ((DATABASE, CUSTOMERS, "country"), (DATABASE, DAILY, "total")),
    }
    assert to_datasets == {((DATABASE, ORDERS, "day"), (DATABASE, DAILY))}


def test_job_and_dataset_events_are_lineage_without_runs(client: OpenLineageClient, answers: Answers) -> None:
    described = documentation_dataset.DocumentationDatasetFacet(description="all orders, one a row")
    client.emit(
        JobEvent(
            eventTime=at(0),
            job=Job(namespace=NAMESPACE, name="designed"),
            inputs=[InputDataset(namespace=DATABASE, name="design.in")],
            outputs=[OutputDataset(namespace=DATABASE, name="design.out")],
            producer=PRODUCER,
        )
    )
    client.emit(
        DatasetEvent(
            eventTime=at(1),
            dataset=Dataset(namespace=DATABASE, name="design.in", facets={"documentation": described}),
            producer=PRODUCER,
        )
    )
    job = answers.get(f"/namespaces/{NAMESPACE}/jobs/designed")
    assert job["latestRun"] is None
    assert ((DATABASE, "design.in"), (DATABASE, "design.out")) in answers.lineage(edges="current").edges
    assert answers.dataset((DATABASE, "design.in"))["description"] == "all orders, one a row"


def test_every_state_of_the_client_is_a_state_of_a_run(client: OpenLineageClient, answers: Answers) -> None:
    told = {
        (RunState.START,): "RUNNING",
        (RunState.START, RunState.RUNNING): "RUNNING",
        (RunState.START, RunState.COMPLETE): "COMPLETED",
        (RunState.START, RunState.FAIL): "FAILED",
        (RunState.START, RunState.ABORT): "ABORTED",
        (RunState.OTHER,): "NEW",
        (RunState.START, RunState.COMPLETE, RunState.FAIL): "FAILED",
    }
    for states, expected in told.items():
        run_id = str(generate_new_uuid())
        for seconds, state in enumerate(states):
            client.emit(run_event(state, seconds, run_id, job="states"))
        assert answers.get(f"/jobs/runs/{run_id}")["state"] == expected, states


def test_a_table_that_is_dropped_is_deleted_and_a_renamed_one_goes_on(
    client: OpenLineageClient, answers: Answers
) -> None:
    def changed(seconds: float, name: str, change: str, before: str | None = None) -> None:
        kind = lifecycle_state_change_dataset.LifecycleStateChange(change)
        facet = lifecycle_state_change_dataset.LifecycleStateChangeDatasetFacet(
            lifecycleStateChange=kind,
            previousIdentifier=lifecycle_state_change_dataset.PreviousIdentifier(name=before, namespace=DATABASE)
            if before
            else None,
        )
        output = OutputDataset(namespace=DATABASE, name=name, facets={"lifecycleStateChange": facet})
        client.emit(run_event(RunState.COMPLETE, seconds, str(generate_new_uuid()), job=change, outputs=[output]))

    changed(0, "ddl.a", "CREATE")
    changed(1, "ddl.b", "RENAME", before="ddl.a")
    changed(2, "ddl.c", "CREATE")
    changed(3, "ddl.c", "DROP")
    assert answers.dataset((DATABASE, "ddl.a"))["deleted"] is True
    assert answers.dataset((DATABASE, "ddl.c"))["deleted"] is True
    assert not answers.dataset((DATABASE, "ddl.b")).get("deleted")
    outputs = {one["name"]: [output["name"] for output in one["outputs"]] for one in answers.jobs()}
    assert outputs == {"CREATE": [], "DROP": [], "RENAME": ["ddl.b"]}


def test_a_refused_event_is_an_error_in_the_client(client: OpenLineageClient, answers: Answers) -> None:
    event = run_event(RunState.START, 0, str(generate_new_uuid()), job="j" * 70_000)
    with pytest.raises(Exception, match="400"):
        client.emit(event)
    assert "longer" in answers.get("/dead-letters")["deadLetters"][0]["reason"]
