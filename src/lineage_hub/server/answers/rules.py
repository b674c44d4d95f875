"""Nothing enters; what the routes of rules answer leaves, as named JSON schemas."""

from __future__ import annotations

from lineage_hub.lineage.rules.model import ACTIONS, PLACES, TARGETS
from lineage_hub.lineage.rules.patterns import MATCHES
from lineage_hub.server.answers.names import NAME
from lineage_hub.server.schemas import (
    FLAG,
    INTEGER,
    MOMENT,
    NUMBER,
    TEXT,
    Schema,
    listing,
    nullable,
    page,
    record,
    ref,
    told,
    words,
)

_KINDS = words("job", "dataset")
_PLACE, _ACTION = words(*PLACES), words(*ACTIONS)
_COMMON: dict[str, Schema] = {
    "order": told(INTEGER, "Rules count from the least to the greatest."),
    "tenant": told(nullable(TEXT), "Whose events it is for; null for all."),
    "enabled": FLAG,
    "description": nullable(TEXT),
}
_NUMBER = told(NUMBER, "Of the set of rules: one more with each change.")
_BOTH: dict[str, Schema] = {"names": listing(ref("NameRule")), "facets": listing(ref("FacetRule"))}
_IDS_CHANGED = record({"added": listing(TEXT), "removed": listing(TEXT), "changed": listing(TEXT)})
COMPONENTS: dict[str, Schema] = {
    "NameRule": record(
        {
            "id": TEXT,
            "on": listing(words(*TARGETS)),
            "match": words(*MATCHES),
            "pattern": TEXT,
            "replacement": TEXT,
            "namespace": nullable(TEXT),
            "producer": nullable(TEXT),
            **_COMMON,
        }
    ),
    "FacetRule": record(
        {
            "id": TEXT,
            "facet": told(TEXT, "A glob."),
            "action": _ACTION,
            "place": listing(_PLACE),
            "overBytes": NUMBER,
            "keepBytes": NUMBER,
            "keepElements": NUMBER,
            "raw": words("keep", "drop"),
            **_COMMON,
        }
    ),
    "Rule": {"anyOf": [ref("NameRule"), ref("FacetRule")]},
    "RuleSet": record({"number": _NUMBER, **_BOTH}),
    "RuleList": page("rules", ref("Rule"), {"number": _NUMBER}),
    "RuleHistory": page("history", record({"number": _NUMBER, "setAt": MOMENT, **_BOTH})),
    "RulesReplaced": record(
        {
            "number": _NUMBER,
            "changed": FLAG,
            "dryRun": FLAG,
            "changes": record({"names": _IDS_CHANGED, "facets": _IDS_CHANGED}, about="Ids of rules."),
        }
    ),
    "Refold": record(
        {
            "number": _NUMBER,
            "state": words("running", "done"),
            "shapesScanned": NUMBER,
            "shapesTotal": NUMBER,
            "shapesLeft": NUMBER,
            "eventsLookedAt": NUMBER,
            "eventsChanged": NUMBER,
            "startedAt": nullable(MOMENT),
            "finishedAt": nullable(MOMENT),
        },
        about="How far history is folded by the rules that count.",
    ),
    "NamePreview": record(
        {
            "names": listing(record({"kind": _KINDS, "from": NAME, "to": NAME, "events": NUMBER})),
            "totalCount": told(NUMBER, "Of the names that would change."),
            "merges": told(
                listing(record({"kind": _KINDS, "into": NAME, "from": listing(NAME), "exists": FLAG})),
                "Names that would come to stand for what several stood for.",
            ),
            "mergeCount": NUMBER,
            "events": NUMBER,
            "edges": NUMBER,
            "truncated": FLAG,
        }
    ),
    "FacetPreview": record(
        {
            "facets": listing(
                record(
                    {
                        "place": _PLACE,
                        "facet": TEXT,
                        "action": _ACTION,
                        "rule": TEXT,
                        "count": NUMBER,
                        "bytes": NUMBER,
                        "bytesLeft": NUMBER,
                    }
                )
            ),
            "events": NUMBER,
            "eventsLookedAt": NUMBER,
            "totalCount": told(NUMBER, "Events that there are."),
            "bytesSaved": INTEGER,
            "truncated": FLAG,
        }
    ),
    "RulePreview": {"anyOf": [ref("NamePreview"), ref("FacetPreview")]},
}
READS: dict[str, Schema] = {
    "/api/v1/rules": ref("RuleSet"),
    "/api/v1/rules/{kind}": ref("RuleList"),
    "/api/v1/rules/history": ref("RuleHistory"),
    "/api/v1/rules/refold": ref("Refold"),
}
