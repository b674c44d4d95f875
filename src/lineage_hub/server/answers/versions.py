"""Nothing enters; what the routes about versions of jobs and datasets answer leaves, as named JSON schemas."""

from __future__ import annotations

from lineage_hub.server.answers.datasets import DATASET_SUMMARY, SCHEMA_LOCATION
from lineage_hub.server.answers.facets import FACETS
from lineage_hub.server.answers.names import NAME
from lineage_hub.server.schemas import MOMENT, TEXT, Schema, listing, nullable, page, record, ref, told

_SHOWN = ("id", "type", "name", "physicalName", "namespace", "sourceName", "fields", "tags", "description")
COMPONENTS: dict[str, Schema] = {
    "JobVersion": record(
        {
            "id": ref("VersionName"),
            "name": TEXT,
            "createdAt": MOMENT,
            "version": TEXT,
            "namespace": TEXT,
            "location": nullable(TEXT),
            "inputs": listing(NAME),
            "outputs": listing(NAME),
            "latestRun": nullable(ref("Run")),
        }
    ),
    "JobVersionPage": page("versions", ref("JobVersion"), horizon=True),
    "DatasetVersion": record(
        {
            **{name: DATASET_SUMMARY[name] for name in _SHOWN},
            "createdAt": MOMENT,
            "version": TEXT,
            "lifecycleState": TEXT,
            "currentSchemaVersion": told(nullable(TEXT), "The same for equal schemas; null without one."),
            "createdByRun": nullable(ref("Run")),
            "facets": FACETS,
        },
        {"schemaLocation": SCHEMA_LOCATION},
        about="The dataset as it was described when the version came to be.",
    ),
    "DatasetVersionPage": page("versions", ref("DatasetVersion"), horizon=True),
}
_NS = "/api/v1/namespaces/{namespace}"
READS: dict[str, Schema] = {
    f"{_NS}/jobs/{{job}}/versions": ref("JobVersionPage"),
    f"{_NS}/jobs/{{job}}/versions/{{version}}": ref("JobVersion"),
    f"{_NS}/datasets/{{dataset}}/versions": ref("DatasetVersionPage"),
    f"{_NS}/datasets/{{dataset}}/versions/{{version}}": ref("DatasetVersion"),
}
