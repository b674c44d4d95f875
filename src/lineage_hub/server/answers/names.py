"""Nothing enters; what answers call jobs, datasets, runs and errors by leaves, as named JSON schemas."""

from __future__ import annotations

from lineage_hub.server.schemas import INTEGER, TEXT, Schema, nullable, record, ref, told, words

COMPONENTS: dict[str, Schema] = {
    "Error": record(
        {
            "code": told(INTEGER, "The HTTP status."),
            "message": TEXT,
            "error": told(TEXT, "A stable name for the kind of error."),
            "subject": told(nullable(TEXT), "What it is about."),
            "action": told(nullable(TEXT), "What to do next."),
        }
    ),
    "Name": record({"namespace": TEXT, "name": TEXT}, about="Of a job or a dataset."),
    "VersionName": record({"namespace": TEXT, "name": TEXT, "version": TEXT}),
    "RunState": words("NEW", "RUNNING", "COMPLETED", "FAILED", "ABORTED"),
    "Side": words("input", "output"),
}
NAME, STATE = ref("Name"), ref("RunState")
