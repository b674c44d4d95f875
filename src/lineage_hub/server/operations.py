"""Routes enter; the name of each operation leaves, which clients that are made from the document call it by.

A name lasts: whoever changes one breaks programs. It is the function's, unless that is too short to stand alone.
"""

from __future__ import annotations

from collections.abc import Iterable

from fastapi.routing import APIRoute
from starlette.routing import BaseRoute

_NAMED = {
    ("get", "/api/v1/search"): "searchNames",
    ("get", "/api/v1/stream"): "listenToStream",
    ("get", "/api/v1/events"): "listEventsByOldPath",
    ("get", "/api/v1/lineage/diff"): "getLineageDiff",
    ("get", "/api/v1/runs/{run_id}/compare/{other_id}"): "compareRuns",
    ("get", "/api/v1/runs/{run_id}/why"): "explainRun",
    ("get", "/api/v1/analytics/success"): "getSuccessRates",
    ("get", "/api/v1/analytics/durations"): "getRunDurations",
    ("get", "/api/v1/analytics/errors"): "getErrorRates",
    ("get", "/api/v1/analytics/records"): "getRecordsWritten",
    ("get", "/api/v1/analytics/resources"): "getResourceUse",
    ("get", "/api/v1/telemetry/services"): "getServiceMap",
    ("get", "/api/v1/rules/history"): "listRuleChanges",
    ("post", "/api/v1/rules/undo"): "undoRules",
    ("post", "/api/v1/rules/{kind}/preview"): "previewRules",
    ("post", "/api/v1/rules/{kind}/apply"): "applyRules",
    ("get", "/api/v1/dead-letters"): "listDeadLetters",
    ("get", "/api/v1/dead-letters/{letter_id}"): "getDeadLetter",
    ("patch", "/api/v1/dead-letters/{letter_id}"): "editDeadLetter",
    ("delete", "/api/v1/dead-letters/{letter_id}"): "dropDeadLetter",
    ("post", "/api/v1/dead-letters/{letter_id}/replay"): "replayDeadLetter",
    ("post", "/api/v1/dead-letters/replay"): "replayDeadLetters",
    ("post", "/api/v1/retention/sweep"): "startSweep",
    ("get", "/api/v1/pipeline/run/{run_id}"): "getPipelineRun",
    ("get", "/metrics"): "getPrometheusMetrics",
    ("get", "/livez"): "getLiveness",
    ("get", "/readyz"): "getReadiness",
}


def operation_ids(routes: Iterable[BaseRoute]) -> dict[tuple[str, str], str]:
    """By method and path, as the document has them."""
    found = {}
    for route in routes:
        if isinstance(route, APIRoute):
            for method in route.methods or ():
                where = method.lower(), route.path_format
                found[where] = route.operation_id or _NAMED.get(where) or _camel(route.name)
    return found


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
