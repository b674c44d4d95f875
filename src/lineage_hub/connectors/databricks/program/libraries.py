"""Modules of Python's library enter by name; what a program uses of them to make values leaves."""

from __future__ import annotations

import ast
import itertools
import json
import string
import sys
import textwrap
from collections.abc import Callable

from lineage_hub.connectors.databricks.program.attributes import attribute
from lineage_hub.connectors.databricks.program.budget import ITEMS, TEXT
from lineage_hub.connectors.databricks.program.builtin_functions import BUILTINS, _dict, _leave
from lineage_hub.connectors.databricks.program.calls import call
from lineage_hub.connectors.databricks.program.classes import ENUM, FieldDefault, Marker, plain_dict, replaced
from lineage_hub.connectors.databricks.program.containers import fill
from lineage_hub.connectors.databricks.program.contexts import Suppress, make_manager
from lineage_hub.connectors.databricks.program.dates import DATETIME
from lineage_hub.connectors.databricks.program.dispatching import Dispatched
from lineage_hub.connectors.databricks.program.documents import YAML, plain_text
from lineage_hub.connectors.databricks.program.functions import Wrapped
from lineage_hub.connectors.databricks.program.iteration import members
from lineage_hub.connectors.databricks.program.joins import unknown_of
from lineage_hub.connectors.databricks.program.machine import Machine
from lineage_hub.connectors.databricks.program.operators import binary, subscript
from lineage_hub.connectors.databricks.program.paths import OS_PATH, PATHLIB
from lineage_hub.connectors.databricks.program.patterns import RE
from lineage_hub.connectors.databricks.program.strings import concatenated, to_python
from lineage_hub.connectors.databricks.program.threads import THREADS
from lineage_hub.connectors.databricks.program.values import (
    ABSENT,
    CONSTANTS,
    PURE,
    UNKNOWN,
    Arguments,
    ClassValue,
    DefaultDict,
    DictValue,
    FunctionValue,
    Instance,
    Library,
    ListValue,
    Method,
    Native,
    Scope,
    SetValue,
    Unknown,
    Value,
)


def _first(machine: Machine, arguments: Arguments) -> Value:
    return machine.see(arguments.get(0, "", UNKNOWN))


def from_python(value: object, depth: int = 12) -> Value:
    if isinstance(value, dict):
        return DictValue({key: from_python(one, depth - 1) for key, one in value.items()}) if depth else UNKNOWN
    if isinstance(value, list):
        return ListValue(tuple(from_python(one, depth - 1) for one in value)) if depth else UNKNOWN
    return value if isinstance(value, CONSTANTS) else UNKNOWN


def _loads(machine: Machine, arguments: Arguments) -> Value:
    def once(text: Value) -> Value:
        if isinstance(text, str) and len(text) <= TEXT:
            try:
                return from_python(json.loads(text))
            except (ValueError, RecursionError):
                pass
        machine.doubt += 1
        return UNKNOWN

    return machine.lift(once, _first(machine, arguments))


def _load(machine: Machine, arguments: Arguments) -> Value:
    """json.load, of a file that is open."""
    given = machine.see(arguments.get(0, "fp", UNKNOWN))
    return _loads(machine, Arguments([machine.lift(plain_text, given)], line=arguments.line))


def _dumps(machine: Machine, arguments: Arguments) -> Value:
    def once(value: Value) -> Value:
        plain = to_python(machine, value)
        named = {key: to_python(machine, one) for key, one in arguments.keywords.items()}
        if plain is ABSENT or any(one is ABSENT for one in named.values()):
            return unknown_of(value)
        if not set(named) <= {"indent", "sort_keys", "separators", "ensure_ascii"} or named.get("indent") not in (
            None,
            0,
            1,
            2,
            3,
            4,
        ):
            return UNKNOWN
        try:
            text = json.dumps(plain, **named)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            return UNKNOWN
        return text if len(text) <= TEXT else UNKNOWN

    return machine.lift(once, _first(machine, arguments))


def _reduce(machine: Machine, arguments: Arguments) -> Value:
    function, iterable = _first(machine, arguments), machine.see(arguments.get(1, "", UNKNOWN))
    items = members(machine, iterable)
    start = arguments.get(2, "initial", ABSENT)
    if items is None:
        return unknown_of(iterable, start)
    values = list(items) if start is ABSENT else [start, *items]
    if not values:
        return UNKNOWN
    result = values[0]
    for one in values[1:]:
        result = call(machine, function, Arguments([result, one], line=arguments.line))
    return result


def _partial(machine: Machine, arguments: Arguments) -> Value:
    return Wrapped(
        _first(machine, arguments),
        Arguments(arguments.positional[1:], arguments.keywords, arguments.line, arguments.open),
    )


def _identity(machine: Machine, arguments: Arguments) -> Value:
    return _first(machine, arguments)


def _decorator(machine: Machine, arguments: Arguments) -> Value:
    """@lru_cache or @lru_cache(…): the function as it was."""
    given = _first(machine, arguments) if arguments.positional else None
    return given if isinstance(given, FunctionValue) else Method(_identity)


def _wraps(machine: Machine, arguments: Arguments) -> Value:
    """@wraps(function): the wrapper has the function's name."""
    name = attribute(machine, _first(machine, arguments), "__name__", 0)

    def rename(inner: Machine, given: Arguments) -> Value:
        wrapper = _first(inner, given)
        if isinstance(wrapper, FunctionValue):
            inner.state.put(wrapper.attributes, "__name__", name)
        return wrapper

    return Method(rename)


def _rows(function: Callable[..., object]) -> Method:
    """A function of itertools over known members."""

    def over(machine: Machine, arguments: Arguments) -> Value:
        rows = [members(machine, one) for one in arguments.positional]
        known = [one for one in rows if one is not None]
        if len(known) < len(rows) or arguments.open or arguments.keywords:
            return ListValue(unknown_of(*arguments.positional))
        made = function(*known)
        items = tuple(itertools.islice(made, ITEMS + 1))  # type: ignore[call-overload]
        return ListValue(unknown_of(*arguments.positional) if len(items) > ITEMS else items)

    return Method(over)


def _chain_from(machine: Machine, arguments: Arguments) -> Value:
    rows = members(machine, _first(machine, arguments))
    return (
        ListValue(unknown_of(*arguments.positional))
        if rows is None
        else _rows(itertools.chain).call(machine, Arguments(list(rows)))
    )


class _Chain(Native):
    def call(self, machine: Machine, arguments: Arguments) -> Value:
        return _rows(itertools.chain).call(machine, arguments)

    def attribute(self, machine: Machine, name: str, line: int) -> Value:
        return Method(_chain_from) if name == "from_iterable" else UNKNOWN


class TemplateValue(Native):
    """string.Template"""

    __slots__ = ("text",)

    def __init__(self, text: Value) -> None:
        self.text = text

    def attribute(self, machine: Machine, name: str, line: int) -> Value:
        if name in ("substitute", "safe_substitute"):
            return Method(lambda inner, given: self._fill(inner, given, safe=name == "safe_substitute"))
        return self.text if name == "template" else UNKNOWN

    def _fill(self, machine: Machine, arguments: Arguments, safe: bool) -> Value:
        text = machine.see(self.text)
        if not isinstance(text, str):
            return unknown_of(text)
        given = _dict(machine, arguments)
        if not isinstance(given, DictValue):
            return UNKNOWN
        pieces: list[Value] = []
        end = 0
        for match in string.Template.pattern.finditer(text):
            pieces.append(text[end : match.start()])
            end = match.end()
            name = match["named"] or match["braced"]
            if name is not None:
                value = given.cells.get(name, ABSENT)
                missing = match.group() if safe and not arguments.open else UNKNOWN
                pieces.append(missing if value is ABSENT else call(machine, BUILTINS["str"], Arguments([value])))
            else:
                pieces.append("$" if match["escaped"] is not None else UNKNOWN)
        return concatenated(machine, [*pieces, text[end:]])


def _copy(machine: Machine, arguments: Arguments) -> Value:
    value = _first(machine, arguments)
    return _copied(machine, value, 1)


def _deepcopy(machine: Machine, arguments: Arguments) -> Value:
    return _copied(machine, _first(machine, arguments), 12)


def _copied(machine: Machine, value: Value, depth: int) -> Value:
    if depth == 0:
        return value
    if isinstance(value, SetValue):
        return SetValue(value.cells["items"])
    if isinstance(value, ListValue):
        items = machine.see(value.cells["items"])
        return ListValue(
            tuple(_copied(machine, one, depth - 1) for one in items) if isinstance(items, tuple) else items
        )
    if isinstance(value, DictValue):
        return DictValue({key: _copied(machine, one, depth - 1) for key, one in value.cells.items()})
    if isinstance(value, Instance) and value.of.kind != "enum":
        made = Instance(value.of)
        made.cells.update({key: _copied(machine, one, depth - 1) for key, one in value.cells.items()})
        return made
    return value


def _item_getter(machine: Machine, arguments: Arguments) -> Value:
    keys = [machine.see(one) for one in arguments.positional]

    def get(inner: Machine, given: Arguments) -> Value:
        found = [inner.lift(lambda one, key=key: subscript(inner, one, key, 0), _first(inner, given)) for key in keys]
        return found[0] if len(found) == 1 else tuple(found)

    return Method(get)


def _add(machine: Machine, arguments: Arguments) -> Value:
    return machine.lift(
        lambda a, b: binary(machine, ast.Add(), a, b), *(machine.see(one) for one in arguments.positional[:2])
    )


def _default_dict(machine: Machine, arguments: Arguments) -> Value:
    made = DefaultDict(machine.see(arguments.get(0, "default_factory", None)))
    for one in arguments.positional[1:]:
        fill(machine, made, one)
    made.cells.update(arguments.keywords)
    return made


def _namespace(machine: Machine, arguments: Arguments) -> Value:
    """types.SimpleNamespace(topic="orders")"""
    if arguments.open or arguments.positional:
        return unknown_of(*arguments.every())
    made = Instance(ClassValue("SimpleNamespace", [], Scope("class")))
    made.cells.update(arguments.keywords)
    return made


def _dedent(machine: Machine, arguments: Arguments) -> Value:
    text = machine.see(arguments.get(0, "text", UNKNOWN))
    if isinstance(text, Unknown):
        return Unknown(text.inputs, partial=text.partial)
    return machine.lift(lambda one: textwrap.dedent(one) if isinstance(one, str) else unknown_of(one), text)


_ITERTOOLS: dict[str, Value] = {
    "chain": _Chain(),
    "product": _rows(itertools.product),
    "zip_longest": _rows(itertools.zip_longest),
    "pairwise": _rows(itertools.pairwise),
    "permutations": UNKNOWN,
}
_ENVIRONMENT = {
    "environ": Unknown(key=("os", "environ")),
    "getenv": Unknown(key=("os", "getenv"), pure=True),
    "path": OS_PATH,
    "sep": "/",
    "linesep": "\n",
}
LIBRARIES: dict[str, Value] = {
    "json": Library("json", {"loads": Method(_loads), "load": Method(_load), "dumps": Method(_dumps)}),
    "yaml": YAML,
    "functools": Library(
        "functools",
        {
            "reduce": Method(_reduce),
            "partial": Method(_partial),
            "wraps": Method(_wraps),
            "lru_cache": Method(_decorator),
            "cache": Method(_identity),
            "cached_property": Method(_identity),
            "singledispatch": Method(lambda machine, given: Dispatched(_first(machine, given))),
        },
    ),
    "itertools": Library("itertools", _ITERTOOLS),
    "string": Library("string", {"Template": Method(lambda machine, given: TemplateValue(_first(machine, given)))}),
    "os": Library("os", _ENVIRONMENT),
    "os.path": OS_PATH,
    "datetime": DATETIME,
    "re": RE,
    "posixpath": OS_PATH,
    "pathlib": PATHLIB,
    "enum": ENUM,
    "typing": Library(
        "typing",
        {
            "NamedTuple": Marker("namedtuple"),
            "cast": Method(lambda machine, given: given.get(1, "val", UNKNOWN)),
            "Generic": Marker("plain"),
            "Protocol": Marker("plain"),
        },
    ),
    "abc": Library("abc", {"ABC": Marker("plain"), "abstractmethod": Method(_identity)}),
    "collections": Library(
        "collections",
        {"namedtuple": Marker("namedtuple"), "OrderedDict": BUILTINS["dict"], "defaultdict": Method(_default_dict)},
    ),
    "dataclasses": Library(
        "dataclasses",
        {
            "dataclass": Method(_decorator),
            "field": Method(
                lambda machine, given: FieldDefault(given.get(-1, "default"), given.get(-1, "default_factory"))
            ),
            "asdict": Method(lambda machine, given: plain_dict(machine, _first(machine, given))),
            "replace": Method(lambda machine, given: replaced(_first(machine, given), given)),
        },
    ),
    "copy": Library("copy", {"copy": Method(_copy), "deepcopy": Method(_deepcopy)}),
    "operator": Library("operator", {"itemgetter": Method(_item_getter), "add": Method(_add)}, UNKNOWN),
    "contextlib": Library(
        "contextlib",
        {
            "contextmanager": Method(make_manager),
            "asynccontextmanager": Method(make_manager),
            "suppress": Method(lambda _, __: Suppress()),
        },
    ),
    "sys": Library("sys", {"argv": Unknown(key=("sys", "argv")), "exit": Method(_leave)}),
    "types": Library("types", {"SimpleNamespace": Method(_namespace)}),
    "textwrap": Library("textwrap", {"dedent": Method(_dedent)}),
    "pydantic": Library(
        "pydantic",
        {
            "Field": Method(
                lambda machine, given: FieldDefault(given.get(0, "default"), given.get(-1, "default_factory"))
            )
        },
        UNKNOWN,
    ),
    **THREADS,
}
_CHANGING = {"heapq", "bisect", "random", "operator", "threading", "multiprocessing", "ctypes", "pickle", "queue"}


def library(name: str) -> Value:
    """A module that is not in `files`; ABSENT if nobody knows it."""
    if name in LIBRARIES:
        return LIBRARIES[name]
    top = name.split(".", maxsplit=1)[0]
    if top in sys.stdlib_module_names:
        return UNKNOWN if top in _CHANGING else PURE
    return ABSENT
