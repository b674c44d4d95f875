"""What users import is listed here: a name that is added, lost or left unexplained is noticed."""

import importlib
import inspect
from typing import Any

import pytest

# A name that is added to a package's __all__ is added here too.
PUBLIC = {
    "lineage_hub.sdk": """
        AdapterType BatchingLineageClient DataFormat DatasetSpec Health LineageHubClient LineageHubConfig LineageResult
        Metric Namespace Run Span SpanEvent SyncBatchingLineageClient SyncLineageHubClient SyncTelemetryClient
        TelemetryClient TelemetryResult configure current_run current_traceparent flush get_config instrument
        lineage_track reset_config telemetry_track trace_headers track
    """,
    "lineage_hub.transports": "Config Refused Terminal Transient Transport TransportFactory",
    "lineage_hub.testing": "FakeWorkspace LineageEvents RecordedRun RecordingTransport recorded",
}
EVERY_NAME = [(module, name) for module, names in PUBLIC.items() for name in names.split()]


@pytest.mark.parametrize("module", PUBLIC)
def test_the_names_of_a_package_are_those_listed_and_nothing_else_shows(module: str) -> None:
    package = importlib.import_module(module)
    assert sorted(package.__all__) == sorted(PUBLIC[module].split())
    namespace: dict[str, Any] = {}
    exec(f"from {module} import *", namespace)
    assert set(namespace) - {"__builtins__"} == set(package.__all__)


@pytest.mark.parametrize("module", PUBLIC)
def test_a_name_that_is_not_there_is_said_so(module: str) -> None:
    with pytest.raises(AttributeError, match="LineageHubCleint"):
        _ = importlib.import_module(module).LineageHubCleint


@pytest.mark.parametrize(("module", "name"), EVERY_NAME)
def test_a_name_is_explained(module: str, name: str) -> None:
    found = getattr(importlib.import_module(module), name)
    # A dataclass without a docstring gets its signature for one.
    text = vars(found).get("__doc__") if isinstance(found, type) else found.__doc__
    assert text, f"{name} has no docstring"
    assert not text.startswith(f"{name}("), f"{name} has no docstring"


@pytest.mark.parametrize(("module", "name"), EVERY_NAME)
def test_a_name_is_typed(module: str, name: str) -> None:
    found = getattr(importlib.import_module(module), name)
    functions = _methods(found) if isinstance(found, type) else {name: found}
    untyped = {
        f"{function}({parameter})"
        for function, body in functions.items()
        for parameter in _untyped(body, inside_class=isinstance(found, type))
    }
    assert not untyped


def _methods(found: type) -> dict[str, Any]:
    own = {name: member for name, member in vars(found).items() if not name.startswith("_") or name == "__init__"}
    plain = {name: getattr(member, "fget", None) or getattr(member, "__func__", member) for name, member in own.items()}
    # What a dataclass or an enumeration makes itself has its types from the fields.
    return {
        f"{found.__name__}.{name}": member
        for name, member in plain.items()
        if inspect.isfunction(member) and member.__code__.co_filename != "<string>"
    }


def _untyped(function: Any, *, inside_class: bool) -> set[str]:
    signature = inspect.signature(inspect.unwrap(function))
    parameters = list(signature.parameters.values())
    if inside_class and parameters and parameters[0].name in ("self", "cls"):
        parameters = parameters[1:]
    missing = {one.name for one in parameters if one.annotation is one.empty}
    return missing | ({"return"} if signature.return_annotation is signature.empty else set())
