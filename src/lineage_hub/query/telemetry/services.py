"""A stretch of time enters; its services leave, and which called which: how often, how long, with how many errors."""

from __future__ import annotations

from lineage_hub.model import Scope
from lineage_hub.query.telemetry.asking import Answer, Telemetry
from lineage_hub.query.telemetry.calls import calls_between
from lineage_hub.query.telemetry.rollups import Source
from lineage_hub.wire import instant_text


def service_map(store: Telemetry, scope: Scope, since: int, until: int) -> Answer:
    source = Source(scope, (since, until), states=False)
    services = store.ask(
        f"""
        SELECT service_name AS name, sum(spans) AS spans, sum(errors) AS errors
        FROM {source.text} GROUP BY name ORDER BY name
        """,
        source.parameters,
    )
    calls = calls_between(store, scope, since, until)
    return {
        "from": instant_text(since),
        "to": instant_text(until),
        "services": services,
        "calls": [
            {
                "caller": caller,
                "callee": callee,
                "calls": found.calls,
                "errors": found.errors,
                "durationNs": {"mean": found.duration_sum / found.calls, "max": found.duration_max},
            }
            for (caller, callee), found in sorted(calls.items())
        ],
    }
