"""Text and what is done to it enter; text leaves, never longer than the budget, or unknown."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Callable, Sequence
from datetime import timedelta

from lineage_hub.connectors.databricks.program.budget import TEXT, fits
from lineage_hub.connectors.databricks.program.dates import Moment, shown
from lineage_hub.connectors.databricks.program.iteration import is_unordered, members
from lineage_hub.connectors.databricks.program.joins import unknown_of
from lineage_hub.connectors.databricks.program.machine import Machine
from lineage_hub.connectors.databricks.program.values import (
    ABSENT,
    CONSTANTS,
    GAP,
    REST,
    UNKNOWN,
    Alternatives,
    Arguments,
    DictValue,
    Instance,
    ListValue,
    Native,
    Scope,
    SetValue,
    Unknown,
    Value,
    is_constant,
)

_WIDE = re.compile(r"\d{5,}")
_PERCENT = re.compile(
    r"%(?:\((?P<key>[^)]*)\))?[#0\- +]*(?:\*|\d+)?(?:\.(?:\*|\d*))?[hlL]?(?P<kind>[diouxXeEfFgGcrsa%])"
)
# A star takes its width from the values, where nothing bounds it.
_WIDE_FIELD = re.compile(r"%%|%(?:\([^)]*\))?[^%a-zA-Z]*?(?P<wide>\d{5,}|\*)")
_WIDTH = {"ljust", "rjust", "center", "zfill", "expandtabs"}
_OTHERWISE = {"format", "format_map", "join", "maketrans", "translate"}
_METHODS = {name for name in dir(str) if not name.startswith("_") and name not in _OTHERWISE}
_BYTES = {"decode", "hex", "lower", "upper", "strip", "split", "startswith", "endswith", "replace", "rstrip", "lstrip"}


class ConstantMethod(Native):
    """A method of a text, number or bytes."""

    __slots__ = ("name", "value")

    def __init__(self, value: Value, name: str) -> None:
        self.value = value
        self.name = name

    def call(self, machine: Machine, arguments: Arguments) -> Value:
        count, names = len(arguments.positional), list(arguments.keywords)

        def once(*several: Value) -> Value:
            named = dict(zip(names, several[count:], strict=True))
            return self._call(machine, several[:count], named, arguments.open)

        return machine.lift(once, *arguments.positional, *arguments.keywords.values())

    def _call(self, machine: Machine, given: tuple[Value, ...], named: dict[str, Value], more: bool) -> Value:
        if more:
            return unknown_of(*given, *named.values())
        value = self.value
        if isinstance(value, str):
            return _text_method(machine, value, self.name, given, named)
        if isinstance(value, bytes) and self.name in _BYTES:
            return _real(value, self.name, given, named)
        if isinstance(value, int | float) and self.name in {"is_integer", "bit_length"}:
            return _real(value, self.name, given, named)
        return UNKNOWN


def _text_method(machine: Machine, text: str, name: str, given: tuple[Value, ...], named: dict[str, Value]) -> Value:
    if name == "join":
        return _join(machine, text, given[0] if given else UNKNOWN)
    if name == "format":
        return format_text(machine, text, given, named)
    if name == "format_map" and given and isinstance(given[0], DictValue):
        known = {key: one for key, one in given[0].cells.items() if isinstance(key, str)}
        return format_text(machine, text, (), known)
    if name in _METHODS:
        return _real(text, name, given, named)
    return UNKNOWN


def _real(value: str | bytes | int | float, name: str, given: tuple[Value, ...], named: dict[str, Value]) -> Value:
    if not all(is_constant(one) for one in (*given, *named.values())):
        return unknown_of(*given, *named.values())
    if name in _WIDTH and any(isinstance(one, int) and one > TEXT for one in given):
        return UNKNOWN
    texts = [one for one in (value, *given) if isinstance(one, str | bytes)]
    if name == "replace" and len(texts) > 2 and (len(texts[0]) + 1) * len(texts[2]) > TEXT:
        return UNKNOWN
    try:
        method: Callable[..., object] = getattr(value, name)
        result = method(*given, **named)
    except Exception:  # whatever the program's own call would raise
        return UNKNOWN
    if isinstance(result, list):
        return ListValue(tuple(result))
    return result if fits(result) and isinstance(result, (*CONSTANTS, tuple)) else UNKNOWN


def _join(machine: Machine, separator: str, parts: Value) -> Value:
    if isinstance(parts, ListValue) and isinstance(parts.cells["items"], Alternatives):
        return machine.lift(lambda one: _join(machine, separator, one), machine.see(parts.cells["items"]))
    items = None if is_unordered(machine, parts) else members(machine, parts)
    if items is None:
        return unknown_of(parts)

    def joined(*several: Value) -> Value:
        texts = [one for one in several if isinstance(one, str)]
        if len(texts) < len(several) or sum(map(len, texts)) + len(separator) * len(texts) > TEXT:
            return unknown_of(*several)
        return separator.join(texts)

    return machine.lift(joined, *items)


def text_of(machine: Machine, value: Value) -> Value:
    """str(value)"""
    if isinstance(value, CONSTANTS):
        return _checked(str(value)) if fits(value) else UNKNOWN
    if isinstance(value, Instance):
        return _instance_text(machine, value)
    from lineage_hub.connectors.databricks.program.paths import PathValue

    if isinstance(value, PathValue):
        return value.text
    if isinstance(value, Moment):
        return str(value.value)
    plain = to_python(machine, value)
    return unknown_of(value) if plain is ABSENT else _checked(str(plain))


def _instance_text(machine: Machine, value: Instance) -> Value:
    from lineage_hub.connectors.databricks.program.calls import call_method
    from lineage_hub.connectors.databricks.program.classes import Marker

    if value.of.kind == "enum":
        # str() of an enumeration's member differs by version and base: only its own __str__ is sure.
        result = call_method(machine, value, "__str__", [])
        if result is ABSENT and any(isinstance(base, Marker) and base.text for base in value.of.bases):
            return value.cells.get("value", UNKNOWN)
        return UNKNOWN if result is ABSENT else result
    result = call_method(machine, value, "__str__", [])
    if result is ABSENT:
        result = call_method(machine, value, "__repr__", [])
    return unknown_of(value) if result is ABSENT else result


def to_python(machine: Machine, value: Value, depth: int = 8) -> Value:
    """The Python value itself if it is wholly known, else ABSENT."""
    value = machine.see(value)
    if isinstance(value, CONSTANTS):
        return value
    if depth == 0:
        return ABSENT
    if isinstance(value, tuple):
        parts = [to_python(machine, one, depth - 1) for one in value]
        return ABSENT if any(one is ABSENT for one in parts) else tuple(parts)
    if isinstance(value, SetValue):
        return ABSENT
    if isinstance(value, ListValue):
        items = machine.see(value.cells["items"])
        whole = to_python(machine, items, depth - 1) if isinstance(items, tuple) else ABSENT
        return list(whole) if isinstance(whole, tuple) else ABSENT
    if isinstance(value, DictValue) and REST not in value.cells:
        plain = {key: to_python(machine, one, depth - 1) for key, one in value.cells.items()}
        unsure = any(isinstance(one, Alternatives) for one in value.cells.values())
        return ABSENT if unsure or any(one is ABSENT for one in plain.values()) else plain
    return ABSENT


def _checked(text: str) -> Value:
    return text if len(text) <= TEXT else UNKNOWN


def percent(machine: Machine, template: str, values: Value) -> Value:
    """template % values"""
    if any(found["wide"] for found in _WIDE_FIELD.finditer(template)):
        return UNKNOWN
    if isinstance(values, DictValue):
        wanted = {match["key"] for match in _PERCENT.finditer(template) if match["key"] is not None}
        given = {key: machine.see(values.cells.get(key, UNKNOWN)) for key in wanted}
        names = list(given)
        return machine.lift(
            lambda *several: _percent(template, dict(zip(names, several, strict=True))), *given.values()
        )
    if isinstance(values, tuple):
        return machine.lift(lambda *several: _percent(template, several), *(machine.see(one) for one in values))
    if isinstance(values, Unknown):
        # It may be a tuple of all that the template asks for.
        return _partly(template, (values,) * len(_PERCENT.findall(template)))
    return _percent(template, values if isinstance(values, CONSTANTS) else (values,))


def _percent(template: str, values: object) -> Value:
    parts = values.values() if isinstance(values, dict) else values if isinstance(values, tuple) else (values,)
    if not all(isinstance(one, CONSTANTS) for one in parts):
        return _partly(template, values)
    try:
        return _checked(template % values)
    except (TypeError, ValueError, KeyError, OverflowError):
        return UNKNOWN


def _partly(template: str, values: object) -> Value:
    """The template around its fields, some of which have no known value."""
    given = list(values) if isinstance(values, tuple) else [values]
    pieces: list[Value] = []
    at = taken = 0
    for field in _PERCENT.finditer(template):
        pieces.append(template[at : field.start()])
        at = field.end()
        if field["kind"] == "%":
            pieces.append("%")
        elif field["key"] is not None:
            pieces.append(values.get(field["key"], UNKNOWN) if isinstance(values, dict) else UNKNOWN)
        else:
            pieces.append(given[taken] if taken < len(given) else UNKNOWN)
            taken += 1
    return partial_text([*pieces, template[at:]])


def format_text(machine: Machine, template: str, given: tuple[Value, ...], named: dict[str, Value]) -> Value:
    """template.format(…): field by field, so that attributes and members are looked up as the program does."""
    try:
        parts = list(string.Formatter().parse(template))
    except ValueError:
        return UNKNOWN
    pieces: list[Value] = []
    automatic = 0
    for literal, field, spec, conversion in parts:
        pieces.append(literal)
        if field is None:
            continue
        first, rest = _split_field(field)
        if not first:
            first, automatic = str(automatic), automatic + 1
        value = (
            (given[int(first)] if int(first) < len(given) else UNKNOWN)
            if first.isdigit()
            else named.get(first, UNKNOWN)
        )
        pieces.append(formatted(machine, _walk(machine, value, rest), spec or "", conversion))
    return concatenated(machine, pieces)


def _split_field(field: str) -> tuple[str, str]:
    for index, character in enumerate(field):
        if character in ".[":
            return field[:index], field[index:]
    return field, ""


def _walk(machine: Machine, value: Value, rest: str) -> Value:
    from lineage_hub.connectors.databricks.program.attributes import attribute
    from lineage_hub.connectors.databricks.program.operators import subscript

    for dotted, key in re.findall(r"\.([^.\[]+)|\[([^\]]*)\]", rest):
        value = machine.see(value)
        if dotted:
            value = attribute(machine, value, dotted, 0)
        else:
            wanted: Value = int(key) if key.isdigit() else key
            value = machine.lift(lambda one, wanted=wanted: subscript(machine, one, wanted, 0), value)
    return value


def formatted(machine: Machine, value: Value, spec: Value, conversion: str | None) -> Value:
    """One field of a text."""

    def one_field(value: Value, spec: Value) -> Value:
        if not isinstance(spec, str) or _WIDE.search(spec):
            return unknown_of(value)
        if conversion in ("r", "a"):
            if not isinstance(value, CONSTANTS) or not fits(value):
                return unknown_of(value)
            value = repr(value) if conversion == "r" else ascii(value)
        if isinstance(value, Moment) and conversion is None:
            return format(value.value, spec) if shown(spec) and not isinstance(value.value, timedelta) else UNKNOWN
        if conversion == "s" or not isinstance(value, CONSTANTS):
            value = text_of(machine, value)
        if not isinstance(value, CONSTANTS):
            return value if isinstance(value, Unknown) else UNKNOWN
        try:
            return _checked(format(value, spec)) if fits(value) else UNKNOWN
        except (ValueError, TypeError, OverflowError):
            return UNKNOWN

    return machine.lift(one_field, machine.see(value), machine.see(spec))


def concatenated(machine: Machine, pieces: list[Value]) -> Value:
    def whole(*several: Value) -> Value:
        texts = [one for one in several if isinstance(one, str)]
        if sum(map(len, texts)) > TEXT:
            return UNKNOWN
        return partial_text(several) if len(texts) < len(several) else "".join(texts)

    return machine.lift(whole, *pieces)


def partial_text(pieces: Sequence[Value]) -> Unknown:
    """A text that is not wholly known; what is known of it counts for SQL alone."""
    parts = [one if isinstance(one, str) else (isinstance(one, Unknown) and one.partial) or GAP for one in pieces]
    return Unknown(unknown_of(*pieces).inputs, partial="".join(parts)[:TEXT])


def evaluate_joined(machine: Machine, node: ast.JoinedStr, scope: Scope) -> Value:
    """An f-string."""
    pieces: list[Value] = []
    for part in node.values:
        if isinstance(part, ast.Constant):
            pieces.append(part.value)
        elif isinstance(part, ast.FormattedValue):
            value = machine.evaluate(part.value, scope)
            spec = "" if part.format_spec is None else machine.evaluate(part.format_spec, scope)
            pieces.append(formatted(machine, value, spec, {115: "s", 114: "r", 97: "a"}.get(part.conversion)))
    return concatenated(machine, pieces)
