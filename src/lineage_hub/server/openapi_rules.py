"""What the routes of rules take enters as plain JSON schema; the document at /openapi.json has it."""

from __future__ import annotations

from typing import Any

from lineage_hub.lineage.rules.model import ACTIONS, PLACES, TARGETS
from lineage_hub.lineage.rules.patterns import MATCHES
from lineage_hub.server.schemas import (
    FLAG,
    NUMBER,
    TEXT,
    Schema,
    answers,
    closed,
    listing,
    nullable,
    ref,
    takes,
    told,
    words,
)

_OPTIONAL = nullable(TEXT)
_ID: Schema = {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$"}
_ORDER: Schema = {"type": "integer", "description": "Rules count from the least to the greatest; 100 without it."}


def _one_or_more(values: tuple[str, ...]) -> Schema:
    return {"anyOf": [words(*values), {**listing(words(*values)), "minItems": 1}]}


_COMMON: dict[str, Schema] = {
    "order": _ORDER,
    "tenant": told(_OPTIONAL, "Whose events it is for; all without it."),
    "enabled": FLAG,
    "description": _OPTIONAL,
}
NAME_RULE = closed(
    ("on", "match", "pattern", "replacement"),
    id=_ID,
    on=_one_or_more(TARGETS),
    match=words(*MATCHES),
    pattern=TEXT,
    replacement=told(TEXT, "$1 or ${name} is a group of a regex, or a wildcard of a glob."),
    namespace=told(_OPTIONAL, "A glob: only names in such namespaces."),
    producer=told(_OPTIONAL, "A glob: only events of such producers."),
    **_COMMON,
)
FACET_RULE = closed(
    ("facet", "action"),
    id=_ID,
    facet=told(TEXT, "A glob."),
    place=_one_or_more(PLACES),
    action=words(*ACTIONS),
    overBytes=NUMBER,
    keepBytes=NUMBER,
    keepElements=NUMBER,
    raw=words("keep", "drop"),
    **_COMMON,
)
_RULE: Schema = {"anyOf": [NAME_RULE, FACET_RULE]}
# Where no path says it.
_RULE_WITH_ID: Schema = {"anyOf": [{**one, "required": ["id", *one["required"]]} for one in (NAME_RULE, FACET_RULE)]}
_IDS = listing(TEXT)
_BODY_ERRORS = (400, 413, 415)
REPLACE: dict[str, Any] = {
    "openapi_extra": takes(
        closed((), names=listing(_RULE_WITH_ID["anyOf"][0]), facets=listing(_RULE_WITH_ID["anyOf"][1]))
    ),
    "responses": answers(200, "What has changed, or would.", ref("RulesReplaced"), *_BODY_ERRORS),
}
UNDO: dict[str, Any] = {"responses": answers(200, "The rules that count again.", ref("RuleSet"), 409)}
ADD: dict[str, Any] = {
    "openapi_extra": takes(_RULE_WITH_ID),
    "responses": answers(201, "The rule.", ref("Rule"), 400, 409, 413, 415),
}
SET: dict[str, Any] = {
    "openapi_extra": takes(_RULE),
    "responses": answers(200, "The rule.", ref("Rule"), *_BODY_ERRORS),
}
REMOVE: dict[str, Any] = {"responses": {204: {"description": "The rule is gone."}}}
PREVIEW: dict[str, Any] = {
    "openapi_extra": takes(closed((), rules=listing(_RULE_WITH_ID), remove=_IDS)),
    "responses": answers(200, "What would change.", ref("RulePreview"), *_BODY_ERRORS),
}
APPLY: dict[str, Any] = {
    "openapi_extra": takes(closed((), ids=_IDS), required=False),
    "responses": answers(200, "The rules of this kind.", ref("RuleList"), *_BODY_ERRORS),
}
