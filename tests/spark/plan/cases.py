"""Fixture files become cases: a query, and what was written down about it by hand.
A case and what a reader found become a list of differences: what is missing and what is too much."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import yaml

FOLDER = Path(__file__).parent / "fixtures"
KINDS = {"IDENTITY", "TRANSFORMATION", "AGGREGATION"} | {"JOIN", "GROUP_BY", "FILTER", "SORT", "WINDOW", "CONDITIONAL"}
KEYS = {"name", "sql", "code", "setup", "boundaries"} | {"inputs", "writes", "columns", "every", "opaque", "details"}


class Said(NamedTuple):
    """An origin as a fixture says it: the source by its short name."""

    source: str
    field: str
    kind: str


@dataclass(frozen=True)
class Findings:
    """What there is to know about a query: written down in a fixture, or found by the reader."""

    inputs: frozenset[str]
    writes: Mapping[str, str | None]
    columns: Mapping[str, frozenset[Said]]
    opaque: frozenset[str]
    details: Mapping[str, Mapping[str, str | None]]
    """Format, version and table of a source."""


@dataclass(frozen=True)
class Case:
    name: str
    sql: str
    code: str
    setup: tuple[str, ...]
    boundaries: Mapping[str, str]
    expected: Findings


def read_cases(folder: Path = FOLDER) -> list[Case]:
    return [_case(entry) for file in sorted(folder.glob("*.yaml")) for entry in yaml.safe_load(file.read_text())]


def differences(expected: Findings, found: Findings) -> list[str]:
    said: list[str] = []
    said += _compare("input", expected.inputs, found.inputs)
    said += _compare("write", expected.writes.items(), found.writes.items())
    said += _compare("column", expected.columns, found.columns)
    for column in expected.columns.keys() & found.columns.keys():
        said += _compare(f"origin of {column!r}:", expected.columns[column], found.columns[column])
    said += _compare("opaque column", expected.opaque, found.opaque)
    for source, details in expected.details.items():
        same = {detail: found.details.get(source, {}).get(detail) for detail in details}
        said += _compare(f"detail of {source}:", details.items(), same.items())
    return said


def _compare(what: str, expected: Iterable[Any], found: Iterable[Any]) -> Iterator[str]:
    expected, found = set(expected), set(found)
    yield from (f"missing {what} {_spell(item)}" for item in sorted(expected - found, key=repr))
    yield from (f"too much: {what} {_spell(item)}" for item in sorted(found - expected, key=repr))


def _spell(item: Any) -> str:
    return f"{item.source}.{item.field} {item.kind}" if isinstance(item, Said) else repr(item)


def _case(entry: dict[str, Any]) -> Case:
    if unknown := entry.keys() - KEYS:
        raise ValueError(f"{entry.get('name')}: no such key: {', '.join(sorted(unknown))}")
    every = frozenset(_origins(entry.get("every", [])))
    return Case(
        name=entry["name"],
        sql=entry.get("sql", ""),
        code=entry.get("code", ""),
        setup=tuple(entry.get("setup", [])),
        boundaries=entry.get("boundaries", {}),
        expected=Findings(
            inputs=frozenset(entry["inputs"]),
            writes=entry.get("writes", {}),
            columns={str(column): every.union(_origins(origins)) for column, origins in entry["columns"].items()},
            opaque=frozenset(entry.get("opaque", [])),
            details=entry.get("details", {}),
        ),
    )


def _origins(said: str | list[str]) -> Iterator[Said]:
    for text in [said] if isinstance(said, str) else said:
        words = text.split(" ")
        kinds = []
        while words[-1] in KINDS:
            kinds.append(words.pop())
        source, _, field = " ".join(words).partition(".")
        yield from (Said(source, field, kind) for kind in kinds or ["IDENTITY"])
