"""How far a file was sent to a hub enters and is kept in a small file of its own; the next run reads it.

It holds no event: a place in the file, and the digest of what stands before it. Without it a file is sent from its
beginning, which does no harm.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import msgspec

from lineage_hub.cli.event_files import Condition, EventFile
from lineage_hub.settings import default_state_dir
from lineage_hub.wire.event_texts import Place


class Sent(msgspec.Struct, frozen=True):
    path: str
    hub: str
    place: Place
    condition: Condition
    finished: bool
    """Whether the file had been read to its end."""


class SentBefore:
    """Of one file and one hub; of what can be read only once nothing is kept."""

    def __init__(self, file: EventFile, hub: str) -> None:
        self._file, self._hub = file, hub.rstrip("/")
        key = hashlib.sha256(f"{self._hub}\n{file.path}".encode(errors="surrogateescape")).hexdigest()[:32]
        self.kept_in = default_state_dir() / "send-events" / f"{key}.json"

    def load(self) -> Sent | None:
        try:
            found = msgspec.json.decode(self.kept_in.read_bytes(), type=Sent)
        except (OSError, msgspec.DecodeError):
            return None
        return found if (found.path, found.hub) == (self._shown_path, self._hub) else None

    def save(self, place: Place, *, finished: bool) -> None:
        """Replaced as a whole, so that a kill leaves the one or the other. Raises OSError."""
        if self._file.condition is None:
            return
        sent = Sent(self._shown_path, self._hub, place, self._file.condition, finished)
        self.kept_in.parent.mkdir(parents=True, exist_ok=True)
        beside = self.kept_in.with_suffix(f".{os.getpid()}")
        beside.write_bytes(msgspec.json.encode(sent))
        beside.replace(self.kept_in)

    def forget(self) -> None:
        Path.unlink(self.kept_in, missing_ok=True)

    @property
    def _shown_path(self) -> str:
        return str(self._file.path).encode(errors="replace").decode()
