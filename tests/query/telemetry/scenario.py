"""A few runs and their spans and logs, joined in each way that there is, and some that nothing joins."""

from __future__ import annotations

from typing import Any

from lineage_hub.wire import instant_text
from tests.query.telemetry.seeded import SECOND, Seeded, SeededLog

ZERO = 1_794_000_000 * SECOND
NOW = ZERO + 3_600 * SECOND
NAMES = ("named", "naming", "pipeline", "guessed", "again", "astray")
TRACES = {name: f"{number:032x}" for number, name in enumerate(NAMES, 1)}
ASKED = ("named", "naming", "whole", "stage", "guessed", "silent", "elsewhere", "again", "before", "astray")
RUNS = {name: f"018f0000-0000-7000-8000-{number:012d}" for number, name in enumerate(ASKED, 1)}


def event(run: str, job: str, kind: str, second: float, **more: Any) -> dict[str, Any]:
    facets = {name: {"_producer": "https://x", "_schemaURL": "https://x", **value} for name, value in more.items()
              if name not in ("inputs", "outputs")}  # fmt: skip
    return {
        "eventTime": instant_text(ZERO + int(second * SECOND)),
        "eventType": kind,
        "producer": "https://x",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": run, "facets": facets},
        "job": {"namespace": "etl", "name": job},
        "inputs": [{"namespace": "db", "name": name} for name in more.get("inputs", ())],
        "outputs": [{"namespace": "db", "name": name} for name in more.get("outputs", ())],
    }


def context(trace: str, span: str) -> dict[str, str]:
    return {"traceId": TRACES.get(trace, trace), "spanId": span, "traceparent": ""}


def span(trace: str, span_id: str, parent: str, name: str, start: float, end: float, **more: Any) -> Seeded:
    return Seeded(
        TRACES[trace], span_id.ljust(16, "0"), parent.ljust(16, "0") if parent else "", more.pop("service", "etl"),
        name, ZERO + int(start * SECOND), int((end - start) * SECOND), more.pop("status", "OK"), 0, "default", {},
        **more,
    )  # fmt: skip


EVENTS = [
    event(RUNS["named"], "load", "START", 10, inputs=["raw"], lineageHub_trace=context("named", "aa".ljust(16, "0"))),
    event(RUNS["named"], "load", "COMPLETE", 20, outputs=["clean"]),
    event(RUNS["naming"], "report", "START", 30, inputs=["clean"]),
    event(RUNS["naming"], "report", "FAIL", 35),
    event(RUNS["whole"], "daily", "START", 40),
    event(RUNS["stage"], "daily.read", "START", 41, outputs=["staged"]),
    event(RUNS["stage"], "daily.read", "COMPLETE", 45),
    event(RUNS["whole"], "daily", "COMPLETE", 50),
    event(RUNS["before"], "nightly", "START", 55),
    event(RUNS["before"], "nightly", "COMPLETE", 58),
    event(RUNS["guessed"], "nightly", "START", 60, outputs=["clean"]),
    event(RUNS["guessed"], "nightly", "COMPLETE", 70),
    event(RUNS["silent"], "unheard", "START", 80),
    event(RUNS["elsewhere"], "export", "START", 90, lineageHub_trace=context("f" * 32, "f" * 16)),
    event(RUNS["astray"], "astray", "START", 92, lineageHub_trace=context("e" * 32, "e" * 16)),
    event("a/run: 1", "odd", "START", 95),
    event(RUNS["again"], "load", "START", 110, inputs=["raw"], lineageHub_trace=context("again", "ba".ljust(16, "0"))),
    event(RUNS["again"], "load", "COMPLETE", 130, outputs=["clean"]),
]
SPANS = [
    span("named", "aa", "", "load", 10, 20),
    span("named", "ab", "aa", "read", 11, 14),
    span("named", "ac", "aa", "write", 14, 19, service="db"),
    span("naming", "da", "", "POST /report", 29, 36, service="web"),
    span("naming", "db", "da", "build", 30, 35, run_id=RUNS["naming"], status="ERROR"),
    span("pipeline", "ea", "", "daily", 40, 50, run_id=RUNS["whole"], pipeline_run_id=RUNS["whole"]),
    span("pipeline", "eb", "ea", "daily.read", 41, 45, run_id=RUNS["stage"], pipeline_run_id=RUNS["whole"]),
    span("pipeline", "ec", "eb", "spark job 0", 42, 44),
    span("pipeline", "ed", "ea", "daily.write", 46, 49, pipeline_run_id=RUNS["whole"]),
    span("guessed", "fa", "", "nightly", 59.5, 70.5),
    span("astray", "9a", "", "callee", 92, 93, run_id=RUNS["astray"]),
    span("again", "ba", "", "load", 110, 130),
    span("again", "bb", "ba", "read", 111, 124),
    span("again", "bc", "ba", "check", 124, 125),
]
LOGS = [
    SeededLog(ZERO + at * SECOND, trace and TRACES[trace], one and one.ljust(16, "0"), "etl", (9, "INFO"), body, run,
              "default", {})
    for at, trace, one, body, run in (
        (42, "pipeline", "ec", "spark begins", ""),
        (43, "", "", "told by the run", RUNS["stage"]),
        (47, "pipeline", "ed", "writing", ""),
        (12, "named", "ab", "reading", ""),
    )
]  # fmt: skip


def otlp_spans() -> dict[str, Any]:
    """As an exporter sends them."""

    def told(one: Seeded) -> dict[str, Any]:
        named = {"openlineage.run_id": one.run_id, "pipeline.run_id": one.pipeline_run_id}
        return {
            "traceId": one.trace_id,
            "spanId": one.span_id,
            "parentSpanId": one.parent,
            "name": one.name,
            "kind": 1,
            "startTimeUnixNano": str(one.start),
            "endTimeUnixNano": str(one.end),
            "attributes": [{"key": key, "value": {"stringValue": text}} for key, text in named.items() if text],
            "status": {"code": 2, "message": "it failed"} if one.status == "ERROR" else {"code": 1},
        }

    services = sorted({one.service for one in SPANS})
    return {
        "resourceSpans": [
            {**_resource(service), "scopeSpans": [{"spans": [told(one) for one in SPANS if one.service == service]}]}
            for service in services
        ]
    }


def otlp_logs() -> dict[str, Any]:
    records = [
        {
            "timeUnixNano": str(one.at),
            "severityNumber": one.severity[0],
            "severityText": one.severity[1],
            "body": {"stringValue": one.body},
            "traceId": one.trace_id,
            "spanId": one.span_id,
            "attributes": [{"key": "openlineage.run_id", "value": {"stringValue": one.run_id}}] if one.run_id else [],
        }
        for one in LOGS
    ]
    return {"resourceLogs": [{**_resource("etl"), "scopeLogs": [{"logRecords": records}]}]}


def _resource(service: str) -> dict[str, Any]:
    return {"resource": {"attributes": [{"key": "service.name", "value": {"stringValue": service}}]}}
