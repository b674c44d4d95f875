"""Nothing enters; what the routes about jobs and namespaces answer leaves, as named JSON schemas."""

from __future__ import annotations

from lineage_hub.server.answers.facets import FACETS, OWNERS
from lineage_hub.server.answers.names import NAME
from lineage_hub.server.answers.runs import YES
from lineage_hub.server.schemas import FLAG, MOMENT, TEXT, Schema, listing, nullable, page, record, ref, told

# Wherever a job is shown.
JOB_SUMMARY: dict[str, Schema] = {
    "id": NAME,
    "type": told(TEXT, "BATCH, STREAM, SERVICE, or whatever the jobType facet says."),
    "name": TEXT,
    "simpleName": told(TEXT, "Without the name of its parent before it."),
    "parentJobName": nullable(TEXT),
    "parentJobUuid": nullable(TEXT),
    "createdAt": MOMENT,
    "updatedAt": MOMENT,
    "namespace": TEXT,
    "location": told(nullable(TEXT), "Where its code is."),
    "description": nullable(TEXT),
}
JOB_MARKS: dict[str, Schema] = {"namedOnly": told(YES, "No event of its own tells of it.")}
COMPONENTS: dict[str, Schema] = {
    "Job": record(
        {
            **JOB_SUMMARY,
            "inputs": listing(NAME),
            "outputs": listing(NAME),
            "latestRun": nullable(ref("Run")),
            "latestRuns": listing(ref("Run")),
            "facets": FACETS,
            "currentVersion": nullable(TEXT),
            "labels": told(listing(TEXT), "Its kind and its integration, such as DAG and AIRFLOW."),
            "owners": OWNERS,
            "tags": listing(TEXT),
        },
        JOB_MARKS,
    ),
    "JobPage": page("jobs", ref("Job")),
    "Namespace": record(
        {
            "name": TEXT,
            "createdAt": MOMENT,
            "updatedAt": MOMENT,
            "ownerName": TEXT,
            "description": nullable(TEXT),
            "isHidden": FLAG,
        }
    ),
    "NamespacePage": page("namespaces", ref("Namespace")),
}
_NS = "/api/v1/namespaces/{namespace}"
READS: dict[str, Schema] = {
    "/api/v1/jobs": ref("JobPage"),
    f"{_NS}/jobs": ref("JobPage"),
    f"{_NS}/jobs/{{job}}": ref("Job"),
    "/api/v1/namespaces": ref("NamespacePage"),
    _NS: ref("Namespace"),
}
