"""A database enters; hubs run on it as processes of their own, and answer over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import monotonic, sleep

import httpx

from tests.hub_process import HubProcess
from tests.oracle.build import Body, spelled

PATIENCE_S = 30.0
# Answers of every kind: the list of names, lists, single things, the graph, its columns, the events.
QUESTIONS = (
    "/namespaces",
    "/jobs",
    "/namespaces/db/datasets",
    "/namespaces/db/datasets/a",
    "/namespaces/db/datasets/a/versions",
    "/namespaces/jobs/jobs",
    "/namespaces/jobs/jobs/j",
    "/namespaces/jobs/jobs/j/runs",
    "/lineage?nodeId=dataset:db:a",
    "/column-lineage?nodeId=dataset:db:a",
    "/events/lineage",
    "/events/lineage?sortDirection=asc&limit=1&offset=1",
)


@contextmanager
def hubs_on(url: str, folder: Path, count: int, **settings: str) -> Iterator[list[HubProcess]]:
    """All started at once; ready when they are given."""
    environment = {"LINEAGE_HUB_DATABASE_URL": url, **settings}
    with ExitStack() as stack:
        started = [HubProcess(folder / f"hub-{n}", environment=environment, wait=False) for n in range(count)]
        for hub in started:
            stack.callback(hub.kill)
        for hub in started:
            hub.wait_until_ready()
        yield started
        for hub in started:
            hub.stop()


def post(hub: HubProcess, *events: Body) -> httpx.Response:
    body = b"[" + b",".join(spelled(event) for event in events) + b"]"
    return httpx.post(f"{hub.url}/api/v1/lineage/batch", content=body, timeout=PATIENCE_S)


def get(hub: HubProcess, question: str) -> httpx.Response:
    return httpx.get(f"{hub.url}/api/v1{question}", timeout=PATIENCE_S)


def told(hub: HubProcess) -> dict[str, tuple[int, bytes]]:
    answers = {question: get(hub, question) for question in QUESTIONS}
    return {question: (answer.status_code, answer.content) for question, answer in answers.items()}


def await_status(hub: HubProcess, path: str, status: int, patience_s: float = PATIENCE_S) -> httpx.Response:
    end = monotonic() + patience_s
    while True:
        answer = httpx.get(f"{hub.url}{path}", timeout=PATIENCE_S)
        if answer.status_code == status:
            return answer
        assert monotonic() < end, (answer.status_code, answer.text, hub.said())
        sleep(0.05)
