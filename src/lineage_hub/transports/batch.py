"""Events enter, many at a time leave by OpenLineage's batch endpoint; a server without one gets them one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import msgspec

from lineage_hub.errors import Overloaded, Refusal
from lineage_hub.transports.base import Refused, Transport, one_by_one
from lineage_hub.transports.config import Config
from lineage_hub.transports.http import HttpConnection

NO_SUCH_ENDPOINT = (404, 405)


@dataclass(frozen=True, slots=True)
class BatchConfig(Config):
    kind: ClassVar[str] = "batch"
    url: str
    api_key: str = field(default="", repr=False)
    endpoint: str = "/api/v1/lineage/batch"
    single_endpoint: str = "/api/v1/lineage"
    timeout: float = 30.0
    verify: bool = True
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def destination(self) -> str:
        return f"{self.url.rstrip('/')}{self.endpoint}"


class _Failed(msgspec.Struct):
    index: int
    reason: str = ""
    retriable: bool = False


class _Summary(msgspec.Struct):
    failed_events: list[_Failed] = []


class BatchTransport(Transport):
    kind: ClassVar[str] = "batch"
    config_class: ClassVar[type[Config]] = BatchConfig

    def __init__(self, config: BatchConfig) -> None:
        self.config = config
        headers = dict(config.headers)
        if config.api_key:
            headers["Authorization"] = f"Bearer {config.api_key}"
        self._http = HttpConnection(config.url, headers, config.timeout, verify=config.verify)
        self._one_by_one = False

    def send_batch(self, events: Sequence[bytes]) -> list[Refused]:
        if not events:
            return []
        if len(events) == 1 or self._one_by_one:
            return one_by_one(self._send_one, events)
        try:
            answer = self._http.post(self.config.endpoint, b"\n".join(events), "application/x-ndjson")
        except Refusal as error:
            if error.answered not in NO_SUCH_ENDPOINT:
                raise
            self._one_by_one = True
            return one_by_one(self._send_one, events)
        return _refused(answer.body)

    def _send_one(self, event: bytes) -> None:
        self._http.post(self.config.single_endpoint, event)

    def after_fork(self) -> None:
        self._http.after_fork()

    def close(self, timeout: float = -1.0) -> bool:
        self._http.close()
        return super().close(timeout)


def _refused(body: bytes) -> list[Refused]:
    if not body:
        return []
    try:
        failed = msgspec.json.decode(body, type=_Summary).failed_events
    except msgspec.DecodeError:
        # A proxy answered in the server's place: nothing is known of any event.
        raise Overloaded("the answer is no summary of a batch", subject=body[:80].decode(errors="replace")) from None
    if any(one.retriable for one in failed):
        # Sent again as a whole: those that were taken count once.
        raise Overloaded("the server asks for some events again", subject="batch")
    return [Refused(one.index, one.reason) for one in failed]
