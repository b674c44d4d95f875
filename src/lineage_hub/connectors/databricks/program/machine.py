"""Syntax trees enter; values and a ledger of reads and writes leave. Nothing of the program is ever run.

The machine holds what every part of an evaluation shares; the parts themselves stand in tables, by the kind of node.
"""

from __future__ import annotations

import ast
import enum
import itertools
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, NoReturn

from lineage_hub.connectors.databricks.program import values
from lineage_hub.connectors.databricks.program.budget import PROBLEMS, Budget
from lineage_hub.connectors.databricks.program.guards import ALWAYS, Guard, both
from lineage_hub.connectors.databricks.program.joins import held, join
from lineage_hub.connectors.databricks.program.reads import Ledger
from lineage_hub.connectors.databricks.program.state import State
from lineage_hub.connectors.databricks.program.values import (
    ABSENT,
    UNKNOWN,
    Alternatives,
    Cells,
    ClassValue,
    FunctionValue,
    Instance,
    ModuleValue,
    Scope,
    Unknown,
    Value,
)
from lineage_hub.connectors.databricks.reading import Problem
from lineage_hub.connectors.databricks.sql import Session
from lineage_hub.connectors.databricks.sql.names import format_and_path, parts_of

ANY_ARGUMENT = ("argument",)  # among the settings: a notebook was started with arguments that can't be known


class Status(enum.IntEnum):
    """How a block of statements ends."""

    NEXT = 0
    RETURN = 1
    BREAK = 2
    CONTINUE = 3
    RAISE = 4


class Raised(Exception):
    """The program raises, for certain. `leaves`: it exits, and no handler holds it; `well`: and all is done."""

    def __init__(self, name: str = "", leaves: bool = False, value: Value = UNKNOWN, well: bool = False) -> None:
        super().__init__(name)
        self.name = name
        self.leaves = leaves
        self.value = value
        self.well = well


@dataclass
class Activation:
    """One call of a function, or one module."""

    returns: list[tuple[Guard, Value]] = field(default_factory=list)
    yields: list[Value] = field(default_factory=list)
    unsure_yield: bool = False
    base: Guard = ALWAYS  # the path at the call
    # Parts of the path that hold because another arm has left: until the turn, the loop or the function ends.
    left: dict[Status, Guard] = field(default_factory=dict)
    ends: bool = False  # on another way the program has come to its end here
    entered: Callable[[Value], None] | None = None  # the body of a with statement, where the function yields
    owner: ClassValue | None = None
    self_value: Value = ABSENT


class Surroundings(NamedTuple):
    """What a notebook that is started has of its own."""

    notebook: str
    settings: Cells
    asked: dict[str, Unknown]
    sql: Session
    modules: dict[str, ModuleValue | None]
    parameters: Mapping[str, str | None]
    widget_values: Mapping[str, str]


@dataclass
class Flow:
    """A function that a pipeline calls after the program has run, among what was around it when it was declared."""

    function: Value
    finish: Callable[[Value], None]
    guard: Guard
    around: Surroundings


class Machine:
    """One evaluation of one program."""

    def __init__(
        self, configuration: Mapping[str, str], files: Mapping[str, str], path: str, *, traces_columns: bool = True
    ) -> None:
        from lineage_hub.connectors.databricks.program import expressions, statements

        self.evaluators: Mapping[type, Callable[..., Value]] = expressions.EVALUATORS
        self.executors: Mapping[type, Callable[..., Status]] = statements.EXECUTORS
        self.configuration = configuration
        self.files = files
        self.main_path = path
        self.budget = Budget()
        self.state = State()
        self.ledger = Ledger()
        self.path: Guard = ALWAYS
        self.activation = Activation()
        self.flows: list[Flow] = []
        self.batch_sinks: dict[str, Value] = {}  # functions that flows hand their rows to, by the sink's name
        self.defined: list[FunctionValue] = []
        self.instances: dict[int, list[Instance]] = {}
        self.called: set[int] = set()
        self.active: dict[int, list[Guard]] = {}  # functions that are being called, with the path at each call
        self.modules: dict[str, ModuleValue | None] = {}
        self.settings = Cells()  # spark.conf and widgets, as far as the program sets them
        self.widget_values: Mapping[str, str] = configuration
        self.asked: dict[str, Unknown] = {}  # unknown settings, so that asking twice gives one value
        self.traces_columns = traces_columns
        self.sql = self.new_sql()
        self.parameters: Mapping[str, str | None] = {}  # of the SQL that is being read
        self.entering: Callable[[Value], None] | None = None
        self.rehearsing = False
        self.trying = 0
        self.doubt = 0  # grows where an exception may come
        self._decisions = itertools.count()
        self._ways: dict[Hashable, dict[Hashable, int]] = {}
        self.file = path
        self.ended: list[tuple[Guard, Value]] = []  # ways on which the notebook that runs has exited, and with what
        self.notebook = path  # that was started, whatever file is being evaluated
        self.written_files: set[str] = set()  # by the program itself, as it spells them
        self.documents: dict[str, str] | None = None  # `files` once more, with their endings
        self.file_index: dict[str, str] | None = None  # of `files`, by the path as it is compared
        self.bodies: list[list[ast.stmt]] = []  # of the program itself
        self._mentioned: set[str] | None = None
        self.binds_in_expressions = False  # some text has a walrus or a yield
        self.running: list[str] = []  # notebooks that run each other

    @property
    def around(self) -> Surroundings:
        own = (self.settings, self.asked, self.sql, self.modules, self.parameters, self.widget_values)
        return Surroundings(self.notebook, *own)

    @around.setter
    def around(self, other: Surroundings) -> None:
        self.notebook, self.settings, self.asked = other.notebook, other.settings, other.asked
        self.sql, self.modules = other.sql, other.modules
        self.parameters, self.widget_values = other.parameters, other.widget_values

    def new_sql(self) -> Session:
        return Session(self.known_setting, traces_columns=self.traces_columns)

    def evaluate(self, node: ast.expr, scope: Scope) -> Value:
        self.budget.step()
        evaluator = self.evaluators.get(type(node))
        return UNKNOWN if evaluator is None else evaluator(self, node, scope)

    def execute(self, block: list[ast.stmt], scope: Scope) -> Status:
        for statement in block:
            self.budget.step()
            executor = self.executors.get(type(statement))
            if executor is not None:
                status = executor(self, statement, scope)
                if status is not Status.NEXT:
                    return status
        return Status.NEXT

    def end(self, value: Value, *, well: bool) -> NoReturn:
        """The program exits; what it gives back is kept for the one that has started it."""
        if well and not self.rehearsing:
            self.ended.append((self.path, value))
        raise Raised("SystemExit", leaves=True, well=well)

    def mentioned(self) -> set[str]:
        """Names that the program uses somewhere, but for those that it only defines."""
        if self._mentioned is None:
            nodes = [one for body in self.bodies for statement in body for one in ast.walk(statement)]
            names = {one.id for one in nodes if isinstance(one, ast.Name)}
            self._mentioned = names | {one.attr for one in nodes if isinstance(one, ast.Attribute)}
        return self._mentioned

    def decision(self) -> Hashable:
        """A decision that no other one is like."""
        return next(self._decisions)

    def arm(self, decision: Hashable, key: Hashable) -> int:
        """The number of one way of a decision that has many; 0 and 1 are those of a yes or no, 2 is none of them."""
        ways = self._ways.setdefault(decision, {})
        return ways.setdefault(key, len(ways) + 3)

    def see(self, value: Value) -> Value:
        """A value as it can be where the path has led."""
        return held(value, self.path) if isinstance(value, Alternatives) else value

    def lift(self, function: Callable[..., Value], *several: Value) -> Value:
        """A pure function, over each way that its arguments go together."""
        if not any(isinstance(one, Alternatives) for one in several):
            return function(*several)
        ways: list[tuple[Guard, tuple[Value, ...]]] = [(ALWAYS, ())]
        for one in several:
            options = one.options if isinstance(one, Alternatives) else ((ALWAYS, one),)
            ways = [
                (whole, (*chosen, option))
                for guard, chosen in ways
                for inner, option in options
                if option is not ABSENT
                and both(inner, self.path) is not None
                and (whole := both(guard, inner)) is not None
            ]
            if len(ways) > 64:
                return UNKNOWN
        return join([(guard, function(*chosen)) for guard, chosen in ways])

    @property
    def other_file(self) -> str:
        """The file that is being evaluated; empty if it is the program itself."""
        return "" if self.file == self.main_path else self.file

    def problem(self, line: int, reason: str) -> None:
        found = Problem(line, reason, self.other_file)
        if len(self.ledger.problems) < PROBLEMS and found not in self.ledger.problems:
            self.ledger.problems.append(found)

    def ask(self, name: str) -> Unknown:
        """A setting that nobody knows: the same one each time."""
        return self.asked.setdefault(name, Unknown(key=("setting", name)))

    def known_setting(self, name: str) -> str | None:
        """What `${name}` or `:name` in SQL stands for."""
        if name in self.parameters:
            return self.parameters[name]
        for place in ("argument", "set", "widget"):
            if place == "widget" and ANY_ARGUMENT in self.settings.cells:
                return None
            if place == "widget" and name in self.widget_values:
                return self.widget_values[name]
            found = self.see(self.settings.cells.get((place, name), ABSENT))
            if isinstance(found, str):
                return found
            if found is not ABSENT:
                return None
        return self.configuration.get(name)

    def qualify(self, name: Value) -> Value:
        """A table's name with the catalog and schema that the program has set for it."""
        if not isinstance(name, str) or not (self.sql.catalog or self.sql.schema):
            return name
        parts = parts_of(name)
        return name if format_and_path(parts, quoted="`" in name) else self.sql.qualify(parts) or name

    def count_born(self) -> int:
        """Objects from here on are newer."""
        return next(values._serials)
