"""A time as a person writes it enters: ISO 8601, a date, `now` or a while ago; ISO 8601 in UTC leaves.

A time of day without a zone is refused rather than guessed.
"""

import re
from datetime import UTC, datetime, timedelta

from lineage_hub.errors import InvalidRequest

_AGO = re.compile(r"(\d{1,6})([smhdw])(?: ago)?")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
HELP = "ISO 8601 time with zone, a date (UTC), `now`, or a while ago: 30m, 12h, 3d, 2w."


def read_time(text: str | None, name: str) -> str | None:
    """`name` is the flag that the time was given with."""
    if text is None:
        return None
    text = text.strip()
    if text == "now":
        return _written(datetime.now(UTC))
    if ago := _AGO.fullmatch(text):
        return _written(datetime.now(UTC) - timedelta(**{_UNITS[ago[2]]: int(ago[1])}))
    if _DATE.fullmatch(text):
        text += "T00:00:00Z"
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError:
        raise _unreadable(text, name) from None
    if parsed.tzinfo is None:
        raise InvalidRequest(
            f"{name} {text!r} has no time zone", subject=name, action=f"add one: {text}Z or {text}+02:00"
        )
    # As written: the hub reads nanoseconds, which datetime would cut.
    return text


def _written(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _unreadable(text: str, name: str) -> InvalidRequest:
    return InvalidRequest(
        f"{name} {text!r} is not a time",
        subject=name,
        action="write 2026-11-11T09:00:00Z, 2026-11-11, 12h or 3d",
    )
