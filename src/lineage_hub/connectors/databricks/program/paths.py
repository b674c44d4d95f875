"""os.path and pathlib enter with known text; paths leave, as the POSIX rules make them."""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from pathlib import PurePosixPath

from lineage_hub.connectors.databricks.program.machine import Machine
from lineage_hub.connectors.databricks.program.values import (
    PURE,
    UNKNOWN,
    Arguments,
    Library,
    Method,
    Native,
    Value,
)


class PathValue(Native):
    """A pathlib path."""

    __slots__ = ("path",)

    def __init__(self, path: PurePosixPath) -> None:
        self.path = path

    @property
    def text(self) -> str:
        return str(self.path)

    def below(self, other: Value) -> Value:
        if isinstance(other, PathValue):
            return PathValue(self.path / other.path)
        return PathValue(self.path / other) if isinstance(other, str) else UNKNOWN

    def attribute(self, machine: Machine, name: str, line: int) -> Value:
        if name in ("name", "stem", "suffix"):
            return str(getattr(self.path, name))
        if name == "parent":
            return PathValue(self.path.parent)
        if name == "parts":
            return self.path.parts
        if name == "as_posix":
            return Method(lambda _, __: self.text)
        if name in ("read_text", "open", "write_text"):
            return Method(lambda inner, given: self._read(inner, name, given))
        if name == "joinpath":
            return Method(lambda inner, given: inner.lift(self._joined, *given.positional))
        if name in ("with_suffix", "with_name"):
            return Method(lambda inner, given: inner.lift(lambda one: self._with(name, one), given.get(0, "", UNKNOWN)))
        return PURE

    def _read(self, machine: Machine, name: str, given: Arguments) -> Value:
        from lineage_hub.connectors.databricks.program.documents import note_written, open_file, read_text

        if name == "write_text":
            return note_written(machine, self)
        if name == "read_text":
            return read_text(machine, self)
        return open_file(machine, Arguments([self, *given.positional], given.keywords, given.line, given.open))

    def _joined(self, *parts: Value) -> Value:
        texts = [one for one in parts if isinstance(one, str)]
        return PathValue(self.path.joinpath(*texts)) if len(texts) == len(parts) else UNKNOWN

    def _with(self, name: str, value: Value) -> Value:
        if not isinstance(value, str):
            return UNKNOWN
        try:
            return PathValue(self.path.with_suffix(value) if name == "with_suffix" else self.path.with_name(value))
        except ValueError:
            return UNKNOWN


def _plain(value: Value) -> Value:
    return value.text if isinstance(value, PathValue) else value


def _texts(function: Callable[..., object]) -> Method:
    def over(machine: Machine, arguments: Arguments) -> Value:
        def once(*parts: Value) -> Value:
            texts = [_plain(one) for one in parts]
            if arguments.open or not texts or not all(isinstance(one, str) for one in texts):
                return UNKNOWN
            result = function(*texts)
            return result if isinstance(result, str | bool | tuple) else UNKNOWN

        return machine.lift(once, *(machine.see(one) for one in arguments.positional))

    return Method(over)


def _make_path(machine: Machine, arguments: Arguments) -> Value:
    def once(*parts: Value) -> Value:
        texts = [_plain(one) for one in parts]
        known = [one for one in texts if isinstance(one, str)]
        return PathValue(PurePosixPath(*known)) if len(known) == len(texts) and not arguments.open else UNKNOWN

    return machine.lift(once, *(machine.see(one) for one in arguments.positional))


OS_PATH = Library(
    "os.path",
    {
        "join": _texts(posixpath.join),
        "basename": _texts(posixpath.basename),
        "dirname": _texts(posixpath.dirname),
        "splitext": _texts(posixpath.splitext),
        "split": _texts(posixpath.split),
        "normpath": _texts(posixpath.normpath),
        "isabs": _texts(posixpath.isabs),
        "sep": "/",
    },
)
PATHLIB = Library("pathlib", {name: Method(_make_path) for name in ("Path", "PurePath", "PosixPath", "PurePosixPath")})
