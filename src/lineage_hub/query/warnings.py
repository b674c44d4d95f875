"""An event's text enters, what is odd about it leaves: facets that are unknown or don't fit their schema, a clock ahead.

Known facets are checked against openlineage-python's classes, which are made from the official schemas.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from functools import cache
from typing import Any

import attr
import msgspec

AHEAD_NS = 5 * 60 * 1_000_000_000
KINDS = {
    "run": "RunFacet",
    "job": "JobFacet",
    "dataset": "DatasetFacet",
    "input": "InputDatasetFacet",
    "output": "OutputDatasetFacet",
}


def warnings(text: bytes, event_at: int, known_at: int) -> list[dict[str, str]]:
    found: list[dict[str, str]] = []
    if event_at > known_at + AHEAD_NS:
        found.append({"where": "eventTime", "warning": "is more than five minutes ahead of the hub's clock"})
    event = msgspec.json.decode(text)
    if "schemaURL" not in event:
        found.append({"where": "schemaURL", "warning": "is missing"})
    for where, kind, facets in _facet_maps(event):
        for name, facet in facets.items():
            found += [{"where": f"{where}.{name}", "warning": text} for text in _judge(kind, name, facet)]
    return found


def _facet_maps(event: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    maps = []
    for key, kind in (("run", "run"), ("job", "job"), ("dataset", "dataset")):
        if isinstance(event.get(key), dict):
            maps.append((f"{key}.facets", kind, event[key].get("facets") or {}))
    for key, kind in (("inputs", "input"), ("outputs", "output")):
        for at, dataset in enumerate(event.get(key) or ()):
            maps.append((f"{key}[{at}].facets", "dataset", dataset.get("facets") or {}))
            maps.append((f"{key}[{at}].{kind}Facets", kind, dataset.get(f"{kind}Facets") or {}))
    return maps


def _judge(kind: str, name: str, facet: Any) -> list[str]:
    if not isinstance(facet, dict):
        return ["is not an object"]
    if facet.get("_deleted") is True:
        return []
    found = [f"has no {key}" for key in ("_producer", "_schemaURL") if not isinstance(facet.get(key), str)]
    known = _known_facets().get((kind, name))
    if known is None:
        return [*found, "is not a facet of the OpenLineage spec"]
    return found + _misfits(known, facet, "")


def _misfits(kind: type, value: dict[str, Any], path: str) -> list[str]:
    found = []
    for field in attr.fields(kind):
        if field.name.startswith("_"):
            continue
        if field.name not in value:
            if field.default is attr.NOTHING:
                found.append(f"lacks {path}{field.name}")
            continue
        found += _mismatch(str(field.type), value[field.name], f"{path}{field.name}", kind)
    return found


def _mismatch(wanted: str, value: Any, path: str, owner: type) -> list[str]:
    """By the annotation of openlineage's attrs class: scalars, lists and nested classes."""
    options = [option.strip() for option in wanted.split("|")]
    if value is None:
        return [] if "None" in options else [f"{path} is null"]
    module = inspect.getmodule(owner)
    for option in options:
        plain = {"str": str, "int": int, "float": (int, float), "bool": bool}.get(option)
        if plain is not None:
            if isinstance(value, plain) and not (option in ("int", "float") and isinstance(value, bool)):
                return []
        elif option.startswith("list["):
            if isinstance(value, list):
                return [p for at, one in enumerate(value) for p in _mismatch(option[5:-1], one, f"{path}[{at}]", owner)]
        elif option.startswith("dict["):
            if isinstance(value, dict):
                return []
        elif option != "None":
            nested = getattr(module, option, None)
            if nested is None or not attr.has(nested):
                return []
            if isinstance(value, dict):
                return _misfits(nested, value, f"{path}.")
    return [f"{path} is not {wanted}"]


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
    from openlineage.client import generated  # noqa: PLC0415

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
