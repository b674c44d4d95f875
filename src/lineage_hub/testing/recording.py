"""Events enter by the SDK or by a transport; they leave as `LineageEvents`, and reach no hub."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

from lineage_hub.errors import InvalidEvent
from lineage_hub.sdk import outbox
from lineage_hub.sdk.config import LineageHubConfig, replace_config
from lineage_hub.sdk.warnings import forget_warnings
from lineage_hub.testing.events import LineageEvents
from lineage_hub.transports.base import Refused, Transport


class RecordingTransport(Transport):
    """Takes everything and keeps it in `recorded`; also by `type: lineage_hub.testing.RecordingTransport`."""

    kind: ClassVar[str] = "recording"

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        """The factory gives the keys of the configuration, of which none is used."""
        del params
        self.recorded = LineageEvents()
        self.closed = False

    @property
    def events(self) -> list[dict[str, Any]]:
        return self.recorded.events

    def send_batch(self, events: Sequence[bytes]) -> list[Refused]:
        refused = []
        for index, event in enumerate(events):
            try:
                self.recorded.add(event)
            except InvalidEvent as error:
                refused.append(Refused(index, error.message))
        return refused

    def close(self, timeout: float = -1.0) -> bool:
        self.closed = True
        return super().close(timeout)


@contextmanager
def recorded(**settings: Any) -> Iterator[LineageEvents]:
    """What the SDK tells inside the block is recorded instead of sent.

    The configuration begins afresh: the environment and `settings` count. Afterwards everything is as it was before.
    """
    events = LineageEvents()
    config = replace_config(LineageHubConfig.load(**settings) if settings else None)
    instead = outbox.replace_by(events.add)
    # Each is told once; who looks for one finds it whatever ran before.
    forget_warnings()
    try:
        yield events
    finally:
        outbox.replace_by(instead)
        replace_config(config)
