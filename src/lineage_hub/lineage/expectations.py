"""What a user expects of a dataset enters as JSON; an expectation leaves, and JSON again for whoever asks.

{"every": "6h", "tolerance": "30m"}
{"cron": "0 6 * * 1-5", "zone": "Europe/Berlin", "tolerance": "1h", "early": "0s"}
{"learned": true, "zone": "Europe/Berlin"}
"""

from __future__ import annotations

import re
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from lineage_hub.errors import InvalidRequest
from lineage_hub.lineage.freshness import AsUsual, Cron, Every, Expectation, next_cron_time

_UNITS = {"w": 604_800, "d": 86_400, "h": 3_600, "m": 60, "s": 1}
DURATION = r"^(?=.)(\d{1,5}w)?(\d{1,5}d)?(\d{1,6}h)?(\d{1,7}m)?(\d{1,9}s)?$"
_DURATION = re.compile(DURATION.replace(r"\d", "[0-9]"))
# Ten years; more is not a matter of freshness.
LONGEST_S = 315_360_000
_ACTION = 'send {"every": "6h"}, {"cron": "0 6 * * 1-5", "zone": "UTC"} or {"learned": true}; "tolerance" may be added'


class _Body(msgspec.Struct, forbid_unknown_fields=True):
    every: str | None = None
    cron: str | None = None
    learned: bool = False
    zone: str | None = None
    tolerance: str | None = None
    early: str | None = None


_decode = msgspec.json.Decoder(_Body).decode


def read_expectation(body: bytes) -> Expectation:
    try:
        given = _decode(body)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise InvalidRequest(f"the expectation can't be read: {error}", subject="body", action=_ACTION) from None
    if (given.every is not None) + (given.cron is not None) + given.learned != 1:
        raise InvalidRequest("an expectation has one of every, cron and learned", subject="body", action=_ACTION)
    if given.learned:
        _refuse("learned", tolerance=given.tolerance, early=given.early)
        return AsUsual(_zone(given.zone))
    if given.every is not None:
        _refuse("every", zone=given.zone, early=given.early)
        every_s = seconds(given.every, "every")
        if every_s == 0:
            raise InvalidRequest("every is no time at all", subject="every", action="write it like 6h")
        # Nothing comes to the second.
        return Every(every_s, every_s // 10 if given.tolerance is None else seconds(given.tolerance, "tolerance"))
    assert given.cron is not None
    expectation = Cron(
        " ".join(given.cron.split()),
        _zone(given.zone),
        3600 if given.tolerance is None else seconds(given.tolerance, "tolerance"),
        0 if given.early is None else seconds(given.early, "early"),
    )
    if next_cron_time(expectation.expression, expectation.zone, 0) is None:
        raise InvalidRequest(
            f"the cron time {expectation.expression[:80]!r} never comes", subject="cron", action="correct day and month"
        )
    return expectation


def expectation_answer(expectation: Expectation) -> dict[str, Any]:
    """What `read_expectation` reads, with all that was left out."""
    if isinstance(expectation, Every):
        return {"every": duration(expectation.every_s), "tolerance": duration(expectation.tolerance_s)}
    if isinstance(expectation, AsUsual):
        return {"learned": True, "zone": expectation.zone}
    return {
        "cron": expectation.expression,
        "zone": expectation.zone,
        "tolerance": duration(expectation.tolerance_s),
        "early": duration(expectation.early_s),
    }


def seconds(text: str, name: str) -> int:
    match = _DURATION.fullmatch(text)
    if match is None:
        raise InvalidRequest(
            f"{name}={text[:40]!r} is not a duration", subject=name, action="write it like 90s, 30m, 6h, 1d12h or 1w"
        )
    total = sum(int(part[:-1]) * _UNITS[part[-1]] for part in match.groups() if part)
    if total > LONGEST_S:
        raise InvalidRequest(f"{name} is longer than ten years", subject=name, action="write a shorter one")
    return total


def duration(total_s: int) -> str:
    """In the largest units that fit: 5400 is 1h30m."""
    parts = []
    for unit, size in list(_UNITS.items())[1:]:
        count, total_s = divmod(total_s, size)
        if count:
            parts.append(f"{count}{unit}")
    return "".join(parts) or "0s"


def _zone(name: str | None) -> str:
    if name is None:
        return "UTC"
    try:
        return ZoneInfo(name).key
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InvalidRequest(
            f"zone={name[:40]!r} is unknown", subject="zone", action="name one of the IANA database: Europe/Berlin"
        ) from None


def _refuse(kind: str, **given: str | None) -> None:
    for name, value in given.items():
        if value is not None:
            raise InvalidRequest(f"{name} means nothing beside {kind}", subject=name, action=f"leave {name} out")
