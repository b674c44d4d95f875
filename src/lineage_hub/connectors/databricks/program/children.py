"""dbutils.notebook.run enters; the notebook that it starts is evaluated, and what that one gives back leaves.

The other notebook has a session, settings and widgets of its own: of this one it sees the arguments only.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from lineage_hub.connectors.databricks.program.machine import ANY_ARGUMENT, Activation, Machine, Raised
from lineage_hub.connectors.databricks.program.modules import find_file
from lineage_hub.connectors.databricks.program.run import DEEP, guarded, run_text
from lineage_hub.connectors.databricks.program.settings import text_setting
from lineage_hub.connectors.databricks.program.values import (
    PURE,
    UNKNOWN,
    Arguments,
    Cells,
    DictValue,
    Scope,
    Value,
)


def start_notebook(machine: Machine, arguments: Arguments) -> Value:
    path = arguments.get(0, "path", UNKNOWN)
    given = machine.see(arguments.get(2, "arguments", None))
    return machine.lift(lambda one: _start(machine, one, given, arguments.line), machine.see(path))


def _start(machine: Machine, path: Value, given: Value, line: int) -> Value:
    found = find_file(machine, path, machine.file, anywhere=False) if isinstance(path, str) else None
    if found is None:
        what = f"the notebook {path}" if isinstance(path, str) else "a notebook whose path can't be known"
        machine.problem(line, f"{what}, which dbutils.notebook.run starts, is not there: scan it too")
        return PURE
    if found in machine.running or len(machine.running) >= DEEP:
        return PURE
    scope = Scope("module", name="__main__", path=found)
    scope.cells.update({"__name__": "__main__", "__file__": UNKNOWN})
    left: list[Raised] = []

    def run() -> None:
        try:
            run_text(machine, machine.files[found], scope, found)
        except Raised as error:
            if not error.leaves:
                raise
            left.append(error)

    with _apart(machine, found, _arguments(machine, given)):
        guarded(machine, line, run)
    return left[0].value if left and isinstance(left[0].value, str) else PURE


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
def _apart(machine: Machine, path: str, settings: Cells) -> Iterator[None]:
    kept = (machine.settings, machine.asked, machine.sql, machine.modules, machine.parameters, machine.widget_values)
    activation, file = machine.activation, machine.file
    machine.settings, machine.asked, machine.modules = settings, {}, {}
    machine.sql, machine.parameters, machine.widget_values = machine.new_sql(), {}, {}
    machine.activation, machine.file = Activation(base=machine.path), path
    machine.running.append(path)
    machine.budget.depth += 2
    try:
        yield
    finally:
        machine.budget.depth -= 2
        machine.running.remove(path)
        machine.activation, machine.file = activation, file
        machine.settings, machine.asked, machine.sql, machine.modules, machine.parameters, machine.widget_values = kept
