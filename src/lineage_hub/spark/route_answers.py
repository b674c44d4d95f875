"""Nothing enters; what the routes of pipelines answer leaves, as named JSON schemas for the hub's document."""

from __future__ import annotations

from typing import Any, get_args

from lineage_hub.spark.pipeline.status import State

Schema = dict[str, Any]
_TEXT: Schema = {"type": "string"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_SECONDS: Schema = {
    "anyOf": [{"type": "number"}, {"type": "null"}],
    "description": "Seconds since 1970; null if it has not come to that.",
}


def _record(about: str = "", sometimes: dict[str, Schema] | None = None, /, **always: Schema) -> Schema:
    schema: Schema = {"type": "object", "properties": {**always, **(sometimes or {})}, "required": list(always)}
    return {**schema, "description": about} if about else schema


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _nullable(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


_RUN: dict[str, Schema] = {
    "run_id": _TEXT,
    "pipeline": _TEXT,
    "namespace": _TEXT,
    "state": _ref("PipelineState"),
    "parameters": {"type": "object", "additionalProperties": _TEXT},
    "started_at": _SECONDS,
    "ended_at": _SECONDS,
    "heartbeat_at": _SECONDS,
    "pid": {"type": "integer", "description": "Of its driver; 0 before it runs."},
    "trace_id": {"type": "string", "description": "Empty before it runs."},
    "application_id": {"type": "string", "description": "Spark's name for it; empty before it runs."},
    "error": {"type": "string", "description": "Empty if there is none."},
    "failed_stage": {"type": "string", "description": "Empty if there is none."},
    "stages": _list(_ref("PipelineStage")),
}
COMPONENTS: dict[str, Schema] = {
    "PipelineState": {"type": "string", "enum": list(get_args(State))},
    "PipelineRule": _record(
        "What became of a rule for quality.",
        name=_TEXT,
        severity=_TEXT,
        passed={"type": "boolean"},
        broken={**_nullable(_COUNT), "description": "Rows that break it, where rows can."},
        says=_TEXT,
    ),
    "PipelineStage": _record(
        name=_TEXT,
        kind=_TEXT,
        state=_ref("PipelineState"),
        run_id={"type": "string", "description": "Of the run in lineage; empty before it starts."},
        started_at=_SECONDS,
        ended_at=_SECONDS,
        percent=_COUNT,
        rows=_nullable(_COUNT),
        rejected={**_COUNT, "description": "Rows that went to quarantine."},
        bytes=_nullable(_COUNT),
        error={"type": "string", "description": "Empty if there is none."},
        rules=_list(_ref("PipelineRule")),
        changes={**_list(_TEXT), "description": "Of the schema, against the last known one."},
    ),
    "PipelineRun": _record(**_RUN),
    "PipelineRunStarted": _record(**_RUN, url=_TEXT),
    "PipelineRunPage": _record(runs=_list(_ref("PipelineRun")), totalCount=_COUNT),
    "PipelineParameter": _record(
        name=_TEXT,
        type=_TEXT,
        default={**_nullable(_TEXT), "description": "As the file has it; null if it must be given."},
        description=_TEXT,
        pattern=_nullable(_TEXT),
        choices=_nullable(_list(_TEXT)),
    ),
    "PipelineOffer": _record(
        "A pipeline that can be run, or a file that is none, with its `problem`.",
        {
            "pipeline": _TEXT,
            "description": _TEXT,
            "owners": _list(_TEXT),
            "parameters": _list(_ref("PipelineParameter")),
            "stages": _list(_record(name=_TEXT, kind=_TEXT, after=_list(_TEXT))),
            "problem": _TEXT,
        },
        name={"type": "string", "description": "Of its file, by which it is started."},
    ),
    "PipelineList": _record(pipelines=_list(_ref("PipelineOffer"))),
}
