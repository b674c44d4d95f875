"""DataFrames: whatever is done to one, it stays made of the same reads, and of those that are joined to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from lineage_hub.connectors.databricks.program.guards import Guard
from lineage_hub.connectors.databricks.program.joins import inputs_of
from lineage_hub.connectors.databricks.program.machine import Machine
from lineage_hub.connectors.databricks.program.reads import Input, Write, guarded_inputs, joined_inputs
from lineage_hub.connectors.databricks.program.values import (
    PURE,
    UNKNOWN,
    Arguments,
    Carrier,
    Method,
    Unknown,
    Value,
)
from lineage_hub.connectors.databricks.reading import ColumnOrigin

if TYPE_CHECKING:
    from lineage_hub.connectors.databricks.program.schemas import Schema

_VIEWS = {
    "createOrReplaceTempView",
    "createTempView",
    "createOrReplaceGlobalTempView",
    "createGlobalTempView",
    "registerTempTable",
}
# What these give is no frame, and what becomes of it is not followed.
_ANSWERS = {
    "count",
    "show",
    "isEmpty",
    "explain",
    "printSchema",
    "display",
    "collect",
    "first",
    "head",
    "take",
    "tail",
    "toLocalIterator",
    "foreach",
    "foreachPartition",
    "approxQuantile",
    "corr",
    "cov",
    "inputFiles",
    "semanticHash",
    "sameSemantics",
}
# What these give is made of the frame, though it is none.
_MADE = {"toPandas", "rdd", "toJSON", "pandas_api", "toArrow"}
_FACTS = {"schema", "columns", "dtypes", "isStreaming", "storageLevel", "sparkSession"}


NA = object()  # df.na: what it gives has the frame's columns


class Frame(Carrier):
    """A DataFrame, or what its groups are."""

    __slots__ = ("groups", "inputs", "schema")

    def __init__(self, inputs: tuple[Input, ...], schema: Schema | None = None, groups: object = None) -> None:
        self.inputs = inputs
        self.schema = schema
        self.groups = groups  # columns by which rows are grouped, between groupBy and agg

    def joined(self, options: Sequence[tuple[Guard, Carrier]]) -> Value:
        first = self.schema
        schemas = [one.schema for _, one in options if isinstance(one, Frame)]
        whole = first if all(one is first or _is_like(one, first) for one in schemas) else None
        if whole is not None:
            whole = whole.decided_by(*(one.rows for one in schemas if one is not None))
        return Frame(joined_inputs(*(guarded_inputs(one.inputs, guard) for guard, one in options)), whole)

    def attribute(self, machine: Machine, name: str, line: int) -> Value:
        from lineage_hub.connectors.databricks.program.spark_write import TableWriter, Writer

        if name in ("na", "stat"):
            return Frame(self.inputs, self.schema, NA)
        if self.groups is not None:
            return FrameMember(self, name)
        if name in ("write", "writeStream"):
            return Writer(self, streaming=name == "writeStream", line=line, file=machine.other_file)
        if name == "writeTo":
            return Method(lambda inner, given: TableWriter(self, _qualified(inner, given), given.line))
        if name == "mergeInto":
            return Method(lambda inner, given: TableWriter(self, _qualified(inner, given), given.line))
        if name in _VIEWS:
            return Method(lambda inner, given: self._view(inner, name, given))
        if name == "transform":
            return Method(self._transform)
        if name in _ANSWERS:
            return PURE
        if name in _MADE:
            return Unknown(self.inputs) if name == "rdd" else Method(lambda _, __: Unknown(self.inputs))
        if name in _FACTS:
            return self._fact(name)
        return FrameMember(self, name)

    def _fact(self, name: str) -> Value:
        if name == "columns" and self.schema is not None and self.schema.rest is None:
            from lineage_hub.connectors.databricks.program.values import ListValue

            return ListValue(tuple(self.schema.columns))
        if name == "sparkSession":
            from lineage_hub.connectors.databricks.program.session import Session

            return Session()
        return PURE

    def _view(self, machine: Machine, method: str, arguments: Arguments) -> Value:
        from lineage_hub.connectors.databricks.program.resolving import options_of

        name = machine.see(arguments.get(0, "name", UNKNOWN))
        if "Global" in method:
            name = machine.lift(lambda one: f"global_temp.{one}" if isinstance(one, str) else one, name)
        else:
            machine.sql.views.update(str(one).lower() for _, one in options_of(name))
        machine.ledger.writes.append(
            Write(name, self.inputs, arguments.line, machine.path, "temporary_view", columns=self.known_columns())
        )
        return None

    def _transform(self, machine: Machine, arguments: Arguments) -> Value:
        from lineage_hub.connectors.databricks.program.calls import call

        function, *rest = arguments.positional or [UNKNOWN]
        result = machine.see(call(machine, function, Arguments([self, *rest], arguments.keywords, arguments.line)))
        return result if isinstance(result, Frame) else Frame(joined_inputs(self.inputs, inputs_of(result)))

    def known_columns(self) -> Mapping[str, tuple[ColumnOrigin, ...]] | None:
        return None if self.schema is None else self.schema.told()


def _is_like(one: Schema | None, other: Schema | None) -> bool:
    """The same columns from the same places, whatever decides about the rows."""
    return one is not None and other is not None and replace(one, rows=()) == replace(other, rows=())


def _qualified(machine: Machine, arguments: Arguments) -> Value:
    return machine.lift(machine.qualify, machine.see(arguments.get(0, "table", UNKNOWN)))


class FrameMember(Carrier):
    """df.name: called it is a method, and otherwise it is a column."""

    __slots__ = ("frame", "inputs", "name")

    def __init__(self, frame: Frame, name: str) -> None:
        self.frame = frame
        self.name = name
        self.inputs = ()

    def truth(self) -> bool | None:
        return None

    def column(self) -> Value:
        from lineage_hub.connectors.databricks.program.columns import bound_column

        return bound_column(self.frame, self.name)

    def attribute(self, machine: Machine, name: str, line: int) -> Value:
        from lineage_hub.connectors.databricks.program.attributes import attribute

        return attribute(machine, self.column(), name, line)

    def call(self, machine: Machine, arguments: Arguments) -> Value:
        """A method of frames: whatever it does, the frame is made of what it was, and of the frames it is given."""
        from lineage_hub.connectors.databricks.program.plans import derive

        others = [inputs for one in arguments.every() if (inputs := inputs_of(machine.see(one)))]
        inputs = joined_inputs(self.frame.inputs, *others) if others else self.frame.inputs
        schema, groups = derive(machine, self.frame, self.name, arguments)
        return Frame(inputs, schema, groups)
