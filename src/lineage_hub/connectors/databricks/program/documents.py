"""Paths of files that a program opens enter; what is in them leaves, where they are among `files`: text, JSON, YAML."""

from __future__ import annotations

import posixpath
import re

from lineage_hub.connectors.databricks.program.machine import Machine
from lineage_hub.connectors.databricks.program.paths import PathValue
from lineage_hub.connectors.databricks.program.values import (
    PURE,
    UNKNOWN,
    Arguments,
    Library,
    ListValue,
    Method,
    Native,
    Value,
)

_LONGEST = 60_000
# Each may stand for all that the one before it stands for.
_NAMED_NODE = re.compile(r"[&*][\w-]")
_MOST_NAMED = 20


class FileValue(Native):
    """An open file."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def attribute(self, machine: Machine, name: str, line: int) -> Value:
        if name == "read":
            return Method(lambda _, given: PURE if given.every() else self.text)
        if name == "readlines":
            return Method(lambda _, __: ListValue(tuple(self.text.splitlines(keepends=True))))
        return PURE


def open_file(machine: Machine, arguments: Arguments) -> Value:
    """open(path), for reading text."""
    mode, path = machine.see(arguments.get(1, "mode", "r")), machine.see(arguments.get(0, "file", UNKNOWN))
    if mode not in ("r", "rt") or arguments.open:
        if not isinstance(mode, str) or set(mode) & set("wax+"):
            machine.lift(lambda one: note_written(machine, one), path)
        return PURE
    return machine.lift(lambda one: _opened(machine, one), path)


def note_written(machine: Machine, path: Value) -> Value:
    """What is in it from then on is not what is in `files`."""
    plain = path.text if isinstance(path, PathValue) else path
    if isinstance(plain, str):
        machine.written_files.add(posixpath.normpath(plain))
    return PURE


def _opened(machine: Machine, path: Value) -> Value:
    found = text_at(machine, path)
    return PURE if found is None else FileValue(found)


def text_at(machine: Machine, path: Value) -> str | None:
    """Seen from the notebook that runs, whose folder is the current one."""
    plain = path.text if isinstance(path, PathValue) else path
    if not isinstance(plain, str) or not plain or posixpath.normpath(plain) in machine.written_files:
        return None
    if machine.documents is None:
        machine.documents = {_place(one): text for one, text in machine.files.items()}
    plain = plain.removeprefix("file:")
    return machine.documents.get(_place(posixpath.join(posixpath.dirname(machine.notebook), plain)))


def _place(path: str) -> str:
    """A path as it is compared: with its ending, as it is no module's."""
    path = posixpath.normpath("/" + path.replace("\\", "/").lstrip("/"))
    return path.removeprefix("/Workspace")


def read_text(machine: Machine, path: PathValue) -> Value:
    found = text_at(machine, path)
    return PURE if found is None else found


def plain_text(value: Value) -> Value:
    return value.text if isinstance(value, FileValue) else value


def _load_yaml(machine: Machine, arguments: Arguments) -> Value:
    from lineage_hub.connectors.databricks.program.libraries import from_python

    def once(given: Value) -> Value:
        text = plain_text(given)
        machine.doubt += 1
        if not isinstance(text, str) or len(text) > _LONGEST or len(_NAMED_NODE.findall(text)) > _MOST_NAMED:
            return PURE
        import yaml  # type: ignore[import-untyped]

        try:
            return from_python(yaml.safe_load(text))
        except (yaml.YAMLError, ValueError, RecursionError):
            return PURE

    return machine.lift(once, machine.see(arguments.get(0, "stream", UNKNOWN)))


YAML = Library("yaml", {name: Method(_load_yaml) for name in ("safe_load", "full_load", "load")})
