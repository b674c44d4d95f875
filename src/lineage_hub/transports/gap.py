"""What a spool could not take enters; an event that tells of it leaves, so that nobody takes silence for rest."""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass

import msgspec

from lineage_hub import __version__

PRODUCER = f"https://github.com/lineage-hub/lineage-hub/tree/{__version__}"
GAP_FACET = "lineageHub_gap"


@dataclass(slots=True)
class Gap:
    """Events that a spool had no room for, since the last one that it took."""

    count: int = 0
    since: int = 0
    until: int = 0
    reason: str = ""


def gap_event(gap: Gap) -> bytes:
    """An event of the SDK's own job: how many events were refused, and from when to when."""
    from lineage_hub.wire import instant_text

    facet = {
        "_producer": PRODUCER,
        "_schemaURL": f"{PRODUCER}/docs/facets/gap.json",
        "refused": gap.count,
        "since": instant_text(gap.since),
        "until": instant_text(gap.until),
        "reason": gap.reason,
    }
    return msgspec.json.encode(
        {
            "eventTime": instant_text(time.time_ns()),
            "eventType": "OTHER",
            "producer": PRODUCER,
            "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
            "run": {"runId": str(uuid.uuid4()), "facets": {GAP_FACET: facet}},
            "job": {"namespace": "lineage-hub", "name": "sdk.spool"},
            "inputs": [],
            "outputs": [],
        }
    )
