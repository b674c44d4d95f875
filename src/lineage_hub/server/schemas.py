"""Parts of JSON schemas enter; the schemas that routes are described with leave, and what stands around them.

What a schema is about may be a name only: `answers/` holds the named ones, and is read when the document is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Schema = dict[str, Any]
JSON = "application/json"
NDJSON = "application/x-ndjson"
_ENCODINGS = "Content-Encoding may be gzip, deflate, zstd or identity."

TEXT: Schema = {"type": "string"}
NUMBER: Schema = {"type": "integer", "minimum": 0}
INTEGER: Schema = {"type": "integer"}
REAL: Schema = {"type": "number"}
FLAG: Schema = {"type": "boolean"}
ANYTHING: Schema = {}
# Of what is sent; what is answered is always within these bounds.
TIME: Schema = {
    "type": "string",
    "format": "date-time",
    "description": "ISO 8601 with a zone and up to nine digits of a second; years 1678 to 2261.",
}
MOMENT: Schema = {"type": "string", "format": "date-time"}
# Names may hold anything but NUL; the bound is in bytes of UTF-8.
NAME_PATTERN = "^[^\\u0000]+$"
NAME: Schema = {"type": "string", "minLength": 1, "maxLength": 16_000, "pattern": NAME_PATTERN}
TENANT: Schema = {"type": "string", "pattern": "^[a-z0-9][a-z0-9-]{1,48}[a-z0-9]$"}
ERRORS = {
    400: "The request or an event in it is not valid.",
    404: "There is nothing by that name.",
    409: "The state of the thing forbids it.",
    410: "The moment that was asked for is older than what is kept; `subject` is the earliest.",
    413: "The body, as sent or decompressed, is larger than one request may be.",
    415: "The content encoding is not read.",
    501: "A part of the hub is not installed; `action` says how to get it.",
    503: "Try again after Retry-After: the queue is full, or the store has no room or does not answer.",
}


def ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def obj(required: tuple[str, ...] = (), **properties: Schema) -> Schema:
    schema: Schema = {"type": "object", "properties": properties}
    return {**schema, "required": list(required)} if required else schema


def closed(required: tuple[str, ...], **properties: Schema) -> Schema:
    return {**obj(required, **properties), "additionalProperties": False}


def record(always: Mapping[str, Schema], sometimes: Mapping[str, Schema] | None = None, about: str = "") -> Schema:
    """What an answer is made of: members that are always there, and those that may be missing."""
    schema: Schema = {"type": "object", "properties": {**always, **(sometimes or {})}, "required": list(always)}
    return {**schema, "description": about} if about else schema


def listing(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def mapping(values: Schema) -> Schema:
    """By names that nobody knows before."""
    return {"type": "object", "additionalProperties": values}


def page(name: str, items: Schema, always: Mapping[str, Schema] | None = None, *, horizon: bool = False) -> Schema:
    """Some items of a list, and how many there are."""
    members = {name: listing(items), "totalCount": NUMBER, **(always or {})}
    return record(members, HORIZON if horizon else None)


def nullable(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def words(*values: str) -> Schema:
    return {"type": "string", "enum": list(values)}


def told(schema: Schema, about: str) -> Schema:
    """With a sentence for the reader."""
    return {**schema, "description": about}


HORIZON: dict[str, Schema] = {
    "horizon": told(MOMENT, "Up to then only what the present rests on is kept, so that older items may be missing.")
}


def takes(schema: Schema, *, lines: bool = False, required: bool = True) -> Schema:
    content: Schema = {JSON: {"schema": schema}}
    if lines:
        content[NDJSON] = {"schema": {"type": "string", "description": "One event a line."}}
    return {"requestBody": {"required": required, "description": _ENCODINGS, "content": content}}


def answers(status: int, description: str, schema: Schema | None, *errors: int) -> dict[int | str, Schema]:
    content = {} if schema is None else {"content": {JSON: {"schema": schema}}}
    return {status: {"description": description, **content}, **{each: error(each) for each in errors}}


def error(status: int) -> Schema:
    return {"description": ERRORS[status], "content": {JSON: {"schema": ref("Error")}}}
