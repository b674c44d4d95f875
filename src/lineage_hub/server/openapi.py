"""What the routes take and answer enters as plain JSON schema; the document at /openapi.json leaves.

Bodies are read raw, so the framework can't derive them; errors have one shape, so every route refers to it.
`python -m lineage_hub.server.openapi` prints it.
"""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from lineage_hub.lineage.expectations import DURATION
from lineage_hub.server import formats, impact_formats
from lineage_hub.server.operations import operation_ids
from lineage_hub.server.schemas import (
    ERRORS,
    FLAG,
    JSON,
    NUMBER,
    TENANT,
    TEXT,
    Schema,
    answers,
    closed,
    error,
    listing,
    nullable,
    obj,
    ref,
    takes,
)
from lineage_hub.store.ages import MOST_DAYS

_TALLY: dict[str, Schema] = {"accepted": NUMBER, "rejected": NUMBER, "errors": listing(TEXT)}
_BODY_ERRORS = (400, 413, 415, 503)

# Keyword arguments of the routes that are named after them.
ONE_EVENT: dict[str, Any] = {
    "openapi_extra": takes(ref("Event")),
    "responses": answers(
        201,
        "The event is durable and readable.",
        obj(("eventId", "repeated"), eventId=TEXT, repeated=FLAG),
        *_BODY_ERRORS,
    ),
}
BATCH: dict[str, Any] = {
    "openapi_extra": takes(listing(ref("Event")), lines=True),
    "responses": {
        204: {"description": "Every event is durable and readable."},
        **answers(
            200,
            "The batch was read; some events in it were rejected and are kept as dead letters.",
            obj(
                ("status", "summary"),
                status={"type": "string", "enum": ["success", "partial_success"]},
                summary=obj(
                    ("received", "successful", "failed"),
                    received=NUMBER,
                    successful=NUMBER,
                    failed=NUMBER,
                    retriable=NUMBER,
                    non_retriable=NUMBER,
                ),
                failed_events=listing(obj(("index", "reason", "retriable"), index=NUMBER, reason=TEXT, retriable=FLAG)),
            ),
            *_BODY_ERRORS,
        ),
    },
}
ENVELOPE: dict[str, Any] = {
    "openapi_extra": takes(
        obj(("namespace", "events"), namespace=TENANT, events=listing(ref("Event")), source=nullable(TEXT))
    ),
    "responses": answers(
        200,
        "What became of the events.",
        obj((*_TALLY, "namespace"), **_TALLY, namespace=TEXT),
        *_BODY_ERRORS,
    ),
}
WEBHOOK: dict[str, Any] = {
    "openapi_extra": takes({"anyOf": [ref("Event"), listing(ref("Event"))]}, lines=True),
    "responses": answers(200, "What became of the events.", obj(tuple(_TALLY), **_TALLY), *_BODY_ERRORS),
}
_PROTOBUF = "application/x-protobuf"
_BYTES: Schema = {"type": "string", "format": "binary"}
_STATUS = obj(("code", "message"), code={"type": "integer", "description": "Of google.rpc.Code."}, message=TEXT)
OTLP: dict[str, Any] = {
    "openapi_extra": {
        "requestBody": {
            **takes({"type": "object"})["requestBody"],
            "content": {_PROTOBUF: {"schema": _BYTES}, JSON: {"schema": {"type": "object"}}},
        }
    },
    "responses": {
        200: {
            "description": "What is not rejected is durable; `partialSuccess` says how many items are, and why.",
            "content": {_PROTOBUF: {"schema": _BYTES}, JSON: {"schema": obj(partialSuccess={"type": "object"})}},
        },
        **{
            status: {
                "description": description,
                "content": {_PROTOBUF: {"schema": _BYTES}, JSON: {"schema": _STATUS}},
            }
            for status, description in (
                (400, "The body is not OTLP's, or not in the encoding that its header names."),
                (413, ERRORS[413]),
                (415, "The content type or the content encoding is not read."),
                (501, "The extra `telemetry` is not installed."),
                (503, ERRORS[503]),
            )
        },
    },
}
_COUNTS = {f"{what}_{become}": NUMBER for what in ("traces", "metrics") for become in ("accepted", "rejected")}
TELEMETRY: dict[str, Any] = {
    "openapi_extra": takes(
        obj(
            ("namespace",),
            namespace=TENANT,
            traces=nullable(listing({"type": "object"})),
            metrics=nullable(listing({"type": "object"})),
            source=nullable(TEXT),
        )
    ),
    "responses": answers(
        200,
        "What became of the spans and metrics; those that were accepted are durable.",
        obj((*_COUNTS, "errors", "namespace"), **_COUNTS, errors=listing(TEXT), namespace=TEXT),
        *_BODY_ERRORS,
        501,
    ),
}
LETTERS: dict[str, Any] = {"responses": answers(200, "A page of dead letters.", ref("DeadLetterPage"))}
LETTER: dict[str, Any] = {"responses": answers(200, "The dead letter.", ref("DeadLetterAnswer"))}
EDIT_LETTER: dict[str, Any] = {
    "openapi_extra": takes(
        closed(("body",), body={"description": "The event as JSON, or a string that holds its text."})
    ),
    "responses": answers(200, "The dead letter with its new body.", ref("DeadLetterAnswer"), 413, 415),
}
_DURATION: Schema = {
    "type": "string",
    "pattern": DURATION,
    "description": "Like 90s, 30m, 6h, 1d12h; at most ten years.",
}
_ZONE: Schema = {"type": "string", "description": "A time zone of the IANA database; UTC without it."}
EXPECTATION: dict[str, Any] = {
    "openapi_extra": takes(
        {
            "oneOf": [
                closed(("every",), every=_DURATION, tolerance=_DURATION),
                closed(("cron",), cron=TEXT, zone=_ZONE, tolerance=_DURATION, early=_DURATION),
                closed(("learned",), learned={"const": True}, zone=_ZONE),
            ]
        }
    ),
    "responses": answers(200, "What is expected, and the state.", ref("Freshness"), 413, 415),
}
KEEPING: dict[str, Any] = {
    "openapi_extra": takes(closed(("days",), days={"type": "integer", "minimum": 0, "maximum": MOST_DAYS})),
    "responses": answers(200, "How long events stay.", ref("Retention"), 413, 415),
}
SWEEPING: dict[str, Any] = {"responses": answers(202, "The sweep has begun.", ref("Retention"), 409)}
DROP_LETTER: dict[str, Any] = {"responses": {204: {"description": "The dead letter is gone."}}}
REPLAY_LETTER: dict[str, Any] = {
    "responses": answers(
        200, "The letter's events are durable and readable; the letter is gone.", ref("Replayed"), 409, 413
    )
}
REPLAY_ALL: dict[str, Any] = {"responses": answers(200, "What became of the letters.", ref("ReplayedLetters"))}
HEALTH: dict[str, Any] = {
    "responses": {**answers(200, "It can serve.", ref("Health")), **answers(503, "It can not serve.", ref("Health"))}
}
PROBE: dict[str, Any] = {"responses": answers(200, "Yes.", ref("Probe"))}
METRICS: dict[str, Any] = {
    "responses": {
        200: {"description": "Prometheus' text format.", "content": {"text/plain": {"schema": TEXT}}},
    }
}
# Besides JSON, as `format=` asks for.
_WRITTEN = {
    "/api/v1/lineage": formats.MEDIA_TYPES,
    "/api/v1/column-lineage": formats.MEDIA_TYPES,
    "/api/v1/impact": impact_formats.MEDIA_TYPES,
}


def describe(app: FastAPI) -> None:
    """Serve the document with our schemas in it, and with 400 where the framework would say 422."""

    def document() -> Schema:
        if app.openapi_schema is None:
            # Imported by the first who asks, so that a hub starts without them.
            from lineage_hub.server.answers import COMPONENTS, READS
            from lineage_hub.server.extensions import extensions

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
            for components in (COMPONENTS, *(one.components for one in extensions())):
                schemas.update(components)
            ids = operation_ids(app.routes)
            for path, methods in made["paths"].items():
                for method, operation in methods.items():
                    operation["operationId"] = ids[method, path]
                    _complete(path, operation)
                    if method == "get" and path in READS:
                        _describe_read(path, operation, READS[path])
            app.openapi_schema = made
        return app.openapi_schema

    app.openapi = document  # type: ignore[method-assign]  # the documented way to extend the document


def _complete(path: str, operation: Schema) -> None:
    responses = operation["responses"]
    responses.pop("422", None)
    due = {503}
    if operation.get("parameters") or "requestBody" in operation:
        due.add(400)
    if "{" in path:
        due.add(404)
    if any(parameter["name"] in ("as_of", "known_at") for parameter in operation.get("parameters", ())):
        due.add(410)
    for status in sorted(due):
        responses.setdefault(str(status), error(status))


def _describe_read(path: str, operation: Schema, schema: Schema) -> None:
    written = {media_type: {"schema": TEXT} for media_type in _WRITTEN.get(path, {}).values()}
    operation["responses"]["200"]["content"] = {JSON: {"schema": schema}, **written}
    # These are asked about a node or a run by its id, which may be unknown.
    if any(parameter["name"] in ("nodeId", "run", "runId") for parameter in operation.get("parameters", ())):
        operation["responses"].setdefault("404", error(404))


def _print() -> None:
    import json
    import sys

    from lineage_hub.server.app import create_app
    from lineage_hub.settings import Settings

    json.dump(create_app(Settings()).openapi(), sys.stdout, indent=2, ensure_ascii=False)
    sys.stdout.write("\n")


if __name__ == "__main__":
    _print()
