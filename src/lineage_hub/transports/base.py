"""An event enters as text, a mapping or an OpenLineage object; `send` returns once the other side has confirmed it.

What goes wrong leaves as one of two kinds: Transient, worth another try, or Terminal, which fails again. Nothing that
a library raises gets through.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, ClassVar, Self

import msgspec

from lineage_hub.errors import InvalidEvent, Refusal, Terminal

Event = bytes | str | Mapping[str, Any] | object
_encode = msgspec.json.Encoder(enc_hook=str).encode


@dataclass(frozen=True, slots=True)
class Refused:
    """An event of a batch that the other side won't take, however often it is sent."""

    index: int
    reason: str


class Transport(ABC):
    """A way for events to leave the program; `send_batch` is all that a new one has to have."""

    kind: ClassVar[str] = ""

    def send(self, event: Event) -> None:
        """Returns once it is confirmed; raises Transient or Terminal."""
        refused = self.send_batch([event_text(event)])
        if refused:
            raise InvalidEvent(refused[0].reason, subject="event", action="correct the event")

    @abstractmethod
    def send_batch(self, events: Sequence[bytes]) -> list[Refused]:
        """All of them, each as JSON on one line; raises if nothing is known of any."""

    def close(self, timeout: float = -1.0) -> bool:
        """Whether all that was sent has been confirmed within so many seconds; a negative number waits for it."""
        del timeout
        return True

    def after_fork(self) -> None:  # noqa: B027 - most have neither
        """In a child process: locks and connections are the parent's."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def one_by_one(send: Any, events: Sequence[bytes]) -> list[Refused]:
    """For systems that take single events: what one of them refuses doesn't keep back the next."""
    refused = []
    for index, event in enumerate(events):
        try:
            send(event)
        except Terminal as error:
            if isinstance(error, Refusal) and not error.blames_the_event:
                raise
            refused.append(Refused(index, str(error)))
    return refused


def event_text(event: Event) -> bytes:
    """JSON on one line."""
    if isinstance(event, bytes):
        return event.replace(b"\n", b" ").replace(b"\r", b" ")
    try:
        if isinstance(event, str):
            return event_text(event.encode())
        if isinstance(event, Mapping):
            return _encode(event)
        # Whoever has such an object has imported the library already.
        serde = sys.modules.get("openlineage.client.serde")
        if serde is not None and type(event).__module__.startswith("openlineage."):
            return event_text(serde.Serde.to_json(event))
        return _encode(event)
    except Exception as error:
        raise InvalidEvent(
            f"the event can't be written as JSON: {error}", subject=type(event).__name__, action="send plain values"
        ) from error
