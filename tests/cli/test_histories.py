"""`runs compare`, `history`, `timeline`, `producers` and `follow` show what the hub tells, to people and programs."""

import json
import threading
from typing import Any

import httpx
import pytest

from tests.cli.conftest import Cli
from tests.hub_process import HubProcess

pytestmark = pytest.mark.slow

PRODUCER = "https://github.com/OpenLineage/OpenLineage/tree/1.53.0/integration/spark"


def event(kind: str, time: str, run: str, columns: str, rows: int, success: bool, job: str = "load") -> dict[str, Any]:
    fields = [dict(zip(("name", "type"), one.split(":"), strict=True)) for one in columns.split()]
    about = {"_producer": PRODUCER, "_schemaURL": "https://example.com/facet.json"}
    checks = [{"assertion": "not_null", "column": "id", "success": success}]
    return {
        "eventType": kind,
        "eventTime": f"2026-11-{time}Z",
        "producer": PRODUCER,
        "run": {"runId": run},
        "job": {"namespace": "shop", "name": job, "facets": {"sql": {**about, "query": f"select {len(fields)}"}}},
        "outputs": [
            {
                "namespace": "s3://lake",
                "name": "sales/orders",
                "facets": {
                    "schema": {**about, "fields": fields},
                    "dataQualityAssertions": {**about, "assertions": checks},
                },
                "outputFacets": {"outputStatistics": {**about, "rowCount": rows}},
            }
        ],
    }


EVENTS = [
    event("START", "01T09:00:00", "one", "id:int", 0, True),
    event("COMPLETE", "01T09:01:00", "one", "id:int", 1000, True),
    event("START", "02T09:00:00", "two", "id:int total:int", 0, False),
    event("COMPLETE", "02T09:05:00", "two", "id:int total:int", 2500, False),
]


@pytest.fixture
def ask(cli: Cli, spare: HubProcess) -> Cli:
    assert httpx.post(f"{spare.url}/api/v1/lineage/batch", json=EVENTS).status_code == 204
    return lambda *arguments: cli(*arguments, "--url", spare.url)


def test_two_runs_are_compared(ask: Cli) -> None:
    told = ask("runs", "compare", "one", "two")
    assert told.code == 0, told.err
    lines = [line.split() for line in told.out.splitlines()]
    assert ["changed", "duration", "60.0", "s", "5m", "00s"] in lines
    assert ["changed", "rowsWritten", "1,000", "2,500"] in lines
    assert ["added", "sales/orders:", "column", "total", "int"] in lines
    assert ["changed", "sql", "+select", "2"] in lines
    assert ask("runs", "compare", "one", "one").out == "Nothing differs.\n1 datasets and facets are equal.\n"
    assert ask("runs", "compare", "one", "two", "--json").json()["durationMs"]["difference"] == 240_000
    unknown = ask("runs", "compare", "one", "nobody")
    assert (unknown.code, "nobody" in unknown.err) == (1, True)


def test_the_histories_of_a_dataset(ask: Cli) -> None:
    schema = [line.split() for line in ask("history", "orders").out.splitlines()]
    assert schema[1:] == [
        ["2026-11-02T09:00:00Z", "added", "total", "int", "load", "two"],
        ["2026-11-01T09:00:00Z", "first", "1", "columns:", "id", "int", "load", "one"],
    ]
    quality = ask("history", "orders", "--quality").out.splitlines()[1].split()
    assert quality == ["FAILING", "not_null", "id", "2", "50.0%", "2026-11-02T09:05:00Z"]
    volumes = [
        line.split() for line in ask("history", "dataset:s3://lake:sales/orders", "--statistics").out.splitlines()
    ]
    assert volumes[1:] == [
        ["2026-11-02T09:05:00Z", "written", "2,500", "load"],
        ["2026-11-01T09:01:00Z", "written", "1,000", "load"],
    ]
    assert ask("history", "orders", "--as-of", "2026-11-02", "--json").json()["totalCount"] == 1
    assert ask("history", "orders", "--quality", "--to", "2026-11-01").out == "No checks were told.\n"
    assert ask("history", "orders", "--quality", "--schema").code == 2
    assert ask("history", "orders", "--from", "3d").code == 2
    assert ask("history", "job:shop:load").code == 2


def test_the_timeline_of_a_job(ask: Cli) -> None:
    told = ask("timeline", "load")
    assert told.code == 0, told.err
    _, second, first, usual = told.out.splitlines()
    assert second.split()[:3] == ["2026-11-02T09:00:00Z", "COMPLETED", "5m"]
    assert first.split() == ["2026-11-01T09:00:00Z", "COMPLETED", "60.0", "s", "1,000", "one"]
    assert usual.startswith("Usual: 3m 00s, 19 of 20 within 4m 48s (2 completed runs)")
    assert ask("timeline", "load", "--to", "2026-11-02", "--json").json()["totalCount"] == 1
    assert "1 more" in ask("timeline", "job:shop:load", "--limit", "1").err


def test_producers_and_their_silence(ask: Cli) -> None:
    told = [line.split() for line in ask("producers", "--as-of", "2026-11-03").out.splitlines()]
    assert told[1][-4:] == ["4", "spark", "1.53.0", PRODUCER]
    silent = ask("producers", "--silent", "14h", "--as-of", "2026-11-03", "--json").json()
    assert [one["silentForS"] for one in silent["producers"]] == [14 * 3600 + 55 * 60.0]
    assert ask("producers", "--silent", "15h", "--as-of", "2026-11-03").out == "No producer has been silent for 15h.\n"
    assert ask("producers", "--silent", "long").code == 2


def test_what_happened_and_happens_is_followed(ask: Cli, spare: HubProcess) -> None:
    told = ask("follow", "--after", "0", "--count", "4").out.splitlines()
    assert told[0] == "2026-11-01T09:00:00Z  run  RUNNING  shop:load  one"
    assert told[1] == "2026-11-01T09:01:00Z  run  COMPLETED  shop:load  one  after 60.0 s"
    heard = threading.Event()

    def post_until_heard() -> None:
        """Each a new event: one that came before somebody listened is not told."""
        number = 0
        while not heard.wait(0.2):
            number += 1
            one = event("START", "05T00:00:00", f"new-{number}", "id:int", 0, True)
            assert httpx.post(f"{spare.url}/api/v1/lineage", json=one, timeout=60).status_code == 201

    posting = threading.Thread(target=post_until_heard)
    posting.start()
    try:
        line = ask("follow", "--topics", "events", "--dataset", "sales/orders", "--count", "1", "--json").out
    finally:
        heard.set()
        posting.join()
    assert json.loads(line)["data"]["run"].startswith("new-")
    assert ask("follow", "--topics", "news").code == 2


def test_nobody_to_follow_is_said_at_once(cli: Cli) -> None:
    told = cli("follow", "--url", "http://127.0.0.1:9")
    assert (told.code != 0, "no hub answers" in told.err) == (True, True)
