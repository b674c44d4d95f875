"""The times at which a dataset was written enter; how often it usually is leaves, or nothing if that can't be told.

Weekends may be silent or slower than weekdays; a few odd gaps (an outage, a rerun, a burst) don't change the habit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple
from zoneinfo import ZoneInfo

from lineage_hub.lineage.weekends import (
    after_weekday_time,
    is_weekend,
    stretches,
    weekday_time,
    whole_weekends,
)

Pattern = Literal["every day", "weekdays", "weekdays and weekends"]
# What was before is another habit.
MOST_WRITES = 500
# Of each dataset, before the horizon of retention: so many stay, and span two weekends of what is written on weekdays.
WRITES_KEPT = 12
LEAST_GAPS = 5
LEAST_WEEKENDS = 2
# Of 95 %, two-sided.
_Z = 1.96


class Gap(NamedTuple):
    """Nanoseconds after a write: by `due` nine of ten times the next has come, after `late` hardly ever."""

    due: int
    late: int


@dataclass(frozen=True, slots=True)
class Habit:
    """`confidence` is the least share of writes that come before they are late, as far as the history can say.

    With the pattern "weekdays" the gaps are counted in time that passes on weekdays.
    """

    pattern: Pattern
    zone: str
    weekday: Gap
    weekend: Gap
    gaps: int
    confidence: float

    def after(self, written_at: int) -> tuple[int, int]:
        """When the next write is due, and when it is late."""
        zone = ZoneInfo(self.zone)
        if self.pattern == "weekdays":
            due, late = (after_weekday_time(written_at, gap, zone) for gap in self.weekday)
            return due, late
        here, there = (self.weekday, self.weekend) if not is_weekend(written_at, zone) else (self.weekend, self.weekday)
        # Across the border the slower of the two counts: nobody says at which pace it is crossed.
        slower = max(here, there) if written_at + here.due > next(stretches(written_at, zone)).end else here
        return written_at + slower.due, written_at + slower.late


def learn(written_at: Iterable[int], zone_name: str = "UTC") -> Habit | None:
    times = sorted(set(written_at))[-MOST_WRITES:]
    if len(times) <= LEAST_GAPS:
        return None
    zone = ZoneInfo(zone_name)
    if _rests_at_weekends(times, zone):
        return _habit("weekdays", zone_name, [weekday_time(*pair, zone) for pair in pairwise(times)])
    if (habit := _two_paces(times, zone_name)) is not None:
        return habit
    return _habit("every day", zone_name, [end - begin for begin, end in pairwise(times)])


def _rests_at_weekends(times: Sequence[int], zone: ZoneInfo) -> bool:
    """A rerun on one of many Saturdays doesn't make it a working day."""
    weekends = whole_weekends(times[0], times[-1], zone)
    busy = sum(any(begin <= at < end for at in times) for begin, end in weekends)
    return len(weekends) >= LEAST_WEEKENDS and busy * 5 <= len(weekends)


def _two_paces(times: Sequence[int], zone_name: str) -> Habit | None:
    zone = ZoneInfo(zone_name)
    inside: dict[bool, list[int]] = {False: [], True: []}
    for begin, end in pairwise(times):
        stretch = next(stretches(begin, zone))
        if end < stretch.end:
            inside[stretch.weekend].append(end - begin)
    weekday, weekend = _usual(inside[False]), _usual(inside[True])
    if weekday is None or weekend is None or max(weekday.due, weekend.due) < 2 * min(weekday.due, weekend.due):
        return None
    of_weekdays, of_weekends = _told(inside[False], weekday), _told(inside[True], weekend)
    gaps, held = of_weekdays[0] + of_weekends[0], of_weekdays[1] + of_weekends[1]
    return Habit("weekdays and weekends", zone_name, weekday, weekend, gaps, _at_least(held, gaps))


def _habit(pattern: Pattern, zone_name: str, gaps: list[int]) -> Habit | None:
    usual = _usual(gaps)
    if usual is None:
        return None
    count, held = _told(gaps, usual)
    return Habit(pattern, zone_name, usual, usual, count, _at_least(held, count))


def _usual(gaps: Sequence[int]) -> Gap | None:
    pauses = _pauses(gaps)
    if len(pauses) < LEAST_GAPS:
        return None
    due = _rank(pauses, 90)
    return Gap(due, max(due * 11 // 10, min(_rank(pauses, 98), due * 3 // 2)))


def _pauses(gaps: Sequence[int]) -> list[int]:
    """Gaps but those inside of bursts. Most of the time passes in gaps of about the usual length, however many short
    ones there are, and however long a few outages were."""
    total, passed, usual = sum(gaps), 0, 0
    for usual in sorted(gaps):
        passed += usual
        if 2 * passed >= total:
            break
    return sorted(gap for gap in gaps if 2 * gap >= usual > 0)


def _told(gaps: Sequence[int], usual: Gap) -> tuple[int, int]:
    """How many gaps tell of the habit, and in how many of them the next write wasn't late."""
    pauses = _pauses(gaps)
    return len(pauses), sum(gap <= usual.late for gap in pauses)


def _rank(ordered: Sequence[int], percent: int) -> int:
    return ordered[-(-len(ordered) * percent // 100) - 1]


def _at_least(held: int, count: int) -> float:
    """The lower end of Wilson's interval."""
    share, z2 = held / count, _Z * _Z
    middle = share + z2 / (2 * count)
    spread = _Z * math.sqrt(share * (1 - share) / count + z2 / (4 * count * count))
    return max(0.0, (middle - spread) / (1 + z2 / count))
