"""Events enter; a hub has them, or a file does."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from lineage_hub.connectors.databricks.connection import Json
from lineage_hub.errors import InvalidRequest, Transient
from lineage_hub.settings import Settings
from lineage_hub.transports.base import Refused, event_text
from lineage_hub.transports.batch import BatchConfig, BatchTransport
from lineage_hub.transports.patience import Patience

_BATCH = 500
_ATTEMPTS = 5


def send(events: Sequence[Json], settings: Settings, advance: Callable[[int, int], None]) -> list[Refused]:
    """What the hub refuses; it has the rest when this returns. What arrives twice counts once."""
    refused: list[Refused] = []
    with BatchTransport(BatchConfig(url=settings.url, api_key=settings.api_key)) as transport:
        for start in range(0, len(events), _BATCH):
            texts = [event_text(one) for one in events[start : start + _BATCH]]
            refused += [Refused(start + one.index, one.reason) for one in _patiently(transport, texts)]
            advance(start + len(texts), len(events))
    return refused


def _patiently(transport: BatchTransport, texts: Sequence[bytes]) -> list[Refused]:
    patience = Patience(first_s=0.2, longest_s=10.0, open_after=_ATTEMPTS + 1)
    while True:
        try:
            return transport.send_batch(texts)
        except Transient as error:
            wait_s = patience.failed(error.retry_after_s)
            if patience.failures >= _ATTEMPTS:
                raise
        time.sleep(wait_s)


def write(events: Sequence[Json], file: Path) -> None:
    """One a line, ready for `lineage-hub send-events`."""
    try:
        with file.open("wb") as out:
            for one in events:
                out.write(event_text(one) + b"\n")
    except OSError as error:
        raise InvalidRequest(
            f"{file} can't be written: {error.strerror}", subject="--output", action="name another file"
        ) from None
