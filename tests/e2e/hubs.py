"""The address of a hub enters; it is filled over the public API, and what tests look for in it leaves by name.

The sample week is a bookshop's; beside it stands a night shift of which the last run is slow, for a known reason.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx

from benchmarks.generator import EventStream, in_batches
from benchmarks.landscape import layered_landscape, river_landscape
from lineage_hub.sample.retail import PIPELINE, Day, write_day
from tests.why import sending
from tests.why.incidents import incident

JOBS, RIVER = 2_000, 5_000
WAREHOUSE = "snowflake://bookshop-eu"
NIGHT = "night-shift"
BAD_EVENT = (
    '{"eventType": "COMPLETE", "eventTime": "yesterday", "producer": "https://example.com/tests", '
    '"job": {"namespace": "shop", "name": "mended"}, "run": {"runId": "0193b6e0-0000-7000-8000-00000000d00d"}}'
)


def ask(hub_url: str, path: str, **question: Any) -> Any:
    answer = httpx.get(f"{hub_url}/api/v1{path}", params=question, timeout=60)
    assert answer.status_code == 200, answer.text
    return answer.json()


def send(hub_url: str, path: str, **body: Any) -> httpx.Response:
    answer = httpx.post(f"{hub_url}{path}", timeout=120, **body)
    assert answer.status_code < 300, answer.text
    return answer


@dataclass(frozen=True)
class Slow:
    """A run that took longer than usual, because of one stage."""

    run: str
    before: str
    job: str
    stage: str
    trace: str


@dataclass(frozen=True)
class Story:
    """What there is to find; ids by which a person would not look."""

    url: str
    slow: Slow

    def runs(self, namespace: str, job: str) -> list[dict[str, Any]]:
        """The latest first."""
        path = f"/namespaces/{quote(namespace, safe='')}/jobs/{quote(job, safe='')}/runs"
        return list(ask(self.url, path, limit=1000)["runs"])

    def run(self, namespace: str, job: str, state: str) -> str:
        """The latest that ended so."""
        return next(str(run["id"]) for run in self.runs(namespace, job) if run["state"] == state)

    @property
    def failed_run(self) -> str:
        return self.run("airflow-prod", "ingest_shop.extract_payments", "FAILED")

    @property
    def failed_test(self) -> str:
        return self.run("dbt-prod", "analytics.marts.fct_orders.bookshop.test", "FAILED")

    @property
    def event(self) -> str:
        return str(ask(self.url, "/events/lineage", limit=1)["ids"][0])


def tell_story(hub_url: str) -> Story:
    send(hub_url, "/api/v1/sample")
    slow = tell_night(hub_url)
    refused = httpx.post(f"{hub_url}/api/v1/lineage", content=BAD_EVENT, headers={"Content-Type": "application/json"})
    assert refused.status_code == 400, refused.text
    return Story(hub_url, slow)


def open_shop(folder: Path) -> dict[str, str]:
    """What a hub must be told to run the shop's pipeline.

    The shop's files have changed over night, and a rule stops them.
    """
    (folder / "pipelines").mkdir()
    (folder / "pipelines" / "retail.yaml").write_text(PIPELINE)
    write_day(folder / "tuesday", Day(orders=500, customers=50, products=20, is_second=True))
    return {
        "LINEAGE_HUB_PIPELINE_FOLDER": str(folder / "pipelines"),
        "LINEAGE_HUB_PIPELINE_ROOTS": str(folder),
        "LINEAGE_HUB_PIPELINE_MASTER": "local[1]",
    }


def run_shop(hub_url: str, folder: Path) -> str:
    """Its id; the page shows it as it works."""
    parameters = {"raw": str(folder / "tuesday"), "lake": str(folder / "lake")}
    return str(
        send(hub_url, "/api/v1/pipeline/run", json={"pipeline": "retail", "parameters": parameters}).json()["run_id"]
    )


def tell_night(hub_url: str) -> Slow:
    drawn = incident(7_000, "slow_stage")
    shift = sending.shift_s(drawn, time.time())
    events = sending.events(drawn, NIGHT, shift)
    for at in range(0, len(events), 400):
        send(hub_url, "/api/v1/lineage/batch", json=events[at : at + 400])
    send(hub_url, "/v1/traces", json=sending.spans(drawn, shift))
    asked = next(run for run in drawn.runs if run["id"] == drawn.asked)
    earlier = [one for one in drawn.runs if one["job"] == asked["job"] and one["start"] < asked["start"]]
    return Slow(
        run=sending.run_id(drawn, drawn.asked),
        before=sending.run_id(drawn, earlier[-1]["id"]),
        job=asked["job"],
        stage=drawn.subject,
        trace=sending.ids(drawn, asked)[0],
    )


def fill_estate(hub_url: str) -> None:
    """Two thousand jobs that hang together, and a graph of five thousand nodes below one table."""
    for stream in (EventStream(layered_landscape(JOBS)), EventStream(river_landscape(RIVER), seed=RIVER)):
        for body in in_batches(stream.events(), 500):
            send(hub_url, "/api/v1/lineage/batch", content=body, headers={"Content-Type": "application/json"})


def run_events(job: str, run: str, *kinds: str, namespace: str = "shop") -> Iterator[dict[str, Any]]:
    """What a producer says of a run, now."""
    from datetime import UTC, datetime

    for kind in kinds:
        yield {
            "eventType": kind,
            "eventTime": datetime.now(UTC).isoformat(),
            "producer": "https://example.com/tests",
            "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
            "run": {"runId": run},
            "job": {"namespace": namespace, "name": job},
            "inputs": [{"namespace": "s3://lake", "name": f"{job}/in"}],
            "outputs": [{"namespace": "s3://lake", "name": f"{job}/out"}],
        }
