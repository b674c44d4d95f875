"""`lineage-hub create-job-events` writes the events of a run, which OpenLineage's own classes and a hub take."""

import io
import json
import sys
from typing import Any

import httpx
import pytest
from openlineage.client.event_v2 import InputDataset, Job, OutputDataset, Run, RunEvent, RunState
from openlineage.client.facet_v2 import error_message_run
from openlineage.client.naming import dataset as naming

from tests.cli.conftest import Answer, Cli
from tests.hub_process import HubProcess

RUN_ID = "01890a5d-ac96-774b-bcce-b302099a8057"


def events(answer: Answer) -> list[dict[str, Any]]:
    assert answer.code == 0, answer.err
    return [json.loads(line) for line in answer.out.splitlines()]


def as_theirs(event: dict[str, Any]) -> RunEvent:
    """Made by OpenLineage's classes, which check what they are given."""
    facets: dict[str, Any] = {}
    for name, content in event["run"].get("facets", {}).items():
        assert name == "errorMessage"
        known = {key: value for key, value in content.items() if not key.startswith("_")}
        facets[name] = error_message_run.ErrorMessageRunFacet(**known)
    return RunEvent(
        eventType=RunState(event["eventType"]),
        eventTime=event["eventTime"],
        producer=event["producer"],
        run=Run(event["run"]["runId"], facets),
        job=Job(event["job"]["namespace"], event["job"]["name"]),
        inputs=[InputDataset(one["namespace"], one["name"]) for one in event["inputs"]],
        outputs=[OutputDataset(one["namespace"], one["name"]) for one in event["outputs"]],
    )


def test_a_run_has_a_start_and_an_end_with_its_datasets(cli: Cli) -> None:
    datasets = ["--input", "s3a://lake/orders", "--input", "mysql://db/shop/customers", "--output", "report"]
    times = ["--start", "2026-11-01T09:00:00Z", "--end", "2026-11-01T10:30:00+00:00"]
    made = cli("create-job-events", "load", "--namespace", "shop", "--run-id", RUN_ID, *datasets, *times)
    start, complete = (as_theirs(event) for event in events(made))
    assert (start.eventType, complete.eventType) == (RunState.START, RunState.COMPLETE)
    assert (start.eventTime, complete.eventTime) == ("2026-11-01T09:00:00Z", "2026-11-01T10:30:00+00:00")
    lake, table = naming.S3("lake", "orders"), naming.MySQL("db", "3306", "shop", "customers")
    for event in (start, complete):
        assert (event.run.runId, event.job.namespace, event.job.name) == (RUN_ID, "shop", "load")
        assert [(one.namespace, one.name) for one in event.inputs or ()] == [
            (lake.get_namespace(), lake.get_name()),
            (table.get_namespace(), table.get_name()),
        ]
        assert [(one.namespace, one.name) for one in event.outputs or ()] == [("shop", "report")]


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("s3://lake/orders", ("s3://lake", "orders")),
        ("mysql:shop.orders", ("mysql", "shop.orders")),
        ("POSTGRESQL:shop.public.orders", ("postgres", "shop.public.orders")),
        ("api:customers", ("team", "customers")),
        ("file:/data/orders.csv", ("file", "/data/orders.csv")),
        ("/data/a:b.csv", ("file", "/data/a:b.csv")),
        ("C:/data/orders.csv", ("file", "C:/data/orders.csv")),
        ("orders", ("team", "orders")),
        ("trino://host:8080/hive.shop.orders", ("trino://host:8080", "hive.shop.orders")),
    ],
)
def test_a_dataset_is_an_address_or_a_type_and_a_name(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, given: str, name: tuple[str, str]
) -> None:
    monkeypatch.setenv("LINEAGE_HUB_NAMESPACE", "team")
    (output,) = events(cli("create-job-events", "load", "--output", given))[0]["outputs"]
    assert (output["namespace"], output["name"]) == name


@pytest.mark.parametrize(
    ("flags", "kinds"),
    [
        ([], ["START", "COMPLETE"]),
        (["--status", "fail"], ["START", "FAIL"]),
        (["--status", "abort"], ["START", "ABORT"]),
        (["--status", "running"], ["START"]),
        (["--error", "disk full"], ["START", "FAIL"]),
        (["--error", "stopped", "--status", "abort"], ["START", "ABORT"]),
    ],
)
def test_a_run_ends_as_is_said(cli: Cli, flags: list[str], kinds: list[str]) -> None:
    found = events(cli("create-job-events", "load", *flags))
    assert [as_theirs(event).eventType.value for event in found] == kinds  # type: ignore[union-attr]
    told = found[-1]["run"].get("facets", {}).get("errorMessage", {}).get("message")
    assert told == (flags[1] if "--error" in flags else None)
    assert "errorMessage" not in found[0]["run"].get("facets", {})


def test_each_call_is_a_run_of_its_own(cli: Cli) -> None:
    runs = [{event["run"]["runId"] for event in events(cli("create-job-events", "load"))} for _ in range(3)]
    assert [len(one) for one in runs] == [1, 1, 1]
    assert len(set.union(*runs)) == 3


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--output", "oracel:shop.orders"], "oracel"),
        (["--input", " "], "a dataset needs a name"),
        (["--run-id", "seven"], "seven"),
        (["--start", "1h", "--end", "2h"], "after its end"),
        (["--error", "no", "--status", "complete"], "--error"),
        (["--start", "2026-11-01T09:00:00"], "time zone"),
    ],
)
def test_what_makes_no_sense_is_refused_with_what_to_do(cli: Cli, flags: list[str], said: str) -> None:
    answer = cli("create-job-events", "load", *flags)
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err
    assert len(answer.err.splitlines()) == 2


def test_what_is_written_can_be_piped_into_a_hub(cli: Cli, spare: HubProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    made = cli("create-job-events", "piped", "--namespace", "shop", "--input", "s3://lake/a", "--output", "s3://lake/b")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(made.out.encode())))
    assert cli("send-events", "--url", spare.url).code == 0
    job = httpx.get(f"{spare.url}/api/v1/namespaces/shop/jobs/piped").json()
    assert (job["latestRun"]["state"], [one["name"] for one in job["outputs"]]) == ("COMPLETED", ["b"])


def test_it_can_send_them_itself(cli: Cli, spare: HubProcess) -> None:
    flags = ["--namespace", "shop", "--error", "disk full", "--send", "--url", spare.url]
    sent = cli("create-job-events", "sent", *flags, "--run-id", RUN_ID)
    assert sent.out == f"2 events of run {RUN_ID} sent to {spare.url}\n"
    run = httpx.get(f"{spare.url}/api/v1/jobs/runs/{RUN_ID}").json()
    assert run["state"] == "FAILED"
    assert cli("create-job-events", "sent", *flags, "--json").json()["sent"] == 2


def test_json_is_the_list_of_events(cli: Cli) -> None:
    assert [event["eventType"] for event in cli("create-job-events", "load", "--json").json()] == ["START", "COMPLETE"]
