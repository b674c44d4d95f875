"""RFC 3339 text enters, nanoseconds since 1970 UTC leave, exactly; and back.

A time without a zone is refused: guessing one would put events hours off and change what lineage says.
"""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache

from lineage_hub.errors import InvalidRequest

_TIME = re.compile(
    r"(\d{4}-\d\d-\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?"
    r"(?:([Zz])|([+-])(\d\d):?(\d\d)?)?(?:\[[^\]]{1,64}\])?",  # Java may add the zone's name
    re.ASCII,
)
_EPOCH_DAY = date(1970, 1, 1).toordinal()
_SECOND = 1_000_000_000
EARLIEST = -9_214_560_000 * _SECOND  # 1678-01-01
LATEST = 9_214_646_400 * _SECOND - 1  # the end of 2261


@lru_cache(maxsize=4096)
def _day(text: str) -> int:
    return (date.fromisoformat(text).toordinal() - _EPOCH_DAY) * 86_400


def instant(text: str, what: str = "time", *, clamp: bool = False) -> int:
    """`clamp` takes years outside the range as its ends (bounds of questions may be "always")."""
    match = _TIME.fullmatch(text)
    if match is None:
        raise _refused(text, what, "is not an RFC 3339 time", "write it like 2026-11-01T09:30:00Z")
    day, hour, minute, second, fraction, zulu, sign, off_hour, off_minute = match.groups()
    if not zulu and not sign:
        raise _refused(text, what, "has no zone", "add Z or an offset such as +02:00")
    try:
        seconds = _day(day)
    except ValueError as error:
        raise _refused(text, what, f"is not a day of the calendar ({error})", "correct the date") from None
    h, m, s = int(hour), int(minute), int(second or 0)
    if h > 23 or m > 59 or s > 60 or int(off_hour or 0) > 23 or int(off_minute or 0) > 59:
        raise _refused(text, what, "is not a time of day", "correct the time")
    seconds += h * 3600 + m * 60 + s
    if sign:
        offset = int(off_hour) * 3600 + int(off_minute or 0) * 60
        seconds += offset if sign == "-" else -offset
    nanos = seconds * _SECOND + (int((fraction + "00000000")[:9]) if fraction else 0)
    if clamp:
        return min(max(nanos, EARLIEST), LATEST)
    if not EARLIEST <= nanos <= LATEST:
        raise _refused(text, what, "is outside the years 1678 to 2261", "correct the year")
    return nanos


def _refused(text: str, what: str, why: str, action: str) -> InvalidRequest:
    return InvalidRequest(f"{what} {text[:80]!r} {why}", subject=what, action=action)


@lru_cache(maxsize=4096)
def _day_text(day: int) -> str:
    return date.fromordinal(_EPOCH_DAY + day).isoformat()


@lru_cache(maxsize=16_384)
def instant_text(nanos: int) -> str:
    """As java.time.Instant prints: no fraction, or 3, 6 or 9 digits of it."""
    seconds, fraction = divmod(nanos, _SECOND)
    day, second = divmod(seconds, 86_400)
    text = f"{_day_text(day)}T{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}"
    if not fraction:
        return text + "Z"
    digits = f"{fraction:09d}"
    if digits.endswith("000000"):
        return f"{text}.{digits[:3]}Z"
    return f"{text}.{digits[:6]}Z" if digits.endswith("000") else f"{text}.{digits}Z"
