"""Events recorded from dbt, Spark and the Python client, each with what they truly mean, found again in the hub.

A truth names datasets `namespace|name` and fields `namespace|name|field`, under any of a dataset's names.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.hub_process import HubProcess
from tests.producers.answers import Answers, Lineage, Name

FOLDER = Path(__file__).parent.parent / "fixtures" / "recordings"
LEAST = 0.98
STATES = {"COMPLETE": "COMPLETED", "FAIL": "FAILED", "ABORT": "ABORTED", "START": "RUNNING"}
# Facets that the tools define for themselves; the spec doesn't know them.
OWN_FACETS = {
    "direct": set(),
    "dbt": {"dbt_model", "dbt_node", "dbt_run", "dbt_version"},
    "spark": {
        "environment-properties",
        "spark.exception",
        "spark_applicationDetails",
        "spark_jobDetails",
        "spark_properties",
    },
}

pytestmark = pytest.mark.slow


@dataclass
class Recording:
    tool: str
    lines: list[bytes]
    truth: dict[str, Any]
    answers: Answers
    event_ids: list[str]

    def dataset(self, text: str) -> Name:
        namespace, name = text.split("|")
        return self.answers.resolve((namespace, name))

    def field(self, text: str) -> tuple[str, str, str]:
        whole, _, field = text.rpartition("|")
        return (*self.dataset(whole), field)

    def edges(self, pairs: list[list[str]]) -> set[tuple[Name, Name]]:
        return {(self.dataset(a), self.dataset(b)) for a, b in pairs}

    @cached_property
    def lineage(self) -> Lineage:
        return self.answers.lineage()

    @cached_property
    def columns(self) -> tuple[set[tuple[Any, ...]], set[tuple[Any, ...]]]:
        return self.answers.columns()

    def by_hand(self, key: str) -> set[tuple[str, str]]:
        return {(a, b) for a, b in self.truth["by_hand"].get(key, [])}


@pytest.fixture(scope="module", params=["direct", "dbt", "spark"])
def recording(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recording]:
    tool = request.param
    lines = (FOLDER / f"{tool}.ndjson").read_bytes().splitlines()
    truth = json.loads((FOLDER / f"{tool}.truth.json").read_text())
    with HubProcess(tmp_path_factory.mktemp(tool) / "data") as hub:
        answers = Answers(hub.url)
        event_ids = []
        for line in lines:
            taken = answers.http.post("/lineage", content=line)
            assert taken.status_code == 201, f"{taken.text}: {line[:200]!r}"
            assert taken.json()["repeated"] is False
            event_ids.append(taken.json()["eventId"])
        yield Recording(tool, lines, truth, answers, event_ids)
        answers.close()


def test_every_event_is_taken_and_reads_back_as_the_very_text_that_was_sent(recording: Recording) -> None:
    assert len(recording.lines) == recording.truth["events"]
    listed = recording.answers.http.get("/events/lineage", params={"limit": 1000})
    assert listed.json()["totalCount"] == len(recording.lines)
    assert sorted(listed.json()["ids"]) == sorted(recording.event_ids)
    for line, event_id in zip(recording.lines, recording.event_ids, strict=True):
        assert line.strip() in listed.content
        one = recording.answers.http.get(f"/events/{event_id}")
        assert one.content.endswith(b'"event":' + line.strip() + b"}")


def test_the_jobs_and_datasets_are_those_that_the_events_name(recording: Recording) -> None:
    truth = recording.truth
    jobs = {f"{job['namespace']}|{job['name']}": job for job in recording.answers.jobs()}
    named_only = {name for name, job in jobs.items() if job.get("namedOnly")}
    assert jobs.keys() - named_only == set(truth["job_names"])
    assert named_only == set(truth["jobs_only_named_as_parent_or_root"])
    by_columns = set(truth["datasets_only_in_column_lineage"])
    for text in [*truth["dataset_names"], *truth["datasets_only_in_column_lineage"]]:
        found = recording.answers.dataset(tuple(text.split("|")))  # type: ignore[arg-type]
        assert bool(found.get("namedOnly")) == (text in by_columns), text
    shown = {(one["namespace"], one["name"]) for one in recording.answers.datasets()}
    named = [*truth["dataset_names"], *by_columns, *(name for pair in truth["symlinks"] for name in pair)]
    named += previous_names(recording)
    assert shown <= {recording.dataset(text) for text in named} | {tuple(text.split("|")) for text in named}


def previous_names(recording: Recording) -> set[str]:
    """What a RENAME names as the name before."""
    found = set()
    for line in recording.lines:
        event = json.loads(line)
        for dataset in [*event.get("outputs", []), *([event["dataset"]] if "dataset" in event else [])]:
            before = dataset.get("facets", {}).get("lifecycleStateChange", {}).get("previousIdentifier")
            if before:
                found.add(f"{before['namespace']}|{before['name']}")
    return found


def test_names_that_symlinks_join_are_one_dataset(recording: Recording) -> None:
    tables = Counter(table for _, table in recording.truth["symlinks"])
    for location, table in recording.truth["symlinks"]:
        if recording.tool == "direct":
            # Its identifier has the placeholder type "type-value", which is an alias and joins nothing.
            assert recording.dataset(location) == tuple(location.split("|"))
        else:
            assert tables[table] == 1
            assert recording.dataset(location) == recording.dataset(table) == tuple(table.split("|"))


def test_the_true_edges_are_found_and_none_is_invented(recording: Recording) -> None:
    true = recording.edges(recording.truth["edges"])
    found = recording.lineage
    assert len(true & found.edges) >= LEAST * len(true), true - found.edges
    assert true <= found.edges
    may_be_shown = recording.edges(recording.truth["by_hand"].get("edges_of_failed_work", []))
    known_otherwise = {
        (tuple(a.split("|")), tuple(b.split("|"))) for a, b in recording.by_hand("real_edges_not_in_events")
    }
    assert found.edges <= true | may_be_shown | known_otherwise
    behind = {(a[:2], b[:2]) for a, b in true_columns(recording)}
    behind |= {(a[:2], b) for a, b in true_columns_of_datasets(recording)}
    assert found.by_columns <= behind | true


def test_the_true_columns_are_found_and_none_is_invented(recording: Recording) -> None:
    to_fields, to_datasets = recording.columns
    true = true_columns(recording)
    assert len(true & to_fields) >= LEAST * len(true), true - to_fields
    assert to_fields == true
    assert to_datasets == true_columns_of_datasets(recording)


def true_columns(recording: Recording) -> set[tuple[Any, Any]]:
    return {(recording.field(a), recording.field(b)) for a, b in recording.truth["columns"]}


def true_columns_of_datasets(recording: Recording) -> set[tuple[Any, Any]]:
    return {(recording.field(a), recording.dataset(b)) for a, b in recording.truth["dataset_level_columns"]}


def test_every_run_is_in_its_true_state(recording: Recording) -> None:
    truth = recording.truth
    assert recording.answers.states() == {STATES[state]: n for state, n in truth["runs_fail_wins"].items()}
    for run_id, job in truth["failed_runs"]:
        run = recording.answers.get(f"/jobs/runs/{run_id}")
        assert run["state"] == "FAILED"
        assert f"{run['job']['namespace']}|{run['job']['name']}" == job
    failed_then_complete = truth["oddities"]["fail_then_complete"][1]
    for job in failed_then_complete:
        namespace, name = job.split("|")
        (run,) = [one for one in recording.answers.runs(namespace, name) if one["state"] == "FAILED"]
        assert run["conflict"] == ["COMPLETE", "FAIL"]


def test_only_facets_that_the_spec_does_not_know_are_warned_of(recording: Recording) -> None:
    warned: Counter[tuple[str, str]] = Counter()
    for event_id in recording.event_ids:
        for warning in recording.answers.get(f"/events/{event_id}")["warnings"]:
            warned[(warning["where"].partition("acets.")[2], warning["warning"])] += 1
    known = recording.truth["facets"]
    counts = {name: sum(kind.get(name, 0) for kind in known.values()) for name in OWN_FACETS[recording.tool]}
    assert warned == {(name, "is not a facet of the OpenLineage spec"): n for name, n in counts.items()}


# What is known of the recordings beyond their truths.


@pytest.mark.parametrize("recording", ["dbt"], indirect=True)
def test_the_dbt_project_is_shown_as_it_was_written(recording: Recording) -> None:
    database = "duckdb:///data/dbtp/shop.duckdb"
    assert {(database, database)} == {(a[0], b[0]) for a, b in recording.lineage.edges}
    edges = {(a[1].split(".")[2], b[1].split(".")[2]) for a, b in recording.lineage.edges}
    assert edges >= {
        ("raw_payments", "stg_payments"),
        ("stg_payments", "fct_orders"),
        ("stg_orders", "fct_orders"),
        ("fct_orders", "dim_customers"),
        ("stg_customers", "dim_customers"),
        ("dim_customers", "country_summary"),
        ("stg_returns", "country_summary"),
        ("fct_orders", "inc_daily"),
    }


@pytest.mark.parametrize("recording", ["spark"], indirect=True)
def test_the_spark_application_is_shown_as_it_ran(recording: Recording) -> None:
    short = {
        (a[1].split("/")[-1].split(".")[-1], b[1].split("/")[-1].split(".")[-1]) for a, b in recording.lineage.edges
    }
    assert short >= {
        ("agg_tbl", "ctas_avg"),
        ("agg_tbl", "rich"),
        ("ctas_avg", "rich"),
        ("all_orders", "all_orders"),
        ("region_report", "big_city"),
        ("agg_jdbc", "by_name"),
        ("by_name", "from_pg"),
    }
    warehouse = "file:/data/spark_base/wh"
    base = "/data/spark_base"
    direct = recording.columns[0]
    assert (("file", f"{base}/orders.csv", "amount"), (warehouse, "default.agg_tbl", "total")) in direct
    assert ((warehouse, "default.agg_tbl", "n"), (warehouse, "default.ctas_avg", "avg_amount")) in direct
    assert (("file", f"{base}/products.csv", "manager"), (warehouse, "default.region_report", "manager")) in direct


@pytest.mark.parametrize("recording", ["direct"], indirect=True)
def test_a_schema_that_changed_five_times_has_six_forms_in_the_history(recording: Recording) -> None:
    table = ("postgres://db.example.org:5432", "shop.public.evolving")
    versions = recording.answers.get(
        f"/namespaces/{quote(table[0], safe='')}/datasets/{table[1]}/versions", limit=1000
    )["versions"]
    events = [json.loads(line) for line in recording.lines]
    changed = [e["eventTime"] for e in events if table[1] in {o["name"] for o in e.get("outputs", [])}]
    shown = {json.dumps(recording.answers.dataset(table, as_of=time)["fields"], sort_keys=True) for time in changed}
    assert len(versions) >= 1
    assert len(shown) == recording.truth["schema_versions"]["|".join(table)] == 6
