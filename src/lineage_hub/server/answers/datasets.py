"""Nothing enters; what the routes about datasets, sources and tags answer leaves, as named JSON schemas."""

from __future__ import annotations

from lineage_hub.server.answers.facets import FACETS, FIELDS, OWNERS
from lineage_hub.server.answers.names import NAME
from lineage_hub.server.answers.runs import YES
from lineage_hub.server.schemas import FLAG, MOMENT, TEXT, Schema, listing, nullable, page, record, ref, told

_TYPE = told(TEXT, "DB_TABLE, unless the datasetType facet says otherwise.")
# Wherever a dataset is shown.
DATASET_SUMMARY: dict[str, Schema] = {
    "id": NAME,
    "type": _TYPE,
    "name": TEXT,
    "physicalName": TEXT,
    "createdAt": MOMENT,
    "updatedAt": MOMENT,
    "namespace": TEXT,
    "sourceName": TEXT,
    "fields": FIELDS,
    "tags": listing(TEXT),
    "lastModifiedAt": told({"type": "null"}, "Always null; Marquez's clients look for it."),
    "description": nullable(TEXT),
    "lastLifecycleState": told(TEXT, "Such as CREATE, DROP or RENAME; empty if no event told of one."),
}
SCHEMA_LOCATION = told(TEXT, "Where the schema of a stream stands, if it was declared with one.")
DATASET_MARKS: dict[str, Schema] = {
    "namedOnly": told(YES, "No run, job or dataset event mentions it; another dataset's facet names it."),
    "aliases": told(listing(NAME), "Other names that symlinks join with it."),
    "symlinkConflict": told(YES, "Several tables claim one location, so that none is joined with it."),
}
COMPONENTS: dict[str, Schema] = {
    "ColumnInputs": record(
        {
            "name": told(TEXT, "The column."),
            "inputFields": listing(ref("InputField")),
            "transformationDescription": nullable(TEXT),
            "transformationType": nullable(TEXT),
        },
        about="What a column is made from.",
    ),
    "DatasetAnswer": record(
        {
            **DATASET_SUMMARY,
            "currentVersion": nullable(TEXT),
            "columnLineage": listing(ref("ColumnInputs")),
            "owners": OWNERS,
            "facets": FACETS,
            "deleted": FLAG,
        },
        {
            "schemaLocation": SCHEMA_LOCATION,
            "storage": told(ref("Storage"), "Of the facet storage."),
            "quality": told(ref("QualityMetrics"), "Of the facet dataQualityMetrics."),
            "assertions": told(listing(ref("Assertion")), "Of the facet dataQualityAssertions."),
            **DATASET_MARKS,
        },
    ),
    "DatasetPage": page("datasets", ref("DatasetAnswer")),
    "Source": record(
        {
            "type": TEXT,
            "name": TEXT,
            "createdAt": MOMENT,
            "updatedAt": MOMENT,
            "connectionUrl": TEXT,
            "description": nullable(TEXT),
        }
    ),
    "SourcePage": page("sources", ref("Source")),
    "Tag": record({"name": TEXT, "description": nullable(TEXT)}),
    "TagPage": page("tags", ref("Tag")),
}
_NS = "/api/v1/namespaces/{namespace}"
READS: dict[str, Schema] = {
    "/api/v1/datasets": ref("DatasetPage"),
    f"{_NS}/datasets": ref("DatasetPage"),
    f"{_NS}/datasets/{{dataset}}": ref("DatasetAnswer"),
    "/api/v1/sources": ref("SourcePage"),
    "/api/v1/sources/{source}": ref("Source"),
    "/api/v1/tags": ref("TagPage"),
}
