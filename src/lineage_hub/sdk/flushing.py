"""A number of seconds enters; whether all events and spans of this process have left by then leaves."""

from __future__ import annotations

import sys
import time
from typing import Any

from lineage_hub.sdk import outbox


def flush(timeout: float = -1.0) -> bool:
    """Whether all that was told by this process has reached the hub within so many seconds."""
    until = time.monotonic() + timeout
    events = outbox.flush(timeout)
    # Whoever has made a span has loaded it.
    spans: Any = sys.modules.get("lineage_hub.sdk.telemetry_outbox")
    if spans is None:
        return events
    return bool(spans.flush(timeout if timeout < 0 else max(0.0, until - time.monotonic()))) and events
