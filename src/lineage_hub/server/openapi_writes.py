"""Nothing enters; what the routes that users declare things with take and answer leaves, as plain JSON schema."""

from __future__ import annotations

from typing import Any

from lineage_hub.server.openapi import NAME, TEXT, TIME, answers, listing, nullable, obj, takes
from lineage_hub.server.openapi_reads import READS

Extra = dict[str, Any]
DATASET_TYPES = ("DB_TABLE", "STREAM")
JOB_TYPES = ("BATCH", "STREAM", "SERVICE")
NAMESPACE_ACTION = 'send {"ownerName": "…", "description": "…"}; the owner is required'
SOURCE_ACTION = 'send {"type": "POSTGRESQL", "connectionUrl": "…", "description": "…"}; the first two are required'
TAG_ACTION = 'send {"description": "…"}'
DATASET_ACTION = 'send {"type": "DB_TABLE", "physicalName": "…", "sourceName": "…", "fields": […]}'
JOB_ACTION = 'send {"type": "BATCH", "inputs": […], "outputs": […]}'
RUN_ACTION = 'send {}, or {"id": "…", "nominalStartTime": "…", "nominalEndTime": "…", "args": {…}}'
_NS = "/api/v1/namespaces/{namespace}"
_BODY_ERRORS = (400, 413, 415)
_WORD = {"type": "string", "minLength": 1}


def _answer(path: str, description: str, *errors: int, status: int = 200) -> Extra:
    """The same as a GET of that path."""
    schema = obj(READS[path], **{name: {} for name in READS[path]})
    return {"responses": answers(status, description, schema, *errors)}


def _route(path: str, description: str, body: Extra, *, required: bool = True, status: int = 200) -> Extra:
    answer = _answer(path, description, *_BODY_ERRORS, status=status)
    return {"openapi_extra": takes(body, required=required), **answer}


_DATASET_NAME = obj(("namespace", "name"), namespace=NAME, name=NAME)
NAMESPACE = _route(
    _NS, "The namespace.", obj(("ownerName",), ownerName=_WORD, description=nullable(TEXT))
)  # fmt: skip
NAMESPACE_ANSWER = _answer(_NS, "The namespace as it was.")
SOURCE = _route(
    "/api/v1/sources/{source}",
    "The source.",
    obj(("type", "connectionUrl"), type=_WORD, connectionUrl=_WORD, description=nullable(TEXT)),
)
TAG: Extra = {
    "openapi_extra": takes(obj(description=nullable(TEXT)), required=False),
    "responses": answers(
        200, "The tag.", obj(("name", "description"), name=TEXT, description=nullable(TEXT)), *_BODY_ERRORS
    ),
}
DATASET_ANSWER = _answer(f"{_NS}/datasets/{{dataset}}", "The dataset.")
JOB_ANSWER = _answer(f"{_NS}/jobs/{{job}}", "The job.")
_FIELD = obj(("name",), name=NAME, type=nullable(TEXT), description=nullable(TEXT), tags=nullable(listing(_WORD)))
DATASET = _route(
    f"{_NS}/datasets/{{dataset}}",
    "The dataset.",
    obj(
        ("type", "physicalName", "sourceName"),
        type={"type": "string", "enum": list(DATASET_TYPES)},
        physicalName=_WORD,
        sourceName=_WORD,
        fields=nullable(listing(_FIELD)),
        tags=nullable(listing(_WORD)),
        description=nullable(TEXT),
        schemaLocation=nullable(TEXT),
        runId=nullable(TEXT),
    ),
)
JOB = _route(
    f"{_NS}/jobs/{{job}}",
    "The job.",
    obj(
        ("type",),
        type={"type": "string", "enum": list(JOB_TYPES)},
        inputs=listing(_DATASET_NAME),
        outputs=listing(_DATASET_NAME),
        location=nullable(TEXT),
        description=nullable(TEXT),
        context=nullable({"type": "object", "additionalProperties": TEXT}),
        tags=nullable(listing(_WORD)),
        runId=nullable(TEXT),
    ),
)
_SCALAR = {"anyOf": [TEXT, {"type": "number"}, {"type": "boolean"}, {"type": "null"}]}
_RUN = "/api/v1/jobs/runs/{run_id}"
RUN = _route(
    _RUN,
    "The run, in state NEW.",
    obj(
        id=nullable({"type": "string", "minLength": 1, "maxLength": 500}),
        nominalStartTime=nullable(TIME),
        nominalEndTime=nullable(TIME),
        args=nullable({"type": "object", "additionalProperties": _SCALAR}),
    ),
    required=False,
    status=201,
)
RUN_STATE = _answer(_RUN, "The run.", 400)
