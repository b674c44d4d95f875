"""Steps, time and sizes of one evaluation enter; a signal leaves when any of them is used up.

Nothing here depends on the machine's speed but the last resort, a limit of CPU time.
"""

from __future__ import annotations

import time

STEPS = 500_000  # expressions and statements in one program
STATEMENT_STEPS = 200_000  # of them, in one statement at the top of a program
CPU_S = 1.0
CELLS_S = 0.5
RESERVED = 3_000  # steps of each statement after all are used up
CALLS = 40  # functions within functions
UNROLLED = 600  # turns of one loop whose elements are known
TEXT = 100_000  # characters of one string
ITEMS = 5_000  # members of one collection
DIGITS = 4_000  # bits of one number
ALTERNATIVES = 8  # possible results of one value
SOURCE = 500_000  # characters of one program
BEGINNING = 300_000  # of one that has more
NOTEBOOK = 2_000_000  # characters of all cells
PAIRS = 20_000  # of a read and what it feeds
PROBLEMS = 200  # more tell nothing


class OutOfBudget(Exception):
    """What is being evaluated takes too long."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Budget:
    """What one program may use."""

    def __init__(self) -> None:
        self.left = STEPS
        self.statement_left = STATEMENT_STEPS
        self.until = time.thread_time() + CPU_S
        self.statement_until = self.until
        self.depth = 0

    def step(self) -> None:
        """Once for every expression and statement."""
        self.left -= 1
        self.statement_left -= 1
        if self.statement_left < 0:
            raise OutOfBudget("it takes too many steps")
        if not self.left & 255:
            self.check()

    def check(self) -> None:
        """The whole program's part."""
        now = time.thread_time()
        if self.left < 0 or now > self.until:
            self.left = -1
            raise OutOfBudget("the program takes too many steps")
        if now > self.statement_until:
            self.statement_left = -1
            raise OutOfBudget("it takes too many steps")

    def begin_statement(self) -> None:
        """No statement takes more than half of the time that is left: what follows is read on a slow machine too."""
        self.statement_left = min(STATEMENT_STEPS, self.left)
        now = time.thread_time()
        self.statement_until = now + max(0.0, self.until - now) / 2

    def refill(self) -> None:
        """For the functions that a pipeline calls: the program's own part may be used up."""
        self.left = self.left if self.late else max(self.left, STEPS // 2)

    def reserve(self) -> bool:
        """A little for one more statement, as long as there is time."""
        self.left = max(self.left, RESERVED) if not self.late else self.left
        return not self.late

    @property
    def over(self) -> bool:
        """No more cells: those in SQL have a time of their own."""
        return time.thread_time() >= self.until + CELLS_S

    @property
    def late(self) -> bool:
        return time.thread_time() >= self.until

    @property
    def spent(self) -> bool:
        return self.left <= 0


def fits(value: object) -> bool:
    """Is a value small enough to be carried on?"""
    if isinstance(value, str | bytes):
        return len(value) <= TEXT
    if isinstance(value, bool):
        return True
    if isinstance(value, int):
        return value.bit_length() <= DIGITS
    if isinstance(value, tuple):
        return len(value) <= ITEMS
    return True
