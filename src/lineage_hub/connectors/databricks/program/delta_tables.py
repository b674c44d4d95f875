"""DeltaTable enters; what is merged into it is a write, and what it is read as is a read."""

from __future__ import annotations

from lineage_hub.connectors.databricks.program.frames import Frame
from lineage_hub.connectors.databricks.program.joins import inputs_of
from lineage_hub.connectors.databricks.program.machine import Machine
from lineage_hub.connectors.databricks.program.reads import Input, Write
from lineage_hub.connectors.databricks.program.spark_read import read_catalog_table, record_read
from lineage_hub.connectors.databricks.program.values import PURE, UNKNOWN, Arguments, Method, Native, Value


class DeltaTables(Native):
    """The class DeltaTable."""

    __slots__ = ()

    def attribute(self, machine: Machine, name: str, line: int) -> Value:
        if name in ("forName", "forPath"):
            return Method(lambda inner, given: self._open(inner, name, given))
        if name in ("create", "createIfNotExists", "createOrReplace", "replace"):
            return Method(lambda _, __: _Definition(UNKNOWN))
        return PURE

    @staticmethod
    def _open(machine: Machine, name: str, arguments: Arguments) -> Value:
        machine.doubt += 1
        # The session may be left out.
        where = 1 if len(arguments.positional) > 1 else 0
        by_path = name == "forPath"
        given = arguments.get(where, "path" if by_path else "tableOrViewName", UNKNOWN)
        return DeltaTable(machine.see(given), by_path, arguments.line)


class _Definition(Native):
    """DeltaTable.create(spark).tableName("t")…execute()"""

    __slots__ = ("name",)

    def __init__(self, name: Value) -> None:
        self.name = name

    def attribute(self, machine: Machine, name: str, line: int) -> Value:
        if name == "tableName":
            return Method(lambda inner, given: _Definition(inner.see(given.get(0, "identifier", UNKNOWN))))
        if name == "execute":
            return Method(lambda inner, given: DeltaTable(self.name, False, given.line))
        return Method(lambda _, __: self)


class DeltaTable(Native):
    """One table, by name or by path."""

    __slots__ = ("by_path", "line", "name")

    def __init__(self, name: Value, by_path: bool, line: int) -> None:
        self.name = name
        self.by_path = by_path
        self.line = line

    def attribute(self, machine: Machine, name: str, line: int) -> Value:
        if name in ("alias", "as_"):
            return Method(lambda _, __: self)
        if name == "toDF":
            return Method(self._frame)
        if name == "merge":
            return Method(lambda inner, given: _Merge(self.name, inputs_of(inner.see(given.get(0, "source", None)))))
        return PURE

    def _frame(self, machine: Machine, arguments: Arguments) -> Frame:
        if self.by_path:
            return record_read(machine, "delta", {"path": ("path", self.name)}, self.line)
        return read_catalog_table(machine, self.name, self.line)


class _Merge(Native):
    """table.merge(…)…execute()"""

    __slots__ = ("inputs", "target")

    def __init__(self, target: Value, inputs: tuple[Input, ...]) -> None:
        self.target = target
        self.inputs = inputs

    def attribute(self, machine: Machine, name: str, line: int) -> Value:
        return Method(self._execute) if name == "execute" else Method(lambda _, __: self)

    def _execute(self, machine: Machine, arguments: Arguments) -> Value:
        machine.ledger.writes.append(Write(self.target, self.inputs, arguments.line, machine.path))
        return PURE
