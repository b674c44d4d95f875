"""A stretch of time enters; its services leave, and which called which: how often, how long, with how many errors.

Counts are exact. Quantiles are those of every span or, where there are very many, of the rollups, as for operations.
"""

from __future__ import annotations

from lineage_hub.model import Scope
from lineage_hub.query.telemetry.asking import Answer, Telemetry
from lineage_hub.query.telemetry.calls import calls_between
from lineage_hub.query.telemetry.operations import MOST_READ, OperationsQuestion, figures, source_of
from lineage_hub.query.telemetry.rollups import SECOND_NS, Source
from lineage_hub.wire import instant_text


def service_map(store: Telemetry, scope: Scope, since: int, until: int) -> Answer:
    counted = Source(scope, (since, until), states=False)
    spans = store.ask(f"SELECT sum(spans) AS spans FROM {counted.text}", counted.parameters)[0]["spans"]
    exact = spans <= MOST_READ
    source, sums, parameters = source_of(scope, OperationsQuestion(since, until, exact=exact), 0)
    services = store.ask(f"SELECT service_name AS name, {sums} FROM {source} GROUP BY name ORDER BY name", parameters)
    calls = calls_between(store, scope, since, until)
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
