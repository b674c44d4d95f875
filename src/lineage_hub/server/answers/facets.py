"""Nothing enters; what answers read out of facets for the user leaves, as named JSON schemas.

Facets themselves are shown as they were sent, and may hold anything.
"""

from __future__ import annotations

from lineage_hub.server.schemas import FLAG, INTEGER, REAL, TEXT, Schema, listing, mapping, nullable, record, ref, told

_FIGURE = nullable(REAL)
_COUNT = nullable(INTEGER)
COLUMN_FIGURES: dict[str, Schema] = {
    "nullCount": _COUNT,
    "distinctCount": _COUNT,
    "sum": _FIGURE,
    "count": _FIGURE,
    "min": _FIGURE,
    "max": _FIGURE,
    "quantiles": nullable(mapping(REAL)),
}
INPUT_FIELD: dict[str, Schema] = {
    "namespace": TEXT,
    "dataset": TEXT,
    "field": TEXT,
    "transformationDescription": nullable(TEXT),
    "transformationType": nullable(TEXT),
    "transformations": listing(ref("Transformation")),
}
COMPONENTS: dict[str, Schema] = {
    "Facet": {
        "type": "object",
        "additionalProperties": True,
        "description": "As a producer sent it, with its `_producer` and `_schemaURL`, or as a rule makes it.",
    },
    "Facets": mapping(ref("Facet")),
    "Field": record(
        {
            "name": TEXT,
            "type": nullable(TEXT),
            "tags": listing(TEXT),
            "description": nullable(TEXT),
        },
        about="A column. Those inside of others stand in the schema facet only.",
    ),
    "Owner": record({"name": TEXT, "type": nullable(TEXT)}),
    "Storage": record({"storageLayer": nullable(TEXT), "fileFormat": nullable(TEXT)}),
    "ColumnMetrics": record(COLUMN_FIGURES),
    "QualityMetrics": record(
        {
            "rowCount": _COUNT,
            "bytes": _COUNT,
            "fileCount": _COUNT,
            "lastUpdated": nullable(TEXT),
            "columnMetrics": mapping(ref("ColumnMetrics")),
        }
    ),
    "Assertion": record(
        {
            "assertion": TEXT,
            "success": told(nullable(FLAG), "Null where the producer doesn't say."),
            "column": nullable(TEXT),
            "severity": nullable(TEXT),
        }
    ),
    "IoStatistics": record(
        {"rowCount": _COUNT, "size": told(_COUNT, "Bytes."), "fileCount": _COUNT},
        about="Of what one run read or wrote.",
    ),
    "ErrorMessage": record(
        {"message": nullable(TEXT), "programmingLanguage": nullable(TEXT), "stackTrace": nullable(TEXT)}
    ),
    "ExtractionError": record(
        {
            "totalTasks": _COUNT,
            "failedTasks": _COUNT,
            "errors": listing(
                record(
                    {
                        "errorMessage": TEXT,
                        "stackTrace": nullable(TEXT),
                        "task": nullable(TEXT),
                        "taskNumber": _COUNT,
                    }
                )
            ),
        },
        about="What the producer could not find out about the run's lineage.",
    ),
    "Transformation": record(
        {
            "type": told(TEXT, "DIRECT or INDIRECT, as the producer spells it; may be empty."),
            "subtype": told(TEXT, "Such as IDENTITY, AGGREGATION, JOIN or FILTER; may be empty."),
            "description": nullable(TEXT),
            "masking": nullable(FLAG),
        }
    ),
    "InputField": record(INPUT_FIELD, about="A column that another one is made from."),
}
FACETS, FIELDS, OWNERS = ref("Facets"), listing(ref("Field")), listing(ref("Owner"))
