"""Nothing enters; what the routes about the graph of jobs and datasets answer leaves, as named JSON schemas."""

from __future__ import annotations

from lineage_hub.server.answers.datasets import DATASET_MARKS, DATASET_SUMMARY
from lineage_hub.server.answers.jobs import JOB_MARKS, JOB_SUMMARY
from lineage_hub.server.answers.names import NAME
from lineage_hub.server.answers.runs import YES
from lineage_hub.server.schemas import (
    FLAG,
    HORIZON,
    MOMENT,
    NUMBER,
    TEXT,
    Schema,
    listing,
    nullable,
    record,
    ref,
    told,
    words,
)

_EDGES: dict[str, Schema] = {"inEdges": listing(ref("LineageEdge")), "outEdges": listing(ref("LineageEdge"))}
# What an answer that was cut says of it.
CUT: dict[str, Schema] = {"truncated": FLAG, "hidden_nodes": told(NUMBER, "Exactly how many were left out.")}
_ARROW = record({"origin": TEXT, "destination": TEXT})
_ARROWS = record({"added": listing(_ARROW), "removed": listing(_ARROW)})
COMPONENTS: dict[str, Schema] = {
    "LineageEdge": record(
        {"id": TEXT, "origin": told(TEXT, "The id of a node."), "destination": TEXT},
        {"from": told(words("columns"), "There if only columns tell of it.")},
    ),
    "JobNode": record(
        {
            "id": TEXT,
            "type": words("JOB"),
            "data": record(
                {
                    **JOB_SUMMARY,
                    "currentRunUuid": nullable(TEXT),
                    "inputs": listing(NAME),
                    "outputs": listing(NAME),
                    "latestRun": told(nullable(ref("Run")), "Without its facets, arguments and datasets."),
                },
                JOB_MARKS,
            ),
            **_EDGES,
        }
    ),
    "DatasetNode": record(
        {
            "id": TEXT,
            "type": words("DATASET"),
            "data": record(DATASET_SUMMARY, {**DATASET_MARKS, "deleted": YES}),
            **_EDGES,
        }
    ),
    "LineageNode": {"anyOf": [ref("JobNode"), ref("DatasetNode")]},
    "LineageGraph": record({"graph": listing(ref("LineageNode")), **CUT}),
    "LineageDiff": record(
        {
            "from": MOMENT,
            "to": told(TEXT, "A moment, or `now`."),
            "nodes": record({"added": listing(TEXT), "removed": listing(TEXT)}),
            "edges": _ARROWS,
            "columns": _ARROWS,
            "schemas": listing(
                record(
                    {
                        "dataset": told(TEXT, "The id of a node."),
                        "added": listing(TEXT),
                        "removed": listing(TEXT),
                        "changed": listing(record({"name": TEXT, "from": TEXT, "to": TEXT})),
                    }
                )
            ),
        }
    ),
    "EvidenceEvent": record(
        {
            "id": TEXT,
            "eventTime": MOMENT,
            "knownAt": MOMENT,
            "eventType": words("START", "RUNNING", "COMPLETE", "FAIL", "ABORT", "OTHER", "JOB"),
            "runId": nullable(TEXT),
            "from": told(words("mention", "columns"), "Whether it names both ends, or one as a source of columns."),
        },
        {"rewritten": told(listing(ref("RewrittenName")), "Names that rules changed.")},
    ),
    "Evidence": record(
        {
            "id": TEXT,
            "origin": TEXT,
            "destination": TEXT,
            "firstSeen": MOMENT,
            "lastSeen": MOMENT,
            "runCount": NUMBER,
            "totalCount": told(NUMBER, "Events in all."),
            "events": listing(ref("EvidenceEvent")),
        },
        HORIZON,
    ),
}
READS: dict[str, Schema] = {
    "/api/v1/lineage": ref("LineageGraph"),
    "/api/v1/lineage/diff": ref("LineageDiff"),
    "/api/v1/edges/{edge}/evidence": ref("Evidence"),
}
