"""Events of the sample week enter; the spans that its runs would have sent leave, as one body of OTLP in JSON.

A run of a DAG is one trace: its tasks are spans below it, and in each the time goes into reading, computing, writing.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

# Of an event, or of OTLP.
Json = dict[str, Any]

SERVER, INTERNAL, CLIENT = 2, 1, 3
OK, ERROR = 1, 2
# Where the time goes, in parts of a hundred.
_STEPS = (("read", CLIENT, 0, 30), ("compute", INTERNAL, 30, 75), ("write", CLIENT, 75, 100))


@dataclass(frozen=True, slots=True)
class _Run:
    id: str
    service: str
    job: str
    parent: str | None
    root: str
    start_ns: int
    end_ns: int
    error: str | None
    failed: bool


def week_traces(events: Iterable[Json]) -> tuple[int, Json]:
    """How many spans there are, and the body."""
    by_service: dict[str, list[Json]] = {}
    runs = _ended_runs(events)
    for run in runs.values():
        by_service.setdefault(run.service, []).extend(_spans(run, runs))
    body = {
        "resourceSpans": [
            {
                "resource": {"attributes": [_attribute("service.name", service)]},
                "scopeSpans": [{"scope": {"name": "bookshop"}, "spans": spans}],
            }
            for service, spans in sorted(by_service.items())
        ]
    }
    return sum(map(len, by_service.values())), body


def _ended_runs(events: Iterable[Json]) -> dict[str, _Run]:
    started: dict[str, Json] = {}
    found: dict[str, _Run] = {}
    for event in events:
        kind, run = event.get("eventType"), event.get("run", {}).get("runId")
        if kind == "START":
            started.setdefault(run, event)
        elif kind in ("COMPLETE", "FAIL") and run in started:
            found[run] = _run(run, started[run], event)
    return found


def _run(run: str, start: Json, end: Json) -> _Run:
    parent: Any = start["run"]["facets"].get("parent", {})
    above = parent.get("run", {}).get("runId")
    root = parent.get("root", {}).get("run", {}).get("runId") or above or run
    error = end["run"]["facets"].get("errorMessage", {}).get("message")
    times = [_nanoseconds(event["eventTime"]) for event in (start, end)]
    job, failed = end["job"], end["eventType"] == "FAIL"
    return _Run(run, job["namespace"], job["name"], above, root, min(times), max(times), error, failed)


def _spans(run: _Run, runs: dict[str, _Run]) -> list[Json]:
    trace, own = _digest("trace", run.root, 16), _digest("span", run.id, 8)
    status: Json = {"code": ERROR, "message": run.error or ""} if run.failed else {"code": OK}
    whole: Json = {
        "traceId": trace,
        "spanId": own,
        "name": run.job,
        "kind": SERVER,
        "startTimeUnixNano": str(run.start_ns),
        "endTimeUnixNano": str(run.end_ns),
        "attributes": [_attribute("openlineage.run_id", run.id)],
        "status": status,
    }
    if run.parent in runs:
        whole["parentSpanId"] = _digest("span", run.parent, 8)
    if any(other.parent == run.id for other in runs.values()):
        # Its time goes into its tasks.
        return [whole]
    took = run.end_ns - run.start_ns
    steps = _STEPS[:2] if run.failed else _STEPS
    return [
        whole,
        *(
            {
                "traceId": trace,
                "spanId": _digest(name, run.id, 8),
                "parentSpanId": own,
                "name": name,
                "kind": kind,
                "startTimeUnixNano": str(run.start_ns + took * begin // 100),
                "endTimeUnixNano": str(run.start_ns + took * end // 100),
                "attributes": [_attribute("openlineage.run_id", run.id)],
                "status": status if run.failed and name == steps[-1][0] else {"code": OK},
            }
            for name, kind, begin, end in steps
        ),
    ]


def _attribute(key: str, value: str) -> Json:
    return {"key": key, "value": {"stringValue": value}}


def _digest(kind: str, text: str, size: int) -> str:
    return hashlib.sha256(f"{kind} {text}".encode()).hexdigest()[: 2 * size]


def _nanoseconds(text: str) -> int:
    return round(datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1000) * 1_000_000
