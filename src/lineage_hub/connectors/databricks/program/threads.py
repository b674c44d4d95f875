"""Pools, threads and processes enter with the functions that they are handed; what these return leaves.

When a function runs in them is not known, and doesn't matter: what it reads and writes is the same.
"""

from __future__ import annotations

from lineage_hub.connectors.databricks.program.builtin_functions import BUILTINS, call_perhaps
from lineage_hub.connectors.databricks.program.calls import call
from lineage_hub.connectors.databricks.program.iteration import members
from lineage_hub.connectors.databricks.program.machine import Machine
from lineage_hub.connectors.databricks.program.values import (
    PURE,
    UNKNOWN,
    Arguments,
    DictValue,
    Library,
    ListValue,
    Method,
    Native,
    Value,
)

_MAPS = {
    "map": False,
    "imap": False,
    "imap_unordered": False,
    "starmap": False,
    "map_async": True,
    "starmap_async": True,
}


class Future(Native):
    """What is being done; its result is there."""

    __slots__ = ("value",)

    def __init__(self, value: Value) -> None:
        self.value = value

    def attribute(self, machine: Machine, name: str, line: int) -> Value:
        return Method(lambda _, __: self.value) if name in ("result", "get") else PURE


class Executor(Native):
    """A pool of concurrent.futures: what is handed to it runs."""

    __slots__ = ()

    def attribute(self, machine: Machine, name: str, line: int) -> Value:
        if name == "submit":
            return Method(_submit)
        return BUILTINS["map"] if name == "map" else PURE


def _submit(machine: Machine, arguments: Arguments) -> Value:
    function, *rest = arguments.positional or [UNKNOWN]
    return Future(call(machine, function, Arguments(rest, arguments.keywords, arguments.line, arguments.open)))


class Pool(Native):
    """A pool of multiprocessing, of threads or of processes."""

    __slots__ = ()

    def attribute(self, machine: Machine, name: str, line: int) -> Value:
        if name in _MAPS:
            return Method(lambda inner, given: _over(inner, name, given))
        if name in ("apply", "apply_async"):
            return Method(lambda inner, given: _apply(inner, name, given))
        return PURE


def _over(machine: Machine, name: str, arguments: Arguments) -> Value:
    """One call for each item; a number that follows them is the size of a chunk."""
    function = machine.see(arguments.get(0, "func", UNKNOWN))
    iterable = machine.see(arguments.get(1, "iterable", UNKNOWN))
    items = members(machine, iterable) if name.startswith("starmap") else None
    result: Value
    if not name.startswith("starmap"):
        result = call(machine, BUILTINS["map"], Arguments([function, iterable], line=arguments.line))
    elif items is None:
        result = call_perhaps(machine, function, Arguments(line=arguments.line, open=True))
    else:
        several = [members(machine, machine.see(one)) for one in items]
        given = [Arguments(list(one or ()), line=arguments.line, open=one is None) for one in several]
        result = ListValue(tuple(call(machine, function, one) for one in given))
    return Future(result) if _MAPS[name] else result


def _apply(machine: Machine, name: str, arguments: Arguments) -> Value:
    result = _run(machine, arguments.get(0, "func", UNKNOWN), arguments, 1, "kwds")
    return result if name == "apply" else Future(result)


def _thread(machine: Machine, arguments: Arguments) -> Value:
    """threading.Thread(target=f, args=(…)): what it will do is done."""
    _run(machine, arguments.get(1, "target", UNKNOWN), arguments, 3, "kwargs")
    return PURE


def _run(machine: Machine, function: Value, arguments: Arguments, first: int, named: str) -> Value:
    given = members(machine, machine.see(arguments.get(first, "args", ())))
    keywords = machine.see(arguments.get(first + 1, named, None))
    texts = {str(key): value for key, value in keywords.cells.items()} if isinstance(keywords, DictValue) else {}
    return call(machine, machine.see(function), Arguments(list(given or ()), texts, arguments.line, given is None))


_POOLS: dict[str, Value] = {name: Method(lambda _, __: Pool()) for name in ("Pool", "ThreadPool")}
_FUTURES = Library(
    "concurrent.futures",
    {
        **{name: Method(lambda _, __: Executor()) for name in ("ThreadPoolExecutor", "ProcessPoolExecutor")},
        "as_completed": Method(lambda machine, given: machine.see(given.get(0, "fs", UNKNOWN))),
    },
)
_POOL = Library("multiprocessing.pool", _POOLS, UNKNOWN)
_DUMMY = Library("multiprocessing.dummy", {**_POOLS, "Process": Method(_thread)}, UNKNOWN)
THREADS: dict[str, Value] = {
    "threading": Library("threading", {"Thread": Method(_thread)}, UNKNOWN),
    "concurrent": Library("concurrent", {"futures": _FUTURES}),
    "concurrent.futures": _FUTURES,
    "multiprocessing": Library(
        "multiprocessing", {**_POOLS, "Process": Method(_thread), "pool": _POOL, "dummy": _DUMMY}, UNKNOWN
    ),
    "multiprocessing.pool": _POOL,
    "multiprocessing.dummy": _DUMMY,
}
