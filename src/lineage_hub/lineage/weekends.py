"""Moments and a time zone enter; how much of the time between them lies outside weekends leaves.

Moments are nanoseconds since 1970 UTC; a weekend is Saturday and Sunday by the clocks of the zone.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
SATURDAY, MONDAY = 5, 7


class Stretch(NamedTuple):
    """From a moment to the end of the weekend, or of the weekdays, that it lies in."""

    begin: int
    end: int
    weekend: bool


def local(at: int, zone: ZoneInfo) -> datetime:
    """What clocks there show; what is less than a microsecond is cut."""
    return (_EPOCH + timedelta(microseconds=at // 1000)).astimezone(zone)


def nanoseconds(at: datetime) -> int:
    return (at - _EPOCH) // _MICROSECOND * 1000


def stretches(begin: int, zone: ZoneInfo) -> Iterator[Stretch]:
    """Without end, one after the other."""
    while True:
        shown = local(begin, zone)
        weekday = shown.weekday()
        weekend = weekday >= SATURDAY
        ends_on = shown.date() + timedelta(days=(MONDAY if weekend else SATURDAY) - weekday)
        end = nanoseconds(datetime.combine(ends_on, time(), tzinfo=zone))
        yield Stretch(begin, end, weekend)
        begin = end


def is_weekend(at: int, zone: ZoneInfo) -> bool:
    return local(at, zone).weekday() >= SATURDAY


def weekday_time(begin: int, end: int, zone: ZoneInfo) -> int:
    """Nanoseconds between the two that lie on weekdays."""
    total = 0
    for stretch in stretches(begin, zone):
        if not stretch.weekend:
            total += min(stretch.end, end) - stretch.begin
        if stretch.end >= end:
            return total
    raise AssertionError("weeks go on")


def after_weekday_time(begin: int, amount: int, zone: ZoneInfo) -> int:
    """The moment by which so many nanoseconds of weekdays have passed."""
    for stretch in stretches(begin, zone):
        if stretch.weekend:
            continue
        if stretch.end - stretch.begin >= amount:
            return stretch.begin + amount
        amount -= stretch.end - stretch.begin
    raise AssertionError("weeks go on")


def whole_weekends(begin: int, end: int, zone: ZoneInfo) -> list[tuple[int, int]]:
    """Those that begin and end between the two."""
    found: list[tuple[int, int]] = []
    for stretch in stretches(begin, zone):
        if stretch.end > end:
            return found
        if stretch.weekend and stretch.begin > begin:
            found.append((stretch.begin, stretch.end))
    raise AssertionError("weeks go on")
