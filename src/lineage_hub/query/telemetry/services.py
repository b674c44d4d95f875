"""A stretch of time enters; which services called which leaves, how often, how long and with how many errors.

A call is a span whose parent belongs to another service.
"""

from __future__ import annotations

from lineage_hub.model import Scope
from lineage_hub.query.telemetry.asking import DAY_NS, Answer, Telemetry, Where
from lineage_hub.query.telemetry.rollups import NAMES, SECOND_NS, Source
from lineage_hub.wire import instant_text

# OTLP's flags: that it is known whether the parent is in another process, and that it is.
_KNOWN, _REMOTE = 0x100, 0x200
# What was sent by a message is done after its sender has ended.
_JUST_NS = 600 * SECOND_NS


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
    source = Source(scope, (since, until), states=False)
    return (
        f"""
        SELECT service_name AS name, sum(spans) AS spans, sum(errors) AS errors
        FROM {source.text} GROUP BY name ORDER BY name
        """,
        source.parameters,
    )


def _calls(scope: Scope, since: int, until: int) -> tuple[str, dict[str, object]]:
    """The callee's spans are held and the callers' pass by: a span that is known to have a local parent is no callee.

    Ids are compared by a number made of both, which is several times as quick. A caller may have started up to a day
    before, if it was still at work or had just ended.
    """
    inner = Where(scope).starts_within(since, until)
    outer = Where(scope).add(
        "timestamp >= fromUnixTimestamp64Nano({before:Int64}, 'UTC')"
        " AND timestamp < fromUnixTimestamp64Nano({until:Int64}, 'UTC')"
        " AND toUnixTimestamp64Nano(timestamp) + duration_ns >= {still:Int64}",
        before=max(since - DAY_NS, 0),
        still=max(since - _JUST_NS, 0),
    )
    return (
        f"""
        SELECT caller.service_name AS caller, callee.service_name AS callee, count() AS calls,
            countIf(callee.status_code = 'ERROR') AS errors,
            quantilesExactInclusive(0.5, 0.95, 0.99)(callee.duration_ns) AS quantiles
        FROM (
            SELECT service_name, cityHash64(trace_id, span_id) AS id FROM traces WHERE {outer}
        ) AS caller
        INNER JOIN (
            SELECT service_name, status_code, duration_ns, cityHash64(trace_id, parent_span_id) AS parent
            FROM traces
            WHERE {inner} AND parent_span_id != '' AND bitAnd(flags, {{locality:UInt32}}) != {{local:UInt32}}
        ) AS callee ON caller.id = callee.parent
        WHERE caller.service_name != callee.service_name
        GROUP BY caller, callee ORDER BY caller, callee
        """,
        {**inner.parameters, **outer.parameters, "locality": _KNOWN | _REMOTE, "local": _KNOWN},
    )
