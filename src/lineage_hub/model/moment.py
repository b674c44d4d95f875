"""The moment of a question, on two clocks: what had happened by `as_of`, as far as it was known by `known_at`.

Both are nanoseconds since 1970 UTC; `FOREVER` stands for "no bound".
"""

from __future__ import annotations

from dataclasses import dataclass

FOREVER = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Moment:
    as_of: int = FOREVER
    known_at: int = FOREVER

    @property
    def is_now(self) -> bool:
        return self.as_of == FOREVER and self.known_at == FOREVER


NOW = Moment()
