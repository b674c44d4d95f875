"""Types of rows enter as programs write them; the names of their fields leave."""

from __future__ import annotations

import re

from lineage_hub.connectors.databricks.program.machine import Machine
from lineage_hub.connectors.databricks.program.values import (
    PURE,
    UNKNOWN,
    Arguments,
    Library,
    ListValue,
    Method,
    Native,
    Value,
)

_NAME = re.compile(r"\s*(?:`([^`]+)`|(\w+))\s*(?::|\s)\s*\w")
_WHOLE = re.compile(r"\s*struct\s*<(.*)>\s*\Z", re.IGNORECASE | re.DOTALL)


class StructValue(Native):
    """StructType; None where a field's name can't be known."""

    __slots__ = ("fields",)

    def __init__(self, fields: tuple[str, ...] | None) -> None:
        self.fields = fields

    def attribute(self, machine: Machine, name: str, line: int) -> Value:
        return Method(self._add) if name == "add" else PURE

    def _add(self, machine: Machine, arguments: Arguments) -> Value:
        # It changes in place; a branch that adds to it is rare enough to forget the fields for.
        added = machine.see(arguments.get(0, "field", UNKNOWN))
        name = added.name if isinstance(added, FieldValue) else added
        known = self.fields is not None and isinstance(name, str) and not machine.path
        self.fields = (*(self.fields or ()), str(name)) if known else None
        return self


class FieldValue(Native):
    """StructField"""

    __slots__ = ("name",)

    def __init__(self, name: Value) -> None:
        self.name = name


def _struct(machine: Machine, arguments: Arguments) -> Value:
    given = machine.see(arguments.get(0, "fields", ()))
    items = machine.see(given.cells["items"]) if isinstance(given, ListValue) else given
    if not isinstance(items, tuple):
        return StructValue(None)
    names = [one.name if isinstance(one, FieldValue) else None for one in items]
    texts = [one for one in names if isinstance(one, str)]
    return StructValue(tuple(texts) if len(texts) == len(names) else None)


def _field(machine: Machine, arguments: Arguments) -> Value:
    return FieldValue(machine.see(arguments.get(0, "name", UNKNOWN)))


def fields_of(schema: Value) -> tuple[str, ...] | None:
    """Of a StructType, or of a text such as "a INT, b STRING"."""
    if isinstance(schema, StructValue):
        return schema.fields
    if not isinstance(schema, str):
        return None
    whole = _WHOLE.match(schema)
    names = []
    for part in _split(whole[1] if whole else schema):
        found = _NAME.match(part)
        if found is None:
            return None
        names.append(found[1] or found[2])
    return tuple(names) or None


def _split(text: str) -> list[str]:
    """At commas that stand in no brackets."""
    parts = [""]
    depth = 0
    for letter in text:
        depth += (letter in "<(") - (letter in ">)")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


TYPES = Library("pyspark.sql.types", {"StructType": Method(_struct), "StructField": Method(_field)}, PURE)
