"""spark.sql("…") enters; its reads and writes are in the ledger, and the frame of its rows leaves."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial

from lineage_hub.connectors.databricks.program.branches import each
from lineage_hub.connectors.databricks.program.frames import Frame
from lineage_hub.connectors.databricks.program.guards import ALWAYS
from lineage_hub.connectors.databricks.program.machine import Machine
from lineage_hub.connectors.databricks.program.reads import Input, Read, Write, joined_inputs
from lineage_hub.connectors.databricks.program.schemas import Schema
from lineage_hub.connectors.databricks.program.settings import take_settings
from lineage_hub.connectors.databricks.program.values import (
    GAP,
    UNKNOWN,
    Alternatives,
    Arguments,
    DictValue,
    Unknown,
    Value,
)
from lineage_hub.connectors.databricks.reading import DefinedTable, StreamSource
from lineage_hub.connectors.databricks.sql import QueryReading

_FIELD = re.compile(r"\{(\w+)\}")


def run_sql(machine: Machine, arguments: Arguments) -> Value:
    text = machine.see(arguments.get(0, "sqlQuery", UNKNOWN))
    machine.doubt += 1
    if isinstance(text, Alternatives):
        return each(machine, [(guard, partial(_run, machine, one, arguments)) for guard, one in text.options])
    return _run(machine, text, arguments)


def _run(machine: Machine, text: Value, arguments: Arguments) -> Value:
    if isinstance(text, Unknown):
        text = text.partial if text.partial is not None else UNKNOWN
    if not isinstance(text, str):
        machine.problem(arguments.line, "the text of a SQL statement can't be known")
        return Frame(())
    frames = {name: one for name, one in arguments.keywords.items() if name not in ("sqlQuery", "args")}
    text, given = _with_fields(machine, text, frames)
    machine.parameters = _parameters(machine, arguments)
    using = (machine.sql.catalog, machine.sql.schema)
    machine.sql.views |= given.keys()  # no catalog or schema stands before them
    reading = machine.sql.query(text, arguments.text_line or 1)
    take_settings(machine)
    machine.sql.views -= given.keys()
    if machine.path:
        # USE on one way of several: which of them counts after it is not known.
        machine.sql.catalog, machine.sql.schema = using
    machine.parameters = {}
    for one in reading.problems:
        if not (GAP in text and "can't be known" in one.reason):
            machine.problem(one.line if arguments.text_line else arguments.line, one.reason)
    return _record(machine, reading, given, arguments)


def _with_fields(machine: Machine, text: str, fields: dict[str, Value]) -> tuple[str, dict[str, tuple[Input, ...]]]:
    """`{df}` in the text stands for a frame that is given by name, and `{x}` for a value."""
    given: dict[str, tuple[Input, ...]] = {}

    def fill(match: re.Match[str]) -> str:
        value = machine.see(fields.get(match[1]))
        if match[1] not in fields:
            return match[0]
        if isinstance(value, Frame):
            name = f"frame_{match[1]}_{len(given)}".lower()
            given[name] = value.inputs
            return name
        return str(value) if isinstance(value, str | int | float) else GAP

    return (_FIELD.sub(fill, text) if fields else text), given


def _parameters(machine: Machine, arguments: Arguments) -> dict[str, str | None]:
    """args={"name": value}: what `:name` stands for."""
    given = machine.see(arguments.get(1, "args", None))
    if not isinstance(given, DictValue):
        return {}
    seen = {key: machine.see(value) for key, value in given.cells.items() if isinstance(key, str)}
    return {key: value if isinstance(value, str) else None for key, value in seen.items()}


def _record(
    machine: Machine, reading: QueryReading, given: dict[str, tuple[Input, ...]], arguments: Arguments
) -> Frame:
    line = arguments.line
    inputs: list[tuple[Input, ...]] = []
    by_target: dict[str | None, list[tuple[Input, ...]]] = {}
    for source in reading.sources:
        if source.kind == "table" and source.path in given:
            found = given[source.path]
        else:
            # Where the text is built elsewhere its lines are not the program's own.
            found = (Input(_read(machine, source, source.line if arguments.text_line else line), ALWAYS),)
        inputs.append(found)
        by_target.setdefault(source.target_table, []).append(found)
    for table in reading.tables:
        _write(machine, table, joined_inputs(*by_target.get(table.name, [])), line)
    if reading.tables:
        return Frame(())
    columns = reading.columns if reading.columns is not None and not given else None
    return Frame(joined_inputs(*inputs), None if columns is None else Schema(columns))


def shown_frame(machine: Machine, reading: QueryReading) -> Frame:
    """The rows of a cell's last query."""
    inputs = tuple(Input(_read(machine, one, one.line), ALWAYS) for one in reading.shown)
    return Frame(inputs, None if reading.columns is None else Schema(reading.columns))


def _read(machine: Machine, source: StreamSource, line: int) -> Read:
    file = machine.other_file
    read = Read("table", {}, line, machine.path, ready=replace(source, target_table=None, line=line), file=file)
    machine.ledger.reads.append(read)
    return read


def _write(machine: Machine, table: DefinedTable, inputs: tuple[Input, ...], line: int) -> None:
    machine.ledger.writes.append(
        Write(
            table.name,
            inputs,
            line,
            machine.path,
            table.kind,
            table.expectations,
            table.columns,
            table.comment,
        )
    )
