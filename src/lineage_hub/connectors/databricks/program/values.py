"""What expressions stand for: constants as themselves, collections, functions, classes, and what can't be known.

Text, numbers, True, None, bytes and tuples are Python's own; whatever can change keeps its content in `cells`, so that
`state` can take it back and join it after a branch.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from lineage_hub.connectors.databricks.program.guards import ALWAYS, Guard

if TYPE_CHECKING:
    from lineage_hub.connectors.databricks.program.machine import Machine
    from lineage_hub.connectors.databricks.program.reads import Input

Value: TypeAlias = object
CONSTANTS = (str, int, float, bool, type(None), bytes, complex)
_serials = itertools.count()


class Absent:
    """There is nothing here: an unbound name, a key that is not in a dictionary."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = Absent()
GAP = "${\ue0f1}"  # a part of a text that can't be known
REST = Absent()  # a dictionary's key for "and others, unknown"


class Unknown:
    """A value that can't be known from the code."""

    __slots__ = ("inputs", "key", "partial", "pure")

    def __init__(
        self,
        inputs: tuple[Input, ...] = (),
        key: Hashable | None = None,
        pure: bool = False,
        partial: str | None = None,
    ) -> None:
        self.partial = partial  # text of which parts are known, with GAP for those that are not; only SQL looks at it
        self.inputs = inputs  # reads that it may be made of
        self.key = key  # what is asked: the same question has the same answer
        self.pure = pure  # its functions leave their arguments alone


UNKNOWN = Unknown()
PURE = Unknown(pure=True)


class Alternatives:
    """One of several values; each is right where its guard holds."""

    __slots__ = ("options",)

    def __init__(self, options: tuple[tuple[Guard, Value], ...]) -> None:
        self.options = options


class Cells:
    """Something that can change."""

    __slots__ = ("cells", "serial")

    def __init__(self, cells: dict[Hashable, Value] | None = None) -> None:
        self.cells: dict[Hashable, Value] = {} if cells is None else cells
        self.serial = next(_serials)


class ListValue(Cells):
    """A list: its members under "items", as a tuple, or something unknown."""

    __slots__ = ()

    def __init__(self, items: Value = ()) -> None:
        super().__init__({"items": items})


class SetValue(ListValue):
    """A set: its members in the order of their arrival."""

    __slots__ = ()


class DictValue(Cells):
    """A dictionary: its cells are its members. A cell REST says that others, unknown, may be there too."""

    __slots__ = ()


class DefaultDict(DictValue):
    """collections.defaultdict: a member that is not there is made."""

    __slots__ = ("factory",)

    def __init__(self, factory: Value) -> None:
        super().__init__()
        self.factory = factory


class UnorderedList(ListValue):
    """A list of known members in an order that nobody knows, as that of a set is."""

    __slots__ = ()


class Scope(Cells):
    """Names of a module, a function or a class."""

    __slots__ = ("declared", "kind", "name", "own", "parent", "path")

    def __init__(self, kind: str, parent: Scope | None = None, name: str = "", path: str = "") -> None:
        super().__init__()
        self.kind = kind
        self.parent = parent
        self.name = name
        self.path: str = path or (parent.path if parent else "")
        self.own: frozenset[str] | None = None  # names that are local to a function
        self.declared: dict[str, Scope] = {}  # global and nonlocal


@dataclass
class Arguments:
    """What a call passes. `open`: there are more, which can't be known."""

    positional: list[Value] = field(default_factory=list)
    keywords: dict[str, Value] = field(default_factory=dict)
    line: int = 0
    open: bool = False
    text_line: int | None = None  # of the first argument, where it is a text whose lines are the program's own

    def get(self, index: int, name: str, default: Value = ABSENT) -> Value:
        """By position or by name."""
        if 0 <= index < len(self.positional):
            return self.positional[index]
        if name in self.keywords:
            return self.keywords[name]
        return UNKNOWN if self.open else default

    def every(self) -> list[Value]:
        return [*self.positional, *self.keywords.values()]


class Native:
    """Something that this package knows by heart: attributes and calls are answered in Python."""

    __slots__ = ()

    def attribute(self, machine: Machine, name: str, line: int) -> Value:
        return UNKNOWN

    def call(self, machine: Machine, arguments: Arguments) -> Value:
        return UNKNOWN

    def truth(self) -> bool | None:
        return True


class Carrier(Native):
    """Something that is made of reads. The same class's objects can be joined into one."""

    __slots__ = ()
    inputs: tuple[Input, ...]

    def joined(self, options: Sequence[tuple[Guard, Carrier]]) -> Value:
        """One for all of them."""
        return UNKNOWN


Action: TypeAlias = "Callable[[Machine, Arguments], Value]"


class Method(Native):
    """A function that is answered in Python."""

    __slots__ = ("action", "name")

    def __init__(self, action: Action, name: str = "") -> None:
        self.action = action
        self.name = name

    def call(self, machine: Machine, arguments: Arguments) -> Value:
        return self.action(machine, arguments)


class Library(Native):
    """A module that this package knows by heart; what it doesn't know of it is unknown."""

    __slots__ = ("members", "name", "otherwise")

    def __init__(self, name: str, members: Mapping[str, Value], otherwise: Value = PURE) -> None:
        self.name = name
        self.members = members
        self.otherwise = otherwise

    def attribute(self, machine: Machine, name: str, line: int) -> Value:
        return self.members.get(name, self.otherwise)


@dataclass(eq=False)
class FunctionValue:
    """A function of the program."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    scope: Scope
    defaults: dict[str, Value]
    name: str
    owner: ClassValue | None = None
    kind: str = "plain"  # plain, staticmethod, classmethod, property, cached_property
    attributes: Cells = field(default_factory=Cells)
    guard: Guard = ALWAYS
    file: str = ""  # in which it stands
    setter: FunctionValue | None = None  # of a property


@dataclass(eq=False)
class ClassValue:
    """A class of the program, or one with the same behaviour."""

    name: str
    bases: list[Value]
    members: Scope
    kind: str = "plain"  # plain, enum, dataclass, namedtuple
    fields: list[tuple[str, Value]] = field(default_factory=list)
    node: ast.ClassDef | None = None


class Instance(Cells):
    """An object of a class of the program."""

    __slots__ = ("of",)

    def __init__(self, of: ClassValue) -> None:
        super().__init__()
        self.of = of


@dataclass(eq=False)
class BoundMethod:
    """A function with its object."""

    function: Value
    self_value: Value


@dataclass(eq=False)
class ModuleValue:
    """A module from `files`."""

    scope: Scope
    name: str


@dataclass(eq=False)
class Super:
    """What super() gives."""

    of: ClassValue
    self_value: Value


def is_constant(value: Value) -> bool:
    """Wholly known, and unable to change."""
    if isinstance(value, tuple):
        return all(is_constant(one) for one in value)
    return isinstance(value, CONSTANTS) or value is Ellipsis


def same(one: Value, other: Value) -> bool:
    """Can nobody tell the two apart?"""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(same(a, b) for a, b in zip(one, other, strict=True))
    return isinstance(one, CONSTANTS) and one == other
