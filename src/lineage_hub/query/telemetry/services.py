"""A stretch of time enters; which services called which leaves, how often, how long and with how many errors.

A call is a span whose parent belongs to another service.
"""

from __future__ import annotations

from lineage_hub.model import Scope
from lineage_hub.query.telemetry.asking import DAY_NS, Answer, Telemetry, Where
from lineage_hub.query.telemetry.rollups import NAMES, Source
from lineage_hub.wire import instant_text

# OTLP's flags: that it is known whether the parent is in another process, and that it is.
_KNOWN, _REMOTE = 0x100, 0x200


def service_map(store: Telemetry, scope: Scope, since: int, until: int) -> Answer:
    services = store.ask(*_services(scope, since, until))
    calls = store.ask(*_calls(scope, since, until))
    return {
        "from": instant_text(since),
        "to": instant_text(until),
        "services": [{"name": row["name"], "spans": row["spans"], "errors": row["errors"]} for row in services],
        "calls": [
            {
                "caller": row["caller"],
                "callee": row["callee"],
                "calls": row["calls"],
                "errors": row["errors"],
                "durationNs": dict(zip(NAMES, row["quantiles"], strict=True)),
            }
            for row in calls
        ],
    }


def _services(scope: Scope, since: int, until: int) -> tuple[str, dict[str, object]]:
    source = Source(scope, (since, until))
    return (
        f"""
        SELECT service_name AS name, sum(spans) AS spans, sum(errors) AS errors
        FROM {source.text} GROUP BY name ORDER BY name
        """,
        source.parameters,
    )


def _calls(scope: Scope, since: int, until: int) -> tuple[str, dict[str, object]]:
    """The callee's spans are held and the callers' pass by: a span that is known to have a local parent is no callee.

    Ids of spans are compared as numbers, which is much quicker than as text. A caller may have started long before.
    """
    inner = Where(scope).starts_within(since, until)
    outer = Where(scope).add(
        "timestamp >= fromUnixTimestamp64Nano({before:Int64}, 'UTC')"
        " AND timestamp < fromUnixTimestamp64Nano({until:Int64}, 'UTC')",
        before=max(since - DAY_NS, 0),
    )
    return (
        f"""
        SELECT caller.service_name AS caller, callee.service_name AS callee, count() AS calls,
            countIf(callee.status_code = 'ERROR') AS errors,
            quantilesExactInclusive(0.5, 0.95, 0.99)(callee.duration_ns) AS quantiles
        FROM (
            SELECT service_name, trace_id, reinterpretAsUInt64(unhex(span_id)) AS id FROM traces WHERE {outer}
        ) AS caller
        INNER JOIN (
            SELECT service_name, trace_id, status_code, duration_ns,
                reinterpretAsUInt64(unhex(parent_span_id)) AS parent
            FROM traces
            WHERE {inner} AND parent_span_id != '' AND bitAnd(flags, {{locality:UInt32}}) != {{local:UInt32}}
        ) AS callee ON caller.id = callee.parent
        WHERE caller.trace_id = callee.trace_id AND caller.service_name != callee.service_name
        GROUP BY caller, callee ORDER BY caller, callee
        """,
        {**inner.parameters, **outer.parameters, "locality": _KNOWN | _REMOTE, "local": _KNOWN},
    )
