"""Two schemas of one dataset enter, as it was and as it is; what changed, and what a policy makes of it, leave.

Pure: names and texts of types are all that is looked at. Whether a column may be null is not told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from lineage_hub.spark.pipeline.definition import Policy
from lineage_hub.spark.pipeline.type_text import FieldLike, Type, type_of_field

ChangeKind = Literal["added", "removed", "widened", "narrowed", "changed", "reordered", "renamed"]
# From what readers may break on to what they hardly notice.
_WORST_FIRST: tuple[ChangeKind, ...] = ("removed", "narrowed", "changed", "renamed", "reordered", "widened", "added")
_WHOLE = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 19}
# Digits of whole numbers that a float or a double holds exactly.
_EXACT = {"float": 7, "double": 15}
_SIMILAR = 0.6
_Fields = Sequence[tuple[str, Type | None]]


@dataclass(frozen=True, slots=True)
class Change:
    """`path` has dots between a column and its nested fields; "" is the whole schema, of which `reordered` speaks."""

    kind: ChangeKind
    path: str
    before: str | None = None
    """The type as it was; of what was renamed the name, of a new order the names."""
    after: str | None = None

    def __str__(self) -> str:
        if self.kind == "added":
            return f"{self.path} ({self.after}) is new"
        if self.kind == "removed":
            return f"{self.path} ({self.before}) is gone"
        if self.kind == "renamed":
            return f"{self.before} is likely called {self.after} now"
        if self.kind == "reordered":
            return f"the order {f'in {self.path} ' if self.path else ''}is {self.after}, it was {self.before}"
        return f"{self.path} is {self.kind} from {self.before} to {self.after}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the policy does: `allow` where nothing changed."""

    policy: Policy
    changes: tuple[Change, ...]
    """The worst first."""

    @property
    def says(self) -> str:
        return "; ".join(map(str, self.changes)) or "the schema is as it was"


def worst(changes: Sequence[Change], policy: Policy) -> Verdict:
    """Any change is one for the policy; which are worse only orders what is told."""
    ordered = sorted(changes, key=lambda change: _WORST_FIRST.index(change.kind))
    return Verdict(policy if ordered else "allow", tuple(ordered))


def compare(before: Sequence[FieldLike], after: Sequence[FieldLike]) -> list[Change]:
    return list(_of_fields("", _typed(before), _typed(after)))


def _typed(fields: Sequence[FieldLike]) -> _Fields:
    return [(field.name, type_of_field(field)) for field in fields]


def _of_fields(path: str, before: _Fields, after: _Fields) -> Iterator[Change]:
    """Of one level: the whole schema, or a struct inside it."""
    old, new = dict(before), dict(after)
    renamed = _renamed(before, after)
    for name, kind in before:
        if name in new:
            yield from _of_types(_below(path, name), kind, new[name])
        elif name in renamed:
            yield Change("renamed", _below(path, name), _below(path, name), _below(path, renamed[name]))
        else:
            yield Change("removed", _below(path, name), before=_told(kind))
    for name, kind in after:
        if name not in old and name not in renamed.values():
            yield Change("added", _below(path, name), after=_told(kind))
    kept = [renamed.get(name, name) for name, _ in before if name in new or name in renamed]
    now = [name for name, _ in after if name in set(kept)]
    if kept != now:
        yield Change("reordered", path, ", ".join(kept), ", ".join(now))


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _told(kind: Type | None) -> str | None:
    return str(kind) if kind is not None else None


def _renamed(before: _Fields, after: _Fields) -> Mapping[str, str]:
    """Of what is gone and what is new, those of one type whose names are alike or that stand in the same place."""
    old, new = dict(before), dict(after)
    gone, come = _gaps(before, new), _gaps(after, old)
    scored = []
    for name, place in gone.items():
        for other, other_place in come.items():
            if old[name] is None or old[name] != new[other]:
                continue
            alike = SequenceMatcher(None, name.lower(), other.lower()).ratio()
            if alike >= _SIMILAR or place == other_place:
                scored.append((alike + (place == other_place), name, other))
    found: dict[str, str] = {}
    for _, name, other in sorted(scored, key=lambda one: -one[0]):
        if name not in found and other not in found.values():
            found[name] = other
    return found


def _gaps(fields: _Fields, kept: Mapping[str, object]) -> dict[str, tuple[str | None, int]]:
    """Each field that isn't kept, with its place: the kept field before it, and how far after that it stands."""
    found: dict[str, tuple[str | None, int]] = {}
    last, since = None, 0
    for name, _ in fields:
        if name in kept:
            last, since = name, 0
        else:
            found[name] = (last, since)
            since += 1
    return found


def _of_types(path: str, before: Type | None, after: Type | None) -> Iterator[Change]:
    if before is None or after is None or before == after:
        return
    if before.name == after.name and before.parts and after.parts:
        if before.name == "struct":
            yield from _of_fields(path, before.parts, after.parts)
            return
        for (name, one), (_, other) in zip(before.parts, after.parts, strict=False):
            # A field in an array of structs is told as that of a struct is: items.price.
            yield from _of_types(path if name == "element" else _below(path, name), one, other)
        return
    if _fits(before, after):
        yield Change("widened", path, str(before), str(after))
    elif _fits(after, before):
        yield Change("narrowed", path, str(before), str(after))
    else:
        yield Change("changed", path, str(before), str(after))


def _fits(one: Type, other: Type) -> bool:
    """Whether every value of one is the same value in the other."""
    if one.name == "void":
        return True
    if one.name in _WHOLE:
        digits = _WHOLE[one.name]
        if other.name == "decimal":
            return other.arguments[0] - other.arguments[1] >= digits
        return digits <= (_WHOLE | _EXACT).get(other.name, 0)
    if one.name == "decimal" == other.name:
        whole, scale = one.arguments[0] - one.arguments[1], one.arguments[1]
        return other.arguments[0] - other.arguments[1] >= whole and other.arguments[1] >= scale
    if one.name in ("char", "varchar"):
        longer = one.arguments <= other.arguments or not other.arguments
        return other.name == "string" or (other.name in ("varchar", one.name) and longer)
    return (one.name, other.name) in (("float", "double"), ("date", "timestamp"), ("date", "timestamp_ntz"))
