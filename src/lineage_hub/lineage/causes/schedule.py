"""The starts of a job's runs enter; how late a run started and ended against the job's own habit leaves.

A nominal time that a scheduler told is the measure where there is one, else the rhythm that the starts keep.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from lineage_hub.lineage.causes.facts import Facts, Run
from lineage_hub.lineage.causes.usual import FEWEST, Usual, usual, usual_amount

MINUTE_S, HOUR_S, DAY_S = 60.0, 3_600.0, 86_400.0
PERIODS = (
    *(minutes * MINUTE_S for minutes in (1, 2, 5, 10, 15, 20, 30)),
    *(hours * HOUR_S for hours in (1, 2, 3, 4, 6, 8, 12, 24, 168)),
)
_LEAST_S = 2.0


@dataclass(frozen=True, slots=True)
class Lateness:
    """Of one run. Seconds beyond what is usual; the certainties say whether that is more than chance."""

    delay_s: float
    delay_certainty: float
    start_s: float
    start_certainty: float
    usual_start_at: float | None
    excess_s: float
    excess_certainty: float
    duration: Usual
    count: int


def lateness(facts: Facts, run: Run) -> Lateness | None:
    """None with too few earlier runs."""
    if run.id not in facts.lateness:
        facts.lateness[run.id] = _lateness(facts, run)
    return facts.lateness[run.id]


def _lateness(facts: Facts, run: Run) -> Lateness | None:
    earlier = facts.completed_before(run)
    took = [(one.started_at, facts.duration_s(one)) for one in earlier]
    duration = usual_amount(took, run.started_at, floor=_LEAST_S)
    if duration is None:
        return None
    now_s = facts.duration_s(run)
    excess, excess_certainty = now_s - duration.value, duration.certainty(now_s)
    slots = _slots(earlier, run)
    by_itself = Lateness(excess, excess_certainty, 0.0, 0.0, None, excess, excess_certainty, duration, len(earlier))
    if slots is None:
        return by_itself
    own, others, period = slots
    floor = max(_LEAST_S, period * 0.0005)
    starts = [(one.started_at, one.started_at - slot) for one, slot in others]
    ends = [(one.started_at, one.started_at + facts.duration_s(one) - slot) for one, slot in others]
    start, end = usual(starts, run.started_at, floor=floor), usual(ends, run.started_at, floor=floor)
    assert start is not None
    assert end is not None
    started, ended = run.started_at - own, run.started_at + now_s - own
    if run.expected_at is None and start.certainty(2 * start.value - started) > 0:
        # Begun by hand before its time: when it should have ended nobody knows, but how long it takes.
        return by_itself
    return Lateness(
        ended - end.value,
        max(end.certainty(ended), excess_certainty if ended > end.value else 0.0),
        started - start.value,
        start.certainty(started),
        own + start.value,
        excess,
        excess_certainty,
        duration,
        len(earlier),
    )


def period_s(runs: Sequence[Run]) -> float | None:
    """How often they start, if they keep a rhythm."""
    starts = [run.started_at for run in runs]
    gaps = [later - earlier for earlier, later in pairwise(starts) if later > earlier]
    if len(gaps) < FEWEST - 1:
        return None
    gap = median(gaps)
    nearest = min(PERIODS, key=lambda period: abs(period - gap))
    return nearest if abs(nearest - gap) <= 0.1 * nearest else None


def _slots(earlier: Sequence[Run], run: Run) -> tuple[float, list[tuple[Run, float]], float] | None:
    """The time that each run belongs to: of this one, of the earlier ones, and how far these lie apart."""
    told = [(one, one.expected_at) for one in earlier if one.expected_at is not None]
    if run.expected_at is not None and len(told) >= FEWEST:
        return run.expected_at, told, period_s(earlier) or DAY_S
    period = period_s(earlier)
    if period is None:
        return None
    anchor = earlier[-1].started_at
    phases = [_around(one.started_at - anchor, period) for one in earlier]
    anchor += median(phases)
    others = [(one, one.started_at - _around(one.started_at - anchor, period)) for one in earlier]
    # Runs are late far more often than early: the present one counts as up to three quarters late.
    late = (run.started_at - anchor + period / 4) % period - period / 4
    return run.started_at - late, others, period


def _around(offset: float, period: float) -> float:
    return (offset + period / 2) % period - period / 2
