"""Runs a Python program or notebook against stand-ins, along every way that unknowable conditions leave open.

A fixture comes in; what was read, what it fed and what no one can know goes out, in the form of expected sources.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import importlib.abc
import importlib.machinery
import inspect
import multiprocessing.pool  # noqa: F401 - before modules that are nowhere to be found are made up
import os
import posixpath
import re
import sys
import threading
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from tests.connectors.databricks.fake_databricks import (
    AnyValues,
    Configuration,
    NotebookExit,
    Pipeline,
    Session,
    make_dbutils,
)
from tests.connectors.databricks.fake_modules import Elsewhere, make_modules
from tests.connectors.databricks.fake_spark import Frame, Inert, Read, Recorder, Statement
from tests.connectors.databricks.notebook_cells import Cell, cells_of
from tests.connectors.databricks.unknowable import ORACLE, Unknown

MAIN = "<the program>"


@dataclass
class Ran:
    """What one or all ways through a program did."""

    sources: list[dict[str, Any]] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)
    broken: list[int] = field(default_factory=list)


class Files:
    """Other notebooks and modules, found by path as a workspace does."""

    def __init__(self, path: str, files: Mapping[str, str]) -> None:
        self.folder = posixpath.dirname(posixpath.normpath(path)) if path else ""
        self.texts = {posixpath.normpath(key): text for key, text in files.items()}

    def notebook(self, name: str) -> str:
        wanted = posixpath.normpath(name if name.startswith("/") else posixpath.join(self.folder, name))
        return next(text for key, text in self.texts.items() if key == wanted or posixpath.splitext(key)[0] == wanted)

    def roots(self) -> Iterator[str]:
        folder = self.folder
        while folder not in {"", "/"}:
            yield folder + "/"
            folder = posixpath.dirname(folder)
        yield from ("", "/")

    def module(self, name: str) -> tuple[str | None, bool] | None:
        """The text of a module and whether it is a package; a folder is a package without text."""
        for root in self.roots():
            stem = root + name.replace(".", "/")
            if stem + ".py" in self.texts:
                return self.texts[stem + ".py"], False
            if stem + "/__init__.py" in self.texts:
                return self.texts[stem + "/__init__.py"], True
            if any(key.startswith(stem + "/") for key in self.texts):
                return None, True
        return None


class Importer(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, files: Files) -> None:
        self.files = files

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        found = self.files.module(fullname)
        return found and importlib.machinery.ModuleSpec(fullname, self, is_package=found[1])

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        return None

    def exec_module(self, module: types.ModuleType) -> None:
        found = self.files.module(module.__name__)
        if found and found[0]:
            exec(compile(found[0], f"<{module.__name__}>", "exec"), module.__dict__)


class Stranger(Importer):
    """Modules that are nowhere to be found: nothing of them can be known."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:  # type: ignore[override]
        return Elsewhere(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        pass


class Environment(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return Unknown(f"environment {key}")

    def get(self, key: str, default: Any = None) -> Any:
        return Unknown(f"environment {key}")


@contextlib.contextmanager
def in_place_of_the_real_ones(modules: dict[str, types.ModuleType], importer: Importer) -> Iterator[None]:
    before, argv, environ = dict(sys.modules), sys.argv, os.environ
    own = {key for key in before if importer.files.module(key.split(".")[0])}
    for name in own | {key for key in before if key.split(".")[0] in {"pyspark", "delta", "dlt", "databricks"}}:
        del sys.modules[name]
    sys.modules.update(modules)
    finders = list(sys.meta_path)
    sys.meta_path[:] = [importer, *finders, Stranger(importer.files)]
    sys.argv, os.environ = ["main", *(Unknown(f"argument {n}") for n in range(1, 9))], Environment()  # type: ignore[assignment]
    try:
        yield
    finally:
        sys.argv, os.environ = argv, environ
        sys.meta_path[:] = finders
        for name in set(sys.modules) - set(before) | set(modules) | own:
            sys.modules.pop(name, None)
        sys.modules.update(before)


class Program:
    def __init__(
        self, source: str, name: str, path: str, configuration: Mapping[str, str], files: Mapping[str, str]
    ) -> None:
        self.cells = cells_of(source, name)
        self.configuration, self.files = configuration, Files(path, files)
        self.trees: list[ast.Module] = []
        self.broken: list[int] = []
        self.pieces: list[Cell | types.CodeType] = []
        for cell in self.cells:
            if cell.language == "python":
                self._compile(cell)
            elif cell.language == "run":
                self.pieces.append(cell)
        self.begins = {
            (node.attr, node.end_lineno): node.lineno
            for tree in self.trees
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute)
        }

    def _compile(self, cell: Cell) -> None:
        try:
            tree = ast.parse(cell.text)
        except SyntaxError:
            self.broken.append(cell.line)
            return
        ast.increment_lineno(tree, cell.line - 1)
        self.trees.append(tree)
        self.pieces.append(compile(tree, MAIN, "exec"))

    def locate(self, *attributes: str) -> int | None:
        """The line where the expression begins that the program evaluates now; none in another file."""
        frame = sys._getframe(1)
        while frame.f_back and not frame.f_code.co_filename.startswith("<"):
            frame = frame.f_back
        if frame.f_code.co_filename != MAIN:
            return None
        begins = (self.begins.get((one, frame.f_lineno)) for one in attributes)
        return next(filter(None, begins), frame.f_lineno)

    def run(self) -> Ran:
        recorder = Recorder(self.locate)
        configuration = Configuration(self.configuration)
        session, pipeline = Session(recorder, configuration), Pipeline(recorder)
        start = partial(self._start, recorder, 0)
        dbutils = make_dbutils(configuration, start)
        modules = make_modules(session, pipeline, dbutils)
        names = _names(session, dbutils)
        entered: set[types.CodeType] = set()
        with in_place_of_the_real_ones(modules, Importer(self.files)):
            profile: Any = lambda frame, event, arg: entered.add(frame.f_code) if event == "call" else None  # noqa: E731
            threading.setprofile(profile)
            sys.setprofile(profile)
            try:
                with contextlib.suppress(SystemExit):
                    for piece in self.pieces:
                        self._run_piece(piece, names, configuration)
                pipeline.run()
            finally:
                sys.setprofile(None)
                threading.setprofile(None)
            certain = len(recorder.reads), len(recorder.sinks)
            for function in self._uncalled(names, entered):
                parameters = inspect.signature(function).parameters
                function(*(_stand_in(recorder, one) for one in parameters.values()))
        for read in recorder.reads[certain[0] :]:
            read.uncalled = True
        for sink in recorder.sinks[certain[1] :]:
            sink.uncalled = True
        return Ran(list(_sources(recorder)), recorder.statements, self.broken)

    def _run_piece(self, piece: Cell | types.CodeType, names: dict[str, Any], configuration: Configuration) -> None:
        if isinstance(piece, types.CodeType):
            exec(piece, names)
            return
        configuration.values.update(piece.arguments)
        for cell in cells_of(self.files.notebook(piece.text), piece.text + ".py"):
            if cell.language == "python":
                exec(compile(cell.text, f"<{piece.text}>", "exec"), names)
            elif cell.language == "run":
                self._run_piece(cell, names, configuration)

    def _start(
        self, recorder: Recorder, depth: int, path: str, timeout: Any = 0, arguments: Mapping[str, Any] | None = None
    ) -> Any:
        """dbutils.notebook.run: a session and names of its own, of the caller only the arguments."""
        before = recorder.session  # type: ignore[attr-defined]
        widgets = AnyValues() if isinstance(arguments, Unknown) else Configuration(_texts(arguments or {}))
        dbutils = make_dbutils(widgets, partial(self._start, recorder, depth + 1))
        names = _names(Session(recorder, Configuration(self.configuration)), dbutils)
        assert depth < 5, "a fixture's notebooks don't start each other for ever"
        try:
            for cell in cells_of(self.files.notebook(path), path + ".py"):
                if cell.language == "python":
                    exec(compile(cell.text, f"<{path}>", "exec"), names)
        except NotebookExit as left:
            return left.value
        finally:
            recorder.session = before  # type: ignore[attr-defined]
        return Unknown("nothing given back")

    def _uncalled(self, names: dict[str, Any], entered: set[types.CodeType]) -> list[types.FunctionType]:
        functions = {one for one in names.values() if isinstance(one, types.FunctionType)}
        mine = [one for one in functions if one.__code__.co_filename == MAIN and one.__code__ not in entered]
        called = {name for one in functions for name in _names_in(one.__code__) if name != one.__name__}
        mine = [one for one in mine if one.__name__ not in called]
        return sorted(mine, key=lambda one: one.__code__.co_firstlineno)


def _texts(arguments: Mapping[str, Any]) -> dict[str, str]:
    return {key: value if isinstance(value, str) else str(value) for key, value in arguments.items()}


def _names(session: Session, dbutils: Any) -> dict[str, Any]:
    """What a notebook finds without having made it."""
    return {
        "__name__": "__main__",
        "__builtins__": vars(builtins) | {"open": lambda *args, **more: Unknown("file"), "print": lambda *args: 0},
        "spark": session, "sc": session.sparkContext, "dbutils": dbutils, "getArgument": dbutils.widgets.get,
        "display": lambda *args, **kwargs: None, "displayHTML": lambda html: None,
    }  # fmt: skip


def _names_in(code: types.CodeType) -> set[str]:
    inner = [_names_in(one) for one in code.co_consts if isinstance(one, types.CodeType)]
    return set(code.co_names).union(*inner)


def _stand_in(recorder: Recorder, parameter: inspect.Parameter) -> Any:
    if parameter.name in {"spark", "session"}:
        return recorder.session  # type: ignore[attr-defined]
    if re.search(r"df$|frame|batch", parameter.name):
        return Frame(recorder)
    return Inert() if parameter.name == "row" else Unknown(f"parameter {parameter.name}")


def _sources(recorder: Recorder) -> Iterator[dict[str, Any]]:
    for read in recorder.reads:
        for target in read.targets or [None]:
            yield {**_entry(read), "target_table": target}
    for sink in recorder.sinks:
        tables = [
            one for frame in sink.frames for one in frame._origins if isinstance(one, Read) and one.kind == "table"
        ]
        assert len(tables) < 2, "a fixture's sink is fed by one table"
        yield {**_entry(sink), "source_table": tables[0].members.get("path") if tables else None}


def _entry(one: Any) -> dict[str, Any]:
    entry = {"kind": one.kind, **one.members, "line": one.line, "unresolved": sorted(one.unresolved)}
    return entry | {"uncalled": True} if one.uncalled else entry


def normal(source: Mapping[str, Any]) -> tuple[Any, ...]:
    """A source with the defaults filled in, apart from its confidence."""
    members = ["kind", "pattern", "bootstrap", "path", "group_id_prefix", "target_table", "source_table", "line"]
    return (
        *((name, source.get(name)) for name in members),
        ("topics", tuple(source.get("topics") or ())),
        ("unresolved", tuple(sorted(source.get("unresolved") or ()))),
    )


def execute(source: str, name: str, path: str, configuration: Mapping[str, str], files: Mapping[str, str]) -> Ran:
    """All ways through the program: what every way does is sure, the rest is one of several possibilities."""
    program = Program(source, name, path, configuration, files)
    ways: list[Ran] = ORACLE.explore(program.run)
    seen: dict[tuple[Any, ...], list[int]] = {}
    unsure: set[tuple[Any, ...]] = set()
    for number, way in enumerate(ways):
        for one in way.sources:
            seen.setdefault(normal(one), []).append(number)
            if one.get("uncalled"):
                unsure.add(normal(one))
    fed = {_without_target(key) for key in seen if dict(key)["target_table"] is not None}
    answer = Ran(statements=[one for way in ways for one in way.statements], broken=program.broken)
    for key, numbers in seen.items():
        if dict(key)["target_table"] is None and _without_target(key) in fed:
            continue
        everywhere = set(numbers) == set(range(len(ways)))
        answer.sources.append(dict(key) | {"confidence": 1.0 if everywhere and key not in unsure else 0.5})
    return answer


def _without_target(key: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(pair for pair in key if pair[0] != "target_table")
