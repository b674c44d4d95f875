"""What a team may import is listed here: a name that is taken away or added shows."""

import pytest

from lineage_hub import sdk

NAMES = [
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
    "lineage_track",
    "reset_config",
    "telemetry_track",
    "trace_headers",
    "track",
]


def test_these_are_all_names() -> None:
    assert sorted(sdk.__all__) == sorted(NAMES)
    assert set(NAMES) <= set(dir(sdk))


@pytest.mark.parametrize("name", NAMES)
def test_each_is_there(name: str) -> None:
    assert getattr(sdk, name) is not None


def test_what_is_not_there_is_said_so() -> None:
    with pytest.raises(AttributeError, match="LineageHubCleint"):
        _ = sdk.LineageHubCleint  # type: ignore[attr-defined]
