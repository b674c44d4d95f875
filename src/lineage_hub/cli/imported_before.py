"""How far a server was read into a hub enters and is kept in a small file; the next run of the command reads it."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import msgspec

from lineage_hub.settings import default_state_dir


class Imported(msgspec.Struct):
    """`at` is the time of the last event that the hub has; those of the same time are read again. `said` are the tags
    that were put on."""

    source: str
    hub: str
    namespaces: list[str]
    at: int | None = None
    read: int = 0
    sent: int = 0
    said: list[str] = []


class ImportedBefore:
    """Of one server, one hub and one choice of namespaces."""

    def __init__(self, source: str, hub: str, namespaces: list[str]) -> None:
        self._fresh = Imported(source.rstrip("/"), hub.rstrip("/"), sorted(namespaces))
        key = hashlib.sha256(msgspec.json.encode(self._fresh)).hexdigest()[:32]
        self.kept_in = default_state_dir() / "import" / f"{key}.json"

    def load(self) -> Imported:
        try:
            found = msgspec.json.decode(self.kept_in.read_bytes(), type=Imported)
        except (OSError, msgspec.DecodeError):
            return self._fresh
        fresh = self._fresh
        same = (found.source, found.hub, found.namespaces) == (fresh.source, fresh.hub, fresh.namespaces)
        return found if same else fresh

    def save(self, imported: Imported) -> None:
        """Replaced as a whole, so that a kill leaves the one or the other. Raises OSError."""
        self.kept_in.parent.mkdir(parents=True, exist_ok=True)
        beside = self.kept_in.with_suffix(f".{os.getpid()}")
        beside.write_bytes(msgspec.json.encode(imported))
        beside.replace(self.kept_in)

    def forget(self) -> None:
        Path.unlink(self.kept_in, missing_ok=True)
