"""The text of a type enters, as Spark or a producer writes it; a value leaves that can be compared, part by part.

`decimal(12,2)`, `array<struct<a:int>>` and `VARCHAR(20)` are read, and the other names that a type goes by.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

_ALIASES = {
    "integer": "int", "long": "bigint", "short": "smallint", "byte": "tinyint", "bool": "boolean", "real": "float",
    "numeric": "decimal", "dec": "decimal", "text": "string", "timestamp_ltz": "timestamp", "null": "void",
}  # fmt: skip


class FieldLike(Protocol):
    """A column as any source tells of it: `type` may hold its nested fields, or `fields` may."""

    @property
    def name(self) -> str: ...
    @property
    def type(self) -> str | None: ...
    @property
    def fields(self) -> Sequence[FieldLike] | None: ...


@dataclass(frozen=True, slots=True)
class Type:
    """`arguments` are those of `decimal(12,2)`; `parts` are named fields of a struct, or an array's or map's types."""

    name: str
    arguments: tuple[int, ...] = ()
    parts: tuple[tuple[str, Type], ...] = ()

    def __str__(self) -> str:
        if self.name == "struct":
            return f"struct<{','.join(f'{name}:{part}' for name, part in self.parts)}>"
        if self.parts:
            return f"{self.name}<{','.join(str(part) for _, part in self.parts)}>"
        return f"{self.name}({','.join(map(str, self.arguments))})" if self.arguments else self.name


def type_of_field(field: FieldLike) -> Type | None:
    """None where nothing is known of it."""
    if not field.type:
        return None
    found = read_type(field.type)
    # A struct's own fields are surer than its text, which Spark cuts short when it is long.
    if not field.fields or (found.parts and found.name != "struct"):
        return found
    parts = tuple((one.name, type_of_field(one) or Type("")) for one in field.fields)
    # OpenLineage's listener tells of an array's element as of a field, `_element`; of a map's two as key and value.
    if found.name == "array" and len(parts) == 1:
        parts = (("element", parts[0][1]),)
    return Type(found.name, found.arguments, parts)


def read_type(text: str) -> Type:
    """What can't be taken apart is a type by its whole text."""
    text = text.strip()
    head, _, rest = text.partition("<")
    name = head.strip().lower()
    if rest and text.endswith(">") and name in ("array", "map", "struct"):
        inside = list(_split(rest[:-1]))
        if name == "struct":
            return Type("struct", (), tuple(_named(one) for one in inside if one.strip()))
        names = ("element",) if name == "array" else ("key", "value")
        return Type(name, (), tuple(zip(names, map(read_type, inside), strict=False)))
    base, _, given = text.lower().partition("(")
    numbers = [one.strip() for one in given.rstrip(") ").split(",")] if given else []
    known = _ALIASES.get(base.strip(), base.strip())
    if not all(one.isdigit() for one in numbers):
        return Type(text.lower())
    arguments = tuple(int(one) for one in numbers)
    if known == "decimal":
        # As Spark has it: no scale is 0, and no precision 10.
        arguments = (*arguments, *(10, 0)[len(arguments) :])
    return Type(known, arguments)


def _named(text: str) -> tuple[str, Type]:
    """`name:type`; a name with odd letters stands in backticks."""
    text = text.strip()
    if text.startswith("`"):
        end = 1
        while text[end : end + 1] != "`" or text[end : end + 2] == "``":
            if end >= len(text):
                return text, Type("")
            end += 2 if text[end : end + 2] == "``" else 1
        return text[1:end].replace("``", "`"), read_type(text[end + 1 :].lstrip(": "))
    name, _, kind = text.partition(":")
    return name.strip(), read_type(kind)


def _split(text: str) -> Iterator[str]:
    """At the commas that stand in no brackets and no backticks."""
    depth, start, in_name = 0, 0, False
    for at, letter in enumerate(text):
        if letter == "`":
            in_name = not in_name
        elif in_name:
            continue
        elif letter in "<(":
            depth += 1
        elif letter in ">)":
            depth -= 1
        elif letter == "," and depth == 0:
            yield text[start:at]
            start = at + 1
    yield text[start:]
