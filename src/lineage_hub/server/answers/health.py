"""Nothing enters; what the routes about the hub's own state answer leaves, as named JSON schemas."""

from __future__ import annotations

from lineage_hub.server.schemas import MOMENT, REAL, TEXT, Schema, mapping, record, ref, words

_STATUS = words("healthy", "degraded", "unhealthy")
COMPONENTS: dict[str, Schema] = {
    "Health": record(
        {
            "status": _STATUS,
            "timestamp": MOMENT,
            "service": TEXT,
            "version": TEXT,
            "dependencies": mapping(ref("PartHealth")),
        }
    ),
    "PartHealth": record({"status": _STATUS, "latency_ms": REAL, "detail": TEXT}),
    "Probe": record({"status": words("alive", "ready")}),
}
READS: dict[str, Schema] = {
    "/api/v1/health": ref("Health"),
    "/livez": ref("Probe"),
    "/readyz": ref("Probe"),
}
