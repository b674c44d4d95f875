"""A script or module enters with its arguments; it runs as Python itself would run it, and what it does is told.

Its exit code, its output and its traceback are its own: frames of this package are taken out of what is printed.
"""

from __future__ import annotations

import importlib.util
import io
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType, TracebackType
from typing import Any, NoReturn

from lineage_hub.errors import InvalidRequest
from lineage_hub.sdk.instrumentation import instrument, process
from lineage_hub.sdk.runs import innermost
from lineage_hub.sdk.warnings import warn_once

_PACKAGE = str(Path(__file__).parent.parent.parent) + os.sep


@dataclass(frozen=True, slots=True)
class Program:
    """`name` is a path, or with `is_module` a module's name."""

    name: str
    arguments: Sequence[str] = ()
    is_module: bool = False

    def check(self) -> None:
        if self.is_module:
            return
        path = Path(self.name)
        if path.is_dir():
            path = path / "__main__.py"
        if not path.is_file():
            raise InvalidRequest(
                f"there is no script {path}", subject=self.name, action="give the path of a Python file, or -m MODULE"
            )

    @property
    def job(self) -> str:
        return self.name if self.is_module else Path(self.name).resolve().stem


class _Exit(Exception):
    """A program that ended itself with a code other than 0 has failed; in its trace this is what it was."""

    __module__, __qualname__ = "builtins", "SystemExit"


def run(program: Program, *, job: str | None = None, namespace: str | None = None) -> None:
    """Raises what the program raises; SystemExit too."""
    instrument()
    sys.argv = [program.name, *program.arguments]
    try:
        # Tracked calls of the program are children of its run.
        innermost.set(process.begin(job or program.job, namespace))
    except Exception as error:
        warn_once("begin", "the start of the program could not be told: %s", error)
    try:
        code, module = _load_module(program) if program.is_module else _load_script(program)
        exec(code, module.__dict__)
    except SystemExit as end:
        if end.code not in (None, 0):
            process.note(_Exit(_said(end.code)).with_traceback(_own_part(end.__traceback__)))
        raise
    except BaseException as error:
        _note_and_print(error)


def _said(code: Any) -> str:
    return f"the program ended with exit code {code}" if isinstance(code, int) else str(code)


def _note_and_print(error: BaseException) -> NoReturn:
    """Python prints it when it gets to the top; by then it has frames of ours again."""
    _take_out_frames(error)
    process.note(error)
    show = sys.excepthook

    def without_our_frames(kind: type[BaseException], shown: BaseException, _: TracebackType | None) -> Any:
        _take_out_frames(shown)
        return show(kind, shown, shown.__traceback__)

    sys.excepthook = without_our_frames
    raise error


def _take_out_frames(error: BaseException | None) -> None:
    """Also of the errors that it was raised from or beside."""
    done: set[int] = set()
    waiting = [error]
    while waiting:
        one = waiting.pop()
        if one is not None and id(one) not in done:
            done.add(id(one))
            one.__traceback__ = _own_part(one.__traceback__)
            waiting += [one.__cause__, one.__context__]


def _own_part(trace: TracebackType | None) -> TracebackType | None:
    """Without what led to the program, and without frames of this package between its own."""
    frames: list[TracebackType] = []
    while trace is not None:
        if trace.tb_frame.f_code is run.__code__:
            frames.clear()
        elif not trace.tb_frame.f_code.co_filename.startswith((_PACKAGE, "<frozen importlib")):
            frames.append(trace)
        trace = trace.tb_next
    for one, after in zip(frames, [*frames[1:], None], strict=False):
        one.tb_next = after
    return frames[0] if frames else None


def _load_script(program: Program) -> tuple[CodeType, ModuleType]:
    path = os.path.abspath(program.name)  # noqa: PTH100 - links stay in names, as Python has it
    if os.path.isdir(path):  # noqa: PTH112
        _set_first_path(path)
        path = os.path.join(path, "__main__.py")  # noqa: PTH118
    else:
        _set_first_path(os.path.dirname(os.path.realpath(path)))  # noqa: PTH120
    module = _main_module()
    module.__file__ = path
    module.__loader__ = SourceFileLoader("__main__", path)
    with io.open_code(path) as file:
        # No rule of this file's own about annotations is the script's.
        return compile(file.read(), path, "exec", dont_inherit=True), module


def _load_module(program: Program) -> tuple[CodeType, ModuleType]:
    _set_first_path(os.getcwd())  # noqa: PTH109
    spec = _spec_of(program.name)
    if spec is not None and spec.submodule_search_locations is not None:
        spec = _spec_of(f"{program.name}.__main__")
    code = spec.loader.get_code(spec.name) if spec is not None and hasattr(spec.loader, "get_code") else None
    if spec is None or code is None:
        process.note(_Exit(f"there is no module {program.name} to run"))
        raise SystemExit(f"{sys.executable}: No module named {program.name}")
    sys.argv[0] = spec.origin or program.name
    module = _main_module()
    module.__spec__, module.__loader__, module.__package__ = spec, spec.loader, spec.parent
    if spec.origin:
        module.__file__ = spec.origin
    if "__cached__" in module.__dict__:
        module.__dict__["__cached__"] = spec.cached
    return code, module


def _spec_of(name: str) -> Any:
    """A package around it is imported, and what that raises is the program's own; that it is missing is an answer."""
    try:
        return importlib.util.find_spec(name)
    except ModuleNotFoundError as error:
        if error.name and (name == error.name or name.startswith(f"{error.name}.")):
            return None
        raise


def _main_module() -> ModuleType:
    module = ModuleType("__main__")
    module.__dict__["__builtins__"] = sys.modules["builtins"]
    if sys.version_info < (3, 14):
        module.__dict__.update({"__annotations__": {}, "__cached__": None})
    global _before  # noqa: PLW0603
    # What was there stays alive: objects of the command line still use it.
    _before = sys.modules["__main__"]
    sys.modules["__main__"] = module
    return module


_before: ModuleType | None = None


def _set_first_path(folder: str) -> None:
    """The command's own first entry goes; with -P Python adds none."""
    if not sys.flags.safe_path:
        sys.path[0] = folder
