"""New run ids leave: UUIDs of version 7, which begin with their time, as OpenLineage recommends.

The random part is drawn once a process and counted up from there: asking the system for each costs a decorated call
more than its event does.
"""

from __future__ import annotations

import itertools
import os
import secrets
import time


class _Process:
    """What distinguishes the ids of this process from those of others."""

    def draw(self) -> None:
        self.middle = b"-7%03x-%04x-" % (secrets.randbits(12), 0x8000 | secrets.randbits(14))
        self.count = itertools.count(secrets.randbits(47))


_own = _Process()
_own.draw()
os.register_at_fork(after_in_child=_own.draw)


def new_run_id() -> bytes:
    """In ASCII: that is how its events hold it."""
    now = int(time.time() * 1e3)
    return b"%08x-%04x%b%012x" % (now >> 16, now & 0xFFFF, _own.middle, next(_own.count))
