"""A reading enters whose texts a program made; it leaves with texts that can be written anywhere.

Half of a pair of UTF-16 (`"\\ud800"`) is a text in Python and in no encoding; a sign stands in its place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from lineage_hub.connectors.databricks.reading import Reading


def writable(reading: Reading) -> Reading:
    try:
        "".join(_texts(reading)).encode()
    except UnicodeEncodeError:
        return Reading(*(_writable(getattr(reading, one.name)) for one in fields(reading)))
    return reading


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
