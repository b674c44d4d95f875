"""New run ids leave: UUIDs of version 7, which begin with their time, as OpenLineage recommends.

The random part is drawn once a process and counted up from there: asking the system for each costs a decorated call
more than its event does.
"""

from __future__ import annotations

import itertools
import os
import secrets
import time

_LOW = (1 << 48) - 1


class _Process:
    """What distinguishes the ids of this process from those of others."""

    def draw(self) -> None:
        self.middle = f"-7{secrets.randbits(12):03x}-{0x8000 | secrets.randbits(14):04x}-"
        self.count = itertools.count(secrets.randbits(48))


_own = _Process()
_own.draw()
os.register_at_fork(after_in_child=_own.draw)


def new_run_id() -> str:
    now = time.time_ns() // 1_000_000
    return f"{now >> 16:08x}-{now & 0xFFFF:04x}{_own.middle}{next(_own.count) & _LOW:012x}"
