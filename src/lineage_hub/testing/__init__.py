"""Help for tests of programs that tell of their lineage: what they tell enters, and leaves as runs to assert on.

    def test_report(lineage_events):
        report()
        lineage_events.only_run("report").assert_wrote("s3://lake/report")

Importing it loads neither pytest nor the SDK: names are loaded when they are first used.
PYTEST_DONT_REWRITE: pytest reads this, and doesn't warn when it is named by a conftest and by the entry point.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lineage_hub.testing.databricks import FakeWorkspace
    from lineage_hub.testing.events import LineageEvents, RecordedRun
    from lineage_hub.testing.recording import RecordingTransport, recorded

# So that a conftest may say pytest_plugins = ["lineage_hub.testing"].
pytest_plugins = ("lineage_hub.testing.plugin",)

_MODULES = {
    "FakeWorkspace": "databricks",
    "LineageEvents": "events",
    "RecordedRun": "events",
    "RecordingTransport": "recording",
    "recorded": "recording",
}

__all__ = ["FakeWorkspace", "LineageEvents", "RecordedRun", "RecordingTransport", "recorded"]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
