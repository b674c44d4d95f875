"""A hub enters; it leaves with something of everything in it: events, telemetry, statements, rules, letters, runs.

All that is sent over its routes is checked against its document on the way.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
from starlette.testclient import TestClient

from lineage_hub.spark.pipeline.run_folder import Asked, RunFolders
from lineage_hub.spark.pipeline.status import RuleStatus, RunStatus, StageStatus
from tests.conformance.histories import bodies
from tests.query.telemetry import scenario
from tests.query.telemetry.figures.seeded import (
    HOUR,
    SECOND,
    ZERO,
    Point,
    columns,
    point_columns,
    run_rows,
    spark_spans,
)
from tests.query.telemetry.seeded import Seeded, log_columns, logs, span_columns, spans
from tests.server.described import Description
from tests.server.told_events import Body, odd_events

NOW = ZERO + 6 * HOUR
DAY = 24 * HOUR
BEGINNING = NOW - 3 * DAY
PIPELINE_RUN, WAITING_RUN = "018f0000-0000-7000-a000-000000000001", "018f0000-0000-7000-a000-000000000002"
RULES: dict[str, list[Body]] = {
    "names": [
        {"id": "old", "on": "dataset.name", "match": "exact", "pattern": "old_name_of_it", "replacement": "new_name"}
    ],
    "facets": [{"id": "bulk", "facet": "bulky", "action": "trim", "overBytes": 1_000, "keepBytes": 100}],
}
_V1 = "/api/v1"
_DATASET = f"{_V1}/namespaces/{{namespace}}/datasets/{{dataset}}"
_JOB = f"{_V1}/namespaces/{{namespace}}/jobs/{{job}}"


class Asking:
    """Speaks to a hub; every answer must be as it is described."""

    def __init__(self, client: TestClient) -> None:
        self.client = client
        self.described = Description(client.get("/openapi.json").json())

    def __call__(
        self, method: str, path: str, where: dict[str, str] | None = None, status: int | None = 200, **options: Any
    ) -> httpx.Response:
        """`where` fills the path; without a status any that is described may come."""
        url = path.format(**{name: quote(value, safe="") for name, value in (where or {}).items()})
        answer = self.client.request(method, url, **options)
        assert status in (None, answer.status_code), f"{method} {url}: {answer.status_code} {answer.text[:500]}"
        self.described.check(method, path, answer)
        return answer

    def until(self, path: str, holds: Any) -> None:
        """What works in the background has its time."""
        deadline = time.monotonic() + 60
        while not holds(self("get", path).json()):
            assert time.monotonic() < deadline, path
            time.sleep(0.05)


def fill(ask: Asking, data: Path) -> None:
    ask("post", f"{_V1}/sample", status=201)
    ask("post", f"{_V1}/sample", status=409)
    for told in (odd_events(BEGINNING), scenario.EVENTS, bodies(1)):
        _send(ask, told)
    _send_telemetry(ask)
    _declare(ask)
    _expect(ask)
    _set_rules(ask)
    _leave_letters(ask)
    _run_pipelines(data)


def _send(ask: Asking, events: Iterable[Any]) -> None:
    lines = [json.dumps(event).encode() for event in events]
    for start in range(0, len(lines), 1_000):
        body = b"\n".join(lines[start : start + 1_000])
        ask("post", f"{_V1}/lineage/batch", status=204, content=body, headers={"content-type": "application/x-ndjson"})


def _send_telemetry(ask: Asking) -> None:
    rows = run_rows(11, 40)
    told = [*scenario.SPANS, *spans(3, 30), *spark_spans(5, rows)]
    store = ask.client.app.state.hub.telemetry.store  # type: ignore[attr-defined]
    store.insert("traces", span_columns(told), 1)
    store.insert("logs", log_columns([*scenario.LOGS, *logs(4, told, 50)]), 2)
    store.insert("pipeline_runs", columns(rows), 3)
    store.insert("metrics", point_columns(_points()), 4)
    odd = _odd_spans()
    besides = {"trace_state": "k=v", "scope_name": "lib", "scope_version": "2", "dropped_events": 3}
    store.insert("traces", span_columns(odd) | {name: [value] * len(odd) for name, value in besides.items()}, 5)


ODD_TRACE = "0dd" * 10 + "00"


def _odd_spans() -> list[Seeded]:
    """One whose parent is missing, two in a circle, and one that outlives its parent."""

    def span(number: int, parent: int, start: int, duration: int) -> Seeded:
        above, at = f"{parent:016x}" if parent else "", ZERO + start * SECOND
        return Seeded(
            ODD_TRACE, f"{number:016x}", above, "shop", f"span {number}", at, duration * SECOND, "UNSET", 0, "default",
            {}, events=[(at, "began", {})], links=[("f" * 32, "e" * 16, "x=y", {})],
        )  # fmt: skip

    return [span(1, 0, 0, 10), span(2, 1, 5, 10), span(3, 77, 1, 2), span(4, 5, 2, 3), span(5, 4, 3, 1)]


def _points() -> list[Point]:
    found: list[Point] = []
    for step in range(4):
        at = ZERO + step * 60 * SECOND
        growing = {"start_timestamp": ZERO, "temporality": "CUMULATIVE"}
        found += [
            Point(at, "queue.size", "gauge", 3.0 + step),
            Point(at, "requests", "sum", float(step), is_monotonic=True, **growing),  # type: ignore[arg-type]
            Point(at, "connections", "sum", float(step % 2), **growing),  # type: ignore[arg-type]
            Point(at, "process.cpu.time", "sum", float(step), is_monotonic=True, **growing),  # type: ignore[arg-type]
            Point(at, "process.memory.usage", "gauge", 1e6 + step),
            Point(
                at, "latency", "histogram", 10.0, count=4, min=1.0, max=4.0, has_min=True, has_max=True,
                bucket_counts=[1, 2, 1], explicit_bounds=[1.5, 3.0], temporality="DELTA",
            ),
            Point(at, "sizes", "exponential_histogram", 10.0, count=3, positive_counts=[1, 2], temporality="DELTA"),
            Point(at, "old", "summary", 9.0, count=3, quantiles=[(0.5, 2.0), (0.99, 5.0)]),
        ]  # fmt: skip
    return found


def _declare(ask: Asking) -> None:
    declared = {"namespace": "declared"}
    table = {**declared, "dataset": "table/with:signs"}
    job = {**declared, "job": "job"}
    ask("put", f"{_V1}/namespaces/{{namespace}}", declared, json={"ownerName": "me", "description": "mine"})
    source = {"type": "POSTGRESQL", "connectionUrl": "postgres://db"}
    ask("put", f"{_V1}/sources/{{source}}", {"source": "db"}, json=source)
    ask("put", f"{_V1}/tags/{{tag}}", {"tag": "gold"}, json={"description": "the best"})
    body: Body = {
        "type": "DB_TABLE",
        "physicalName": "t",
        "sourceName": "db",
        "fields": [{"name": "id", "tags": ["k"]}],
    }
    ask("put", _DATASET, table, json={**body, "type": "STREAM", "schemaLocation": "http://registry/1"})
    ask("put", _JOB, job, json={"type": "BATCH", "outputs": [{**declared, "name": table["dataset"]}], "tags": ["x"]})
    run = ask("post", f"{_JOB}/runs", job, 201, json={"args": {"day": "1"}}).json()["id"]
    for step in ("start", "complete"):
        ask("post", f"{_V1}/jobs/runs/{{run_id}}/{step}", {"run_id": run})
    for step in ("fail", "abort"):
        run = ask("post", f"{_JOB}/runs", job, 201).json()["id"]
        ask("post", f"{_V1}/jobs/runs/{{run_id}}/{step}", {"run_id": run})
    for method in ("post", "delete", "post"):
        ask(method, f"{_DATASET}/tags/{{tag}}", {**table, "tag": "silver"})
        ask(method, f"{_DATASET}/fields/{{field}}/tags/{{tag}}", {**table, "field": "id", "tag": "key"})
        ask(method, f"{_JOB}/tags/{{tag}}", {**job, "tag": "nightly"})
    hidden = {"namespace": "hidden"}
    ask("put", f"{_V1}/namespaces/{{namespace}}", hidden, json={"ownerName": "me"})
    ask("put", _JOB, {**hidden, "job": "job"}, json={"type": "SERVICE"})
    ask("put", _DATASET, {**hidden, "dataset": "table"}, json={**body, "type": "STREAM"})
    ask("delete", _JOB, {**hidden, "job": "job"})
    ask("delete", _DATASET, {**hidden, "dataset": "table"})
    ask("delete", f"{_V1}/namespaces/{{namespace}}", hidden)


def _expect(ask: Asking) -> None:
    path = f"{_DATASET}/freshness"
    ask("put", path, {"namespace": "odd", "dataset": "report"}, json={"every": "6h"})
    ask("put", path, {"namespace": "odd", "dataset": "table"}, json={"cron": "0 6 * * *", "zone": "Europe/Berlin"})
    ask("put", path, {"namespace": "odd", "dataset": "board"}, json={"learned": True})
    ask("delete", path, {"namespace": "odd", "dataset": "board"}, 204)
    ask("put", path, {"namespace": "odd", "dataset": "paced"}, json={"learned": True})


def _set_rules(ask: Asking) -> None:
    path = f"{_V1}/rules"
    ask("put", path, params={"dry_run": "true"}, json=RULES)
    merging = {"id": "all", "on": "dataset.name", "match": "regex", "pattern": "^input_[0-9]$", "replacement": "input"}
    ask("post", f"{path}/{{kind}}/preview", {"kind": "names"}, json={"rules": [merging]})
    for kind, rules in RULES.items():
        ask("post", f"{path}/{{kind}}/preview", {"kind": kind}, json={"rules": rules})
        ask("post", f"{path}/{{kind}}", {"kind": kind}, 201, json={**rules[0], "enabled": False})
        ask("post", f"{path}/{{kind}}/apply", {"kind": kind})
        ask("put", f"{path}/{{kind}}/{{rule_id}}", {"kind": kind, "rule_id": "more"}, json={**rules[0], "id": "more"})
        ask("delete", f"{path}/{{kind}}/{{rule_id}}", {"kind": kind, "rule_id": "more"}, 204)
    ask("put", path, json=RULES)
    ask("put", path, json={})
    ask("post", f"{path}/undo")
    ask.until(f"{path}/refold", lambda told: told["state"] == "done")


def _leave_letters(ask: Asking) -> None:
    path = f"{_V1}/dead-letters"
    good = odd_events(BEGINNING)[0]
    for body in (b'{"no": "event"}', b"\xff\xfe", b"[]", json.dumps({**good, "eventTime": "noon"}).encode()):
        assert ask.client.post(f"{_V1}/lineage", content=body).status_code == 400
    first = ask("get", path).json()["deadLetters"][0]["id"]
    where = {"letter_id": str(first)}
    ask("post", f"{path}/{{letter_id}}/replay", where, 400)
    ask("patch", f"{path}/{{letter_id}}", where, json={"body": good})
    ask("post", f"{path}/{{letter_id}}/replay", where)
    ask("delete", f"{path}/{{letter_id}}", {"letter_id": str(first - 1)}, 204)
    ask("post", f"{path}/replay")


def _run_pipelines(data: Path) -> None:
    folders = RunFolders(data / "pipelines" / "runs")
    # In the future, so that nobody takes its silence for its end.
    waiting = Asked(WAITING_RUN, "daily", "name: daily", idempotency_key="once", asked_at=time.time() + 3_600)
    folders.make(waiting, "default", {"read": "extract"})
    told = folders.make(Asked(PIPELINE_RUN, "daily", "name: daily"), "default", {})
    rule = RuleStatus("not null", "error", False, 3, "id is null")
    stages = [
        StageStatus("read", "extract", "COMPLETE", "r", 1.0, 2.0, 100, 10, 3, 2_000, "", [rule], ["id is new"]),
        StageStatus("write", "load", "FAIL", "w", 2.0, 3.0, 50, error="no room"),
    ]
    where = (PIPELINE_RUN, "daily", "default", "FAIL", {"day": "1"})
    told.tell(RunStatus(*where, 1.0, 3.0, 3.0, 7, "trace", "app", "no room", "write", stages))  # type: ignore[arg-type]


def sweep(ask: Asking) -> None:
    """A tenant's old events go, and lists tell from when on they are whole."""
    old = [{**event, "eventTime": "2026-01-01T00:00:00Z"} for event in odd_events(BEGINNING)[:2]]
    ask("post", f"{_V1}/lineage/ingest", json={"namespace": "old-team", "events": old})
    ask("put", f"{_V1}/retention/{{tenant}}", {"tenant": "old-team"}, json={"days": 100})
    ask("delete", f"{_V1}/retention/{{tenant}}", {"tenant": "other-team"}, 204)
    ask("post", f"{_V1}/retention/sweep", status=202, params={"tenant": "old-team"})
    ask.until(f"{_V1}/retention", lambda told: not told["sweep"]["running"])
