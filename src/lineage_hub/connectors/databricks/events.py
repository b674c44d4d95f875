"""A pipeline's event log enters; runs leave as OpenLineage events: one for each update, and one for each of its flows.

An update's own id is that of its run, so that a log which is read again says the same again. Flows read and fill what
the code says of their table; of a table that no code was read of, what the log says.
"""

from __future__ import annotations

import json
import math
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from lineage_hub.connectors.databricks.connection import Json
from lineage_hub.connectors.databricks.lineage import PRODUCER, ToldJob
from lineage_hub.connectors.databricks.names import Namer, spelling
from lineage_hub.sdk.said import RUN_EVENT, facet

_UPDATE_STATES = {
    "CREATED": "START", "QUEUED": "START", "WAITING_FOR_RESOURCES": "RUNNING", "INITIALIZING": "RUNNING",
    "RESETTING": "RUNNING", "SETTING_UP_TABLES": "RUNNING", "RUNNING": "RUNNING", "STOPPING": "RUNNING",
    "COMPLETED": "COMPLETE", "FAILED": "FAIL", "CANCELED": "ABORT",
}  # fmt: skip
_FLOW_STATES = {
    "STARTING": "START", "RUNNING": "RUNNING", "IDLE": "RUNNING", "COMPLETED": "COMPLETE", "FAILED": "FAIL",
    "STOPPED": "ABORT",
}  # fmt: skip
ENDS = ("COMPLETE", "FAIL", "ABORT")


@dataclass
class _FlowRun:
    job: ToldJob
    is_started: bool = False
    rows: int | None = None
    size: int | None = None
    rules: dict[tuple[str, str], tuple[int, int]] = field(default_factory=dict)  # passed and failed so far


@dataclass
class _Update:
    id: str
    first_at: str = ""
    has_begun: bool = False
    has_ended: bool = False
    flows: dict[str, _FlowRun] = field(default_factory=dict)
    error: Json | None = None


class RunTeller:
    """Of one pipeline. `jobs` are those of its code, the pipeline's own first.

    Of a log that is `resumed` only updates count whose beginning it holds: the others were told of before.
    """

    def __init__(
        self, jobs: Iterable[ToldJob], namer: Namer, *, resumed: bool = False, parents: Mapping[str, Json] = {}
    ) -> None:
        """`parents` say which run of a job started an update, by the update's id."""
        self._resumed, self._parents = resumed, parents
        self._last_at = ""
        self._whole, *below = list(jobs)
        self._namer = namer
        self._jobs = {one.flow: one for one in below}
        self._by_output = {name: one for one in below for name in one.outputs}
        self._updates: dict[str, _Update] = {}
        self._defined: dict[str, Mapping[str, Any]] = {}

    def events(self, log: Iterable[Json]) -> Iterator[Json]:
        """The log's order counts: the oldest first."""
        for one in sorted(log, key=lambda event: str(event.get("timestamp") or "")):
            origin = _mapping(one.get("origin"))
            update_id, at = str(origin.get("update_id") or ""), str(one.get("timestamp") or "")
            if not _is_uuid(update_id) or not _is_time(at):
                continue
            kind, details = str(one.get("event_type") or ""), _details(one)
            self._last_at = max(self._last_at, at)
            if self._resumed and update_id not in self._updates and kind != "create_update":
                continue
            update = self._updates.setdefault(update_id, _Update(update_id, at))
            if kind == "create_update":
                yield from self._begin(update, at)
            elif kind == "update_progress":
                yield from self._progress(update, str(details.get("state") or ""), at, one)
            elif kind == "flow_definition":
                self._defined[_flow_name(origin, details)] = details
            elif kind == "flow_progress":
                yield from self._flow_progress(update, origin, details, at, one)
            elif one.get("level") == "ERROR" and one.get("error"):
                update.error = one

    @property
    def resume_at(self) -> str | None:
        """After which moment the log has to be read the next time: an update that goes on is read whole."""
        open_ = [one.first_at for one in self._updates.values() if not one.has_ended]
        if open_:
            first = datetime.fromisoformat(min(open_)) - timedelta(milliseconds=1)
            return first.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return self._last_at or None

    def _begin(self, update: _Update, at: str) -> Iterator[Json]:
        if not update.has_begun:
            update.has_begun = True
            yield self._event(self._whole, update.id, "START", at, self._above(update))

    def _progress(self, update: _Update, state: str, at: str, event: Json) -> Iterator[Json]:
        told = _UPDATE_STATES.get(state)
        if told is None or update.has_ended:
            return
        yield from self._begin(update, at)
        if told not in ENDS:
            return
        update.has_ended = True
        # A stream has no end of its own: it ends with its update.
        for name, flow in update.flows.items():
            if flow.is_started:
                yield self._flow_event(update, name, flow, "ABORT" if told == "FAIL" else told, at)
                flow.is_started = False
        facets = (
            _error(event if event.get("error") or told != "FAIL" else update.error or event) if told == "FAIL" else {}
        )
        yield self._event(self._whole, update.id, told, at, {**self._above(update), **facets})

    def _above(self, update: _Update) -> Json:
        parent = self._parents.get(update.id)
        return {} if parent is None else {"parent": facet("1-2-0/ParentRunFacet", **parent)}

    def _flow_progress(
        self, update: _Update, origin: Mapping[str, Any], details: Mapping[str, Any], at: str, event: Json
    ) -> Iterator[Json]:
        name = _flow_name(origin, details)
        told = _FLOW_STATES.get(str(details.get("status") or ""))
        if not name:
            return
        if told is None:
            # A report of figures alone is told with the next state.
            if name in update.flows:
                _count(update.flows[name], details)
            return
        flow = update.flows.setdefault(name, _FlowRun(self._job(name, origin)))
        _count(flow, details)
        yield from self._begin(update, at)
        if not flow.is_started:
            flow.is_started = True
            yield self._flow_event(update, name, flow, "START", at)
            if told == "START":
                return
        elif told == "START":
            return
        if told in ENDS:
            flow.is_started = False
        yield self._flow_event(update, name, flow, told, at, _error(event) if told == "FAIL" else {})

    def _job(self, flow: str, origin: Mapping[str, Any]) -> ToldJob:
        """By the table that it fills, else by its own name."""
        dataset = str(origin.get("dataset_name") or _of(self._defined.get(flow), "output_dataset") or flow)
        output = self._namer.table(dataset)
        known = (self._by_output.get(output) if output is not None else None) or self._jobs.get(spelling(flow))
        if known is not None:
            return known
        told = ToldJob(self._whole.namespace, f"{self._whole.name}.{flow}", self._whole.facets, flow=flow)
        if output is not None:
            told.outputs = {output: {}}
        # Names, or objects that have one.
        inputs = _list(_of(self._defined.get(flow), "input_datasets"))
        read = [one if isinstance(one, str) else str(_of(one, "name") or "") for one in inputs]
        found = [self._namer.table(one) for one in read if one]
        told.inputs = {one: {} for one in found if one is not None}
        return told

    def _event(self, job: ToldJob, run_id: str, kind: str, at: str, facets: Json | None = None) -> Json:
        members = job.members() if kind in (*ENDS, "RUNNING") else {**job.members(), "inputs": [], "outputs": []}
        run = {"runId": run_id, "facets": facets or {}}
        return {
            "eventType": kind, "eventTime": at, "producer": PRODUCER, "schemaURL": RUN_EVENT, "run": run, **members,
        }  # fmt: skip

    def _flow_event(
        self, update: _Update, name: str, flow: _FlowRun, kind: str, at: str, facets: Json | None = None
    ) -> Json:
        run_id = str(uuid.uuid5(uuid.UUID(update.id), name))
        whole = {"namespace": self._whole.namespace, "name": self._whole.name}
        above = self._parents.get(update.id)
        root = {} if above is None else {"root": above}
        parent = facet("1-2-0/ParentRunFacet", run={"runId": update.id}, job=whole, **root)
        event = self._event(flow.job, run_id, kind, at, {"parent": parent, **(facets or {})})
        if kind != "START":
            for output in event["outputs"]:
                _measure(output, flow)
        return event


def _measure(output: Json, flow: _FlowRun) -> None:
    if flow.rows is not None:
        content = {"rowCount": flow.rows} | ({"size": flow.size} if flow.size is not None else {})
        output["outputFacets"] = {
            "outputStatistics": facet("1-0-2/OutputStatisticsOutputDatasetFacet", **content),
        }
    if flow.rules:
        rules = _mapping(flow.job.facets.get("databricksExpectations")).get("expectations") or ()
        known = {str(one["name"]): one for one in rules}
        assertions = [
            _assertion(rule, known.get(rule, {}), *counts) for (_, rule), counts in sorted(flow.rules.items())
        ]
        told = facet("1-1-0/DataQualityAssertionsDatasetFacet", assertions=assertions)
        output["facets"] = {**output["facets"], "dataQualityAssertions": told}


def _assertion(rule: str, known: Mapping[str, Any], passed: int, failed: int) -> Json:
    told: Json = {
        "assertion": rule,
        "name": rule,
        "success": failed == 0,
        "severity": "error" if known.get("action") == "fail" else "warn",
        "expected": "0",
        "actual": str(failed),
        "params": {"passed_records": passed, "failed_records": failed},
    }
    return told | ({"content": known["condition"], "contentType": "sql"} if known.get("condition") else {})


def _count(flow: _FlowRun, details: Mapping[str, Any]) -> None:
    """Each report of a flow tells of what came since the last one."""
    metrics = _mapping(details.get("metrics"))
    # Flows of changes (APPLY CHANGES, AUTO CDC) tell of rows that they insert or update in the place of output rows.
    rows = _number(metrics.get("num_output_rows"))
    if rows is None:
        rows = _number(metrics.get("num_upserted_rows"))
    if rows is not None:
        flow.rows = (flow.rows or 0) + rows
    if (size := _number(metrics.get("num_output_bytes"))) is not None:
        flow.size = (flow.size or 0) + size
    for rule in _list(_mapping(details.get("data_quality")).get("expectations")):
        one = _mapping(rule)
        if not one.get("name"):
            continue
        key = (str(one.get("dataset") or ""), str(one["name"]))
        before = flow.rules.get(key, (0, 0))
        counts = (_number(one.get("passed_records")) or 0, _number(one.get("failed_records")) or 0)
        flow.rules[key] = (before[0] + counts[0], before[1] + counts[1])


def _error(event: Json) -> Json:
    exceptions = _list(_mapping(event.get("error")).get("exceptions"))
    first = _mapping(exceptions[0]) if exceptions else {}
    name, said = str(first.get("class_name") or ""), str(first.get("message") or "")
    message = f"{name}: {said}" if name and said else said or str(event.get("message") or "the update failed")
    content: Json = {"message": message, "programmingLanguage": "Python"}
    frames = [_mapping(one) for one in _list(first.get("stack"))]
    if frames:
        content["stackTrace"] = "\n".join(
            f"{one.get('declaring_class')}.{one.get('method_name')}({one.get('file_name')}:{one.get('line_number')})"
            for one in frames
        )
    return {"errorMessage": facet("1-0-1/ErrorMessageRunFacet", **content)}


def _details(event: Json) -> Mapping[str, Any]:
    """Over the API an object, in the log's table a text; under the event's type."""
    details = event.get("details")
    if isinstance(details, str):
        try:
            details = json.loads(details)
        except ValueError:
            details = None
    return _mapping(_mapping(details).get(str(event.get("event_type"))))


def _flow_name(origin: Mapping[str, Any], details: Mapping[str, Any]) -> str:
    return str(origin.get("flow_name") or origin.get("dataset_name") or details.get("output_dataset") or "")


def _is_uuid(text: str) -> bool:
    try:
        uuid.UUID(text)
    except ValueError:
        return False
    return True


def _is_time(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False


def _number(value: object) -> int | None:
    """The log may spell large ones as text."""
    if isinstance(value, str) and value.strip().lstrip("-").isdecimal():
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return int(value)


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _of(value: object, name: str) -> Any:
    return _mapping(value).get(name)
