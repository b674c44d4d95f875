"""A program enters as text, with its configuration and other files; the ledger of what it does leaves.

Cells run in order in one namespace, then the functions that a pipeline calls, then those that nobody called.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Literal

from lineage_hub.connectors.databricks.notebooks import CELLS, Cell, split_cells, why_unreadable
from lineage_hub.connectors.databricks.program.budget import NOTEBOOK, OutOfBudget
from lineage_hub.connectors.databricks.program.calls import call
from lineage_hub.connectors.databricks.program.frames import Frame
from lineage_hub.connectors.databricks.program.guards import Guard
from lineage_hub.connectors.databricks.program.machine import Activation, Flow, Machine, Raised
from lineage_hub.connectors.databricks.program.modules import find_file, plain_path
from lineage_hub.connectors.databricks.program.parsing import parse
from lineage_hub.connectors.databricks.program.results import make_reading
from lineage_hub.connectors.databricks.program.session import DbUtils, Session
from lineage_hub.connectors.databricks.program.settings import take_settings
from lineage_hub.connectors.databricks.program.sql_text import shown_frame
from lineage_hub.connectors.databricks.program.state import State
from lineage_hub.connectors.databricks.program.values import (
    UNKNOWN,
    Arguments,
    ClassValue,
    FunctionValue,
    Instance,
    Scope,
    Unknown,
    Value,
)
from lineage_hub.connectors.databricks.reading import Problem, Reading

Language = Literal["python", "sql", "auto"]
DEEP = 30  # notebooks that run each other


def run_program(
    source: str,
    *,
    language: Language,
    path: str,
    configuration: Mapping[str, str],
    files: Mapping[str, str],
    traces_columns: bool = True,
) -> Reading:
    machine = Machine(configuration, files, path, traces_columns=traces_columns)
    scope = Scope("module", name="__main__", path=path)
    scope.cells.update({"__name__": "__main__", "__file__": UNKNOWN})
    unreadable = why_unreadable(source, path)
    if unreadable is not None:
        machine.ledger.problems.append(Problem(1, unreadable))
    if len(source) > NOTEBOOK and source.lstrip()[:1] != "{":
        source = source[: max(source.rfind("\n", 0, NOTEBOOK), 0)]
        machine.problem(source.count("\n") + 2, f"more than {NOTEBOOK:,} characters: the rest was left out")
    try:
        run_cells(machine, split_cells(source, language=language, path=path), scope, path)
    except Raised:
        pass
    _run_flows(machine)
    _run_uncalled(machine, path)
    return make_reading(machine.ledger)


def run_text(machine: Machine, text: str, scope: Scope, path: str) -> None:
    """A module, or a notebook that another one runs."""
    if isinstance(text, str):
        run_cells(machine, split_cells(text, language="auto", path=path), scope, path)


def run_cells(machine: Machine, cells: list[Cell], scope: Scope, path: str) -> None:
    for cell in cells:
        if machine.budget.over:
            machine.problem(cell.line, "the program takes too long: the rest was left out")
            return
        if cell.language == "python":
            # A broken cell of a notebook does not run at all; a file is read around what is broken.
            body, problems = parse(cell.text, cell.line, whole=len(cells) > 1)
            machine.binds_in_expressions |= ":=" in cell.text or "yield" in cell.text
            for one in problems:
                machine.problem(one.line, one.reason)
            if path == machine.main_path:
                machine.bodies.append(body)
            _run_statements(machine, body, scope)
        elif cell.language == "sql":
            _run_sql(machine, cell, scope)
        elif cell.language == "run":
            _run_notebook(machine, cell, scope, path)
        elif cell.language in ("scala", "r"):
            machine.problem(cell.line, f"cells in {cell.language.capitalize()} are not read")
    if len(cells) == CELLS:
        machine.problem(cells[-1].line, f"more than {CELLS:,} cells: the rest was left out")


def _run_statements(machine: Machine, body: list[ast.stmt], scope: Scope) -> None:
    for statement in body:
        if machine.budget.spent and not machine.budget.reserve():
            machine.problem(statement.lineno, "the program takes too long: the rest was left out")
            return
        machine.budget.begin_statement()
        guarded(machine, statement.lineno, partial(machine.execute, [statement], scope))


def guarded(machine: Machine, line: int, run: Callable[[], object]) -> None:
    """What takes too long or goes too deep makes unknown what it has changed, and the rest goes on."""
    path, activation, depth, file = machine.path, machine.activation, machine.budget.depth, machine.file
    ledger, rehearsing, trying = machine.ledger, machine.rehearsing, machine.trying
    level = len(machine.state.trails)
    machine.state.begin()
    try:
        run()
        machine.state.end()
        return
    except Raised:
        del machine.state.trails[level + 1 :]
        machine.state.end()
        machine.path, machine.activation, machine.file, machine.trying = path, activation, file, trying
        raise
    except OutOfBudget as error:
        reason = error.reason
    except RecursionError:
        reason = "it goes too deep to be followed"
    trails = machine.state.trails[level:]
    del machine.state.trails[level:]
    machine.path, machine.activation, machine.budget.depth, machine.file = path, activation, depth, file
    machine.ledger, machine.rehearsing, machine.trying = ledger, rehearsing, trying
    for trail in trails:
        machine.state.forget(trail, State.now(trail))
    machine.problem(line, reason)


def _run_sql(machine: Machine, cell: Cell, scope: Scope) -> None:
    reading = machine.sql.query(cell.text, cell.line)
    take_settings(machine)
    file = machine.other_file
    told = (one for one in reading.sources if one not in reading.shown)
    machine.ledger.ready_sources.extend(replace(one, file=file) if file else one for one in told)
    # The rows that a cell shows are there for Python, until the next cell shows others.
    if reading.shown:
        machine.state.put(scope, "_sqldf", shown_frame(machine, reading))
    machine.ledger.ready_tables.extend(reading.tables)
    for one in reading.problems:
        machine.problem(one.line, one.reason)


def _run_notebook(machine: Machine, cell: Cell, scope: Scope, path: str) -> None:
    """%run: the other notebook's cells, in this one's namespace."""
    found = find_file(machine, cell.text.strip().strip("\"'"), path, anywhere=False)
    if found is None:
        machine.problem(cell.line, f"the notebook {cell.text.strip()} that is run is not there")
        return
    if is_running(machine, found):
        return
    machine.running.append(found)
    for name, value in cell.arguments.items():
        machine.state.put(machine.settings, ("argument", name), value)
    outer, scope.path, machine.file = (scope.path, machine.file), found, found
    try:
        run_text(machine, machine.files[found], scope, found)
    finally:
        scope.path, machine.file = outer
        machine.running.remove(found)


def is_running(machine: Machine, path: str) -> bool:
    """Is a notebook one of those that have led here, or have enough of them?"""
    own = plain_path(path) == plain_path(machine.main_path or "\0")
    return own or path in machine.running or len(machine.running) >= DEEP


def _run_flows(machine: Machine) -> None:
    """Functions that the program has declared, in order; they may declare more."""
    if machine.flows:
        machine.budget.refill()
    done, own = 0, machine.around
    while done < len(machine.flows) and done < 2000:
        flow = machine.flows[done]
        done += 1
        machine.path, machine.around = flow.guard, flow.around
        machine.activation = Activation()
        machine.budget.begin_statement()
        result: list[Value] = [UNKNOWN]

        def run(flow: Flow = flow, result: list[Value] = result) -> None:
            result[0] = call(machine, flow.function, Arguments())

        try:
            guarded(machine, 0, run)
        except Raised:
            pass
        flow.finish(result[0])
    machine.flows.clear()
    machine.path, machine.around = frozenset(), own


def _run_uncalled(machine: Machine, path: str) -> None:
    """Functions that nobody called run once, with parameters that nobody knows; first those that no other one names."""
    done: set[int] = set()
    for mentioned in (False, True):
        at = 0
        while at < len(machine.defined) and at < 1000 and not machine.budget.spent:
            function = machine.defined[at]
            at += 1
            node = function.node
            if id(node) in machine.called or id(node) in done or function.file != path:
                continue
            if not mentioned and function.name in machine.mentioned():
                continue
            done.add(id(node))
            _run_one(machine, function)


def _run_one(machine: Machine, function: FunctionValue) -> None:
    machine.path = function.guard | _perhaps(machine)
    machine.activation = Activation()
    machine.budget.begin_statement()
    try:
        guarded(
            machine,
            getattr(function.node, "lineno", 0),
            lambda: call(machine, function, unknown_arguments(machine, function)),
        )
    except Raised:
        pass
    _run_flows(machine)


def _perhaps(machine: Machine) -> Guard:
    return frozenset([(machine.decision(), 1)])


def unknown_arguments(machine: Machine, function: FunctionValue) -> Arguments:
    spec = function.node.args
    given = Arguments()
    parameters = [*spec.posonlyargs, *spec.args]
    if function.owner is not None and function.kind != "staticmethod" and parameters:
        given.positional.append(
            function.owner if function.kind == "classmethod" else _some_object(machine, function.owner)
        )
        parameters = parameters[1:]
    given.positional.extend(_stand_in(one) for one in parameters)
    given.keywords = {one.arg: _stand_in(one) for one in spec.kwonlyargs}
    given.open = spec.vararg is not None or spec.kwarg is not None
    return given


def _stand_in(parameter: ast.arg) -> Value:
    """What a parameter is by its name or its annotation, if that says it."""
    said = ast.unparse(parameter.annotation) if parameter.annotation is not None else ""
    if parameter.arg == "spark" or "SparkSession" in said:
        return Session()
    if parameter.arg == "dbutils" or "DBUtils" in said:
        return DbUtils()
    return Frame(()) if "DataFrame" in said and "[" not in said else Unknown(key=("parameter", id(parameter)))


def _some_object(machine: Machine, of: ClassValue) -> Value:
    """The object of a class, if the program makes one; else one that is made of unknown arguments."""
    made = machine.instances.get(id(of), [])
    if len(made) == 1:
        return made[0]
    found = of.members.cells.get("__init__")
    if made or not isinstance(found, FunctionValue):
        return Instance(of)
    blank = Instance(of)
    machine.instances[id(of)] = [blank]
    arguments = unknown_arguments(machine, found)
    call(machine, found, arguments)
    return blank
