"""Nothing enters; what the route that explains a run answers leaves, as named JSON schemas."""

from __future__ import annotations

from lineage_hub.lineage.causes.findings import KINDS
from lineage_hub.server.answers.names import NAME, STATE
from lineage_hub.server.schemas import (
    FLAG,
    MOMENT,
    NUMBER,
    REAL,
    TEXT,
    Schema,
    listing,
    nullable,
    record,
    ref,
    told,
    words,
)

_AMOUNT: Schema = {"anyOf": [REAL, TEXT, {"type": "null"}]}
COMPONENTS: dict[str, Schema] = {
    "Verdict": told(
        words("failed", "late", "running", "as_usual", "unknown"), "`unknown` where earlier runs are too few to tell."
    ),
    "CauseKind": words(*KINDS),
    "ExplainedRun": record({"id": TEXT, "job": NAME, "state": STATE, "startedAt": MOMENT, "endedAt": nullable(MOMENT)}),
    "Figure": record(
        {"name": TEXT, "usual": _AMOUNT, "now": _AMOUNT, "unit": told(TEXT, "Such as s or By; empty for a count.")}
    ),
    "Cause": record(
        {
            "kind": ref("CauseKind"),
            "score": told(REAL, "From 0 to 1."),
            "subject": told(TEXT, "run:…, job:…, dataset:… or span:…"),
            "sentence": TEXT,
            "delaySeconds": told(nullable(REAL), "How much of the delay it explains."),
            "evidence": record(
                {
                    "runs": listing(ref("ExplainedRun")),
                    "datasets": listing(NAME),
                    "spans": told(listing(TEXT), "Their ids."),
                    "figures": listing(ref("Figure")),
                    "messages": listing(TEXT),
                }
            ),
            "because": told(listing(ref("Cause")), "Why that came about."),
        }
    ),
    "Explanation": record(
        {
            "run": ref("ExplainedRun"),
            "verdict": ref("Verdict"),
            "sentence": TEXT,
            "delaySeconds": nullable(REAL),
            "earlierRuns": told(NUMBER, "Completed ones of the job that it was compared with."),
            "causes": told(listing(ref("Cause")), "The likeliest first."),
            "telemetry": record(
                {
                    "state": words("none", "used", "unavailable"),
                    "runs": told(NUMBER, "Of which spans were found."),
                    "inferred": told(NUMBER, "Of which these were joined by name and time only."),
                },
                {"message": told(TEXT, "Why telemetry is unavailable.")},
            ),
            "jobsLookedAt": NUMBER,
            "truncated": FLAG,
        }
    ),
}
READS: dict[str, Schema] = {"/api/v1/runs/{run_id}/why": ref("Explanation")}
