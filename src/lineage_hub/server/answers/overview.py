"""Nothing enters; what the routes of the page's first screen and of its badges answer leaves, as named JSON schemas."""

from __future__ import annotations

from lineage_hub.server.answers.names import NAME, STATE
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

_SECONDS: Schema = {"type": "number", "minimum": 0}
_STATES = ("total", "completed", "failed", "aborted", "running", "new")
_CHANGED = ("added", "removed", "changed", "renamed", "moved", "described")


def _part(items: str, **more: Schema) -> Schema:
    """`truncated` says that not everything was looked at yet, so that there may be more than `count`."""
    return record({"count": NUMBER, "items": listing(ref(items)), "truncated": FLAG, **more})


COMPONENTS: dict[str, Schema] = {
    "FailedRun": record({"run": TEXT, "job": NAME, "failedAt": MOMENT, "error": nullable(TEXT)}),
    "LateDataset": record({"dataset": NAME, "dueAt": MOMENT, "lateSince": MOMENT, "lateS": _SECONDS, "learned": FLAG}),
    "FailingCheck": record({"dataset": NAME, "assertion": TEXT, "column": nullable(TEXT), "failingSince": MOMENT}),
    "ChangedColumn": record(
        {
            "how": words("added", "removed", "changed", "renamed"),
            "column": TEXT,
            "before": told(nullable(TEXT), "Its type; of a renamed column its name."),
            "after": nullable(TEXT),
        }
    ),
    "ChangedSchema": record(
        {
            "dataset": NAME,
            "at": MOMENT,
            "kind": words("changed", "taken back"),
            **dict.fromkeys(_CHANGED, NUMBER),
            "columns": told(
                listing(ref("ChangedColumn")), "The first three that were added, removed, changed, renamed."
            ),
        }
    ),
    "SilentProducer": record(
        {
            "producer": TEXT,
            "integration": nullable(TEXT),
            "version": nullable(TEXT),
            "lastEventAt": MOMENT,
            "usualGapS": _SECONDS,
            "silentForS": _SECONDS,
        }
    ),
    "Overview": record(
        {
            "at": MOMENT,
            "from": MOMENT,
            "hours": NUMBER,
            "counts": record({"jobs": NUMBER, "datasets": NUMBER, "namespaces": NUMBER}),
            "runs": record({**dict.fromkeys(_STATES, NUMBER), "truncated": FLAG}),
            "failedRuns": _part("FailedRun"),
            "lateDatasets": _part("LateDataset"),
            "failingChecks": _part("FailingCheck", passing=NUMBER),
            "schemaChanges": _part("ChangedSchema"),
            "silentProducers": _part("SilentProducer"),
            "events": record(
                {
                    "total": NUMBER,
                    "perMinute": told(_SECONDS, "Of the last five minutes."),
                    "perHour": listing(record({"from": MOMENT, "events": NUMBER})),
                }
            ),
            "deadLetters": told(nullable(NUMBER), "Null for a moment in the past: what waited then is not kept."),
            "truncated": told(FLAG, "Whether any part is."),
        },
        HORIZON,
    ),
    "JobBadge": record({"id": TEXT, "type": {"const": "JOB"}, "lastRunState": nullable(STATE)}),
    "DatasetBadge": record(
        {
            "id": TEXT,
            "type": {"const": "DATASET"},
            "freshness": words("fresh", "due", "late", "unknown"),
            "learned": told(FLAG, "Judged by its habit: nobody set what is expected."),
            "passing": NUMBER,
            "failing": NUMBER,
        }
    ),
    "Badges": record(
        {
            "at": MOMENT,
            "badges": listing({"anyOf": [ref("JobBadge"), ref("DatasetBadge")]}),
            "unknown": told(listing(TEXT), "Ids of which nothing is known at the moment."),
            "truncated": FLAG,
        }
    ),
    "SampleLoaded": record(
        {
            "events": told(NUMBER, "Different ones; some of a real week come twice, too."),
            "spans": told(nullable(NUMBER), "Null where the hub takes no telemetry."),
            "from": MOMENT,
            "to": MOMENT,
            "node": told(TEXT, "The dataset to look at first."),
        }
    ),
}
READS: dict[str, Schema] = {"/api/v1/overview": ref("Overview"), "/api/v1/badges": ref("Badges")}
