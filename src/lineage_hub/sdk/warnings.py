"""Troubles of the SDK enter; each kind is told once by the log, since a flood would be a trouble of its own."""

from __future__ import annotations

import logging
import threading

_log = logging.getLogger("lineage_hub.sdk")
_told: set[str] = set()
_lock = threading.Lock()


def warn_once(kind: str, message: str, *values: object) -> None:
    with _lock:
        if kind in _told:
            return
        _told.add(kind)
    _log.warning(message, *values)


def forget_warnings() -> None:
    with _lock:
        _told.clear()
