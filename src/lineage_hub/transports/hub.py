"""Events enter, a Lineage Hub has them when `send` returns; with a namespace they belong to that tenant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import msgspec

from lineage_hub.errors import Overloaded
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


class _Taken(msgspec.Struct):
    accepted: int
    rejected: int = 0
    errors: list[_Error] = []


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
            taken = msgspec.json.decode(answer.body, type=_Taken)
        except msgspec.DecodeError:
            raise Overloaded("the answer is no hub's", subject=answer.body[:80].decode(errors="replace")) from None
        return [Refused(one.index, one.reason) for one in taken.errors if 0 <= one.index < len(events)]
