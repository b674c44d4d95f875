"""Nothing enters; what the routes of retention answer leaves, as named JSON schemas."""

from __future__ import annotations

from lineage_hub.server.schemas import FLAG, MOMENT, NUMBER, TEXT, Schema, listing, nullable, record, ref, told, words

COMPONENTS: dict[str, Schema] = {
    "TenantRetention": record(
        {
            "tenant": TEXT,
            "days": told(NUMBER, "0 is for ever."),
            "setBy": words("tenant", "lineage_retention", "default"),
            "horizon": told(nullable(MOMENT), "Up to then only what the present rests on is left."),
            "sweptAt": nullable(MOMENT),
            "removedEvents": NUMBER,
        }
    ),
    "Retention": record(
        {
            "defaultDays": told(NUMBER, "0 is for ever."),
            "tenants": listing(ref("TenantRetention")),
            "sweep": record(
                {
                    "running": FLAG,
                    "tenant": nullable(TEXT),
                    "startedAt": nullable(MOMENT),
                    "endedAt": nullable(MOMENT),
                    "eventsAhead": NUMBER,
                    "eventsExamined": NUMBER,
                    "eventsRemoved": NUMBER,
                    "deadLettersRemoved": NUMBER,
                    "error": nullable(TEXT),
                },
                about="The one that runs, or the last one.",
            ),
        }
    ),
}
READS: dict[str, Schema] = {"/api/v1/retention": ref("Retention")}
