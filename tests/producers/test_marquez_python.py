"""Marquez's own Python client, unchanged, against a real hub: every call that it has is answered as it expects."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from marquez_client import MarquezClient
from marquez_client.errors import APIError
from marquez_client.models import DatasetId, DatasetType, JobType

from tests.hub_process import HubProcess

# The client calls its own functions deprecated, and those it calls, too.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::DeprecationWarning")]
NAMESPACE = "s3://team/a b"
RUN, OTHER = "d46e465b-d358-4d32-83d4-df660ff614dd", "870492da-ecfb-4be0-91b9-9a89ddd3db90"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MarquezClient]:
    folder: Path = tmp_path_factory.mktemp("marquez") / "data"
    with HubProcess(folder) as hub:
        yield MarquezClient(url=hub.url)


def test_every_call_of_the_client_is_answered(client: MarquezClient) -> None:
    with pytest.raises(APIError):
        client.get_namespace(NAMESPACE)
    made = client.create_namespace(NAMESPACE, "data-team", "what the team has")
    assert made["ownerName"] == "data-team"
    assert client.get_namespace(NAMESPACE) == made
    assert made in client.list_namespaces(limit=10)["namespaces"]

    source = client.create_source("pg", "postgresql", "jdbc:postgresql://db:5432/x", "the warehouse")
    assert (source["type"], source["connectionUrl"]) == ("POSTGRESQL", "jdbc:postgresql://db:5432/x")
    assert client.get_source("pg") == source
    assert client.list_sources()["sources"] == [source]

    client.create_tag("PII", "personal")
    fields = [
        {"name": "a", "type": "INTEGER", "tags": ["KEY"], "description": "the key"},
        {"name": "b", "type": "TEXT"},
    ]
    about = {"description": "as it comes", "fields": fields, "tags": ["PII"]}
    raw = client.create_dataset(NAMESPACE, "raw", DatasetType.DB_TABLE, "public.raw", "pg", **about)
    assert (raw["physicalName"], raw["description"], raw["tags"]) == ("public.raw", "as it comes", ["PII"])
    assert [(one["name"], one["type"], one["tags"]) for one in raw["fields"]] == [
        ("a", "INTEGER", ["KEY"]),
        ("b", "TEXT", []),
    ]
    assert client.get_dataset(NAMESPACE, "raw") == raw
    assert client.tag_dataset(NAMESPACE, "raw", "GOLD")["tags"] == ["PII", "GOLD"]
    assert client.tag_dataset_field(NAMESPACE, "raw", "b", "PII")["fields"][1]["tags"] == ["PII"]
    assert {one["name"] for one in client.list_tags()["tags"]} == {"PII", "KEY", "GOLD"}
    (version,) = client.list_dataset_versions(NAMESPACE, "raw")["versions"]
    assert client.get_dataset_version(NAMESPACE, "raw", version["version"]) == version

    client.create_job(
        NAMESPACE, "clean", JobType.BATCH, "https://example.com/clean.py",
        [DatasetId(NAMESPACE, "raw")], None, "cleans", {"sql": "SELECT 1"},
    )  # fmt: skip
    run = client.create_job_run(NAMESPACE, "clean", RUN, "2026-11-01T00:00:00Z", "2026-11-02T00:00:00Z", {"a": "1"})
    assert (run["id"], run["state"], run["args"]["a"]) == (RUN, "NEW", "1")
    assert client.mark_job_run_as_started(RUN, "2026-11-01T00:00:05Z")["state"] == "RUNNING"
    client.create_dataset(NAMESPACE, "orders", DatasetType.DB_TABLE, "public.orders", "pg", run_id=RUN, fields=fields)
    done = client.mark_job_run_as_completed(RUN)
    assert (done["state"], done["startedAt"]) == ("COMPLETED", "2026-11-01T00:00:05Z")
    assert client.get_job_run(RUN) == done
    assert client.create_job_run(NAMESPACE, "clean", OTHER, mark_as_running=True)["state"] == "RUNNING"
    assert client.mark_job_run_as_failed(OTHER)["state"] == "FAILED"
    third = client.create_job_run(NAMESPACE, "clean")["id"]
    assert client.mark_job_run_as_aborted(third)["state"] == "ABORTED"
    assert {one["id"] for one in client.list_job_runs(NAMESPACE, "clean")["runs"]} == {RUN, OTHER, third}
    job = client.get_job(NAMESPACE, "clean")
    assert (job["description"], job["location"]) == ("cleans", "https://example.com/clean.py")
    assert [one["name"] for one in job["outputs"]] == ["orders"]
    assert client.list_jobs(NAMESPACE)["jobs"] == [job]
    assert [one["name"] for one in client.list_datasets(NAMESPACE)["datasets"]] == ["orders", "raw"]

    assert client.get_column_lineage_by_dataset(NAMESPACE, "orders", 3, True) == {
        "graph": [], "truncated": False, "hidden_nodes": 0,
    }  # fmt: skip
    (node,) = client.get_column_lineage_by_dataset_field(NAMESPACE, "orders", "a")["graph"]
    assert node["data"]["field"] == "a"
    assert client.get_column_lineage_by_job(NAMESPACE, "clean")["graph"] == []
    newest = client.list_dataset_versions(NAMESPACE, "orders")["versions"][0]["version"]
    assert client.get_column_lineage_by_dataset(NAMESPACE, "orders", version=newest)["graph"] == []
    assert client.list_events(limit=2)["totalCount"] == len(client.list_events(limit=100)["events"])
