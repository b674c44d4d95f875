"""dbutils.notebook.run enters; the notebook that it starts is evaluated, and what that one gives back leaves.

The other notebook has a session, settings and widgets of its own: of this one it sees the arguments only.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from lineage_hub.connectors.databricks.program.branches import each
from lineage_hub.connectors.databricks.program.guards import ALWAYS, Guard
from lineage_hub.connectors.databricks.program.joins import join
from lineage_hub.connectors.databricks.program.machine import ANY_ARGUMENT, Activation, Machine, Raised, Surroundings
from lineage_hub.connectors.databricks.program.modules import find_file
from lineage_hub.connectors.databricks.program.run import guarded, is_running, run_text
from lineage_hub.connectors.databricks.program.settings import text_setting
from lineage_hub.connectors.databricks.program.values import (
    PURE,
    UNKNOWN,
    Alternatives,
    Arguments,
    Cells,
    DictValue,
    Scope,
    Value,
)


def start_notebook(machine: Machine, arguments: Arguments) -> Value:
    path = machine.see(arguments.get(0, "path", UNKNOWN))
    given = machine.see(arguments.get(2, "arguments", UNKNOWN if arguments.open else None))
    ways = path.options if isinstance(path, Alternatives) else ((ALWAYS, path),)
    return each(machine, [(guard, partial(_start, machine, one, given, arguments.line)) for guard, one in ways])


def _start(machine: Machine, path: Value, given: Value, line: int) -> Value:
    found = _find(machine, path) if isinstance(path, str) else None
    if found is None:
        what = f"the notebook {path}" if isinstance(path, str) else "a notebook whose path can't be known"
        machine.problem(line, f"{what}, which dbutils.notebook.run starts, is not there: scan it too")
        return PURE
    if is_running(machine, found):
        return PURE
    scope = Scope("module", name="__main__", path=found)
    scope.cells.update({"__name__": "__main__", "__file__": UNKNOWN})
    base = machine.path

    def run() -> None:
        try:
            run_text(machine, machine.files[found], scope, found)
        except Raised as error:
            if not error.leaves:
                raise
        else:
            machine.ended.append((machine.path, UNKNOWN))

    with _apart(machine, found, _arguments(machine, given)) as ended:
        guarded(machine, line, run)
    texts = [(guard - base, machine.lift(_text, value)) for guard, value in ended]
    return join(texts) if texts else PURE


def _text(value: Value) -> Value:
    return value if isinstance(value, str) else PURE


def _find(machine: Machine, path: str) -> str | None:
    """Seen from the notebook that was started, as modules and what %run brings have no place of their own."""
    here = find_file(machine, path, machine.notebook, anywhere=False)
    return here or find_file(machine, path, machine.file, anywhere=False)


def _arguments(machine: Machine, given: Value) -> Cells:
    """Widgets of the other notebook."""
    made = Cells()
    if isinstance(given, DictValue):
        for name, value in given.cells.items():
            key = ("argument", name) if isinstance(name, str) else ANY_ARGUMENT
            made.cells[key] = machine.lift(text_setting, machine.see(value))
    elif given is not None:
        made.cells[ANY_ARGUMENT] = UNKNOWN
    return made


@contextmanager
def _apart(machine: Machine, path: str, settings: Cells) -> Iterator[list[tuple[Guard, Value]]]:
    """What the notebook is at its end with leaves, once it has run."""
    around, activation, file, base = machine.around, machine.activation, machine.file, machine.path
    machine.around = Surroundings(path, settings, {}, machine.new_sql(), {}, {}, {})
    machine.activation, machine.file = Activation(base=machine.path), path
    machine.running.append(path)
    outer, machine.ended = machine.ended, []
    machine.budget.depth += 2
    try:
        yield machine.ended
    finally:
        machine.ended = outer
        machine.budget.depth -= 2
        machine.running.remove(path)
        machine.around, machine.activation, machine.file, machine.path = around, activation, file, base
