"""dbt-ol on a real project in DuckDB, with a model and a test that fail: the hub shows what dbt did."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hub_process import HubProcess, clean_environment
from tests.producers.answers import Answers

PROJECT = Path(__file__).parent / "dbt_project"
DATABASE = "duckdb://shop.duckdb"
JOBS = "shop_dbt"
CUSTOMERS, ORDERS = (DATABASE, "shop.main_raw.raw_customers"), (DATABASE, "shop.main_raw.raw_orders")
STG_CUSTOMERS = (DATABASE, "shop.main_staging.stg_customers")
STG_ORDERS = (DATABASE, "shop.main_staging.stg_orders")
TOTALS, BROKEN = (DATABASE, "shop.main_marts.customer_totals"), (DATABASE, "shop.main_marts.broken")

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Answers]:
    """A hub that was told of `dbt seed`, `dbt run` and `dbt test`."""
    folder = tmp_path_factory.mktemp("dbt")
    project = shutil.copytree(PROJECT, folder / "project")
    with HubProcess(folder / "data") as hub:
        for command, expected in (("seed", 0), ("run", 1), ("test", 1)):
            done = dbt(command, project, hub.url)
            said = done.stdout.decode(errors="replace") + done.stderr.decode(errors="replace")
            assert f"Underlying dbt execution returned {expected}" in said, said[-3000:]
        answers = Answers(hub.url)
        yield answers
        answers.close()


def dbt(command: str, project: Path, url: str) -> subprocess.CompletedProcess[bytes]:
    scripts = Path(sys.executable).parent
    environment = {key: value for key, value in clean_environment().items() if not key.startswith("OPENLINEAGE")}
    environment |= {
        "OPENLINEAGE_URL": url,
        "OPENLINEAGE_NAMESPACE": JOBS,
        "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
        "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}",
    }
    return subprocess.run(
        [str(scripts / "dbt-ol"), command, "--profiles-dir", ".", "--project-dir", "."],
        cwd=project,
        env=environment,
        capture_output=True,
        timeout=120,
        check=False,
    )


def test_every_event_was_taken_and_only_facets_of_dbt_are_unknown(shop: Answers) -> None:
    events = shop.get("/events/lineage", limit=1000)
    assert events["totalCount"] == 2 + 10 + 8
    assert shop.get("/dead-letters")["totalCount"] == 0
    for event_id in events["ids"]:
        for warning in shop.get(f"/events/{event_id}")["warnings"]:
            assert warning["warning"] == "is not a facet of the OpenLineage spec"
            assert ".dbt_" in warning["where"]


def test_each_model_and_test_is_a_job_and_what_was_skipped_is_none(shop: Answers) -> None:
    assert {job["name"]: job["latestRun"]["state"] for job in shop.jobs()} == {
        "dbt-run-shop": "FAILED",
        "shop.main_staging.shop.stg_customers": "COMPLETED",
        "shop.main_staging.shop.stg_orders": "COMPLETED",
        "shop.main_marts.shop.customer_totals": "COMPLETED",
        "shop.main_marts.shop.broken": "FAILED",
        "shop.main_staging.shop.stg_customers.test": "COMPLETED",
        "shop.main_staging.shop.stg_orders.test": "FAILED",
        "test.shop.no_negative_amount": "FAILED",
    }
    assert {job["namespace"] for job in shop.jobs()} == {JOBS}


def test_the_runs_of_the_wrapper_are_the_commands_in_their_order(shop: Answers) -> None:
    runs = shop.runs(JOBS, "dbt-run-shop")
    assert [run["state"] for run in runs] == ["FAILED", "FAILED", "COMPLETED"], "the latest comes first"
    assert all(run["endedAt"] >= run["startedAt"] for run in runs)
    totals = shop.get(f"/namespaces/{JOBS}/jobs/shop.main_marts.shop.customer_totals")
    assert totals["parentJobName"] == "dbt-run-shop"
    (run,) = shop.runs(JOBS, "shop.main_marts.shop.customer_totals")
    assert run["facets"]["parent"]["run"]["runId"] == runs[1]["id"]
    assert "stg_orders" in totals["facets"]["sql"]["query"]


def test_the_edges_are_those_of_the_project(shop: Answers) -> None:
    of_good_models = {
        (CUSTOMERS, STG_CUSTOMERS),
        (ORDERS, STG_ORDERS),
        (STG_CUSTOMERS, TOTALS),
        (STG_ORDERS, TOTALS),
    }
    for edges in ("current", "ever"):
        found = shop.lineage(edges=edges)
        # The failed model never was complete, so the run that tried stands for it.
        assert found.edges == of_good_models | {(STG_CUSTOMERS, BROKEN)}
        assert found.by_columns == set()


def test_tests_read_and_write_nothing(shop: Answers) -> None:
    job = shop.get(f"/namespaces/{JOBS}/jobs/test.shop.no_negative_amount")
    assert [(one["namespace"], one["name"]) for one in job["inputs"]] == [STG_ORDERS]
    assert job["outputs"] == []


def test_the_columns_are_those_of_the_sql(shop: Answers) -> None:
    assert shop.columns(edges="ever") == (
        {
            ((*CUSTOMERS, "id"), (*STG_CUSTOMERS, "customer_id")),
            ((*CUSTOMERS, "name"), (*STG_CUSTOMERS, "customer_name")),
            ((*CUSTOMERS, "country"), (*STG_CUSTOMERS, "country")),
            ((*ORDERS, "id"), (*STG_ORDERS, "order_id")),
            ((*ORDERS, "customer_id"), (*STG_ORDERS, "customer_id")),
            ((*ORDERS, "amount"), (*STG_ORDERS, "amount")),
            ((*ORDERS, "ordered_on"), (*STG_ORDERS, "ordered_on")),
            ((*STG_CUSTOMERS, "customer_id"), (*TOTALS, "customer_id")),
            ((*STG_CUSTOMERS, "customer_name"), (*TOTALS, "customer_name")),
            ((*STG_ORDERS, "amount"), (*TOTALS, "total")),
            ((*STG_CUSTOMERS, "customer_name"), (*BROKEN, "number")),
        },
        set(),
    )


def test_a_field_is_followed_from_the_mart_to_the_source(shop: Answers) -> None:
    graph = shop.get("/column-lineage", nodeId=f"datasetField:{TOTALS[0]}:{TOTALS[1]}:total")["graph"]
    assert {node["id"] for node in graph} == {
        f"datasetField:{namespace}:{name}:{field}"
        for (namespace, name), field in ((TOTALS, "total"), (STG_ORDERS, "amount"), (ORDERS, "amount"))
    }


def test_descriptions_and_the_results_of_tests_are_kept(shop: Answers) -> None:
    customers = shop.dataset(STG_CUSTOMERS)
    assert customers["description"] == "One row for each customer."
    assert [(one["name"], one["description"]) for one in customers["fields"]] == [("customer_id", "The key.")]
    (run,) = shop.runs(JOBS, "shop.main_staging.shop.stg_customers.test")
    (checked,) = run["inputDatasetVersions"]
    assertions = checked["facets"]["dataQualityAssertions"]["assertions"]
    assert sorted((one["assertion"], one["success"]) for one in assertions) == [("not_null", True), ("unique", True)]
