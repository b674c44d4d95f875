"""Nothing enters; every answer of the API leaves as JSON schema: named parts, and which of them a question gets.

Read when the document is first asked for, so that a hub starts without it.
"""

from __future__ import annotations

from lineage_hub.server.answers import (
    analytics,
    column_lineage,
    comparisons,
    datasets,
    dead_letters,
    events,
    facets,
    freshness,
    health,
    histories,
    impact,
    jobs,
    lineage,
    names,
    overview,
    producers,
    retention,
    rules,
    runs,
    search,
    stats,
    telemetry,
    versions,
    why,
)
from lineage_hub.server.schemas import Schema

TOPICS = (
    lineage,
    column_lineage,
    jobs,
    runs,
    comparisons,
    datasets,
    versions,
    histories,
    search,
    impact,
    telemetry,
    analytics,
    freshness,
    why,
    events,
    stats,
    overview,
    producers,
    rules,
    retention,
    dead_letters,
    health,
)
COMPONENTS: dict[str, Schema] = {
    name: schema for topic in (names, facets, *TOPICS) for name, schema in topic.COMPONENTS.items()
}
# By path, what a GET of it is answered with.
READS: dict[str, Schema] = {path: schema for topic in TOPICS for path, schema in topic.READS.items()}
