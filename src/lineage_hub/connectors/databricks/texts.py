"""A reading enters whose texts a program made; it leaves with texts that can be written and shown anywhere.

Half of a pair of UTF-16 (`"\\ud800"`) is a text in Python and in no encoding; a sign stands in its place. Of addresses
and paths keys and passwords are left out, wherever in a program they stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from lineage_hub.connectors.databricks.addresses import plain_path
from lineage_hub.connectors.databricks.reading import DefinedTable, Reading, StreamSource

_USER = re.compile(r"^([^/@]*//)?[^/]*@")  # and a password, before a host


def presentable(reading: Reading) -> Reading:
    whole = "".join(_texts(reading))
    try:
        whole.encode()
    except UnicodeEncodeError:
        reading = Reading(*(_writable(getattr(reading, one.name)) for one in fields(reading)))
    if "@" not in whole and "://" not in whole:
        return reading
    return replace(reading, sources=[*map(_source, reading.sources)], tables=[*map(_table, reading.tables)])


def _source(one: StreamSource) -> StreamSource:
    bootstrap = one.bootstrap
    if bootstrap is not None and "@" in bootstrap and not bootstrap.startswith("jdbc:"):
        bootstrap = ",".join(_USER.sub(r"\1", part) for part in bootstrap.split(","))
    target, source = plain_path(one.target_table), plain_path(one.source_table)
    return replace(one, bootstrap=bootstrap, target_table=target, source_table=source)


def _table(one: DefinedTable) -> DefinedTable:
    columns = one.columns
    if columns is not None:
        columns = {name: tuple(replace(each, table=_plain(each.table)) for each in origins)
                   for name, origins in columns.items()}  # fmt: skip
    return replace(one, name=_plain(one.name), reads=tuple(map(_plain, one.reads)), columns=columns)


def _plain(name: str) -> str:
    return plain_path(name) or name


def _texts(reading: Reading) -> Iterator[str]:
    for source in reading.sources:
        yield from source.topics
        yield from source.unresolved
        for text in (source.pattern, source.bootstrap, source.path, source.group_id_prefix, source.target_table,
                     source.source_table, source.file, source.kind):  # fmt: skip
            yield text or ""
    for table in reading.tables:
        yield table.name + (table.comment or "")
        yield from table.reads
        yield from (one.name + (one.condition or "") for one in table.expectations)
        for column, origins in (table.columns or {}).items():
            yield column
            yield from (one.table + one.column for one in origins)
    yield from (one.reason + one.path for one in reading.problems)


def _writable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{one.name: _writable(getattr(value, one.name)) for one in fields(value)})
    if isinstance(value, Mapping):
        return {_writable(name): _writable(one) for name, one in value.items()}
    return type(value)(map(_writable, value)) if isinstance(value, list | tuple) else value
