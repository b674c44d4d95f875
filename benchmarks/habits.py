"""Histories of writes are made from seeds; how often a write that came as usual was called late leaves.

`python -m benchmarks.habits`: a habit is learned from the first half of each history and held against the second.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import pairwise
from statistics import median

from lineage_hub.lineage.habits import learn

SEEDS = 20
HOUR = 3_600_000_000_000
# A Monday.
ZERO = 1_788_739_200 * 1_000_000_000
Hours = list[float]


def daily(dice: random.Random) -> Hours:
    return [24 * day + 6 + abs(dice.gauss(0, 1)) for day in range(120)]


def hourly(dice: random.Random) -> Hours:
    return [hour + abs(dice.gauss(0, 0.1)) for hour in range(24 * 60)]


def with_outages(dice: random.Random) -> Hours:
    return [hour for hour in hourly(dice) if not any(begin <= hour < begin + 30 for begin in (100, 400, 900))]


def on_weekdays(dice: random.Random) -> Hours:
    return [24 * day + 6 + abs(dice.gauss(0, 1)) for day in range(120) if day % 7 < 5]


def each_morning(dice: random.Random) -> Hours:
    return [24 * day + hour + dice.random() * 0.3 for day in range(90) for hour in (6, 7, 8)]


def slower_at_weekends(dice: random.Random) -> Hours:
    return [hour + dice.random() * 0.2 for hour in range(24 * 60) if hour // 24 % 7 < 5 or hour % 6 == 0]


def in_partitions(dice: random.Random) -> Hours:
    return [24 * day + 6 + dice.random() * 0.1 for day in range(90) for _ in range(24)]


def at_random(dice: random.Random) -> Hours:
    at, found = 0.0, []
    for _ in range(400):
        at += dice.expovariate(1 / 5)
        found.append(at)
    return found


HISTORIES: tuple[Callable[[random.Random], Hours], ...] = (
    daily, hourly, with_outages, on_weekdays, each_morning, slower_at_weekends, in_partitions, at_random,
)  # fmt: skip


def main() -> None:
    for history in HISTORIES:
        writes = late = 0
        patience: list[float] = []
        for seed in range(SEEDS):
            times = [ZERO + int(hours * HOUR) for hours in sorted(history(random.Random(seed)))]
            habit = learn(times[: len(times) // 2])
            assert habit is not None
            for begin, end in pairwise(times[len(times) // 2 :]):
                writes += 1
                late += end > habit.after(begin)[1]
            patience.append((habit.after(times[-1])[1] - times[-1]) / HOUR)
        name = history.__name__.replace("_", " ")
        print(f"{name:18} {late:4} of {writes:6,} called late; the last one would be after {median(patience):.1f} h")


if __name__ == "__main__":
    main()
