"""Nothing enters; what the routes about a dataset's schemas, checks and volumes over time answer leaves."""

from __future__ import annotations

from lineage_hub.server.answers.facets import COLUMN_FIGURES
from lineage_hub.server.answers.names import NAME
from lineage_hub.server.schemas import (
    FLAG,
    HORIZON,
    INTEGER,
    MOMENT,
    NUMBER,
    REAL,
    TEXT,
    Schema,
    listing,
    mapping,
    nullable,
    page,
    record,
    ref,
    told,
    words,
)

# The event behind a point of a history.
_TOLD_BY: dict[str, Schema] = {
    "at": MOMENT,
    "run": told(nullable(TEXT), "The run's id."),
    "job": nullable(NAME),
    "event": told(TEXT, "The event's id."),
}
_LOOKED: dict[str, Schema] = {
    "dataset": NAME,
    "eventsLookedAt": NUMBER,
    "truncated": told(FLAG, "Whether older events were left out."),
    "lookedBackTo": nullable(MOMENT),
}
_COLUMN = record({"name": told(TEXT, "Columns inside of others by their path."), "type": nullable(TEXT)})
_DIFFERENCE: dict[str, Schema] = {
    "added": listing(_COLUMN),
    "removed": listing(_COLUMN),
    "changed": told(
        listing(record({"name": TEXT, "from": nullable(TEXT), "to": nullable(TEXT)})), "Their types, before and after."
    ),
    "moved": told(listing(record({"name": TEXT, "from": NUMBER, "to": NUMBER})), "Their places, counted from one."),
    "likelyRenamed": listing(record({"from": TEXT, "to": TEXT, "because": listing(words("type", "place", "name"))})),
    "described": told(listing(TEXT), "Columns whose description changed."),
    "equal": NUMBER,
}
_FIGURES: dict[str, Schema] = {"rowCount": nullable(INTEGER), "size": nullable(INTEGER), "fileCount": nullable(INTEGER)}
_POINT = {**_TOLD_BY, "success": told(nullable(FLAG), "Null where the producer doesn't say.")}
COMPONENTS: dict[str, Schema] = {
    "SchemaDifference": record(_DIFFERENCE),
    "SchemaChange": record(
        {
            **_TOLD_BY,
            "kind": words("first", "changed", "taken back"),
            "columns": told(NUMBER, "How many there are from then on."),
            **_DIFFERENCE,
        }
    ),
    "SchemaHistory": page("changes", ref("SchemaChange"), {"dataset": NAME}, horizon=True),
    "AssertionPoint": record(_POINT, {"expected": TEXT, "actual": TEXT}),
    "AssertionHistory": record(
        {
            "assertion": TEXT,
            "column": nullable(TEXT),
            "severity": nullable(TEXT),
            "checks": NUMBER,
            "failures": NUMBER,
            "successRate": nullable(REAL),
            "success": told(nullable(FLAG), "What the last check said."),
            "failingSince": nullable(MOMENT),
            "points": told(listing(ref("AssertionPoint")), "The oldest first."),
        }
    ),
    "MetricsPoint": record(
        {
            **_TOLD_BY,
            "rowCount": nullable(INTEGER),
            "bytes": nullable(INTEGER),
            "fileCount": nullable(INTEGER),
            "columns": told(mapping(ref("ColumnFigures")), "By the column's name."),
        }
    ),
    "ColumnFigures": record({}, {name: schema["anyOf"][0] for name, schema in COLUMN_FIGURES.items()}),
    "QualityHistory": record(
        {
            **_LOOKED,
            "assertions": listing(ref("AssertionHistory")),
            "metrics": told(listing(ref("MetricsPoint")), "The oldest first."),
        },
        HORIZON,
    ),
    "VolumePoint": record({**_TOLD_BY, **_FIGURES}),
    "VolumeSeries": record(
        {
            "median": record({name: nullable(REAL) for name in _FIGURES}),
            "points": told(listing(ref("VolumePoint")), "The oldest first."),
        }
    ),
    "VolumeHistory": record({**_LOOKED, "written": ref("VolumeSeries"), "read": ref("VolumeSeries")}, HORIZON),
}
_DATASET = "/api/v1/namespaces/{namespace}/datasets/{dataset}"
READS: dict[str, Schema] = {
    f"{_DATASET}/schema-history": ref("SchemaHistory"),
    f"{_DATASET}/quality": ref("QualityHistory"),
    f"{_DATASET}/statistics": ref("VolumeHistory"),
}
