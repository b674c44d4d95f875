"""Events enter from any thread; they are in the spool when the call returns. Nothing is ever raised.

One for each process and configuration; made when the first event comes.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

from lineage_hub.errors import StorageFull
from lineage_hub.sdk.config import LineageHubConfig, get_config
from lineage_hub.sdk.warnings import warn_once
from lineage_hub.transports.base import Transport

# The configuration, what it asks for, and how that takes an event which is JSON on one line.
_Made = tuple[LineageHubConfig, Transport, Callable[[bytes], None]]
_lock = threading.RLock()
_made: _Made | None = None
_instead: Callable[[bytes], None] | None = None


def send(event: bytes) -> None:
    try:
        config = get_config()
        made = _made
        if made is not None and made[0] is config and _instead is None:
            made[2](event)
        else:
            _begin(config, event)
    except StorageFull as error:
        warn_once("full", "%s; new events are counted and dropped until there is room", error)
    except Exception as error:
        warn_once(f"send {type(error).__name__}", "events can't be sent: %s", error)


def _begin(config: LineageHubConfig, event: bytes) -> None:
    """The first event, and all that don't go to a hub."""
    if _instead is not None:
        _instead(event)
    elif not config.enable_lineage:
        return
    elif config.dry_run:
        sys.stderr.write(event.decode() + "\n")
    else:
        _transport(config)[2](event)


def flush(timeout: float = -1.0) -> bool:
    """Whether all that was sent by this process has reached the hub within so many seconds."""
    made = _made
    if made is None:
        return True
    wait: Any = getattr(made[1], "flush", None)
    return bool(wait(timeout)) if wait is not None else True


def close(timeout: float = 0.0) -> bool:
    global _made
    with _lock:
        made, _made = _made, None
    return made[1].close(timeout) if made is not None else True


def replace_by(other: Callable[[bytes], None] | None) -> Callable[[bytes], None] | None:
    """For tests: events go there instead, until it is None again. What was there before is returned."""
    global _instead
    before, _instead = _instead, other
    return before


def _transport(config: LineageHubConfig) -> _Made:
    global _made  # noqa: PLW0603
    made = _made
    if made is None or made[0] is not config:
        with _lock:
            made = _made
            if made is None or made[0] is not config:
                if made is not None:
                    made[1].close(0)
                _made = made = _make(config)
    return made


def _make(config: LineageHubConfig) -> _Made:
    if not config.hub_endpoint:
        from lineage_hub.transports.console import ConsoleTransport

        warn_once("no hub", "no hub is configured, so events are printed; set LINEAGE_HUB_URL=http://host:8000")
        console = ConsoleTransport()
        return config, console, console.send
    from lineage_hub.transports.spool import SpoolConfig, SpoolTransport

    inner = {"type": "hub", "url": config.hub_endpoint, "api_key": config.api_key, "timeout": config.timeout}
    spool = SpoolTransport(SpoolConfig(transport=inner, folder=config.spool_folder, durable=config.durable))
    return config, spool, spool.take
