"""Nothing enters; what the routes that count over time answer leaves, as named JSON schemas."""

from __future__ import annotations

from lineage_hub.server.schemas import MOMENT, NUMBER, Schema, listing, record, ref, told

_PART: dict[str, Schema] = {"startInterval": MOMENT, "endInterval": MOMENT}
COMPONENTS: dict[str, Schema] = {
    "EventCounts": record({**_PART, "fail": NUMBER, "start": NUMBER, "complete": NUMBER, "abort": NUMBER}),
    "TotalCount": record({**_PART, "count": told(NUMBER, "How many there were at the end of the interval.")}),
}
READS: dict[str, Schema] = {
    "/api/v1/stats/lineage-events": listing(ref("EventCounts")),
    **{f"/api/v1/stats/{what}": listing(ref("TotalCount")) for what in ("jobs", "datasets", "sources")},
}
