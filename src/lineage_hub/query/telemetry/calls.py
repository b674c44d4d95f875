"""A stretch of time enters; calls between services in it leave, those of whole hours from memory if nothing was added.

A call is a span whose parent belongs to another service; to find parents is dear, and past hours hardly change.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple
from weakref import WeakKeyDictionary

from lineage_hub.model import Scope
from lineage_hub.query.telemetry.asking import DAY_NS, Row, Telemetry, Where
from lineage_hub.query.telemetry.rollups import HOUR_NS, SECOND_NS, Source, Stretch, around, whole

# OTLP's flags: that it is known whether the parent is in another process, and that it is.
_KNOWN, _REMOTE = 0x100, 0x200
# What was sent by a message is done after its sender has ended.
_JUST_NS = 600 * SECOND_NS
_MOST_HOURS = 10_000


class Calls(NamedTuple):
    calls: int
    errors: int
    duration_sum: int
    duration_max: int

    def and_also(self, other: Calls) -> Calls:
        return Calls(
            self.calls + other.calls,
            self.errors + other.errors,
            self.duration_sum + other.duration_sum,
            max(self.duration_max, other.duration_max),
        )


# By caller and callee.
ByPair = dict[tuple[str, str], Calls]
NO_CALLS = Calls(0, 0, 0, 0)
# By who asks and the hour: how many spans there were, which tells whether some came later, and what was found.
_Hours = dict[tuple[frozenset[str] | None, int], tuple[int, ByPair]]
_remembered: WeakKeyDictionary[Telemetry, _Hours] = WeakKeyDictionary()


def calls_between(store: Telemetry, scope: Scope, since: int, until: int) -> ByPair:
    hours = whole((since, until), HOUR_NS)
    parts = [found for stretch in around((since, until), hours) for found in _read(store, scope, stretch).values()]
    if hours is not None:
        parts += _of_hours(store, scope, range(hours[0] // HOUR_NS, hours[1] // HOUR_NS))
    total: ByPair = {}
    for part in parts:
        for pair, calls in part.items():
            total[pair] = total.get(pair, NO_CALLS).and_also(calls)
    return total


def _of_hours(store: Telemetry, scope: Scope, hours: range) -> list[ByPair]:
    memory = _remembered.setdefault(store, {})
    spans = _spans(store, scope, hours)
    # The callers of an hour may be those of a day before it, or of the hour that follows.
    seen = {hour: sum(spans.get(one, 0) for one in range(hour - 24, hour + 2)) for hour in hours}
    known = {hour: memory.get((scope.tenants, hour), (-1, {})) for hour in hours if spans.get(hour)}
    found = {hour: calls for hour, (then, calls) in known.items() if then == seen[hour]}
    for first, last in _together(hour for hour in known if hour not in found):
        read = _read(store, scope, (first * HOUR_NS, (last + 1) * HOUR_NS))
        for hour in range(first, last + 1):
            found[hour] = read.get(hour, {})
            memory[scope.tenants, hour] = (seen[hour], found[hour])
    while len(memory) > _MOST_HOURS:
        memory.pop(next(iter(memory)))
    return list(found.values())


def _spans(store: Telemetry, scope: Scope, hours: range) -> dict[int, int]:
    """How many spans each hour has, each of the day before, and the next."""
    source = Source(scope, (max(hours.start * HOUR_NS - DAY_NS, 0), (hours.stop + 1) * HOUR_NS), states=False)
    rows = store.ask(
        f"SELECT intDiv(second, 3600) AS hour, sum(spans) AS spans FROM {source.text} GROUP BY hour", source.parameters
    )
    return {row["hour"]: row["spans"] for row in rows}


def _together(hours: Iterable[int]) -> list[tuple[int, int]]:
    """The first and last of those that follow each other: one question for each."""
    found: list[tuple[int, int]] = []
    for hour in sorted(hours):
        if found and found[-1][1] == hour - 1:
            found[-1] = (found[-1][0], hour)
        else:
            found.append((hour, hour))
    return found


def _read(store: Telemetry, scope: Scope, stretch: Stretch) -> dict[int, ByPair]:
    """By the hour of the callee.

    The callees' spans are held and the callers' pass by: a span that is known to have a local parent is no callee.
    Ids are compared by a number made of both, which is several times as quick. A caller may have started up to a day
    before, if it was still at work or had just ended, and by its own clock a little later.
    """
    callee = Where(scope).starts_within(*stretch)
    caller = Where(scope).add(
        "timestamp >= fromUnixTimestamp64Nano({before:Int64}, 'UTC')"
        " AND timestamp < fromUnixTimestamp64Nano({after:Int64}, 'UTC')"
        " AND toUnixTimestamp64Nano(timestamp) + duration_ns >= {still:Int64}",
        before=max(stretch[0] - DAY_NS, 0),
        after=stretch[1] + _JUST_NS,
        still=max(stretch[0] - _JUST_NS, 0),
    )
    rows: list[Row] = store.ask(
        f"""
        SELECT caller.service_name AS caller, callee.service_name AS callee, callee.hour AS hour,
            count() AS calls, countIf(callee.status_code = 'ERROR') AS errors,
            sum(callee.duration_ns) AS total, max(callee.duration_ns) AS longest
        FROM (SELECT service_name, cityHash64(trace_id, span_id) AS id FROM traces WHERE {caller}) AS caller
        INNER JOIN (
            SELECT service_name, status_code, duration_ns, cityHash64(trace_id, parent_span_id) AS parent,
                intDiv(toUnixTimestamp64Nano(timestamp), {HOUR_NS}) AS hour
            FROM traces
            WHERE {callee} AND parent_span_id != '' AND bitAnd(flags, {{locality:UInt32}}) != {{local:UInt32}}
        ) AS callee ON caller.id = callee.parent
        WHERE caller.service_name != callee.service_name
        GROUP BY caller, callee, hour
        """,
        {**callee.parameters, **caller.parameters, "locality": _KNOWN | _REMOTE, "local": _KNOWN},
    )
    found: dict[int, ByPair] = {}
    for row in rows:
        one = Calls(row["calls"], row["errors"], row["total"], row["longest"])
        found.setdefault(row["hour"], {})[row["caller"], row["callee"]] = one
    return found
