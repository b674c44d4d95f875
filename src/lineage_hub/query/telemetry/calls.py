"""A stretch of time enters; calls between services in it leave, those of past hours from memory if nothing was added.

A call is a span whose parent belongs to another service; to find parents is dear, and past hours hardly change. Of an
hour that the stretch cuts, the minutes are remembered, unless it takes little of that hour.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

from lineage_hub.model import Scope
from lineage_hub.query.telemetry.asking import DAY_NS, Row, Telemetry, Where, started_between
from lineage_hub.query.telemetry.rollups import (
    HOUR_NS,
    MINUTE_NS,
    SECOND_NS,
    Stretch,
    around,
    spans_of_hours,
    touched_hours,
    whole,
)

# OTLP's flags: that it is known whether the parent is in another process, and that it is.
_KNOWN, _REMOTE = 0x100, 0x200
# What was sent by a message is done after its sender has ended.
_JUST_NS = 600 * SECOND_NS
# Of an hour of which less is asked for, that is read each time.
_LONG_NS = HOUR_NS // 2
# Spans between edges that lie so close are passed by: to plan another question takes longer.
_NEAR_NS = 4 * HOUR_NS
_MOST_KEPT = 200_000


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
# Those of each minute or hour, by when it begins.
ByTime = dict[int, ByPair]
NO_CALLS = Calls(0, 0, 0, 0)


class _Memory:
    """By the unit of time, who asks and the hour: how many spans there were, which tells whether some came later."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: dict[tuple[int, frozenset[str] | None, int], tuple[int, ByTime]] = {}
        self._size = 0

    def recall(self, unit: int, scope: Scope, hour: int, spans: int) -> ByTime | None:
        with self._lock:
            then, found = self._kept.get((unit, scope.tenants, hour), (-1, {}))
        return found if then == spans else None

    def keep(self, unit: int, scope: Scope, hour: int, spans: int, found: ByTime) -> None:
        with self._lock:
            self._drop((unit, scope.tenants, hour))
            self._kept[unit, scope.tenants, hour] = (spans, found)
            self._size += _size(found)
            while self._size > _MOST_KEPT and len(self._kept) > 1:
                self._drop(next(iter(self._kept)))

    def _drop(self, key: tuple[int, frozenset[str] | None, int]) -> None:
        _, found = self._kept.pop(key, (0, None))
        self._size -= _size(found) if found is not None else 0


def _size(found: ByTime) -> int:
    return 1 + sum(map(len, found.values()))


_remembered: WeakKeyDictionary[Telemetry, _Memory] = WeakKeyDictionary()


def spans_around(store: Telemetry, scope: Scope, since: int, until: int) -> dict[int, int]:
    """How many spans each hour has that may tell of calls in the stretch: also those of a day before, and the next."""
    first, last = touched_hours((since, until))
    return spans_of_hours(store, scope, (first - 24, last + 1))


def calls_between(store: Telemetry, scope: Scope, since: int, until: int, spans: Mapping[int, int]) -> ByPair:
    """`spans` are those around it, by the hour."""
    wholes, longs, edges = _divided((since, until))
    parts = [calls for found in _of_hours(store, scope, HOUR_NS, wholes, spans) for calls in found.values()]
    for found in _of_hours(store, scope, MINUTE_NS, longs, spans):
        parts += [calls for at, calls in found.items() if longs[at // HOUR_NS][0] <= at < longs[at // HOUR_NS][1]]
    for some in _near(edges):
        parts += _read(store, scope, some, HOUR_NS).values()
    total: ByPair = {}
    for part in parts:
        for pair, one in part.items():
            total[pair] = total.get(pair, NO_CALLS).and_also(one)
    return total


def _divided(stretch: Stretch) -> tuple[list[int], dict[int, Stretch], list[Stretch]]:
    """Whole hours; hours of which most is in it, with the whole minutes that are; and what is left, to be read."""
    hours = whole(stretch, HOUR_NS)
    wholes = list(range(hours[0] // HOUR_NS, hours[1] // HOUR_NS)) if hours is not None else []
    longs: dict[int, Stretch] = {}
    read: list[Stretch] = []
    for edge in around(stretch, hours):
        # Without a whole hour it may lie in two of them.
        middle = min(-(-(edge[0] + 1) // HOUR_NS) * HOUR_NS, edge[1])
        for piece in ((edge[0], middle), (middle, edge[1])):
            minutes = whole(piece, MINUTE_NS) if piece[1] - piece[0] >= _LONG_NS else None
            if minutes is not None:
                longs[piece[0] // HOUR_NS] = minutes
            read += around(piece, minutes)
    return wholes, longs, read


def _of_hours(
    store: Telemetry, scope: Scope, unit: int, hours: Collection[int], spans: Mapping[int, int]
) -> list[ByTime]:
    memory = _remembered.setdefault(store, _Memory())
    # The callers of an hour may be those of a day before it, or of the hour that follows.
    seen = {hour: sum(spans.get(one, 0) for one in range(hour - 24, hour + 2)) for hour in hours if spans.get(hour)}
    found = {hour: memory.recall(unit, scope, hour, count) for hour, count in seen.items()}
    for first, last in _together(hour for hour, known in found.items() if known is None):
        read = _read(store, scope, [(first * HOUR_NS, (last + 1) * HOUR_NS)], unit)
        for hour in range(first, last + 1):
            found[hour] = of_hour = {at: calls for at, calls in read.items() if at // HOUR_NS == hour}
            memory.keep(unit, scope, hour, seen[hour], of_hour)
    return [known for known in found.values() if known is not None]


def _together(hours: Iterable[int]) -> list[tuple[int, int]]:
    """The first and last of those that follow each other: one question for each."""
    found: list[tuple[int, int]] = []
    for hour in sorted(hours):
        if found and found[-1][1] == hour - 1:
            found[-1] = (found[-1][0], hour)
        else:
            found.append((hour, hour))
    return found


def _near(edges: Iterable[Stretch]) -> list[list[Stretch]]:
    """In the order of time, those together between which little lies: one question for each."""
    found: list[list[Stretch]] = []
    for edge in edges:
        if found and edge[0] - found[-1][-1][1] < _NEAR_NS:
            found[-1].append(edge)
        else:
            found.append([edge])
    return found


def _read(store: Telemetry, scope: Scope, stretches: Sequence[Stretch], unit: int) -> ByTime:
    """By the hour or minute in which the callee began.

    The callees' spans are held and the callers' pass by: a span that is known to have a local parent is no callee.
    Ids are compared by a number made of both, which is several times as quick. A caller may have started up to a day
    before, if it was still at work or had just ended, and by its own clock a little later.
    """
    callees, callers = [], []
    times: dict[str, int] = {}
    for number, (since, until) in enumerate(stretches):
        callees.append(f"({started_between(f'since_{number}', f'until_{number}')})")
        callers.append(
            f"({started_between(f'before_{number}', f'after_{number}')}"
            f" AND toUnixTimestamp64Nano(timestamp) + duration_ns >= {{still_{number}:Int64}})"
        )
        times |= {
            f"since_{number}": max(since, 0),
            f"until_{number}": max(until, 0),
            f"before_{number}": max(since - DAY_NS, 0),
            f"after_{number}": until + _JUST_NS,
            f"still_{number}": max(since - _JUST_NS, 0),
        }
    callee, caller = (Where(scope).add(f"({' OR '.join(either)})", **times) for either in (callees, callers))
    rows: list[Row] = store.ask(
        f"""
        SELECT caller.service_name AS caller, callee.service_name AS callee, callee.at AS at,
            count() AS calls, countIf(callee.status_code = 'ERROR') AS errors,
            sum(callee.duration_ns) AS total, max(callee.duration_ns) AS longest
        FROM (SELECT service_name, cityHash64(trace_id, span_id) AS id FROM traces WHERE {caller}) AS caller
        INNER JOIN (
            SELECT service_name, status_code, duration_ns, cityHash64(trace_id, parent_span_id) AS parent,
                intDiv(toUnixTimestamp64Nano(timestamp), {unit}) * {unit} AS at
            FROM traces
            WHERE {callee} AND parent_span_id != '' AND bitAnd(flags, {{locality:UInt32}}) != {{local:UInt32}}
        ) AS callee ON caller.id = callee.parent
        WHERE caller.service_name != callee.service_name
        GROUP BY caller, callee, at
        """,
        {**callee.parameters, **caller.parameters, "locality": _KNOWN | _REMOTE, "local": _KNOWN},
    )
    found: ByTime = {}
    for row in rows:
        one = Calls(row["calls"], row["errors"], row["total"], row["longest"])
        found.setdefault(row["at"], {})[row["caller"], row["callee"]] = one
    return found
