"""The engine's word on its parts enters; those leave whose files lack what the engine says it wrote into them.

On a full disk the embedded engine may end a merge as done although nothing of it reached the disk. What a part was made
from stays for a while: an engine that starts puts the hollow part aside and takes its sources up again.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path

# What the engine answers when files of a part are short or missing.
UNREADABLE = frozenset({32, 33, 40, 107, 226, 228, 246})
# With less room than this, an insert isn't believed before its part was looked at.
SCARCE_BYTES = 64 * 2**20
QUESTION = "SELECT path, bytes_on_disk AS bytes FROM system.parts WHERE active"


class Parts:
    """Each part is looked at once: a part never changes."""

    def __init__(self, folder: Path, ask: Callable[[str], bytes], when_hollow: Callable[[list[str]], None]) -> None:
        self._folder, self._ask, self._when_hollow = folder, ask, when_hollow
        self._sound: set[str] = set()
        self._lock = threading.Lock()

    @property
    def is_room_scarce(self) -> bool:
        room = os.statvfs(self._folder)
        return room.f_bavail * room.f_frsize < SCARCE_BYTES

    def look(self, *, again: bool = False) -> None:
        """`again`: also at those that were sound."""
        with self._lock:
            if again:
                self._sound.clear()
            told = self._told()
            self._sound &= told.keys()
            doubtful = {path for path, size in told.items() if path not in self._sound and _size(Path(path)) < size}
            self._sound |= told.keys() - doubtful
            # A part that was merged away meanwhile is being removed: that isn't hollow.
            hollow = sorted(doubtful & self._told().keys()) if doubtful else []
        if hollow:
            self._when_hollow(hollow)

    def _told(self) -> dict[str, int]:
        rows = (json.loads(line) for line in self._ask(QUESTION).splitlines())
        return {row["path"]: int(row["bytes"]) for row in rows}


def _size(part: Path) -> int:
    try:
        return sum(path.stat().st_size for path in part.rglob("*"))
    except FileNotFoundError:
        return 0


def remove_empty_deletes(folder: Path) -> list[Path]:
    """Of statements that a full disk cut off. With such a file a table can't be opened; who deletes does it again."""
    empty = [path for path in folder.glob("store/*/*/mutation_*.txt") if path.stat().st_size == 0]
    for path in empty:
        path.unlink()
    return empty
