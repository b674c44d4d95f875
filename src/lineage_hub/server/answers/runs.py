"""Nothing enters; what the routes about runs answer leaves, as named JSON schemas."""

from __future__ import annotations

from lineage_hub.server.answers.facets import FACETS
from lineage_hub.server.answers.names import NAME, STATE
from lineage_hub.server.schemas import (
    FLAG,
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

YES = told({"type": "boolean", "enum": [True]}, "There only where it is so.")
CONFLICT = told(
    listing(words("COMPLETE", "FAIL", "ABORT")), "Ends of different types that producers told of; there if they did."
)
_RUN: dict[str, Schema] = {
    "id": TEXT,
    "createdAt": MOMENT,
    "updatedAt": MOMENT,
    "nominalStartTime": told(nullable(TEXT), "As the producer wrote it."),
    "nominalEndTime": nullable(TEXT),
    "state": STATE,
    "startedAt": nullable(MOMENT),
    "endedAt": nullable(MOMENT),
    "durationMs": nullable(INTEGER),
    "args": mapping(TEXT),
    "jobVersion": told(nullable(ref("VersionName")), "Null if it names no dataset."),
    "inputDatasetVersions": listing(ref("RunDataset")),
    "outputDatasetVersions": listing(ref("RunDataset")),
    "facets": FACETS,
}
_SOMETIMES: dict[str, Schema] = {
    "conflict": CONFLICT,
    "endedAs": told(NAME, "The name that its job had when it ended."),
    "startedAs": told(NAME, "The name that its job had when it started."),
    "error": told(ref("ErrorMessage"), "Of the facet errorMessage."),
    "extractionError": ref("ExtractionError"),
    "namedOnly": told(YES, "Only its children tell of it."),
}
_LISTED: dict[str, Schema] = {
    "interval": told(ref("Interval"), "The run stands for all of a stream's in this stretch."),
}
_TRIED: dict[str, Schema] = {
    "runs": NUMBER,
    "completed": NUMBER,
    "failed": NUMBER,
    "aborted": NUMBER,
    "running": NUMBER,
    "successRate": told(nullable(REAL), "Of those that have ended, from 0 to 1."),
    "errorRate": nullable(REAL),
}
_MEASURED: dict[str, Schema] = {**_TRIED, "durationMs": record({"p50": nullable(REAL), "p95": nullable(REAL)})}
COMPONENTS: dict[str, Schema] = {
    "RunDataset": record(
        {
            "datasetVersionId": record({"namespace": TEXT, "name": TEXT, "version": nullable(TEXT)}),
            "facets": told(FACETS, "Those of this run: inputFacets or outputFacets."),
        },
        {
            "statistics": told(ref("IoStatistics"), "Of the facet inputStatistics or outputStatistics."),
            "quality": ref("QualityMetrics"),
            "assertions": listing(ref("Assertion")),
        },
    ),
    "Interval": record(
        {
            "runs": NUMBER,
            "states": told(mapping(NUMBER), "How many runs are in each state."),
            "startedAt": MOMENT,
            "lastStartedAt": MOMENT,
            "updatedAt": MOMENT,
            "durationMs": INTEGER,
            "firstRun": TEXT,
            "lastRun": TEXT,
            "offsets": listing(
                record(
                    {
                        "namespace": TEXT,
                        "name": TEXT,
                        "side": words("in", "out"),
                        "first": nullable(TEXT),
                        "last": TEXT,
                    }
                )
            ),
        },
        {"more": told(YES, "It may have begun earlier.")},
        about="Runs of a stream that followed each other, as one.",
    ),
    "Run": record(_RUN, {**_SOMETIMES, **_LISTED}),
    "RunAnswer": record(
        {**_RUN, "job": NAME},
        {**_SOMETIMES, "sharedWith": told(listing(NAME), "Other jobs that have a run of this id.")},
    ),
    "RunPage": page("runs", ref("Run"), horizon=True),
    "RunFacets": record({"runId": TEXT, "facets": FACETS}),
    "ChildRun": record(
        {
            "id": TEXT,
            "parent": told(TEXT, "The run that it is a part of: the one asked for, or another of the list."),
            "depth": told(NUMBER, "How many steps below the run asked for, from 1."),
            "job": NAME,
            "state": STATE,
            "createdAt": told(MOMENT, "Its first event."),
            "startedAt": nullable(MOMENT),
            "endedAt": nullable(MOMENT),
            "durationMs": nullable(INTEGER),
        }
    ),
    "ChildRuns": page(
        "children",
        ref("ChildRun"),
        {"runId": TEXT, "truncated": told(FLAG, "Whether there are more than were read, and counted.")},
        horizon=True,
    ),
    "UpstreamRuns": record(
        {
            "runs": listing(
                record(
                    {
                        "job": record({"namespace": TEXT, "name": TEXT, "version": nullable(TEXT)}),
                        "run": record(
                            {"id": TEXT, "start": nullable(MOMENT), "end": nullable(MOMENT), "status": STATE}
                        ),
                        "inputs": listing(
                            record(
                                {
                                    "namespace": TEXT,
                                    "name": TEXT,
                                    "version": nullable(TEXT),
                                    "producedByRunId": nullable(TEXT),
                                }
                            )
                        ),
                    }
                )
            ),
            "truncated": FLAG,
            "hidden_runs": NUMBER,
        }
    ),
    "Timeline": record(
        {
            "job": NAME,
            "durations": record({"runs": NUMBER, "p50Ms": nullable(REAL), "p95Ms": nullable(REAL)}),
            "gaps": record(
                {
                    "p50S": nullable(REAL),
                    "p95S": nullable(REAL),
                    "long": listing(record({"from": MOMENT, "to": MOMENT, "seconds": REAL})),
                }
            ),
            "runs": listing(ref("TimelineRun")),
            "totalCount": NUMBER,
        },
        {"horizon": MOMENT},
    ),
    "TimelineRun": record(
        {
            "id": TEXT,
            "state": STATE,
            "startedAt": MOMENT,
            "endedAt": nullable(MOMENT),
            "durationMs": nullable(INTEGER),
            "longerThanUsual": told(nullable(FLAG), "Null while too few runs tell what is usual, or it has not ended."),
            "gapBeforeS": nullable(REAL),
            "rowsRead": nullable(INTEGER),
            "rowsWritten": nullable(INTEGER),
            "bytesRead": nullable(INTEGER),
            "bytesWritten": nullable(INTEGER),
            "streaming": FLAG,
        },
        {"conflict": CONFLICT},
    ),
    "RunMetrics": record(
        {
            "from": MOMENT,
            "to": MOMENT,
            "pipelines": record({**_MEASURED, "recordsPerHour": REAL}),
            "byPipeline": listing(record({"namespace": TEXT, "name": TEXT, **_MEASURED})),
            "byStage": listing(record({"namespace": TEXT, "name": TEXT, **_MEASURED, "records": INTEGER})),
        }
    ),
}
_JOB = "/api/v1/namespaces/{namespace}/jobs/{job}"
READS: dict[str, Schema] = {
    "/api/v1/jobs/runs/{run_id}": ref("RunAnswer"),
    "/api/v1/jobs/runs/{run_id}/facets": ref("RunFacets"),
    "/api/v1/runs/{run_id}/children": ref("ChildRuns"),
    f"{_JOB}/runs": ref("RunPage"),
    f"{_JOB}/timeline": ref("Timeline"),
    "/api/v1/runlineage/upstream": ref("UpstreamRuns"),
    "/api/v1/metrics": ref("RunMetrics"),
}
