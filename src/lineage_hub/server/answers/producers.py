"""Nothing enters; what the route about who sends events answers leaves, as named JSON schemas."""

from __future__ import annotations

from lineage_hub.server.schemas import (
    FLAG,
    MOMENT,
    NUMBER,
    REAL,
    TEXT,
    Schema,
    listing,
    nullable,
    page,
    record,
    ref,
    told,
)

COMPONENTS: dict[str, Schema] = {
    "Producer": record(
        {
            "producer": TEXT,
            "integration": told(nullable(TEXT), "Such as spark or dbt, where the producer's address tells it."),
            "version": nullable(TEXT),
            "namespaces": listing(TEXT),
            "events": NUMBER,
            "firstEventAt": MOMENT,
            "lastEventAt": MOMENT,
            "lastKnownAt": MOMENT,
            "usualGapS": told(nullable(REAL), "Nine of ten silences were no longer."),
            "silentForS": REAL,
            "longerThanUsual": nullable(FLAG),
            "succeededBy": told(nullable(TEXT), "The other version that has taken its place."),
        }
    ),
    "ProducerPage": page("producers", ref("Producer"), {"at": MOMENT}, horizon=True),
}
READS: dict[str, Schema] = {"/api/v1/producers": ref("ProducerPage")}
