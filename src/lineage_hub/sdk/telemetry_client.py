"""Spans and metrics enter; they are with the hub, or with any receiver of OTLP, when the call returns.

`protocol="hub"` speaks the hub's envelope, `protocol="otlp"` OTLP/HTTP in JSON. `TelemetryClient` is awaited,
`SyncTelemetryClient` is not; they are the same otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from lineage_hub.errors import InvalidSetting
from lineage_hub.sdk import hub_api, otlp
from lineage_hub.sdk.answers import TelemetryResult
from lineage_hub.sdk.config import LineageHubConfig
from lineage_hub.sdk.conversation import Request, Talk, ask, stranger
from lineage_hub.sdk.destination import Destination
from lineage_hub.sdk.shells import AsyncTalker, SyncTalker
from lineage_hub.sdk.spans import Metric, Span

AnySpan = Span | Mapping[str, Any]
AnyMetric = Metric | Mapping[str, Any]
Sending = Callable[[Destination, Iterable[Any], str | None], Talk[TelemetryResult]]


def _traces_to_hub(to: Destination, traces: Iterable[Any], namespace: str | None) -> Talk[TelemetryResult]:
    return hub_api.send_telemetry(to, traces=traces, namespace=namespace)


def _metrics_to_hub(to: Destination, metrics: Iterable[Any], namespace: str | None) -> Talk[TelemetryResult]:
    return hub_api.send_telemetry(to, metrics=metrics, namespace=namespace)


def _traces_by_otlp(to: Destination, traces: Iterable[Any], namespace: str | None) -> Talk[TelemetryResult]:
    result = TelemetryResult(namespace=namespace or to.namespace)
    for part in hub_api.in_parts(hub_api.listed(traces, "traces")):
        body = otlp.traces_body(part, result.namespace)
        taken, refused, errors = yield from _export(to, otlp.TRACES, body, len(part))
        result += TelemetryResult(traces_accepted=taken, traces_rejected=refused, errors=errors)
    return result


def _metrics_by_otlp(to: Destination, metrics: Iterable[Any], namespace: str | None) -> Talk[TelemetryResult]:
    result = TelemetryResult(namespace=namespace or to.namespace)
    for part in hub_api.in_parts(hub_api.listed(metrics, "metrics")):
        body = otlp.metrics_body(part, result.namespace)
        taken, refused, errors = yield from _export(to, otlp.METRICS, body, len(part))
        result += TelemetryResult(metrics_accepted=taken, metrics_rejected=refused, errors=errors)
    return result


def _export(to: Destination, path: str, body: bytes, count: int) -> Talk[tuple[int, int, tuple[str, ...]]]:
    """How many were taken, how many refused, and why."""
    if not to.config.enable_telemetry or hub_api.printed(to, [body]):
        return 0, 0, ()
    answer = yield from ask(to, Request("POST", path, body))
    try:
        refused, why = otlp.read_response(answer.body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise stranger(to, str(error)) from None
    if not 0 <= refused <= count:
        raise stranger(to, f"of {count} it refused {refused}")
    return count - refused, refused, (why,) if why else ()


_PROTOCOLS: dict[str, tuple[Sending, Sending]] = {
    "hub": (_traces_to_hub, _metrics_to_hub),
    "otlp": (_traces_by_otlp, _metrics_by_otlp),
}


def _sending(protocol: str) -> tuple[Sending, Sending]:
    if protocol not in _PROTOCOLS:
        raise InvalidSetting(
            f"the protocol {protocol!r} is unknown", subject="protocol", action=f"use {' or '.join(_PROTOCOLS)}"
        )
    return _PROTOCOLS[protocol]


class TelemetryClient(AsyncTalker):
    """What isn't given comes from `get_config()`. `async with` closes it."""

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        namespace: str | None = None,
        config: LineageHubConfig | None = None,
        *,
        protocol: str = "hub",
    ) -> None:
        super().__init__(Destination.of(base_url, api_key, namespace, config))
        self._traces, self._metrics = _sending(protocol)

    async def send_traces(self, traces: Iterable[AnySpan], namespace: str | None = None) -> TelemetryResult:
        return await self._shell.run(self._traces(self.destination, traces, namespace))

    async def send_metrics(self, metrics: Iterable[AnyMetric], namespace: str | None = None) -> TelemetryResult:
        return await self._shell.run(self._metrics(self.destination, metrics, namespace))

    async def send_span(self, span: AnySpan, namespace: str | None = None) -> TelemetryResult:
        return await self.send_traces([span], namespace)

    async def send_metric(self, metric: AnyMetric, namespace: str | None = None) -> TelemetryResult:
        return await self.send_metrics([metric], namespace)


class SyncTelemetryClient(SyncTalker):
    """As `TelemetryClient`, without `await`."""

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        namespace: str | None = None,
        config: LineageHubConfig | None = None,
        *,
        protocol: str = "hub",
    ) -> None:
        super().__init__(Destination.of(base_url, api_key, namespace, config))
        self._traces, self._metrics = _sending(protocol)

    def send_traces(self, traces: Iterable[AnySpan], namespace: str | None = None) -> TelemetryResult:
        return self._shell.run(self._traces(self.destination, traces, namespace))

    def send_metrics(self, metrics: Iterable[AnyMetric], namespace: str | None = None) -> TelemetryResult:
        return self._shell.run(self._metrics(self.destination, metrics, namespace))

    def send_span(self, span: AnySpan, namespace: str | None = None) -> TelemetryResult:
        return self.send_traces([span], namespace)

    def send_metric(self, metric: AnyMetric, namespace: str | None = None) -> TelemetryResult:
        return self.send_metrics([metric], namespace)
