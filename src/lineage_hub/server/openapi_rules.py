"""What the routes of rules take and answer enters as plain JSON schema; the document at /openapi.json has it."""

from __future__ import annotations

from typing import Any

from lineage_hub.lineage.rules.model import ACTIONS, PLACES, TARGETS
from lineage_hub.lineage.rules.patterns import MATCHES

Schema = dict[str, Any]
TEXT: Schema = {"type": "string"}
NUMBER: Schema = {"type": "integer", "minimum": 0}
FLAG: Schema = {"type": "boolean"}
_OPTIONAL: Schema = {"anyOf": [TEXT, {"type": "null"}]}
_ID: Schema = {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$"}
_ORDER: Schema = {"type": "integer", "description": "Rules count from the least to the greatest; 100 without it."}
_TENANT: Schema = {**_OPTIONAL, "description": "Whose events it is for; all without it."}


def _object(required: tuple[str, ...] = (), **properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "required": list(required)}


def _closed(required: tuple[str, ...] = (), **properties: Schema) -> Schema:
    return {**_object(required, **properties), "additionalProperties": False}


def _one_or_more(values: tuple[str, ...]) -> Schema:
    one: Schema = {"type": "string", "enum": list(values)}
    return {"anyOf": [one, {"type": "array", "items": one, "minItems": 1}]}


_COMMON = {"order": _ORDER, "tenant": _TENANT, "enabled": FLAG, "description": _OPTIONAL}
NAME_RULE = _closed(
    ("on", "match", "pattern", "replacement"),
    id=_ID,
    on=_one_or_more(TARGETS),
    match={"type": "string", "enum": list(MATCHES)},
    pattern=TEXT,
    replacement={"type": "string", "description": "$1 or ${name} is a group of a regex, or a wildcard of a glob."},
    namespace={**_OPTIONAL, "description": "A glob: only names in such namespaces."},
    producer={**_OPTIONAL, "description": "A glob: only events of such producers."},
    **_COMMON,
)
FACET_RULE = _closed(
    ("facet", "action"),
    id=_ID,
    facet={"type": "string", "description": "A glob."},
    place=_one_or_more(PLACES),
    action={"type": "string", "enum": list(ACTIONS)},
    overBytes=NUMBER,
    keepBytes=NUMBER,
    keepElements=NUMBER,
    raw={"type": "string", "enum": ["keep", "drop"]},
    **_COMMON,
)
_RULE: Schema = {"anyOf": [NAME_RULE, FACET_RULE]}
# Where no path says it.
_RULE_WITH_ID: Schema = {"anyOf": [{**one, "required": ["id", *one["required"]]} for one in (NAME_RULE, FACET_RULE)]}
_RULES: Schema = {"type": "array", "items": _RULE}
_IDS: Schema = {"type": "array", "items": TEXT}
_ERROR: Schema = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
_WHY = {
    400: "The rule or the request is not valid.",
    404: "There is no such rule.",
    409: "The state of the rules forbids it.",
    413: "The body, as sent or decompressed, is larger than one request may be.",
    415: "The content encoding is not read.",
}


def _takes(schema: Schema, *, required: bool = True) -> Schema:
    return {"requestBody": {"required": required, "content": {"application/json": {"schema": schema}}}}


def _answers(schema: Schema, *errors: int, status: int = 200) -> dict[int | str, Schema]:
    found: dict[int | str, Schema] = {
        status: {"description": "As asked for.", "content": {"application/json": {"schema": schema}}}
    }
    return found | {code: {"description": _WHY[code], "content": _ERROR} for code in errors}


_BOTH = _object(("number", "names", "facets"), number=NUMBER, names=_RULES, facets=_RULES)
_LISTED = _object(("number", "rules", "totalCount"), number=NUMBER, rules=_RULES, totalCount=NUMBER)
REPLACE: dict[str, Any] = {
    "openapi_extra": _takes(
        _closed(
            names={"type": "array", "items": _RULE_WITH_ID["anyOf"][0]},
            facets={"type": "array", "items": _RULE_WITH_ID["anyOf"][1]},
        )
    ),
    "responses": _answers(
        _object(
            ("number", "changed", "dryRun", "changes"), number=NUMBER, changed=FLAG, dryRun=FLAG, changes=_object()
        ),
        400,
        413,
        415,
    ),
}
UNDO: dict[str, Any] = {"responses": _answers(_BOTH, 409)}
ADD: dict[str, Any] = {
    "openapi_extra": _takes(_RULE_WITH_ID),
    "responses": _answers(_RULE, 400, 409, 413, 415, status=201),
}
SET: dict[str, Any] = {"openapi_extra": _takes(_RULE), "responses": _answers(_RULE, 400, 413, 415)}
REMOVE: dict[str, Any] = {"responses": {204: {"description": "The rule is gone."}}}
PREVIEW: dict[str, Any] = {
    "openapi_extra": _takes(_closed(rules={"type": "array", "items": _RULE_WITH_ID}, remove=_IDS)),
    "responses": _answers(_object(("events", "truncated"), events=NUMBER, truncated=FLAG), 400, 413, 415),
}
APPLY: dict[str, Any] = {
    "openapi_extra": _takes(_closed(ids=_IDS), required=False),
    "responses": _answers(_LISTED, 400, 413, 415),
}
