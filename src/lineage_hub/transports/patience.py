"""Failures enter; how long to wait before the next try leaves, and whether to try at all.

Waits grow with each failure and are drawn at random up to their bound, so that many senders don't come back at once.
After enough failures in a row the circuit is open: nothing is tried until it has cooled, then one try decides.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field

CLOSED, OPEN, HALF_OPEN = "closed", "open", "half-open"


@dataclass(slots=True)
class Patience:
    first_s: float = 0.1
    longest_s: float = 30.0
    open_after: int = 5
    cooling_s: float = 10.0
    clock: Callable[[], float] = time.monotonic
    failures: int = 0
    _opened_at: float = 0.0
    _chance: random.Random = field(default_factory=random.Random)

    @property
    def state(self) -> str:
        if self.failures < self.open_after:
            return CLOSED
        return HALF_OPEN if self.clock() - self._opened_at >= self.cooling_s else OPEN

    def succeeded(self) -> None:
        self.failures = 0

    def failed(self, retry_after_s: float = 0.0) -> float:
        """Seconds to wait; never less than what the other side asked for."""
        self.failures += 1
        if self.failures >= self.open_after:
            self._opened_at = self.clock()
            return max(self.cooling_s * self._chance.uniform(1.0, 1.25), min(retry_after_s, self.longest_s))
        bound = min(self.longest_s, self.first_s * 2.0 ** min(self.failures - 1, 60))
        return max(self._chance.uniform(bound / 2, bound), min(retry_after_s, self.longest_s))
