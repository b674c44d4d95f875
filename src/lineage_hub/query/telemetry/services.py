"""A stretch of time enters; its services leave, and which called which: how often, how long, with how many errors.

Counts are exact. Quantiles are those of every span or, where there are very many, of the rollups, as for operations.
"""

from __future__ import annotations

from dataclasses import replace

from lineage_hub.model import Scope
from lineage_hub.query.telemetry.asking import Answer, Telemetry
from lineage_hub.query.telemetry.calls import calls_between, spans_around
from lineage_hub.query.telemetry.operations import OperationsQuestion, are_few, figures, source_of
from lineage_hub.query.telemetry.rollups import SECOND_NS
from lineage_hub.wire import instant_text


def service_map(store: Telemetry, scope: Scope, since: int, until: int) -> Answer:
    by_hour = spans_around(store, scope, since, until)
    asked = OperationsQuestion(since, until)
    exact = are_few(store, scope, asked, by_hour)
    source, sums, parameters = source_of(scope, replace(asked, exact=exact), 0)
    services = store.ask(f"SELECT service_name AS name, {sums} FROM {source} GROUP BY name ORDER BY name", parameters)
    calls = calls_between(store, scope, since, until, by_hour)
    seconds = (until - since) / SECOND_NS
    return {
        "from": instant_text(since),
        "to": instant_text(until),
        "quantilesExact": exact,
        "services": [{"name": row["name"], **figures(row, seconds, exact)} for row in services],
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
