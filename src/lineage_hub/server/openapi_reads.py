"""Nothing enters; for each route that answers a question, the members that its answer always has leave."""

from __future__ import annotations

# What each question is answered with: the members that are always there. docs/api.md tells of the others.
GRAPH = ("graph", "truncated", "hidden_nodes")
_RUN_ANSWER = ("id", "createdAt", "updatedAt", "state", "startedAt", "endedAt", "durationMs", "facets", "job")
_SUMMARY = ("id", "type", "name", "namespace", "createdAt", "updatedAt", "description", "facets", "tags")
_NS = "/api/v1/namespaces/{namespace}"
_TRACE = ("traceId", "startedAt", "durationNs", "spanCount", "errorCount", "spans", "criticalPath", "runs", "datasets")
FRESHNESS = (
    "dataset",
    "state",
    "reason",
    "at",
    "dueAt",
    "lateSince",
    "lateS",
    "lateAt",
    "expectation",
    "setAt",
    "habit",
    "lastWrite",
)
RETENTION = ("defaultDays", "tenants", "sweep")
READS: dict[str, tuple[str, ...]] = {
    "/api/v1/metrics": ("from", "to", "pipelines", "byPipeline", "byStage"),
    "/api/v1/traces": ("traces", "totalCount"),
    "/api/v1/traces/{trace_id}": _TRACE,
    "/api/v1/traces/{trace_id}/diff": ("from", "to", "differenceNs", "counts", "changes"),
    "/api/v1/runs/{run_id}/why": (
        "run",
        "verdict",
        "sentence",
        "delaySeconds",
        "earlierRuns",
        "causes",
        "telemetry",
        "jobsLookedAt",
        "truncated",
    ),
    "/api/v1/runs/{run_id}/trace": ("run", "joinedBy", "inferred", *_TRACE),
    "/api/v1/logs": ("logs", "totalCount"),
    "/api/v1/telemetry/services": ("from", "to", "services", "calls"),
    "/api/v1/telemetry/operations": ("from", "to", "operations", "totalCount"),
    "/api/v1/telemetry/metrics": ("metrics", "totalCount"),
    "/api/v1/telemetry/metrics/{name}": ("name", "from", "to", "stepS", "series", "totalCount"),
    "/api/v1/analytics/success": ("from", "to", "stepS", "runs", "successRate", "errorRate", "steps"),
    "/api/v1/analytics/durations": ("from", "to", "durations", "totalCount"),
    "/api/v1/analytics/errors": ("from", "to", "errors", "totalCount"),
    "/api/v1/analytics/records": ("from", "to", "stepS", "records", "recordsPerHour", "steps", "byPipeline"),
    "/api/v1/analytics/resources": ("from", "to", "pipelines", "services"),
    "/api/v1/lineage": GRAPH,
    "/api/v1/column-lineage": GRAPH,
    "/api/v1/lineage/diff": ("from", "to", "nodes", "edges", "columns", "schemas"),
    "/api/v1/edges/{edge}/evidence": (),
    "/api/v1/events/lineage": ("events", "ids", "totalCount"),
    "/api/v1/events/{event_id}": ("id", "tenant", "eventTime", "knownAt", "warnings", "event"),
    "/api/v1/jobs": ("jobs", "totalCount"),
    "/api/v1/jobs/runs/{run_id}": _RUN_ANSWER,
    "/api/v1/jobs/runs/{run_id}/facets": ("runId", "facets"),
    "/api/v1/namespaces": ("namespaces", "totalCount"),
    "/api/v1/retention": RETENTION,
    _NS: ("name", "createdAt", "updatedAt", "ownerName", "description", "isHidden"),
    f"{_NS}/jobs": ("jobs", "totalCount"),
    f"{_NS}/jobs/{{job}}": (*_SUMMARY, "simpleName", "inputs", "outputs", "latestRun", "latestRuns"),
    f"{_NS}/jobs/{{job}}/runs": ("runs", "totalCount"),
    f"{_NS}/jobs/{{job}}/versions": ("versions", "totalCount"),
    f"{_NS}/jobs/{{job}}/versions/{{version}}": (
        "id",
        "name",
        "namespace",
        "version",
        "createdAt",
        "inputs",
        "outputs",
    ),
    f"{_NS}/datasets": ("datasets", "totalCount"),
    f"{_NS}/datasets/{{dataset}}": (*_SUMMARY, "physicalName", "sourceName", "fields", "columnLineage"),
    f"{_NS}/datasets/{{dataset}}/freshness": FRESHNESS,
    "/api/v1/freshness": ("freshness", "totalCount", "at"),
    f"{_NS}/datasets/{{dataset}}/telemetry": ("dataset", "runs"),
    f"{_NS}/datasets/{{dataset}}/versions": ("versions", "totalCount"),
    f"{_NS}/datasets/{{dataset}}/versions/{{version}}": ("id", "name", "namespace", "version", "createdAt", "fields"),
}
