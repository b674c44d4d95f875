"""An incident enters; the OpenLineage events and OTLP spans leave that producers would have sent of its runs."""

from __future__ import annotations

from typing import Any

from lineage_hub.wire import instant_text
from tests.why.incidents import Incident

SECOND = 1_000_000_000
WEEK_S = 7 * 86_400
SCHEMA = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent"


def shift_s(incident: Incident, now: float) -> float:
    """By whole weeks, so that the last day is one of the last week and weekdays stay."""
    last = max(run["end"] for run in incident.runs)
    return (now - 3_600 - last) // WEEK_S * WEEK_S


def events(incident: Incident, namespace: str, shift: float) -> list[dict[str, Any]]:
    return [event for run in incident.runs for event in _events(incident, run, namespace, shift)]


def run_id(incident: Incident, told: str) -> str:
    """Runs of several incidents must not share their ids."""
    return f"{incident.seed:08x}{told[8:]}"


def _events(incident: Incident, run: dict[str, Any], namespace: str, shift: float) -> list[dict[str, Any]]:
    trace_id, span_id = ids(incident, run)
    facets = {"lineageHub_trace": _facet(traceId=trace_id, spanId=span_id, traceparent=f"00-{trace_id}-{span_id}-01")}
    if run["nominal"] is not None:
        facets["nominalTime"] = _facet(nominalStartTime=_time(run["nominal"] + shift))
    job: dict[str, Any] = {"namespace": namespace, "name": run["job"]}
    if run["code"] is not None:
        url = f"https://git.example.com/{run['job']}"
        job["facets"] = {"sourceCodeLocation": _facet(type="git", url=url, version=run["code"])}
    inputs = [
        {**_dataset(use, namespace), "inputFacets": {"inputStatistics": _facet(rowCount=use["rows"])}}
        for use in run["inputs"]
    ]
    outputs = [
        {**_dataset(use, namespace), "outputFacets": {"outputStatistics": _facet(rowCount=use["rows"])}}
        for use in run["outputs"]
    ]
    read = [
        {"namespace": namespace, "name": use["dataset"], "field": column, "transformations": []}
        for use in run["inputs"]
        for column in use.get("columns") or ()
    ]
    for output in outputs:
        if read:
            output["facets"]["columnLineage"] = _facet(fields={"id": {"inputFields": read}})
    base = {"producer": "https://example.com/tests", "schemaURL": SCHEMA, "job": job}
    ended = dict(facets)
    if run["error"] is not None:
        ended["errorMessage"] = _facet(message=run["error"], programmingLanguage="python")
    told = {"runId": run_id(incident, run["id"])}
    end = "COMPLETE" if run["state"] == "COMPLETED" else "FAIL"
    return [
        {**base, "eventType": "START", "eventTime": _time(run["start"] + shift), "run": {**told, "facets": facets},
         "inputs": inputs, "outputs": []},
        {**base, "eventType": end, "eventTime": _time(run["end"] + shift), "run": {**told, "facets": ended},
         "inputs": inputs, "outputs": outputs},
    ]  # fmt: skip


def spans(incident: Incident, shift: float) -> dict[str, Any]:
    """As an exporter sends them: of each run its own span, and inside of that its stages."""
    found = []
    for run in incident.runs:
        if not run["stages"]:
            continue
        trace_id, span_id = ids(incident, run)
        named = {"openlineage.run_id": run_id(incident, run["id"])}
        found.append(_span(trace_id, span_id, "", run["job"], run["start"] + shift, run["end"] + shift, named))
        for number, stage in enumerate(run["stages"]):
            told = {
                "spark.stage.name": stage["name"],
                "spark.tasks.skew": stage["skew"],
                "spark.spill.bytes": int(stage["spilled"]),
                "spark.executor.gc_ms": int(stage["gc"] * 1000),
            }
            start = stage["start"] + shift
            end = start + stage["duration"]
            found.append(_span(trace_id, stage["span"], span_id, f"spark stage {number}", start, end, told))
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": "etl"}}]}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": found}]}]}


def ids(incident: Incident, run: dict[str, Any]) -> tuple[str, str]:
    number = int(run["id"][-12:])
    return f"{incident.seed:016x}{number:016x}", f"f{number:015x}"


def _span(
    trace_id: str, span_id: str, parent: str, name: str, start: float, end: float, attributes: dict[str, Any]
) -> dict[str, Any]:
    def value(one: Any) -> dict[str, Any]:
        if isinstance(one, str):
            return {"stringValue": one}
        return {"intValue": str(one)} if isinstance(one, int) else {"doubleValue": one}

    return {
        "traceId": trace_id, "spanId": span_id, "parentSpanId": parent, "name": name, "kind": 1,
        "startTimeUnixNano": str(int(start * SECOND)), "endTimeUnixNano": str(int(end * SECOND)),
        "attributes": [{"key": key, "value": value(one)} for key, one in attributes.items()], "status": {"code": 1},
    }  # fmt: skip


def _dataset(use: dict[str, Any], namespace: str) -> dict[str, Any]:
    fields = [{"name": name, "type": kind} for name, kind in use["schema"].items()]
    return {"namespace": namespace, "name": use["dataset"], "facets": {"schema": _facet(fields=fields)}}


def _facet(**content: Any) -> dict[str, Any]:
    return {"_producer": "https://example.com/tests", "_schemaURL": "https://example.com/schema", **content}


def _time(at: float) -> str:
    return instant_text(int(at * SECOND))
