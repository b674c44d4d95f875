"""Earlier figures enter; what would have been usual now leaves, with its spread and how far it can be trusted.

Medians and absolute deviations, so that past incidents don't become the measure; growth and weekdays come out first.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

DAY_S = 86_400.0
FEWEST = 3
# Below that many there is no telling growth from chance.
_ENOUGH_FOR_GROWTH = 8
# Of a normal distribution the standard deviation is that many median deviations.
_SIGMA = 1.4826
_SURELY_NOT, _SURELY = 2.5, 4.5
# So much of what was is no incident, and so many standard deviations above the middle that is.
_TAIL, _TAIL_SIGMAS = 0.85, 1.036

# When it was measured, and how much it was.
Sample = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Usual:
    value: float
    spread: float
    count: int

    def surprise(self, now: float) -> float:
        """How many spreads above what is usual."""
        return (now - self.value) / self.spread

    def certainty(self, now: float) -> float:
        """That it is more than usual: 0 within the spread, near 1 far out; few earlier runs are less certain."""
        ramp = (self.surprise(now) - _SURELY_NOT) / (_SURELY - _SURELY_NOT)
        return min(1.0, max(0.0, ramp)) * self.count / (self.count + 0.5)


def usual(samples: Sequence[Sample], at: float, *, floor: float) -> Usual | None:
    """For figures that add up, such as times of day; `floor` is the least spread that means anything."""
    if len(samples) < FEWEST:
        return None
    value, spread = _expected(samples, at)
    return Usual(value, max(spread, floor), len(samples))


def usual_amount(samples: Sequence[Sample], at: float, *, floor: float, share: float = 0.03) -> Usual | None:
    """For figures that multiply, such as durations and records; `share` of it is the least spread."""
    if len(samples) < FEWEST:
        return None
    least = max(floor * 1e-3, 1e-9)
    value, spread = _expected([(when, math.log(max(amount, least))) for when, amount in samples], at)
    amount = math.exp(value)
    return Usual(amount, max(amount * math.expm1(min(spread, 5.0)), amount * share, floor), len(samples))


def _expected(samples: Sequence[Sample], at: float) -> tuple[float, float]:
    growth = _growth(samples)
    levels = [(when, value - growth * (when - at)) for when, value in samples]
    by_weekday: dict[int, list[float]] = {}
    for when, value in levels:
        by_weekday.setdefault(_weekday(when), []).append(value)
    middle = median(value for _, value in levels)
    noise = _spread([value - middle for _, value in levels])
    own = {day: median(values) for day, values in by_weekday.items() if _is_apart(values, middle, noise)}
    common = [value for when, value in levels if _weekday(when) not in own]
    middle = median(common) if common else middle
    beyond = sorted(value - own.get(_weekday(when), middle) for when, value in levels)
    # What is late now and then by habit has a long tail on that side only.
    spread = max(_spread(beyond), beyond[int(_TAIL * (len(beyond) - 1))] / _TAIL_SIGMAS)
    # The deviation of few figures is itself uncertain: that of three may be next to nothing by chance.
    count = len(samples)
    return own.get(_weekday(at), middle), spread * (1 + 2 / count + 12 / count**2)


def _is_apart(values: Sequence[float], middle: float, noise: float) -> bool:
    """A weekday is its own measure only if all of its runs say so."""
    apart = median(values) - middle
    alike = all((value - middle) * apart > 0 and abs(value - middle) >= 0.5 * abs(apart) for value in values)
    return len(values) >= 2 and abs(apart) > 2 * noise and alike


def _growth(samples: Sequence[Sample]) -> float:
    """Theil and Sen's slope, where it is more than noise."""
    if len(samples) < _ENOUGH_FOR_GROWTH:
        return 0.0
    slopes = [
        (later[1] - earlier[1]) / (later[0] - earlier[0])
        for number, earlier in enumerate(samples)
        for later in samples[number + 1 :]
        if later[0] > earlier[0]
    ]
    if not slopes:
        return 0.0
    slope = median(slopes)
    levels = [value - slope * when for when, value in samples]
    centre = median(levels)
    noise = _spread([level - centre for level in levels])
    reach = abs(slope) * (samples[-1][0] - samples[0][0])
    return slope if reach > noise else 0.0


def _spread(deviations: Sequence[float]) -> float:
    return _SIGMA * median(abs(one) for one in deviations)


def _weekday(at: float) -> int:
    return int(at // DAY_S) % 7
