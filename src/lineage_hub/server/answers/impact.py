"""Nothing enters; what the route about all that depends on a node answers leaves, as named JSON schemas."""

from __future__ import annotations

from lineage_hub.server.answers.lineage import CUT
from lineage_hub.server.answers.names import NAME, STATE
from lineage_hub.server.schemas import FLAG, MOMENT, NUMBER, TEXT, Schema, listing, nullable, record, ref, told, words

_HOW_MANY: dict[str, Schema] = {"datasets": NUMBER, "jobs": NUMBER}
COMPONENTS: dict[str, Schema] = {
    "LastUse": record(
        {"at": MOMENT, "job": NAME, "runId": TEXT, "state": STATE},
        about="Of a dataset the last run that read it, of a job its last run.",
    ),
    "Affected": record(
        {
            "type": words("JOB", "DATASET"),
            "namespace": TEXT,
            "name": TEXT,
            "nodeId": TEXT,
            "distance": told(NUMBER, "Jobs on the way."),
            "owners": listing(TEXT),
            "lastUse": nullable(ref("LastUse")),
        },
        {
            "via": told(words("columns", "tables"), "Of a column: whether column lineage leads there."),
            "columns": told(listing(TEXT), "Of a column: those of this dataset that are made from it."),
            "wholeDataset": told(FLAG, "Of a column: whether it decides about the rows."),
            "columnLineage": told(FLAG, "Of a column: whether it is known what this dataset's columns are made from."),
        },
    ),
    "Impact": record(
        {
            "node": TEXT,
            "counts": record({**_HOW_MANY, "namespaces": NUMBER, "owners": NUMBER, "withoutOwner": NUMBER}),
            "byNamespace": listing(record({"namespace": TEXT, **_HOW_MANY})),
            "byOwner": listing(record({"owner": told(nullable(TEXT), "Null for what has none."), **_HOW_MANY})),
            "affected": told(listing(ref("Affected")), "The nearest first."),
            **CUT,
        },
        {
            "byColumns": told(record({**_HOW_MANY, "columns": NUMBER}), "If a column was asked about."),
            "byTablesOnly": told(
                record({**_HOW_MANY, "datasetsWithoutColumnLineage": NUMBER}), "If a column was asked about."
            ),
        },
    ),
}
READS: dict[str, Schema] = {"/api/v1/impact": ref("Impact")}
