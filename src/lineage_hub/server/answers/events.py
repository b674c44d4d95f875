"""Nothing enters; events as they are sent and shown, and the messages of the stream leave, as named JSON schemas."""

from __future__ import annotations

from lineage_hub.server.answers.names import NAME, STATE
from lineage_hub.server.schemas import (
    FLAG,
    HORIZON,
    INTEGER,
    MOMENT,
    NUMBER,
    TEXT,
    TIME,
    Schema,
    listing,
    nullable,
    obj,
    record,
    ref,
    told,
    words,
)
from lineage_hub.server.schemas import NAME as SENT_NAME

_FACETS: Schema = nullable({"type": "object", "additionalProperties": True})
_RUN = obj(("runId",), runId=SENT_NAME, facets=_FACETS)
_JOB = obj(("namespace", "name"), namespace=SENT_NAME, name=SENT_NAME, facets=_FACETS)
_SIDES: dict[str, Schema] = {
    "inputs": nullable(listing(ref("Dataset"))),
    "outputs": nullable(listing(ref("Dataset"))),
}
_COMMON: dict[str, Schema] = {"eventTime": TIME, "producer": TEXT, "schemaURL": {}}
_TYPE = words("START", "RUNNING", "COMPLETE", "FAIL", "ABORT", "OTHER")
_NULL: Schema = {"type": "null"}
# As it was sent: key order, unknown members and all.
SENT: Schema = {"type": "object", "additionalProperties": True, "description": "The event as it was sent."}
_COUNTED = told(NUMBER, "There if there are more than are named.")
COMPONENTS: dict[str, Schema] = {
    "Dataset": obj(
        ("namespace", "name"),
        namespace=SENT_NAME,
        name=SENT_NAME,
        facets=_FACETS,
        inputFacets=_FACETS,
        outputFacets=_FACETS,
    ),
    "RunEvent": obj(
        ("eventTime", "producer", "run", "job"), eventType=nullable(_TYPE), run=_RUN, job=_JOB, **_SIDES, **_COMMON
    ),
    "JobEvent": obj(("eventTime", "producer", "job"), job=_JOB, run=_NULL, **_SIDES, **_COMMON),
    "DatasetEvent": obj(("eventTime", "producer", "dataset"), dataset=ref("Dataset"), run=_NULL, job=_NULL, **_COMMON),
    "Event": {"anyOf": [ref("RunEvent"), ref("JobEvent"), ref("DatasetEvent")]},
    "SentEvent": SENT,
    "EventPage": record(
        {
            "totalCount": NUMBER,
            "events": listing(ref("SentEvent")),
            "ids": told(listing(TEXT), "Of the events, in the same order."),
        },
        HORIZON,
    ),
    "RewrittenName": record(
        {"kind": words("job", "dataset"), "from": NAME, "to": NAME, "rules": told(listing(TEXT), "Ids of the rules.")}
    ),
    "EventAnswer": record(
        {
            "id": TEXT,
            "tenant": TEXT,
            "eventTime": MOMENT,
            "knownAt": MOMENT,
            "warnings": listing(record({"where": TEXT, "warning": TEXT})),
            "event": ref("SentEvent"),
        },
        {
            "rewritten": told(
                record(
                    {},
                    {
                        "names": listing(ref("RewrittenName")),
                        "facets": listing(
                            record(
                                {
                                    "place": words("run", "job", "dataset", "input", "output"),
                                    "facet": TEXT,
                                    "action": words("drop", "trim", "aside"),
                                    "rule": TEXT,
                                    "bytes": NUMBER,
                                }
                            )
                        ),
                    },
                ),
                "What rules make of it; there if they do.",
            )
        },
    ),
    "EventMessage": record(
        {
            "id": TEXT,
            "kind": words("RunEvent", "JobEvent", "DatasetEvent"),
            "eventType": nullable(_TYPE),
            "eventTime": MOMENT,
            "knownAt": MOMENT,
            "tenant": TEXT,
            "run": nullable(TEXT),
        },
        {
            "dataset": told(NAME, "Of a DatasetEvent."),
            "job": told(NAME, "Of the others."),
            "inputs": listing(NAME),
            "inputsCount": _COUNTED,
            "outputs": listing(NAME),
            "outputsCount": _COUNTED,
        },
        about="The data of a message `events` of the stream.",
    ),
    "RunMessage": record(
        {
            "run": TEXT,
            "job": NAME,
            "state": STATE,
            "stateBefore": nullable(STATE),
            "startedAt": MOMENT,
            "endedAt": nullable(MOMENT),
            "durationMs": nullable(INTEGER),
            "event": TEXT,
        },
        about="The data of a message `runs` of the stream.",
    ),
    "ChangeMessage": record(
        {
            "event": TEXT,
            "eventTime": MOMENT,
            "jobs": listing(NAME),
            "datasets": listing(NAME),
            "movesNames": told(FLAG, "Whether names may stand for other datasets from now on."),
        },
        {"datasetsCount": _COUNTED},
        about="The data of a message `changes` of the stream.",
    ),
}
READS: dict[str, Schema] = {
    "/api/v1/events": ref("EventPage"),
    "/api/v1/events/lineage": ref("EventPage"),
    "/api/v1/events/{event_id}": ref("EventAnswer"),
}
