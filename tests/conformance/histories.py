"""The hand-made histories of the oracle enter; one long history of several tenants leaves, taken over time."""

from __future__ import annotations

import random

from tests.oracle import test_oracle
from tests.oracle.build import Body, spelled
from tests.oracle.events import Taken
from tests.oracle.histories import HISTORIES
from tests.properties.arriving import FIRST_KNOWN
from tests.strategies import respell

assert test_oracle  # importing it fills HISTORIES
A, B = "team-a", "team-b"


def bodies(seed: int, most: int | None = None) -> list[Body]:
    """Whole histories in random order; `most` bounds how many of them."""
    dice = random.Random(seed)
    chosen = dice.sample(sorted(HISTORIES), min(most or len(HISTORIES), len(HISTORIES)))
    return [body for name in chosen for body in HISTORIES[name]]


def taken_over_time(seed: int, most: int | None = None) -> list[Taken]:
    """Two tenants that speak of the same names; some events are late, some repeated, some spelled otherwise."""
    dice = random.Random(seed)
    taken: list[Taken] = []
    for at, body in enumerate(bodies(seed, most)):
        for _ in range(dice.choice([1, 1, 1, 2])):
            raw = spelled(body) if dice.random() < 0.7 else respell(body, dice).encode()
            taken.append(Taken(dice.choice([A, A, B]), FIRST_KNOWN + at // 2, raw))
    dice.shuffle(taken)
    return taken
