"""Decisions that a program takes on what can't be known enter; whether two things can happen in one run leaves.

A guard is a set of (decision, arm): what it guards holds where each of these decisions took that arm.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TypeAlias

Guard: TypeAlias = frozenset[tuple[Hashable, int]]
ALWAYS: Guard = frozenset()


def both(one: Guard, other: Guard) -> Guard | None:
    """Where both hold; None if they never do."""
    if not one:
        return other
    if not other or one is other:
        return one
    taken = dict(one)
    for decision, arm in other:
        if taken.get(decision, arm) != arm:
            return None
    return one | other


def compatible(one: Guard, other: Guard) -> bool:
    return both(one, other) is not None


def always(guards: list[Guard]) -> bool:
    """Do the guards cover every way? Two that differ in one yes-or-no decision are one without it."""
    left = set(guards)
    for _ in range(200):
        if ALWAYS in left:
            return True
        found = next(
            (
                (one, other, one - {(decision, arm)})
                for one in left
                for decision, arm in one
                if arm in (0, 1) and (other := (one - {(decision, arm)}) | {(decision, 1 - arm)}) in left
            ),
            None,
        )
        if found is None or len(left) > 64:
            return False
        left -= {found[0], found[1]}
        left.add(found[2])
    return False
