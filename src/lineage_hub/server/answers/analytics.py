"""Nothing enters; what the routes about runs, resources and metrics over time answer leaves, as named JSON schemas."""

from __future__ import annotations

from lineage_hub.server.answers.telemetry import STRETCH
from lineage_hub.server.schemas import (
    FLAG,
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

_RATES: dict[str, Schema] = {
    "runs": NUMBER,
    "completed": NUMBER,
    "failed": NUMBER,
    "aborted": NUMBER,
    "running": NUMBER,
    "successRate": told(nullable(REAL), "Of those that have ended, from 0 to 1."),
    "errorRate": nullable(REAL),
}
_OF_STAGE: dict[str, Schema] = {
    "namespace": told(TEXT, "The tenant."),
    "pipeline": TEXT,
    "stage": told(nullable(TEXT), "Null for the pipeline itself."),
}
_WRITTEN: dict[str, Schema] = {"records": REAL, "recordsPerHour": REAL, "bytes": REAL, "bytesPerHour": REAL}
# A number that is none, or infinite, has no word in JSON.
_VALUE = nullable(REAL)
_KIND: dict[str, Schema] = {
    "type": words("gauge", "sum", "histogram", "exponential_histogram", "summary"),
    "unit": TEXT,
    "temporality": nullable(words("DELTA", "CUMULATIVE")),
    "monotonic": told(nullable(FLAG), "Of a sum."),
}
_OF_SPANS = (
    "tasks",
    "cpuNs",
    "gcMs",
    "peakMemoryBytes",
    "recordsIn",
    "bytesIn",
    "recordsOut",
    "bytesOut",
    "shuffleReadBytes",
    "shuffleWrittenBytes",
    "spilledBytes",
)
COMPONENTS: dict[str, Schema] = {
    "SuccessRates": record(
        {
            **STRETCH,
            "stepS": NUMBER,
            **_RATES,
            "steps": told(listing(record({"at": MOMENT, **_RATES})), "Those in which something started."),
        }
    ),
    "DurationsMs": record(dict.fromkeys(("p50", "p95", "p99", "mean", "max"), REAL)),
    "DurationSteps": record(
        {
            **STRETCH,
            "stepS": NUMBER,
            "runs": told(NUMBER, "That have ended."),
            "durationMs": told(nullable(ref("DurationsMs")), "Null if none has ended."),
            "steps": told(
                listing(record({"at": MOMENT, "runs": NUMBER, "durationMs": ref("DurationsMs")})),
                "Those in which a run started that has ended.",
            ),
        }
    ),
    "RunDurations": page(
        "durations",
        record(
            {
                **_OF_STAGE,
                "runs": NUMBER,
                "durationMs": ref("DurationsMs"),
            }
        ),
        STRETCH,
    ),
    "ErrorRates": page(
        "errors",
        record(
            {
                **_OF_STAGE,
                **_RATES,
                "lastError": nullable(record({"runId": TEXT, "startedAt": MOMENT, "message": nullable(TEXT)})),
            }
        ),
        STRETCH,
    ),
    "RecordsWritten": record(
        {
            **STRETCH,
            "stepS": NUMBER,
            **_WRITTEN,
            "steps": listing(record({"at": MOMENT, **_WRITTEN})),
            "byPipeline": listing(record({"namespace": TEXT, "pipeline": TEXT, **_WRITTEN})),
        }
    ),
    "ResourceUse": record(
        {
            **STRETCH,
            "pipelines": told(
                listing(
                    record(
                        {
                            "namespace": TEXT,
                            "pipeline": told(nullable(TEXT), "Null for spans of a run that no event told of."),
                            "stage": nullable(TEXT),
                            "runs": NUMBER,
                            "spans": NUMBER,
                            **dict.fromkeys(_OF_SPANS, REAL),
                        }
                    )
                ),
                "What the spans of Spark's stages tell.",
            ),
            "services": told(
                listing(
                    record(
                        {
                            "namespace": TEXT,
                            "service": TEXT,
                            "cpu": mapping(record({"seconds": _VALUE})),
                            "memory": mapping(record({"maxBytes": _VALUE, "meanBytes": _VALUE})),
                        }
                    )
                ),
                "By the names of the metrics that tell it.",
            ),
        }
    ),
    "Metric": record(
        {
            "name": TEXT,
            **_KIND,
            "description": nullable(TEXT),
            "services": listing(TEXT),
            "points": NUMBER,
            "lastAt": MOMENT,
        }
    ),
    "MetricPage": page("metrics", ref("Metric")),
    "MetricPoint": record(
        {"at": MOMENT},
        {
            "value": told(_VALUE, "Of a gauge the last one, of a sum that goes up and down its level."),
            "increase": told(_VALUE, "Of a sum that only grows, or of differences."),
            "rate": told(_VALUE, "A second: of the increase, or of a histogram's count."),
            "count": NUMBER,
            "sum": _VALUE,
            "mean": _VALUE,
            "min": _VALUE,
            "max": _VALUE,
            "p50": _VALUE,
            "p95": _VALUE,
            "p99": _VALUE,
            "quantiles": told(mapping(_VALUE), "Of a summary."),
        },
    ),
    "MetricSeries": record(
        {
            "name": TEXT,
            **STRETCH,
            "stepS": NUMBER,
            "totalCount": NUMBER,
            "series": listing(
                record(
                    {
                        "service": TEXT,
                        "attributes": mapping(TEXT),
                        **_KIND,
                        "points": listing(ref("MetricPoint")),
                    }
                )
            ),
        }
    ),
}
READS: dict[str, Schema] = {
    "/api/v1/analytics/success": ref("SuccessRates"),
    "/api/v1/analytics/durations/steps": ref("DurationSteps"),
    "/api/v1/analytics/durations": ref("RunDurations"),
    "/api/v1/analytics/errors": ref("ErrorRates"),
    "/api/v1/analytics/records": ref("RecordsWritten"),
    "/api/v1/analytics/resources": ref("ResourceUse"),
    "/api/v1/telemetry/metrics": ref("MetricPage"),
    "/api/v1/telemetry/metrics/{name}": ref("MetricSeries"),
}
