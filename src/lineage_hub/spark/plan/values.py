"""Where a value comes from, as a value itself: origins of the whole, and of the fields of a structure that was built.

Rules of expressions and operators combine them; equal sets are shared, so thousands of columns stay cheap.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from lineage_hub.sdk.instrumentation.flows import DIRECT
from lineage_hub.spark.plan.model import Kind, Origin
from lineage_hub.spark.plan.tree import Json

Origins = frozenset[Origin]
NOTHING: Origins = frozenset()
_STRENGTH = {Kind.IDENTITY: 0, Kind.TRANSFORMATION: 1, Kind.AGGREGATION: 2}


@dataclass(frozen=True, slots=True)
class Value:
    origins: Origins = NOTHING
    fields: Mapping[str, Value] | None = None
    """Of a structure that an expression built; then `origins` holds what steers the whole. Arrays are seen through."""
    type: Json = None
    """Of a copy of data that has this type: its fields lie beneath each origin's path. None for what was computed."""
    opaque: frozenset[int] = frozenset()
    """Numbers of the steps on its way that can't be seen through."""
    spared: Origins = NOTHING
    """What groups the rows beneath and is this very value: a key is not grouped by itself."""


EMPTY = Value()


def flat(value: Value) -> Origins:
    """All origins of a value; building a structure computes, so what is only in its fields counts as transformed."""
    if value.fields is None:
        return value.origins
    return value.origins.union(*(transformed(flat(one)) for one in value.fields.values()))


def opaque_of(value: Value) -> frozenset[int]:
    if value.fields is None:
        return value.opaque
    return value.opaque.union(*(opaque_of(one) for one in value.fields.values()))


@lru_cache(maxsize=4096)
def raised(origins: Origins, kind: Kind) -> Origins:
    """The stronger kind wins on the way of a direct origin; what steers keeps its kind."""
    strength = _STRENGTH[kind]
    return frozenset(
        Origin(one.dataset, one.field, kind) if _STRENGTH.get(one.kind, 9) < strength else one for one in origins
    )


def transformed(origins: Origins) -> Origins:
    return raised(origins, Kind.TRANSFORMATION)


@lru_cache(maxsize=4096)
def steering(origins: Origins, kind: Kind) -> Origins:
    """Used to steer, everything takes the kind of that use."""
    return frozenset(Origin(one.dataset, one.field, kind) for one in origins)


def steered(value: Value, by: Origins) -> Value:
    return replace(value, origins=value.origins | by) if by else value


def decided(value: Value, others: Iterable[Value], kind: Kind) -> Value:
    """What other values decide about this one; if one of them can't be seen through, neither can this."""
    parts = list(others)
    by = NOTHING.union(*(flat(one) for one in parts))
    by = raised(by, kind) if kind in DIRECT else steering(by, kind)
    opaque = frozenset[int]().union(*(opaque_of(one) for one in parts))
    return replace(value, origins=value.origins | by, opaque=value.opaque | opaque) if by or opaque else value


def computed(values: Iterable[Value], kind: Kind = Kind.TRANSFORMATION) -> Value:
    """Made from all of them, without a structure that could be followed."""
    parts = [one for one in values if one is not EMPTY]
    if not parts:
        return EMPTY
    if len(parts) == 1:
        return Value(raised(flat(parts[0]), kind), opaque=opaque_of(parts[0]), spared=parts[0].spared)
    return Value(
        raised(frozenset().union(*(flat(one) for one in parts)), kind),
        opaque=frozenset().union(*(opaque_of(one) for one in parts)),
    )


def lifted(value: Value, kind: Kind) -> Value:
    """As `computed`, but what lies beneath can still be followed: an element, the first of a group."""
    fields = value.fields and {name: lifted(one, kind) for name, one in value.fields.items()}
    return replace(value, origins=raised(value.origins, kind), fields=fields)


def built(fields: Mapping[str, Value]) -> Value:
    return Value(fields=fields)


def field_of(value: Value, name: str) -> Value:
    """A field of a structure, or of the structures in an array."""
    if value.fields is not None:
        found = value.fields.get(name)
        if found is None:
            wanted = name.casefold()
            found = next((one for key, one in value.fields.items() if key.casefold() == wanted), None)
        return computed([value]) if found is None else steered(found, value.origins)
    inner = _struct(value.type)
    if inner is None:
        return computed([value])
    given = next((one for one in inner["fields"] if one["name"] == name), None)
    return Value(beneath(value.origins, name), None, given and given["type"], value.opaque, value.spared)


def names_of(value: Value) -> list[str] | None:
    """The names of its fields, in their order, where they are known."""
    if value.fields is not None:
        return list(value.fields)
    inner = _struct(value.type)
    return inner and [one["name"] for one in inner["fields"]]


@lru_cache(maxsize=4096)
def beneath(origins: Origins, name: str) -> Origins:
    return frozenset(
        Origin(one.dataset, f"{one.field}.{name}", one.kind) if one.kind in DIRECT else one for one in origins
    )


def opened(value: Value) -> Value:
    """A copied structure as the structure of its fields, so that some of them can be replaced."""
    names = names_of(value)
    if value.fields is not None or names is None:
        return value
    steers = frozenset(one for one in value.origins if one.kind not in DIRECT)
    return Value(steers, {name: field_of(value, name) for name in names}, opaque=value.opaque)


def renamed(value: Value, target: Json) -> Value:
    """After a cast between structures, which goes by position."""
    inner, names = _struct(target), names_of(value)
    if inner is None or names is None or len(names) != len(inner["fields"]):
        return computed([value])
    parts = opened(value)
    fields = {
        one["name"]: cast(field_of(value, name), one["type"]) for name, one in zip(names, inner["fields"], strict=True)
    }
    return replace(parts, fields=fields)


def cast(value: Value, target: Json) -> Value:
    if value is EMPTY or (value.type is not None and same_type(value.type, target)):
        return value
    return renamed(value, target) if names_of(value) is not None else computed([value])


def element(value: Value, kind: Kind = Kind.TRANSFORMATION) -> Value:
    """One of the values in an array or a map."""
    whole = lifted(value, kind)
    if isinstance(value.type, dict) and value.type.get("type") == "map":
        return replace(whole, type=None)
    return replace(whole, type=_element_type(value.type)) if value.fields is None else whole


def merged(values: Iterable[Value]) -> Value:
    """Either of them: rows of a union, branches of a condition. Structure survives where all have the same."""
    parts = [one for one in values if one is not EMPTY and (flat(one) or opaque_of(one))]
    if not parts:
        return EMPTY
    first, *others = parts
    if not others:
        return first
    if all(one.fields is None and same_type(one.type, first.type) for one in parts):
        return Value(
            frozenset().union(*(one.origins for one in parts)),
            type=first.type,
            opaque=frozenset().union(*(one.opaque for one in parts)),
        )
    names = [names_of(one) for one in parts]
    if names[0] is not None and all(one == names[0] for one in names):
        parts = [opened(one) for one in parts]
        return Value(
            frozenset().union(*(one.origins for one in parts)),
            {name: merged(field_of(one, name) for one in parts) for name in names[0]},
            opaque=frozenset().union(*(one.opaque for one in parts)),
        )
    return Value(
        frozenset().union(*(flat(one) for one in parts)), opaque=frozenset().union(*(opaque_of(one) for one in parts))
    )


def renumbered(value: Value, numbers: Mapping[int, int]) -> Value:
    """Of another reading, whose opaque steps have other numbers here."""
    fields = value.fields and {name: renumbered(one, numbers) for name, one in value.fields.items()}
    return replace(value, fields=fields, opaque=frozenset(numbers[one] for one in value.opaque))


def same_type(one: Json, other: Json) -> bool:
    """Whether values of both are alike; that one may be null makes no other value of it."""
    if isinstance(one, dict) and isinstance(other, dict):
        inner = ("type", "elementType", "keyType", "valueType", "name", "fields")
        return all(same_type(one.get(key), other.get(key)) for key in inner)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_type, one, other))
    return bool(one == other)


def _element_type(type_: Json) -> Json:
    return type_["elementType"] if isinstance(type_, dict) and type_.get("type") == "array" else None


def _struct(type_: Json) -> Json:
    while isinstance(type_, dict) and type_.get("type") == "array":
        type_ = type_["elementType"]
    return type_ if isinstance(type_, dict) and type_.get("type") == "struct" else None
