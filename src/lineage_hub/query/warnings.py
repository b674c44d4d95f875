"""An event's text enters, what is odd about it leaves: facets unknown or unlike their schema, a clock ahead.

Known facets are checked against openlineage-python's classes, which are made from the official schemas.
"""

from __future__ import annotations

import enum
import importlib
import inspect
import json
import pkgutil
import types
from collections.abc import Iterator
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import attr

AHEAD_NS = 5 * 60 * 1_000_000_000
# An event has thousands of datasets at most; what more is odd about it is counted.
MOST = 1000
KINDS = {
    "run": "RunFacet",
    "job": "JobFacet",
    "dataset": "DatasetFacet",
    "input": "InputDatasetFacet",
    "output": "OutputDatasetFacet",
}
# Facets of the SDK, the pipeline and the connectors, which the hub knows without a class.
OURS = "lineageHub_"
_SCALARS: dict[Any, str] = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}


def warnings(raw: bytes, event_at: int, known_at: int) -> list[dict[str, str]]:
    found: list[dict[str, str]] = []
    if event_at > known_at + AHEAD_NS:
        found.append({"where": "eventTime", "warning": "is more than five minutes ahead of the hub's clock"})
    event = _parsed(raw)
    if event is None:
        return [*found, {"where": "event", "warning": "is nested too deeply to be judged"}]
    if "schemaURL" not in event:
        found.append({"where": "schemaURL", "warning": "is missing"})
    for where, kind, facets in _facet_maps(event):
        for name, facet in facets.items():
            found += [{"where": f"{where}.{name}", "warning": text} for text in _judge(kind, name, facet)]
    if len(found) > MOST:
        found[MOST:] = [{"where": "event", "warning": f"has {len(found) - MOST} more warnings"}]
    return found


def _parsed(raw: bytes) -> dict[str, Any] | None:
    """Numbers of any size are only numbers here; none is too large to be read."""
    try:
        event: dict[str, Any] = json.loads(raw, parse_int=lambda _: 0)
    except RecursionError:
        return None
    return event


def _facet_maps(event: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for key in ("run", "job", "dataset"):
        if event.get(key) is not None:
            yield f"{key}.facets", key, event[key].get("facets") or {}
    for key, kind in (("inputs", "input"), ("outputs", "output")):
        for at, dataset in enumerate(event.get(key) or ()):
            yield f"{key}[{at}].facets", "dataset", dataset.get("facets") or {}
            yield f"{key}[{at}].{kind}Facets", kind, dataset.get(f"{kind}Facets") or {}


def _judge(kind: str, name: str, facet: Any) -> list[str]:
    if not isinstance(facet, dict):
        return ["is not an object"]
    if facet.get("_deleted") is True:
        return []
    found = [f"has no {key}" for key in ("_producer", "_schemaURL") if not isinstance(facet.get(key), str)]
    known = _known_facets().get((kind, name))
    if known is None and name.startswith(OURS):
        return found
    if known is None:
        return [*found, "is not a facet of the OpenLineage spec"]
    try:
        return found + _misfits(known, facet, "")
    except RecursionError:
        return [*found, "is nested too deeply to be judged"]


def _misfits(kind: Any, value: dict[str, Any], path: str) -> list[str]:
    found = []
    hints = _hints(kind)
    for field in attr.fields(kind):
        if field.name.startswith("_"):
            continue
        if field.name in value:
            at = f"{path}{field.name}"
            wrong = _mismatch(hints[field.name], value[field.name], at)
            found += wrong or _refused(field, value, at)
        elif field.default is attr.NOTHING:
            found.append(f"lacks {path}{field.name}")
    return found


def _mismatch(wanted: Any, value: Any, path: str) -> list[str]:
    """By the annotation of openlineage's attrs class; of alternatives the one that fits best speaks."""
    if get_origin(wanted) in (Union, types.UnionType):
        options = [option for option in get_args(wanted) if option is not types.NoneType]
        if value is None:
            return [] if len(options) < len(get_args(wanted)) else [f"{path} is null"]
        return min((_mismatch(option, value, path) for option in options), key=len)
    if value is None and wanted is not Any:
        return [f"{path} is null"]
    if get_origin(wanted) is list:
        if not isinstance(value, list):
            return [f"{path} is not a list"]
        inner = get_args(wanted)[0]
        return [text for at, one in enumerate(value) for text in _mismatch(inner, one, f"{path}[{at}]")]
    if get_origin(wanted) is dict:
        if not isinstance(value, dict):
            return [f"{path} is not an object"]
        inner = get_args(wanted)[1]
        return [text for key, one in value.items() for text in _mismatch(inner, one, f"{path}.{key}")]
    if get_origin(wanted) is Literal:
        return _one_of(get_args(wanted), value, path)
    if wanted in _SCALARS:
        return [] if _is_a(wanted, value) else [f"{path} is not {_SCALARS[wanted]}"]
    if inspect.isclass(wanted) and issubclass(wanted, enum.Enum):
        return _one_of([member.value for member in wanted], value, path)
    if inspect.isclass(wanted) and attr.has(wanted):
        return _misfits(wanted, value, f"{path}.") if isinstance(value, dict) else [f"{path} is not an object"]
    return []


def _is_a(wanted: type, value: Any) -> bool:
    if wanted in (int, float):
        whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        return not isinstance(value, bool) and (whole or (wanted is float and isinstance(value, float)))
    return isinstance(value, wanted)


def _one_of(allowed: Any, value: Any, path: str) -> list[str]:
    return [] if value in allowed else [f"{path} is not one of {', '.join(map(str, allowed))}"]


class _Siblings:
    """Stands for the facet that a validator belongs to: some look at the fields beside theirs."""

    def __init__(self, values: dict[str, Any]) -> None:
        self._values = values

    def __getattr__(self, name: str) -> Any:
        return self._values.get(name)


def _refused(field: attr.Attribute[Any], value: dict[str, Any], path: str) -> list[str]:
    if field.validator is None or value[field.name] is None:
        return []
    try:
        field.validator(_Siblings(value), field, value[field.name])
    except Exception:  # whatever a validator of openlineage makes of a value that nobody has checked
        return [f"{path} has not the form that the spec asks for"]
    return []


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


# Keys that the spec spells otherwise than their class.
SPELLED = {
    "SQLJobFacet": "sql",
    "DatasourceDatasetFacet": "dataSource",
    "DatasetVersionDatasetFacet": "version",
    "ProcessingEngineRunFacet": "processing_engine",
}


@cache
def _known_facets() -> dict[tuple[str, str], type]:
    """Facet classes by kind and key; the key is the stem of the class's name."""
    from openlineage.client import generated

    found: dict[tuple[str, str], type] = {}
    for info in pkgutil.iter_modules(generated.__path__):
        module = importlib.import_module(f"{generated.__name__}.{info.name}")
        for name, kind in inspect.getmembers(module, inspect.isclass):
            if kind.__module__ != module.__name__ or not attr.has(kind):
                continue
            bases = {base.__name__ for base in kind.__mro__[1:]}
            for short, base in KINDS.items():
                if base in bases:
                    stem = name.removesuffix(base).removesuffix("DatasetFacet")
                    found[(short, SPELLED.get(name, stem[:1].lower() + stem[1:]))] = kind
    # Assertions are spelled under both, by the spec's own examples.
    found.setdefault(("dataset", "dataQualityAssertions"), found[("input", "dataQualityAssertions")])
    return found
