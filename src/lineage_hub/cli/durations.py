"""Durations as a person writes them enter and milliseconds leave; nanoseconds enter and a short text leaves."""

import re

from lineage_hub.errors import InvalidRequest

_WRITTEN = re.compile(r"(\d+(?:\.\d+)?)\s*(ns|us|µs|ms|s|m|h)")
_MS = {"ns": 1e-6, "us": 1e-3, "µs": 1e-3, "ms": 1.0, "s": 1e3, "m": 60e3, "h": 3600e3}
HELP = "A duration such as 250ms, 2s or 1.5m."


def read_duration(text: str | None, name: str) -> float | None:
    """In milliseconds; `name` is the flag that it was given with."""
    if text is None:
        return None
    match = _WRITTEN.fullmatch(text.strip().lower())
    if match is None:
        raise InvalidRequest(f"{name} {text!r} is not a duration", subject=name, action="write 250ms, 2s or 1.5m")
    return float(match[1]) * _MS[match[2]]


def shown(duration_ns: int) -> str:
    """Three digits of it, in the unit that suits."""
    if duration_ns < 0:
        return "-" + shown(-duration_ns)
    if duration_ns < 1_000:
        return f"{duration_ns} ns"
    # What rounds up to a thousand is told in the next unit.
    for unit, size in (("µs", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000)):
        value = duration_ns / size
        if value < (999.5 if unit != "s" else 99.95):
            return f"{value:.{2 if value < 9.995 else 1 if value < 99.95 else 0}f} {unit}"
    seconds = round(duration_ns / 1e9)
    if seconds < 3600:
        return f"{seconds // 60}m {seconds % 60:02d}s"
    return f"{seconds // 3600}h {seconds // 60 % 60:02d}m"


def difference(duration_ns: int) -> str:
    return f"+{shown(duration_ns)}" if duration_ns > 0 else shown(duration_ns)
