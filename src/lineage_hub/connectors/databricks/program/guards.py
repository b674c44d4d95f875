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
