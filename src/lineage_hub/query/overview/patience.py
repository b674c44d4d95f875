"""How much work an answer may wait for enters; whether it is done waiting leaves.

It is the time of the processor that counts, so that a busy machine gives the same answers as an idle one.
"""

from __future__ import annotations

from time import thread_time


class Patience:
    """Of the thread that made it. One that has no end leaves the bounds of each part alone."""

    def __init__(self, seconds: float | None = None) -> None:
        self._until = None if seconds is None else thread_time() + seconds

    @property
    def is_over(self) -> bool:
        return self._until is not None and thread_time() >= self._until

    def share(self, of: float) -> Patience:
        """A part of what is left of it."""
        return self if self._until is None else Patience(max(self._until - thread_time(), 0.0) * of)


ENDLESS = Patience()
