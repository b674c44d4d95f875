"""OpenLineage's own transports behind this package's contract, and this package's behind OpenLineage's.

Its transports raise what their libraries raise, and some only hope: here `file` is on disk and `async_http` has been
answered when `send` returns. The import takes most of a second, so it happens when one of them is first used.

    OpenLineageClient(config={"transport": {"type": "lineage_hub.transports.openlineage.SpoolTransport", …}})
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import msgspec
from openlineage.client.transport import Config as TheirConfig
from openlineage.client.transport import Transport as TheirTransport
from openlineage.client.transport import get_default_factory

from lineage_hub.errors import InternalError, InvalidSetting, LineageHubError, Refusal, Unreachable
from lineage_hub.transports.base import Event, Refused, Transport, event_text, one_by_one
from lineage_hub.transports.batch import BatchConfig
from lineage_hub.transports.batch import BatchTransport as OurBatch
from lineage_hub.transports.hub import HubConfig
from lineage_hub.transports.hub import HubTransport as OurHub
from lineage_hub.transports.spool import SpoolConfig
from lineage_hub.transports.spool import SpoolTransport as OurSpool

_CONFIRM_S = 60.0


class OpenLineageTransport(Transport):
    """Any transport of OpenLineage's client, by its type or class name."""

    kind: ClassVar[str] = "openlineage"

    def __init__(self, params: Mapping[str, Any]) -> None:
        self.type = str(params["type"])
        self._failed = 0
        given = dict(params)
        key = given.pop("api_key", None)
        if key and "auth" not in given:
            given["auth"] = {"type": "api_key", "apiKey": key}
        try:
            self.theirs = _listened_to(get_default_factory().create(given))
        except Exception as error:
            raise InvalidSetting(
                f"the transport {self.type!r} can't be made: {error}", subject="transport", action="correct its keys"
            ) from error

    def send(self, event: Event) -> None:
        text = event_text(event)
        own = event if type(event).__module__.startswith("openlineage.") else msgspec.json.decode(text)
        try:
            self.theirs.emit(own)
            self._confirm()
        except LineageHubError:
            raise
        except Exception as error:
            raise _translated(error, self.type) from error

    def send_batch(self, events: Sequence[bytes]) -> list[Refused]:
        return one_by_one(self.send, events)

    def _confirm(self) -> None:
        wait = getattr(self.theirs, "wait_for_completion", None)
        if wait is not None and not wait(_CONFIRM_S):
            raise Unreachable(f"{self.type} did not confirm in {_CONFIRM_S:g} s", subject=self.type)
        producer = getattr(self.theirs, "producer", None)
        if isinstance(producer, _Reporting) and producer.failure is not None:
            failure, producer.failure = producer.failure, None
            raise Unreachable(f"{self.type} could not deliver the event: {failure}", subject=self.type)
        stats = getattr(self.theirs, "get_stats", None)
        if stats is not None and stats().get("failed", 0) > self._failed:
            self._failed = stats()["failed"]
            raise Unreachable(f"{self.type} could not deliver the event", subject=self.type)
        path = getattr(getattr(self.theirs, "config", None), "log_file_path", None)
        if path is not None:
            _sync(Path(path))

    def close(self, timeout: float = -1.0) -> bool:
        try:
            return bool(self.theirs.close(timeout))
        except Exception as error:
            raise _translated(error, self.type) from error


def _listened_to(theirs: Any) -> Any:
    if getattr(theirs, "producer", None) is not None:
        theirs.producer = _Reporting(theirs.producer)
    return theirs


class _Reporting:
    """A Kafka producer whose delivery reports are listened to: their transport only logs them.

    Events that come as plain JSON get the key that the same event has as an object, so that they stay in order.
    """

    def __init__(self, producer: Any) -> None:
        self._producer = producer
        self.failure: str | None = None

    def produce(self, topic: str, *, key: str | None, value: bytes, on_delivery: Any, **more: Any) -> None:
        def report(error: Any, message: Any) -> None:
            if error is not None:
                self.failure = str(error)
            on_delivery(error, message)

        self._producer.produce(topic=topic, key=key or _key_of(value), value=value, on_delivery=report, **more)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._producer, name)


class _Job(msgspec.Struct):
    namespace: str
    name: str


class _Above(msgspec.Struct):
    job: _Job
    root: _Above | None = None


class _RunFacets(msgspec.Struct):
    parent: _Above | None = None


class _Run(msgspec.Struct):
    facets: _RunFacets | None = None


class _Keyed(msgspec.Struct):
    run: _Run | None = None
    job: _Job | None = None
    dataset: _Job | None = None


def _key_of(value: bytes) -> str | None:
    try:
        event = msgspec.json.decode(value, type=_Keyed)
    except msgspec.MsgspecError:
        return None
    if event.dataset is not None:
        return f"dataset:{event.dataset.namespace}/{event.dataset.name}"
    if event.job is None:
        return None
    if event.run is None:
        return f"job:{event.job.namespace}/{event.job.name}"
    above = event.run.facets.parent if event.run.facets is not None else None
    # All runs under one root share a partition.
    job = event.job if above is None else (above.root or above).job
    return f"run:{job.namespace}/{job.name}"


def _sync(path: Path) -> None:
    """The newest of the files that the path stands for."""
    files = [path] if path.exists() else sorted(path.parent.glob(f"{path.name}*"), key=lambda one: one.stat().st_mtime)
    if files:
        fd = os.open(files[-1], os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


def _translated(error: BaseException, kind: str) -> LineageHubError:
    status = getattr(getattr(error, "response", None), "status_code", None)
    message = f"the transport {kind} failed: {type(error).__name__}: {error}"
    if status is not None and status < 500 and status not in (408, 425, 429):
        return Refusal(message, answered=status, subject=kind)
    if isinstance(error, TypeError | ValueError) and status is None:
        return InternalError(message, subject=kind)
    return Unreachable(message, subject=kind)


# This package's transports, for OpenLineage's client.


def _config(ours: Any) -> Any:
    class OurConfig(TheirConfig):
        config = None

        @classmethod
        def from_dict(cls, params: dict[str, Any]) -> Any:
            made = cls()
            made.config = ours.from_dict(params)
            return made

    return OurConfig


class _ForTheirClient(TheirTransport):
    made_by: ClassVar[Any]

    def __init__(self, config: Any) -> None:
        self.ours: Transport = self.made_by(config.config)

    def emit(self, event: Any) -> None:
        self.ours.send(event)

    def close(self, timeout: float = -1) -> bool:
        return self.ours.close(timeout)


class SpoolTransport(_ForTheirClient):
    kind = "spool"
    config_class = _config(SpoolConfig)
    made_by = OurSpool


class BatchTransport(_ForTheirClient):
    kind = "batch"
    config_class = _config(BatchConfig)
    made_by = OurBatch


class HubTransport(_ForTheirClient):
    kind = "hub"
    config_class = _config(HubConfig)
    made_by = OurHub


for _one in (SpoolTransport, BatchTransport, HubTransport):
    get_default_factory().register_transport(_one.kind, _one)

__all__ = ["BatchTransport", "HubTransport", "OpenLineageTransport", "SpoolTransport"]
