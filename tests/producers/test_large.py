"""What producers send too much of: plans of 20 MB, micro-batches by the thousand, one run that never stops talking."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.oracle import build
from tests.properties.hubs import Hub, fresh_hub

BATCHES = 10_000


def get(hub: Hub, path: str) -> Any:
    [(status, body)] = hub.client.get(f"/api/v1/{path}")
    assert status == 200, body
    return json.loads(body)


@pytest.mark.slow
def test_a_plan_of_20_mb_is_taken_and_is_in_nobodys_way() -> None:
    plan = build.facet(plan=[{"class": "Project", "expr": "x" * 1_000} for _ in range(20_000)])
    bodies = [
        build.start(0, run_facets={"spark.logicalPlan": plan}, inputs=["a"]),
        build.complete(1, run_facets={"spark.logicalPlan": plan}, inputs=["a"], outputs=["b"]),
    ]
    with fresh_hub() as hub:
        for body in bodies:
            raw = build.spelled(body)
            assert len(raw) > 20_000_000
            assert hub.post("/lineage", raw)[0] == 201
        assert get(hub, f"jobs/runs/{build.run_id(1)}")["state"] == "COMPLETED"
        [(_, graph)] = hub.client.get("/api/v1/lineage?nodeId=job:jobs:j")
        assert len(graph) < 20_000
        assert {node["id"] for node in json.loads(graph)["graph"]} == {"job:jobs:j", "dataset:db:a", "dataset:db:b"}


def micro_batches(count: int) -> Iterator[bytes]:
    above = {"parent": build.parent("app")}
    for number in range(count):
        for event in (build.start, build.complete):
            yield build.spelled(
                event(number, run=number, job_facets=build.STREAMING, run_facets=above, inputs=["a"], outputs=["b"])
            )


@pytest.fixture(scope="module")
def stream() -> Iterator[Hub]:
    with fresh_hub() as hub:
        events = list(micro_batches(BATCHES))
        for at in range(0, len(events), 1_000):
            answer = hub.client.post(
                "/api/v1/lineage/batch", b"\n".join(events[at : at + 1_000]), "application/x-ndjson"
            )
            assert answer[0] == 204
        yield hub


@pytest.mark.slow
def test_ten_thousand_micro_batches_are_one_line_of_a_list(stream: Hub) -> None:
    listed = get(stream, "namespaces/jobs/jobs/j/runs?limit=10")
    assert listed["totalCount"] == 1
    [run] = listed["runs"]
    assert run["interval"]["runs"] == BATCHES
    assert run["interval"]["states"] == {"COMPLETED": BATCHES}
    single = get(stream, "namespaces/jobs/jobs/j/runs?limit=3&offset=5&expand=true")
    assert single["totalCount"] == BATCHES
    assert [run["id"] for run in single["runs"]] == [build.run_id(BATCHES - at) for at in (6, 7, 8)]
    job = get(stream, "namespaces/jobs/jobs/j")
    assert (job["latestRun"]["interval"]["runs"], job["latestRun"]["interval"]["more"]) == (100, True)
    assert get(stream, f"jobs/runs/{build.run_id(77)}")["state"] == "COMPLETED"


@pytest.mark.serial
def test_a_page_of_a_stream_that_was_asked_for_before_reads_few_of_its_runs(stream: Hub) -> None:
    path = "namespaces/jobs/jobs/j/runs?limit=10"
    # The moment of the last event: nothing is kept of that, so every run is read.
    moment = f"&as_of={build.at(BATCHES)}"
    [whole] = get(stream, path + moment)["runs"]
    assert get(stream, path)["runs"][0]["interval"] == whole["interval"]
    taken = build.complete(BATCHES, run=BATCHES, job_facets=build.STREAMING, run_facets={"parent": build.parent("app")})
    assert stream.post("/lineage", build.spelled(taken))[0] == 201
    begun = time.process_time()
    [run] = get(stream, path)["runs"]
    few = time.process_time() - begun
    assert run["interval"]["runs"] == BATCHES + 1
    begun = time.process_time()
    get(stream, path + moment)
    assert few * 3 < time.process_time() - begun
