"""A day or a week and a time zone enter; how many events there were in each part of it, and how many things, leave."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from lineage_hub.errors import InvalidRequest
from lineage_hub.lineage.shapes import ABORT, COMPLETE, FAIL, START
from lineage_hub.query.datasets import visible_datasets
from lineage_hub.query.jobs import visible_jobs
from lineage_hub.query.mentions import first_mentions
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.query.sources import told_sources
from lineage_hub.wire import instant_text

Answer = list[dict[str, Any]]
DAY, WEEK = "DAY", "WEEK"
SECOND = 1_000_000_000
# Days begin at such a time in every zone of today.
QUARTER = 900 * SECOND
COUNTED = {"fail": FAIL, "start": START, "complete": COMPLETE, "abort": ABORT}


def bounds(period: str | None, zone: str | None, now: int) -> list[int]:
    """The times between the parts: 24 hours up to the present one, or 7 days of the zone up to today."""
    if period == DAY:
        hour = now - now % (3600 * SECOND)
        return [hour + number * 3600 * SECOND for number in range(-23, 2)]
    if period != WEEK:
        raise InvalidRequest(f"period={(period or '')[:40]!r} is unknown", subject="period", action="use DAY or WEEK")
    try:
        place = ZoneInfo(zone or "UTC")
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InvalidRequest(
            f"timezone={(zone or '')[:40]!r} is unknown", subject="timezone", action="name it like Europe/Berlin"
        ) from None
    today = datetime.fromtimestamp(now // SECOND, UTC).astimezone(place).date()
    days = [today + timedelta(days=number) for number in range(-6, 2)]
    return [int(datetime(day.year, day.month, day.day, tzinfo=place).timestamp()) * SECOND for day in days]


def events(snapshot: Snapshot, edges: list[int]) -> Answer:
    """By the time at which they happened."""
    counts = [dict.fromkeys(COUNTED, 0) for _ in edges[1:]]
    names = {kind: name for name, kind in COUNTED.items()}
    for number, kind, count in snapshot.reader.count_types(edges[0], edges[-1], QUARTER):
        if kind in names:
            counts[bisect_right(edges, edges[0] + number * QUARTER) - 1][names[kind]] += count
    return [{**part, **counts[at]} for at, part in enumerate(_parts(edges))]


def jobs(snapshot: Snapshot, edges: list[int]) -> Answer:
    return _growth(edges, _firsts(snapshot, visible_jobs(snapshot, None)))


def datasets(snapshot: Snapshot, edges: list[int]) -> Answer:
    return _growth(edges, _firsts(snapshot, visible_datasets(snapshot, None)))


def sources(snapshot: Snapshot, edges: list[int]) -> Answer:
    firsts = {name: told[2] for name, told in told_sources(snapshot).items()}
    for name, said in snapshot.said.sources.items():
        firsts[name] = min(said.first_at, firsts.get(name, said.first_at))
    return _growth(edges, firsts.values())


def _firsts(snapshot: Snapshot, entities: Iterable[int]) -> list[int]:
    """When each was first mentioned, under any of its names."""
    members = {entity: snapshot.joined((entity,)).all_of(entity) for entity in entities}
    firsts = first_mentions(snapshot, [name for group in members.values() for name in group])
    found = []
    for group in members.values():
        times = [firsts[name] for name in group if name in firsts]
        if times:
            found.append(min(times))
    return found


def _growth(edges: list[int], firsts: Iterable[int]) -> Answer:
    """How many there were at the end of each part."""
    ordered = sorted(firsts)
    return [{**part, "count": bisect_left(ordered, edges[at + 1])} for at, part in enumerate(_parts(edges))]


def _parts(edges: list[int]) -> list[dict[str, Any]]:
    return [{"startInterval": instant_text(start), "endInterval": instant_text(end)} for start, end in pairwise(edges)]
