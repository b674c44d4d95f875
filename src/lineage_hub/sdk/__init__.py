"""What a team imports to tell of its lineage. Importing it loads nothing heavy.

@lineage_track(inputs="s3://lake/orders", outputs="postgres://db/shop/public/report")
def report(): ...
"""

from importlib import import_module
from typing import TYPE_CHECKING

from lineage_hub.sdk.config import LineageHubConfig, configure, get_config, reset_config
from lineage_hub.sdk.datasets import AdapterType, DataFormat, DatasetSpec
from lineage_hub.sdk.flushing import flush
from lineage_hub.sdk.instrumentation import instrument
from lineage_hub.sdk.runs import Run, current_run
from lineage_hub.sdk.tracing import current_traceparent, trace_headers
from lineage_hub.sdk.tracking import lineage_track, track

if TYPE_CHECKING:
    from lineage_hub.sdk.answers import Health, LineageResult, Namespace, TelemetryResult
    from lineage_hub.sdk.batching import BatchingLineageClient, SyncBatchingLineageClient
    from lineage_hub.sdk.client import LineageHubClient, SyncLineageHubClient
    from lineage_hub.sdk.spans import Metric, Span, SpanEvent
    from lineage_hub.sdk.telemetry import telemetry_track
    from lineage_hub.sdk.telemetry_client import SyncTelemetryClient, TelemetryClient

__all__ = [
    "AdapterType",
    "BatchingLineageClient",
    "DataFormat",
    "DatasetSpec",
    "Health",
    "LineageHubClient",
    "LineageHubConfig",
    "LineageResult",
    "Metric",
    "Namespace",
    "Run",
    "Span",
    "SpanEvent",
    "SyncBatchingLineageClient",
    "SyncLineageHubClient",
    "SyncTelemetryClient",
    "TelemetryClient",
    "TelemetryResult",
    "configure",
    "current_run",
    "current_traceparent",
    "flush",
    "get_config",
    "instrument",
    "lineage_track",
    "reset_config",
    "telemetry_track",
    "trace_headers",
    "track",
]

# Loaded when first used: a program that only tracks needs none of them.
_ELSEWHERE = {
    "answers": ("Health", "LineageResult", "Namespace", "TelemetryResult"),
    "batching": ("BatchingLineageClient", "SyncBatchingLineageClient"),
    "client": ("LineageHubClient", "SyncLineageHubClient"),
    "spans": ("Metric", "Span", "SpanEvent"),
    "telemetry": ("telemetry_track",),
    "telemetry_client": ("SyncTelemetryClient", "TelemetryClient"),
}
_MODULES = {name: module for module, names in _ELSEWHERE.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
