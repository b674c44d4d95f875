"""What is expected of a dataset and when it was written last enter; whether it is fresh, due or late leaves.

Moments are nanoseconds since 1970 UTC; a cron time counts by the clocks of its zone, as Debian's cron does.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal
from zoneinfo import ZoneInfo

from lineage_hub.errors import ExtraMissing, InvalidRequest
from lineage_hub.lineage.habits import LEAST_GAPS, Habit, learn
from lineage_hub.lineage.weekends import local, nanoseconds

SECOND = 1_000_000_000
State = Literal["fresh", "due", "late", "unknown"]
STATES: tuple[State, ...] = ("fresh", "due", "late", "unknown")


@dataclass(frozen=True, slots=True)
class Every:
    """A write at least this often."""

    every_s: int
    tolerance_s: int


@dataclass(frozen=True, slots=True)
class Cron:
    """A write for each of these times: from `early_s` before it until `tolerance_s` after it."""

    expression: str
    zone: str
    tolerance_s: int
    early_s: int


@dataclass(frozen=True, slots=True)
class AsUsual:
    """What the history says; weekends are those of the zone."""

    zone: str


Expectation = Every | Cron | AsUsual


@dataclass(frozen=True, slots=True)
class Freshness:
    """`reason` says why the state is unknown; `habit` is what was learned, if that was asked for and could be."""

    state: State
    due_at: int | None = None
    late_at: int | None = None
    late_s: float | None = None
    habit: Habit | None = None
    reason: str | None = None


def freshness(expectation: Expectation, written_at: Iterable[int], set_at: int, now: int) -> Freshness:
    """`written_at` are all writes for a habit, otherwise the last is enough; none of them lies after `now`.

    A dataset that was never written is due from the time on at which somebody began to expect it.
    """
    times = list(written_at)
    last = max(times, default=None)
    habit = learn(times, expectation.zone) if isinstance(expectation, AsUsual) else None
    if isinstance(expectation, AsUsual) and habit is None:
        return Freshness("unknown", reason=f"its history has {len(set(times))} writes; a habit takes {LEAST_GAPS + 1}")
    since = set_at if last is None else last
    coming = habit.after(since) if habit is not None else _next(expectation, since)
    if coming is None:
        return Freshness("unknown", reason="the cron time never comes")
    due_at, late_at = coming
    if now >= late_at:
        return Freshness("late", due_at, late_at, (now - late_at) / SECOND, habit)
    if now >= due_at:
        return Freshness("due", due_at, late_at, habit=habit)
    if last is None:
        return Freshness("unknown", due_at, late_at, reason="it was never written")
    return Freshness("fresh", due_at, late_at, habit=habit)


def _next(expectation: Expectation, last: int) -> tuple[int, int] | None:
    if isinstance(expectation, Every):
        due = last + expectation.every_s * SECOND
        return due, due + expectation.tolerance_s * SECOND
    assert isinstance(expectation, Cron)
    time = next_cron_time(expectation.expression, expectation.zone, last + expectation.early_s * SECOND)
    return None if time is None else (time, time + expectation.tolerance_s * SECOND)


def next_cron_time(expression: str, zone: str, after: int) -> int | None:
    """The first one after that moment; none if the expression has none in fifty years."""
    try:
        from cronsim import CronSim, CronSimError
    except ImportError:
        raise ExtraMissing.of("telemetry", "an expectation by cron time") from None
    if len(expression.split()) != 5:
        raise _no_cron(expression, "it has five fields: minute, hour, day, month, day of the week")
    try:
        # An hour that clocks show twice is searched from its first showing on, so what is found may lie before.
        times = map(nanoseconds, CronSim(expression, local(after, ZoneInfo(zone))))
        return next((time for time in times if time > after), None)
    except CronSimError as error:
        raise _no_cron(expression, str(error)) from None


def _no_cron(expression: str, why: str) -> InvalidRequest:
    return InvalidRequest(
        f"{expression[:80]!r} is not a cron time: {why}", subject="cron", action='write it like "0 6 * * 1-5"'
    )
