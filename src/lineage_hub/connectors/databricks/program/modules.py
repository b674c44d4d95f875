"""Import statements and %run enter; modules from `files`, known libraries or unknown names are bound."""

from __future__ import annotations

import ast
import posixpath

from lineage_hub.connectors.databricks.program.attributes import attribute
from lineage_hub.connectors.databricks.program.iteration import members
from lineage_hub.connectors.databricks.program.libraries import library
from lineage_hub.connectors.databricks.program.machine import Activation, Machine
from lineage_hub.connectors.databricks.program.scopes import bind
from lineage_hub.connectors.databricks.program.spark_modules import spark_module
from lineage_hub.connectors.databricks.program.values import (
    ABSENT,
    UNKNOWN,
    Library,
    ModuleValue,
    Scope,
    Unknown,
    Value,
)

_ENDINGS = (".py", ".ipynb", ".sql")
_DEEP = 12  # modules that import modules


def plain_path(path: str) -> str:
    """A path as it is compared: without the leading slash, the workspace's prefix and the ending."""
    path = posixpath.normpath(path.replace("\\", "/")) if path else ""
    path = path.removeprefix("/").removeprefix("Workspace/")
    for ending in _ENDINGS:
        path = path.removesuffix(ending)
    return "" if path == "." else path


def _index(machine: Machine) -> dict[str, str]:
    known = machine.file_index
    if known is None:
        known = {plain_path(path): path for path in machine.files}
        machine.file_index = known
    return known


def find_file(machine: Machine, relative: str, from_path: str, *, anywhere: bool) -> str | None:
    """The key in `files` of a path as the program writes it, seen from a file."""
    index = _index(machine)
    wanted = plain_path(relative)
    folder = posixpath.dirname(plain_path(from_path))
    if relative.startswith("."):
        return index.get(plain_path(posixpath.join(folder, relative)))
    if relative.startswith("/"):
        return index.get(wanted)
    while True:
        found = index.get(posixpath.join(folder, wanted) if folder else wanted)
        if found is not None:
            return found
        if not folder or not anywhere:
            break
        folder = posixpath.dirname(folder)
    if index.get(wanted) is not None:
        return index[wanted]
    if not anywhere:
        return None
    ends = [path for plain, path in index.items() if plain.endswith(f"/{wanted}")]
    return ends[0] if len(ends) == 1 else None


def load_module(machine: Machine, name: str, from_path: str) -> Value | None:
    """A module from `files`, evaluated once; None if there is none."""
    relative = name.replace(".", "/")
    for candidate in (relative, f"{relative}/__init__"):
        path = find_file(machine, candidate, from_path, anywhere=True)
        if path is not None and plain_path(path) != plain_path(machine.main_path or "\0"):
            return _load(machine, name, path)
    return None


def _folder(machine: Machine, name: str, from_path: str) -> Value:
    """A folder without __init__ is a package, too; ABSENT if there is none."""
    folder = f"/{name.replace('.', '/')}/"
    if any(folder in f"/{plain}" for plain in _index(machine)):
        return ModuleValue(Scope("module", name=name, path=from_path), name)
    return ABSENT


def _load(machine: Machine, name: str, path: str) -> Value:
    from lineage_hub.connectors.databricks.program.run import run_text

    if path in machine.modules:
        known = machine.modules[path]
        return UNKNOWN if known is None else known
    scope = Scope("module", name=name, path=path)
    scope.cells.update({"__name__": name, "__file__": UNKNOWN})
    made = ModuleValue(scope, name)
    machine.modules[path] = made
    if len(machine.modules) > 200 or machine.budget.depth > _DEEP * 3:
        return UNKNOWN
    outer, file = machine.activation, machine.file
    machine.activation, machine.file = Activation(), path
    machine.budget.depth += 2
    try:
        run_text(machine, machine.files[path], scope, path)
    finally:
        machine.activation, machine.file = outer, file
        machine.budget.depth -= 2
    return made


def _find(machine: Machine, name: str, scope: Scope) -> Value:
    """By name: from `files` first, as a program's own folder comes before what is installed."""
    found = load_module(machine, name, scope.path or machine.main_path)
    if found is not None:
        return found
    known = spark_module(name)
    if known is None:
        known = library(name)
    if known is ABSENT:
        known = _folder(machine, name, scope.path or machine.main_path)
    if known is ABSENT:
        machine.doubt += 1
        return Unknown(key=("module", name))
    return known


def import_modules(machine: Machine, node: ast.Import, scope: Scope) -> None:
    for one in node.names:
        if one.asname:
            bind(machine, scope, one.asname, _find(machine, one.name, scope))
            continue
        top, *rest = one.name.split(".")
        package = _find(machine, top, scope)
        value = package
        for index in range(len(rest)):
            inner = _find(machine, ".".join([top, *rest[: index + 1]]), scope)
            if isinstance(value, ModuleValue):
                machine.state.put(value.scope, rest[index], inner)
            elif isinstance(value, Library):
                package = package if rest[index] in value.members else _with_member(value, rest[index], inner)
            value = inner
        bind(machine, scope, top, package)


def _with_member(value: Library, name: str, inner: Value) -> Value:
    return Library(value.name, {**value.members, name: inner}, value.otherwise)


def _absolute(scope: Scope, level: int, name: str) -> str:
    """A relative import as a path from the folder of its file."""
    return "." + "/.." * (level - 1) + ("/" + name.replace(".", "/") if name else "")


def import_from(machine: Machine, node: ast.ImportFrom, scope: Scope) -> None:
    if node.level:
        _import_relative(machine, node, scope)
        return
    name = node.module or ""
    module = _find(machine, name, scope)
    _bind_names(machine, node, scope, module, name)


def _import_relative(machine: Machine, node: ast.ImportFrom, scope: Scope) -> None:
    here = scope.path or machine.main_path
    relative = _absolute(scope, node.level, node.module or "")
    module: Value = UNKNOWN
    for candidate in (relative, f"{relative}/__init__"):
        path = find_file(machine, candidate, here, anywhere=False)
        if path is not None:
            module = _load(machine, (node.module or "").split(".")[-1] or "package", path)
            break
    for one in node.names:
        inner = find_file(machine, f"{relative}/{one.name}", here, anywhere=False)
        named = module.scope.cells.get(one.name, ABSENT) if isinstance(module, ModuleValue) else ABSENT
        if inner is not None and named is ABSENT and one.name != "*":
            bind(machine, scope, one.asname or one.name, _load(machine, one.name, inner))
        else:
            single = ast.copy_location(ast.ImportFrom(node.module, [one], node.level), node)
            _bind_names(machine, single, scope, module, node.module or "")


def _bind_names(machine: Machine, node: ast.ImportFrom, scope: Scope, module: Value, name: str) -> None:
    for one in node.names:
        if one.name == "*":
            _bind_all(machine, scope, module)
            continue
        value: Value = UNKNOWN
        if isinstance(module, Library):
            value = module.members.get(one.name, ABSENT)
            if value is ABSENT:
                inner = spark_module(f"{name}.{one.name}")
                value = module.attribute(machine, one.name, node.lineno) if inner is None else inner
        elif isinstance(module, Unknown) and not module.pure:
            value = Unknown(key=("import", name, one.name))
        else:
            value = attribute(machine, module, one.name, node.lineno)
        bind(machine, scope, one.asname or one.name, value)


def _bind_all(machine: Machine, scope: Scope, module: Value) -> None:
    if isinstance(module, Library):
        for name, value in module.members.items():
            bind(machine, scope, name, value)
    elif isinstance(module, ModuleValue):
        listed = members(machine, module.scope.cells.get("__all__", UNKNOWN))
        for key, value in list(module.scope.cells.items()):
            if isinstance(key, str) and (key in listed if listed is not None else not key.startswith("_")):
                bind(machine, scope, key, value)
