"""dlt and pyspark.pipelines enter: tables, views, flows, sinks and expectations that a program declares.

A declared function is evaluated after the program has run, as pipelines do, so that it sees names as they are then.
"""

from __future__ import annotations

from lineage_hub.connectors.databricks.program.attributes import attribute
from lineage_hub.connectors.databricks.program.calls import call
from lineage_hub.connectors.databricks.program.frames import Frame
from lineage_hub.connectors.databricks.program.joins import inputs_of
from lineage_hub.connectors.databricks.program.machine import Flow, Machine
from lineage_hub.connectors.databricks.program.reads import Options, Sink, Write
from lineage_hub.connectors.databricks.program.spark_read import read_table
from lineage_hub.connectors.databricks.program.values import (
    ABSENT,
    REST,
    UNKNOWN,
    Arguments,
    BoundMethod,
    DictValue,
    FunctionValue,
    Library,
    Method,
    Native,
    Unknown,
    Value,
)
from lineage_hub.connectors.databricks.reading import Expectation

_ACTIONS = {"": "warn", "_or_drop": "drop", "_or_fail": "fail"}


class Expected(Native):
    """A declared function with the rules for its rows; called it is the function."""

    __slots__ = ("function", "rules")

    def __init__(self, function: Value) -> None:
        self.function = function
        self.rules: list[Expectation] = []

    def call(self, machine: Machine, arguments: Arguments) -> Value:
        return call(machine, self.function, arguments)

    def attribute(self, machine: Machine, name: str, line: int) -> Value:
        return attribute(machine, self.function, name, line)


def _declared(value: Value) -> Expected:
    return value if isinstance(value, Expected) else Expected(value)


def name_of(machine: Machine, function: Value) -> Value:
    if isinstance(function, Expected | BoundMethod):
        return name_of(machine, function.function)
    return attribute(machine, function, "__name__", 0) if isinstance(function, FunctionValue) else UNKNOWN


def _decorator(kind: str, flow: bool = False) -> Method:
    """@dlt.table, @dlt.table(…), dlt.table(function, …)"""

    def declare(machine: Machine, arguments: Arguments) -> Value:
        given = machine.see(arguments.get(0, "query_function", None)) if arguments.positional else None
        if given is not None and not isinstance(given, str | Unknown):
            return _register(machine, given, arguments, kind, flow)
        return Method(
            lambda inner, later: _register(inner, inner.see(later.get(0, "", UNKNOWN)), arguments, kind, flow)
        )

    return Method(declare)


def _register(machine: Machine, function: Value, arguments: Arguments, kind: str, flow: bool) -> Value:
    declared = _declared(function)
    wanted = arguments.keywords.get("target" if flow else "name", ABSENT)
    if wanted is ABSENT or wanted is None:
        wanted = UNKNOWN if flow or arguments.open else name_of(machine, function)
    name = machine.see(wanted)
    comment = machine.see(arguments.keywords.get("comment"))
    line = _line_of(function) or arguments.line
    guard, file, around = machine.path, machine.file, machine.around

    def finish(result: Value) -> None:
        result = machine.see(result)
        if flow and isinstance(name, str) and (batch := machine.batch_sinks.get(name)) is not None:
            handed = Method(lambda inner, _: call(inner, batch, Arguments([result, UNKNOWN], line=line)))
            machine.flows.append(Flow(handed, lambda _: None, guard, around))
            return
        columns = result.known_columns() if isinstance(result, Frame) else None
        written = Write(name, inputs_of(result), line, guard, kind, tuple(declared.rules), columns, comment, not flow)
        machine.ledger.writes.append(written)

    machine.flows.append(Flow(declared, finish, guard, around))
    machine.file = file
    return declared


def _line_of(function: Value) -> int:
    if isinstance(function, Expected | BoundMethod):
        return _line_of(function.function)
    return int(getattr(function.node, "lineno", 0)) if isinstance(function, FunctionValue) else 0


def _expect(action: str) -> Method:
    """@dlt.expect("name", "condition")"""

    def declare(machine: Machine, arguments: Arguments) -> Value:
        rules = _rules(
            machine,
            DictValue(
                {
                    _text(machine, arguments.get(0, "name", UNKNOWN)): arguments.get(
                        1, "inv", arguments.keywords.get("condition", UNKNOWN)
                    )
                }
            ),
            action,
            arguments.line,
        )
        return Method(lambda inner, later: _with_rules(inner, later, rules))

    return Method(declare)


def _expect_all(action: str) -> Method:
    """@dlt.expect_all({"name": "condition", …})"""

    def declare(machine: Machine, arguments: Arguments) -> Value:
        rules = _rules(machine, machine.see(arguments.get(0, "expectations", UNKNOWN)), action, arguments.line)
        return Method(lambda inner, later: _with_rules(inner, later, rules))

    return Method(declare)


def _text(machine: Machine, value: Value) -> str | None:
    value = machine.see(value)
    return value if isinstance(value, str) else None


def _rules(machine: Machine, value: Value, action: str, line: int) -> list[Expectation]:
    if not isinstance(value, DictValue):
        return []
    return [
        Expectation(name, _text(machine, condition), action, line)
        for name, condition in value.cells.items()
        if isinstance(name, str) and condition is not ABSENT
    ]


def _with_rules(machine: Machine, later: Arguments, rules: list[Expectation]) -> Value:
    declared = _declared(machine.see(later.get(0, "", UNKNOWN)))
    declared.rules[:0] = rules
    return declared


def _streaming_table(machine: Machine, arguments: Arguments) -> Value:
    rules = [
        rule
        for ending, action in _ACTIONS.items()
        for rule in _rules(machine, machine.see(arguments.keywords.get(f"expect_all{ending}")), action, arguments.line)
    ]
    name = machine.see(arguments.get(0, "name", UNKNOWN))
    comment = machine.see(arguments.get(1, "comment", None))
    machine.ledger.writes.append(
        Write(name, (), arguments.line, machine.path, "streaming_table", tuple(rules), comment=comment)
    )
    return None


def _sink(machine: Machine, arguments: Arguments) -> Value:
    options: Options = {}
    given = machine.see(arguments.get(2, "options", None))
    more = arguments.open or isinstance(given, Unknown)
    if isinstance(given, DictValue):
        more = more or REST in given.cells
        options = {key.lower(): (key, machine.see(value)) for key, value in given.cells.items() if isinstance(key, str)}
    name = machine.see(arguments.get(0, "name", UNKNOWN))
    format_name = machine.see(arguments.get(1, "format", UNKNOWN))
    file = machine.other_file
    machine.ledger.sinks.append(Sink(format_name, options, (), arguments.line, machine.path, more, name, file))
    return None


def _batch_sink(machine: Machine, arguments: Arguments) -> Value:
    """@dp.foreach_batch_sink, @dp.foreach_batch_sink(name=…): flows into it go through the function."""

    def declare(inner: Machine, function: Value) -> Value:
        wanted = arguments.keywords.get("name", ABSENT)
        name = inner.see(name_of(inner, function) if wanted is ABSENT or wanted is None else wanted)
        if isinstance(name, str):
            inner.batch_sinks[name] = function
        return function

    given = machine.see(arguments.get(0, "", None)) if arguments.positional else None
    if given is not None and not isinstance(given, str | Unknown):
        return declare(machine, given)
    return Method(lambda inner, later: declare(inner, inner.see(later.get(0, "", UNKNOWN))))


def _changes(machine: Machine, arguments: Arguments) -> Value:
    """apply_changes(target, source, …) and its successors"""
    target = machine.see(arguments.get(0, "target", UNKNOWN))
    source = machine.see(arguments.get(1, "source", arguments.keywords.get("snapshot_and_version", UNKNOWN)))
    if isinstance(source, FunctionValue | Expected | BoundMethod):
        inputs = inputs_of(call(machine, source, Arguments([UNKNOWN], line=arguments.line)))
    elif isinstance(source, Frame):
        inputs = source.inputs
    else:
        inputs = read_table(machine, source, arguments.line, "source").inputs
    machine.ledger.writes.append(Write(target, inputs, arguments.line, machine.path, "streaming_table", defines=False))
    return None


def _read(machine: Machine, arguments: Arguments) -> Value:
    return read_table(machine, arguments.get(0, "name", UNKNOWN), arguments.line, "name")


PIPELINES = Library(
    "dlt",
    {
        "table": _decorator("table"),
        "create_table": _decorator("table"),
        "view": _decorator("view"),
        "materialized_view": _decorator("materialized_view"),
        "temporary_view": _decorator("temporary_view"),
        "append_flow": _decorator("streaming_table", flow=True),
        "update_flow": _decorator("streaming_table", flow=True),
        "foreach_batch_sink": Method(_batch_sink),
        "create_streaming_table": Method(_streaming_table),
        "create_streaming_live_table": Method(_streaming_table),
        "create_target_table": Method(_streaming_table),
        "create_sink": Method(_sink),
        "apply_changes": Method(_changes),
        "create_auto_cdc_flow": Method(_changes),
        "apply_changes_from_snapshot": Method(_changes),
        "create_auto_cdc_from_snapshot_flow": Method(_changes),
        "read": Method(_read),
        "read_stream": Method(_read),
        "readStream": Method(_read),
        **{f"expect{ending}": _expect(action) for ending, action in _ACTIONS.items()},
        **{f"expect_all{ending}": _expect_all(action) for ending, action in _ACTIONS.items()},
    },
)
