"""Events enter, a Lineage Hub has them when `send` returns; with a namespace they belong to that tenant."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import msgspec

from lineage_hub.errors import InvalidEvent, Overloaded
from lineage_hub.transports.base import Refused
from lineage_hub.transports.batch import BatchConfig, BatchTransport
from lineage_hub.transports.config import Config

INGEST = "/api/v1/lineage/ingest"


@dataclass(frozen=True, slots=True)
class HubConfig(BatchConfig):
    kind: ClassVar[str] = "hub"
    namespace: str = ""
    source: str = ""

    @property
    def destination(self) -> str:
        return f"{self.url.rstrip('/')} {self.namespace}".strip()


class _Error(msgspec.Struct):
    index: int = -1
    reason: str = ""


class Taken(msgspec.Struct):
    """The hub's answer to an envelope; it lists at most a thousand errors."""

    accepted: int
    rejected: int = 0
    errors: list[str | _Error] = []
    namespace: str = ""

    def refused(self) -> list[Refused]:
        return [_refused(one) for one in self.errors]


_PLACED = re.compile(r"event (\d+): (.*)", re.DOTALL)


def _refused(error: str | _Error) -> Refused:
    """-1 is the place of what has none."""
    if isinstance(error, _Error):
        return Refused(error.index, error.reason)
    match = _PLACED.fullmatch(error)
    return Refused(int(match[1]), match[2]) if match is not None else Refused(-1, error)


class HubTransport(BatchTransport):
    kind: ClassVar[str] = "hub"
    config_class: ClassVar[type[Config]] = HubConfig

    def __init__(self, config: HubConfig) -> None:
        super().__init__(config)
        self._namespace, self._source = config.namespace, config.source

    def send_batch(self, events: Sequence[bytes]) -> list[Refused]:
        if not self._namespace:
            return super().send_batch(events)
        envelope: dict[str, object] = {"namespace": self._namespace, "events": [msgspec.Raw(one) for one in events]}
        if self._source:
            envelope["source"] = self._source
        answer = self._http.post(INGEST, msgspec.json.encode(envelope))
        try:
            taken = msgspec.json.decode(answer.body, type=Taken)
        except msgspec.DecodeError:
            raise Overloaded("the answer is no hub's", subject=answer.body[:80].decode(errors="replace")) from None
        refused = [one for one in taken.refused() if 0 <= one.index < len(events)]
        if len(refused) < taken.rejected:
            # Which ones is not known: each for itself shows.
            raise InvalidEvent(f"{taken.rejected} events were rejected", subject="batch", action="send single events")
        return refused
