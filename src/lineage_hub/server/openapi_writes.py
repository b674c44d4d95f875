"""Nothing enters; what the routes that users declare things with take and answer leaves, as plain JSON schema."""

from __future__ import annotations

from typing import Any

from lineage_hub.query.badges import MOST_NODES
from lineage_hub.server.schemas import NAME, TEXT, TIME, answers, listing, nullable, obj, ref, takes

Extra = dict[str, Any]
DATASET_TYPES = ("DB_TABLE", "STREAM")
JOB_TYPES = ("BATCH", "STREAM", "SERVICE")
NAMESPACE_ACTION = 'send {"ownerName": "…", "description": "…"}; the owner is required'
SOURCE_ACTION = 'send {"type": "POSTGRESQL", "connectionUrl": "…", "description": "…"}; the first two are required'
TAG_ACTION = 'send {"description": "…"}'
DATASET_ACTION = 'send {"type": "DB_TABLE", "physicalName": "…", "sourceName": "…", "fields": […]}'
JOB_ACTION = 'send {"type": "BATCH", "inputs": […], "outputs": […]}'
RUN_ACTION = 'send {}, or {"id": "…", "nominalStartTime": "…", "nominalEndTime": "…", "args": {…}}'
_BODY_ERRORS = (400, 413, 415)
_WORD = {"type": "string", "minLength": 1}


def _answer(name: str, description: str, *errors: int, status: int = 200) -> Extra:
    """The same as a GET of it."""
    return {"responses": answers(status, description, ref(name), *errors)}


def _route(name: str, description: str, body: Extra, *, required: bool = True, status: int = 200) -> Extra:
    answer = _answer(name, description, *_BODY_ERRORS, status=status)
    return {"openapi_extra": takes(body, required=required), **answer}


_DATASET_NAME = obj(("namespace", "name"), namespace=NAME, name=NAME)
NAMESPACE = _route(
    "Namespace", "The namespace.", obj(("ownerName",), ownerName=_WORD, description=nullable(TEXT))
)  # fmt: skip
NAMESPACE_ANSWER = _answer("Namespace", "The namespace as it was.")
SOURCE = _route(
    "Source",
    "The source.",
    obj(("type", "connectionUrl"), type=_WORD, connectionUrl=_WORD, description=nullable(TEXT)),
)
TAG: Extra = {
    "openapi_extra": takes(obj(description=nullable(TEXT)), required=False),
    "responses": answers(200, "The tag.", ref("Tag"), *_BODY_ERRORS),
}
DATASET_ANSWER = _answer("DatasetAnswer", "The dataset.")
JOB_ANSWER = _answer("Job", "The job.")
_FIELD = obj(("name",), name=NAME, type=nullable(TEXT), description=nullable(TEXT), tags=nullable(listing(_WORD)))
DATASET = _route(
    "DatasetAnswer",
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
    "Job",
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
RUN = _route(
    "RunAnswer",
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
RUN_STATE = _answer("RunAnswer", "The run.", 400)
_NODE: Extra = {"type": "string", "pattern": "^(dataset|job):[\\s\\S]+$", "description": "As in a graph."}
_NODES: Extra = {"type": "array", "items": _NODE, "minItems": 1, "maxItems": MOST_NODES}
MANY_BADGES = _route(
    "Badges", "What badges show.", {**obj(("nodeIds",), nodeIds=_NODES), "additionalProperties": False}
)  # fmt: skip
SAMPLE = _answer("SampleLoaded", "The sample week is there.", 409, status=201)
