"""What the routes take and answer enters as plain JSON schema; the document at /openapi.json leaves.

Bodies are read raw, so the framework can't derive them; errors have one shape, so every route refers to it.
"""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from lineage_hub.lineage.expectations import DURATION
from lineage_hub.server.formats import MEDIA_TYPES
from lineage_hub.server.openapi_reads import FRESHNESS, GRAPH, LISTS, READS, RETENTION
from lineage_hub.store.ages import MOST_DAYS

Schema = dict[str, Any]
_JSON = "application/json"
_NDJSON = "application/x-ndjson"
_ENCODINGS = "Content-Encoding may be gzip, deflate, zstd or identity."


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _object(required: tuple[str, ...] = (), **properties: Schema) -> Schema:
    schema: Schema = {"type": "object", "properties": properties}
    return {**schema, "required": list(required)} if required else schema


def _closed(required: tuple[str, ...], **properties: Schema) -> Schema:
    return {**_object(required, **properties), "additionalProperties": False}


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _nullable(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


TEXT: Schema = {"type": "string"}
NUMBER: Schema = {"type": "integer", "minimum": 0}
FLAG: Schema = {"type": "boolean"}
TIME: Schema = {
    "type": "string",
    "format": "date-time",
    "description": "ISO 8601 with a zone and up to nine digits of a second; years 1678 to 2261.",
}
# Names may hold anything but NUL; the bound is in bytes of UTF-8.
NAME_PATTERN = "^[^\\u0000]+$"
_NAME: Schema = {"type": "string", "minLength": 1, "maxLength": 16_000, "pattern": NAME_PATTERN}
_FACETS: Schema = _nullable({"type": "object", "additionalProperties": True})
_ERRORS = {
    400: "The request or an event in it is not valid.",
    404: "There is nothing by that name.",
    409: "The state of the thing forbids it.",
    410: "The moment that was asked for is older than what is kept; `subject` is the earliest.",
    413: "The body, as sent or decompressed, is larger than one request may be.",
    415: "The content encoding is not read.",
    501: "A part of the hub is not installed; `action` says how to get it.",
    503: "Try again after Retry-After: the queue is full, or the store has no room or does not answer.",
}

_RUN = _object(("runId",), runId=_NAME, facets=_FACETS)
_JOB = _object(("namespace", "name"), namespace=_NAME, name=_NAME, facets=_FACETS)
_SIDES: dict[str, Schema] = {
    "inputs": _nullable(_list(_ref("Dataset"))),
    "outputs": _nullable(_list(_ref("Dataset"))),
}
_COMMON: dict[str, Schema] = {"eventTime": TIME, "producer": TEXT, "schemaURL": {}}

COMPONENTS: dict[str, Schema] = {
    "Error": _object(
        ("code", "message", "error", "subject", "action"),
        code={"type": "integer", "description": "The HTTP status."},
        message=TEXT,
        error={"type": "string", "description": "A stable name for the kind of error."},
        subject={**_nullable(TEXT), "description": "What it is about."},
        action={**_nullable(TEXT), "description": "What to do next."},
    ),
    "Dataset": _object(
        ("namespace", "name"),
        namespace=_NAME,
        name=_NAME,
        facets=_FACETS,
        inputFacets=_FACETS,
        outputFacets=_FACETS,
    ),
    "RunEvent": _object(
        ("eventTime", "producer", "run", "job"),
        eventType=_nullable({"type": "string", "enum": ["START", "RUNNING", "COMPLETE", "FAIL", "ABORT", "OTHER"]}),
        run=_RUN,
        job=_JOB,
        **_SIDES,
        **_COMMON,
    ),
    "JobEvent": _object(("eventTime", "producer", "job"), job=_JOB, run={"type": "null"}, **_SIDES, **_COMMON),
    "DatasetEvent": _object(
        ("eventTime", "producer", "dataset"),
        dataset=_ref("Dataset"),
        run={"type": "null"},
        job={"type": "null"},
        **_COMMON,
    ),
    "Event": {"anyOf": [_ref("RunEvent"), _ref("JobEvent"), _ref("DatasetEvent")]},
    "DeadLetter": _object(
        ("id", "receivedAt", "tenant", "source", "error", "reason", "size", "truncated"),
        id=NUMBER,
        receivedAt=TIME,
        editedAt=_nullable(TIME),
        tenant=TEXT,
        source={"type": "string", "description": "The route it came by."},
        error={"type": "string", "description": "The kind of error."},
        reason=TEXT,
        subject=_nullable(TEXT),
        size={**NUMBER, "description": "Bytes as they were sent."},
        truncated={"type": "boolean", "description": "Whether only the beginning was kept."},
    ),
}


def _takes(schema: Schema, *, lines: bool = False, required: bool = True) -> Schema:
    content: Schema = {_JSON: {"schema": schema}}
    if lines:
        content[_NDJSON] = {"schema": {"type": "string", "description": "One event a line."}}
    return {"requestBody": {"required": required, "description": _ENCODINGS, "content": content}}


def _answers(status: int, description: str, schema: Schema | None, *errors: int) -> dict[int | str, Schema]:
    content = {} if schema is None else {"content": {_JSON: {"schema": schema}}}
    return {status: {"description": description, **content}, **{each: _error(each) for each in errors}}


def _error(status: int) -> Schema:
    return {"description": _ERRORS[status], "content": {_JSON: {"schema": _ref("Error")}}}


# For the modules that describe other routes.
NAME, obj, listing, nullable, takes, answers = _NAME, _object, _list, _nullable, _takes, _answers
_TALLY: dict[str, Schema] = {"accepted": NUMBER, "rejected": NUMBER, "errors": _list(TEXT)}
_BODY_ERRORS = (400, 413, 415, 503)
_LETTER_WITH_BODY: Schema = {
    "allOf": [
        _ref("DeadLetter"),
        _object(("encoding", "body"), encoding={"type": "string", "enum": ["utf-8", "base64"]}, body=TEXT),
    ]
}

# Keyword arguments of the routes that are named after them.
ONE_EVENT: dict[str, Any] = {
    "openapi_extra": _takes(_ref("Event")),
    "responses": _answers(
        201,
        "The event is durable and readable.",
        _object(("eventId", "repeated"), eventId=TEXT, repeated=FLAG),
        *_BODY_ERRORS,
    ),
}
BATCH: dict[str, Any] = {
    "openapi_extra": _takes(_list(_ref("Event")), lines=True),
    "responses": {
        204: {"description": "Every event is durable and readable."},
        **_answers(
            200,
            "The batch was read; some events in it were rejected and are kept as dead letters.",
            _object(
                ("status", "summary"),
                status={"type": "string", "enum": ["success", "partial_success"]},
                summary=_object(
                    ("received", "successful", "failed"),
                    received=NUMBER,
                    successful=NUMBER,
                    failed=NUMBER,
                    retriable=NUMBER,
                    non_retriable=NUMBER,
                ),
                failed_events=_list(
                    _object(("index", "reason", "retriable"), index=NUMBER, reason=TEXT, retriable=FLAG)
                ),
            ),
            *_BODY_ERRORS,
        ),
    },
}
ENVELOPE: dict[str, Any] = {
    "openapi_extra": _takes(
        _object(
            ("namespace", "events"),
            namespace={"type": "string", "pattern": "^[a-z0-9][a-z0-9-]{1,48}[a-z0-9]$"},
            events=_list(_ref("Event")),
            source=_nullable(TEXT),
        )
    ),
    "responses": _answers(
        200,
        "What became of the events.",
        _object((*_TALLY, "namespace"), **_TALLY, namespace=TEXT),
        *_BODY_ERRORS,
    ),
}
WEBHOOK: dict[str, Any] = {
    "openapi_extra": _takes({"anyOf": [_ref("Event"), _list(_ref("Event"))]}, lines=True),
    "responses": _answers(200, "What became of the events.", _object(tuple(_TALLY), **_TALLY), *_BODY_ERRORS),
}
_PROTOBUF = "application/x-protobuf"
_BYTES: Schema = {"type": "string", "format": "binary"}
_STATUS = _object(("code", "message"), code={"type": "integer", "description": "Of google.rpc.Code."}, message=TEXT)
OTLP: dict[str, Any] = {
    "openapi_extra": {
        "requestBody": {
            "required": True,
            "description": _ENCODINGS,
            "content": {_PROTOBUF: {"schema": _BYTES}, _JSON: {"schema": {"type": "object"}}},
        }
    },
    "responses": {
        200: {
            "description": "What is not rejected is durable; `partialSuccess` says how many items are, and why.",
            "content": {
                _PROTOBUF: {"schema": _BYTES},
                _JSON: {"schema": _object(partialSuccess={"type": "object"})},
            },
        },
        **{
            status: {
                "description": description,
                "content": {_PROTOBUF: {"schema": _BYTES}, _JSON: {"schema": _STATUS}},
            }
            for status, description in (
                (400, "The body is not OTLP's, or not in the encoding that its header names."),
                (413, _ERRORS[413]),
                (415, "The content type or the content encoding is not read."),
                (501, "The extra `telemetry` is not installed."),
                (503, _ERRORS[503]),
            )
        },
    },
}
_COUNTS = {f"{what}_{become}": NUMBER for what in ("traces", "metrics") for become in ("accepted", "rejected")}
TELEMETRY: dict[str, Any] = {
    "openapi_extra": _takes(
        _object(
            ("namespace",),
            namespace={"type": "string", "pattern": "^[a-z0-9][a-z0-9-]{1,48}[a-z0-9]$"},
            traces=_nullable(_list({"type": "object"})),
            metrics=_nullable(_list({"type": "object"})),
            source=_nullable(TEXT),
        )
    ),
    "responses": _answers(
        200,
        "What became of the spans and metrics; those that were accepted are durable.",
        _object((*_COUNTS, "errors", "namespace"), **_COUNTS, errors=_list(TEXT), namespace=TEXT),
        *_BODY_ERRORS,
        501,
    ),
}
LETTERS: dict[str, Any] = {
    "responses": _answers(
        200,
        "A page of dead letters.",
        _object(
            ("deadLetters", "totalCount"),
            deadLetters=_list({"allOf": [_ref("DeadLetter"), _object(("excerpt",), excerpt=TEXT)]}),
            totalCount=NUMBER,
        ),
    )
}
LETTER: dict[str, Any] = {"responses": _answers(200, "The dead letter.", _LETTER_WITH_BODY)}
EDIT_LETTER: dict[str, Any] = {
    "openapi_extra": _takes(
        {
            **_object(("body",), body={"description": "The event as JSON, or a string that holds its text."}),
            "additionalProperties": False,
        }
    ),
    "responses": _answers(200, "The dead letter with its new body.", _LETTER_WITH_BODY, 413, 415),
}
_DURATION: Schema = {
    "type": "string",
    "pattern": DURATION,
    "description": "Like 90s, 30m, 6h, 1d12h; at most ten years.",
}
_ZONE: Schema = {"type": "string", "description": "A time zone of the IANA database; UTC without it."}
EXPECTATION: dict[str, Any] = {
    "openapi_extra": _takes(
        {
            "oneOf": [
                _closed(("every",), every=_DURATION, tolerance=_DURATION),
                _closed(("cron",), cron=TEXT, zone=_ZONE, tolerance=_DURATION, early=_DURATION),
                _closed(("learned",), learned={"const": True}, zone=_ZONE),
            ]
        }
    ),
    "responses": _answers(
        200, "What is expected, and the state.", _object(FRESHNESS, **{name: {} for name in FRESHNESS}), 413, 415
    ),
}
_KEPT = _object(RETENTION, **{name: {} for name in RETENTION})
KEEPING: dict[str, Any] = {
    "openapi_extra": _takes(_closed(("days",), days={"type": "integer", "minimum": 0, "maximum": MOST_DAYS})),
    "responses": _answers(200, "How long events stay.", _KEPT, 413, 415),
}
SWEEPING: dict[str, Any] = {"responses": _answers(202, "The sweep has begun.", _KEPT, 409)}
DROP_LETTER: dict[str, Any] = {"responses": {204: {"description": "The dead letter is gone."}}}
REPLAY_LETTER: dict[str, Any] = {
    "responses": _answers(
        200,
        "The letter's events are durable and readable; the letter is gone.",
        _object(
            ("eventId", "eventIds", "repeated", "tenant"),
            eventId=_nullable(TEXT),
            eventIds=_list(TEXT),
            repeated=FLAG,
            tenant=TEXT,
        ),
        409,
        413,
    )
}
REPLAY_ALL: dict[str, Any] = {
    "responses": _answers(
        200,
        "What became of the letters.",
        _object(
            ("replayed", "failed", "errors"),
            replayed=NUMBER,
            failed=NUMBER,
            errors=_list(_object(("id", "reason"), id=NUMBER, reason=TEXT)),
        ),
    )
}
_HEALTH = _object(
    ("status", "timestamp", "service", "version", "dependencies"),
    status={"type": "string", "enum": ["healthy", "degraded", "unhealthy"]},
    timestamp=TIME,
    service=TEXT,
    version=TEXT,
    dependencies={
        "type": "object",
        "additionalProperties": _object(
            ("status", "latency_ms", "detail"), status=TEXT, latency_ms={"type": "number"}, detail=TEXT
        ),
    },
)
HEALTH: dict[str, Any] = {
    "responses": {**_answers(200, "It can serve.", _HEALTH), **_answers(503, "It can not serve.", _HEALTH)}
}
PROBE: dict[str, Any] = {"responses": _answers(200, "Yes.", _object(("status",), status=TEXT))}
METRICS: dict[str, Any] = {
    "responses": {
        200: {"description": "Prometheus' text format.", "content": {"text/plain": {"schema": TEXT}}},
    }
}


_DRAWN = {media_type: {"schema": TEXT} for media_type in MEDIA_TYPES.values()}


def describe(app: FastAPI) -> None:
    """Serve the document with our schemas in it, and with 400 where the framework would say 422."""

    def document() -> Schema:
        if app.openapi_schema is None:
            made = get_openapi(
                title=app.title,
                version=app.version,
                description=app.description,
                routes=app.routes,
                tags=app.openapi_tags,
            )
            schemas = made.setdefault("components", {}).setdefault("schemas", {})
            for unused in ("HTTPValidationError", "ValidationError"):
                schemas.pop(unused, None)
            schemas.update(COMPONENTS)
            for path, methods in made["paths"].items():
                for method, operation in methods.items():
                    _complete(path, operation)
                    if method == "get" and path in READS:
                        _describe_read(path, operation)
                    if method == "get" and path in LISTS:
                        items = _object(LISTS[path], **{name: {} for name in LISTS[path]})
                        operation["responses"]["200"]["content"] = {_JSON: {"schema": _list(items)}}
            app.openapi_schema = made
        return app.openapi_schema

    app.openapi = document  # type: ignore[method-assign]  # the documented way to extend the document


def _complete(path: str, operation: Schema) -> None:
    answers = operation["responses"]
    answers.pop("422", None)
    due = {503}
    if operation.get("parameters") or "requestBody" in operation:
        due.add(400)
    if "{" in path:
        due.add(404)
    if any(parameter["name"] in ("as_of", "known_at") for parameter in operation.get("parameters", ())):
        due.add(410)
    for status in sorted(due):
        answers.setdefault(str(status), _error(status))


def _describe_read(path: str, operation: Schema) -> None:
    schema = _object(READS[path], **{name: {} for name in READS[path]})
    drawn = _DRAWN if READS[path] == GRAPH else {}
    operation["responses"]["200"]["content"] = {_JSON: {"schema": schema}, **drawn}
    # These are asked about a node or a run by its id, which may be unknown.
    if any(parameter["name"] in ("nodeId", "run", "runId") for parameter in operation.get("parameters", ())):
        operation["responses"].setdefault("404", _error(404))
