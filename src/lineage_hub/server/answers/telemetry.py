"""Nothing enters; what the routes about traces, logs, services and operations answer leaves, as named JSON schemas."""

from __future__ import annotations

from lineage_hub.server.answers.names import NAME, STATE
from lineage_hub.server.answers.runs import YES
from lineage_hub.server.schemas import (
    ANYTHING,
    FLAG,
    INTEGER,
    MOMENT,
    NUMBER,
    REAL,
    TEXT,
    Schema,
    listing,
    mapping,
    nullable,
    page,
    record,
    ref,
    told,
    words,
)

STRETCH: dict[str, Schema] = {"from": MOMENT, "to": MOMENT}
_ATTRIBUTES = ref("Attributes")
_JOINED: dict[str, Schema] = {
    "joinedBy": ref("JoinedBy"),
    "inferred": told(FLAG, "Whether it is a guess, by name and time."),
}
_TRACE: dict[str, Schema] = {
    "traceId": TEXT,
    "startedAt": MOMENT,
    "endedAt": MOMENT,
    "durationNs": INTEGER,
    "services": listing(TEXT),
    "spanCount": NUMBER,
    "errorCount": NUMBER,
    "truncated": FLAG,
    "hiddenSpans": NUMBER,
    "repeatedSpans": told(NUMBER, "Left out, because another span has the same id."),
    "spans": told(listing(ref("Span")), "As they are drawn: a parent before its children."),
    "criticalPath": told(
        listing(record({"spanId": TEXT, "offsetNs": INTEGER, "durationNs": INTEGER})),
        "Stretches that decided when it ended, from its begin to its end.",
    ),
    "runs": listing(ref("TracedRun")),
    "runsComplete": told(FLAG, "Whether all events around the trace were looked through."),
    "jobs": listing(NAME),
    "datasets": listing(record({"namespace": TEXT, "name": TEXT, "as": listing(ref("Side"))})),
}
_SUMMARY: dict[str, Schema] = {
    "traceId": TEXT,
    "name": told(TEXT, "Of its root."),
    "service": TEXT,
    "status": ref("SpanStatus"),
    "startedAt": MOMENT,
    "durationNs": INTEGER,
    "spanCount": NUMBER,
    "errorCount": NUMBER,
    "services": listing(TEXT),
}
_MEASURED_SPAN = record({"spanId": TEXT, "durationNs": INTEGER, "selfNs": INTEGER, "status": ref("SpanStatus")})
_FIGURES: dict[str, Schema] = {
    "spans": NUMBER,
    "errors": NUMBER,
    "errorRate": REAL,
    "spansPerSecond": nullable(REAL),
    "durationNs": record(dict.fromkeys(("p50", "p95", "p99", "mean", "max", "total"), REAL)),
}
COMPONENTS: dict[str, Schema] = {
    "Attributes": told(mapping(ANYTHING), "Values of JSON: texts, numbers, truth values, lists and objects."),
    "JoinedBy": words("trace", "attribute", "name"),
    "SpanStatus": words("UNSET", "OK", "ERROR"),
    "SpanKind": words("UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"),
    "Span": record(
        {
            "spanId": TEXT,
            "parentSpanId": nullable(TEXT),
            "depth": NUMBER,
            "offsetNs": told(INTEGER, "From the start of the trace."),
            "selfNs": told(INTEGER, "In which none of its children was at work."),
            "criticalNs": told(INTEGER, "Of the critical path."),
            "name": TEXT,
            "service": TEXT,
            "kind": ref("SpanKind"),
            "startedAt": MOMENT,
            "durationNs": INTEGER,
            "status": ref("SpanStatus"),
            "statusMessage": TEXT,
            "runId": nullable(TEXT),
            "pipelineRunId": nullable(TEXT),
            "attributes": _ATTRIBUTES,
            "resourceAttributes": _ATTRIBUTES,
            "events": listing(record({"at": MOMENT, "offsetNs": INTEGER, "name": TEXT, "attributes": _ATTRIBUTES})),
            "links": listing(
                record({"traceId": TEXT, "spanId": TEXT, "attributes": _ATTRIBUTES}, {"traceState": TEXT})
            ),
        },
        {
            "traceState": told(TEXT, "Of W3C's trace context."),
            "scope": told(record({"name": TEXT, "version": TEXT}), "The library that measured it."),
            "dropped": told(
                record({"attributes": NUMBER, "events": NUMBER, "links": NUMBER}), "How many its program left out."
            ),
            "orphan": told(YES, "Its parent is not here."),
            "cycle": told(YES, "It names a parent that is inside of it."),
            "outsideParent": told(YES, "It starts before its parent or ends after it."),
        },
    ),
    "TracedRun": record(
        {
            "id": TEXT,
            "job": NAME,
            "state": STATE,
            "startedAt": MOMENT,
            "endedAt": nullable(MOMENT),
            **_JOINED,
            "inputs": listing(NAME),
            "outputs": listing(NAME),
        }
    ),
    "Trace": record(_TRACE),
    "RunTrace": record(
        {
            "run": ref("TracedRun"),
            **_JOINED,
            "spanId": told(nullable(TEXT), "The span that stands for the run."),
            **_TRACE,
        }
    ),
    "TraceSummary": record(_SUMMARY),
    "ListedTrace": record(
        {
            **_SUMMARY,
            "runs": told(
                listing(record({"id": TEXT, "job": told(nullable(NAME), "Null if no event tells of the run.")})),
                "That its spans name, the first of them first; at most ten.",
            ),
            "runCount": told(NUMBER, "How many there are."),
        }
    ),
    "TracePage": page("traces", ref("ListedTrace"), STRETCH),
    "SpanChange": record(
        {
            "kind": words("added", "removed", "slower", "faster"),
            "path": told(listing(TEXT), "Names from the root to the span."),
            "service": TEXT,
            "occurrence": told(NUMBER, "Among siblings of its name, from 0."),
            "differenceNs": INTEGER,
            "selfDifferenceNs": INTEGER,
            "ratio": nullable(REAL),
            "from": nullable(_MEASURED_SPAN),
            "to": nullable(_MEASURED_SPAN),
        }
    ),
    "TraceDiff": record(
        {
            "from": record({"traceId": TEXT, "durationNs": INTEGER}),
            "to": record({"traceId": TEXT, "durationNs": INTEGER}),
            "differenceNs": INTEGER,
            "counts": told(mapping(NUMBER), "By kind: added, removed, slower, faster, same."),
            "changes": told(listing(ref("SpanChange")), "The greatest difference of a span's own time first."),
        }
    ),
    "Log": record(
        {
            "at": MOMENT,
            "observedAt": MOMENT,
            "severity": TEXT,
            "severityNumber": NUMBER,
            "service": TEXT,
            "body": told(ANYTHING, "Text, or any value of JSON."),
            "eventName": nullable(TEXT),
            "traceId": nullable(TEXT),
            "spanId": nullable(TEXT),
            "runId": nullable(TEXT),
            "scope": TEXT,
            "attributes": _ATTRIBUTES,
            "resourceAttributes": _ATTRIBUTES,
        }
    ),
    "LogPage": page("logs", ref("Log"), STRETCH),
    "ServiceMap": record(
        {
            **STRETCH,
            "quantilesExact": FLAG,
            "services": listing(record({"name": TEXT, **_FIGURES})),
            "calls": listing(
                record(
                    {
                        "caller": TEXT,
                        "callee": TEXT,
                        "calls": NUMBER,
                        "errors": NUMBER,
                        "durationNs": record({"mean": REAL, "max": INTEGER}),
                    }
                )
            ),
        }
    ),
    "Operation": record(
        {"service": TEXT, "operation": TEXT, **_FIGURES},
        {"series": told(listing(record({"at": MOMENT, **_FIGURES})), "With `step`: over time.")},
    ),
    "OperationPage": page("operations", ref("Operation"), {**STRETCH, "quantilesExact": FLAG}),
    "DatasetTelemetry": record(
        {
            "dataset": NAME,
            "runs": listing(
                record(
                    {
                        "id": TEXT,
                        "job": NAME,
                        "as": listing(ref("Side")),
                        "state": STATE,
                        "startedAt": MOMENT,
                        "endedAt": nullable(MOMENT),
                        "joinedBy": nullable(ref("JoinedBy")),
                        "inferred": FLAG,
                        "traceId": nullable(TEXT),
                        "trace": told(nullable(ref("TraceSummary")), "Null if none of its spans is here."),
                    }
                )
            ),
        }
    ),
}
READS: dict[str, Schema] = {
    "/api/v1/traces": ref("TracePage"),
    "/api/v1/traces/{trace_id}": ref("Trace"),
    "/api/v1/traces/{trace_id}/diff": ref("TraceDiff"),
    "/api/v1/runs/{run_id}/trace": ref("RunTrace"),
    "/api/v1/logs": ref("LogPage"),
    "/api/v1/telemetry/services": ref("ServiceMap"),
    "/api/v1/telemetry/operations": ref("OperationPage"),
    "/api/v1/namespaces/{namespace}/datasets/{dataset}/telemetry": ref("DatasetTelemetry"),
}
