"""Small programs enter; what the reader says of them leaves, in short."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import dedent

from lineage_hub.connectors.databricks.reading import DefinedTable, Reading, StreamSource
from lineage_hub.connectors.databricks.sources import read_program

NOTHING: Mapping[str, str] = {}


def read(
    source: str, *, path: str = "", configuration: Mapping[str, str] = NOTHING, files: Mapping[str, str] = NOTHING
) -> Reading:
    texts = {name: dedent(text) for name, text in files.items()}
    return read_program(dedent(source), path=path, configuration=configuration, files=texts)


def sources(source: str, **given: object) -> list[StreamSource]:
    return read(source, **given).sources  # type: ignore[arg-type]


def topics(source: str, **given: object) -> list[list[str]]:
    """Of each read from Kafka its topics; `unresolved` stands for those that can't be known."""
    found = [one for one in sources(source, **given) if one.kind == "kafka"]
    return [["unresolved"] if "subscribe" in one.unresolved else one.topics for one in found]


def feeds(source: str, **given: object) -> set[tuple[str | None, str | None]]:
    """(what is read, what it feeds)"""
    return {(",".join(one.topics) or one.path, one.target_table) for one in sources(source, **given)}


def table(source: str, name: str, **given: object) -> DefinedTable:
    return next(one for one in read(source, **given).tables if one.name == name)  # type: ignore[arg-type]
