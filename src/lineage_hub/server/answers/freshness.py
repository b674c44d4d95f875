"""Nothing enters; what the routes about freshness answer leaves, as named JSON schemas."""

from __future__ import annotations

from lineage_hub.lineage.freshness import STATES
from lineage_hub.server.answers.names import NAME
from lineage_hub.server.schemas import MOMENT, NUMBER, REAL, TEXT, Schema, nullable, page, record, ref, told, words

_LONG = told(TEXT, "Such as 90s, 6h or 1d12h.")
_GAP = record({"due": _LONG, "late": _LONG})
COMPONENTS: dict[str, Schema] = {
    "FreshnessState": words(*STATES),
    "Expectation": {
        "anyOf": [
            record({"every": _LONG, "tolerance": _LONG}),
            record({"cron": TEXT, "zone": TEXT, "tolerance": _LONG, "early": _LONG}),
            record({"learned": {"type": "boolean", "enum": [True]}, "zone": TEXT}),
        ]
    },
    "Habit": record(
        {
            "pattern": words("every day", "weekdays", "weekdays and weekends"),
            "gaps": record({"weekday": _GAP}, {"weekend": _GAP}),
            "learnedFrom": told(NUMBER, "Gaps between writes."),
            "confidence": told(REAL, "From 0 to 1."),
        }
    ),
    "Freshness": record(
        {
            "dataset": NAME,
            "state": ref("FreshnessState"),
            "reason": told(nullable(TEXT), "Why the state is unknown."),
            "at": told(MOMENT, "The moment that this is true of."),
            "dueAt": nullable(MOMENT),
            "lateSince": told(nullable(MOMENT), "Null unless it is late."),
            "lateS": nullable(REAL),
            "lateAt": told(nullable(MOMENT), "From when on it counts as late."),
            "expectation": nullable(ref("Expectation")),
            "setAt": told(nullable(MOMENT), "Null for what nobody has set."),
            "habit": told(nullable(ref("Habit")), "What was learned from its writes, if that was asked for."),
            "lastWrite": nullable(
                record({"at": MOMENT, "version": TEXT, "run": nullable(record({"id": TEXT, "job": NAME}))})
            ),
        }
    ),
    "FreshnessPage": page("freshness", ref("Freshness"), {"at": MOMENT}),
}
READS: dict[str, Schema] = {
    "/api/v1/freshness": ref("FreshnessPage"),
    "/api/v1/namespaces/{namespace}/datasets/{dataset}/freshness": ref("Freshness"),
}
