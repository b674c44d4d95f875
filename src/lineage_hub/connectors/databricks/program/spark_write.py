"""df.write, df.writeStream and df.writeTo enter, in any shape; tables, paths and sinks are in the ledger."""

from __future__ import annotations

from lineage_hub.connectors.databricks.program.builders import FORMAT, Builder
from lineage_hub.connectors.databricks.program.frames import Frame
from lineage_hub.connectors.databricks.program.kinds import is_stored
from lineage_hub.connectors.databricks.program.machine import Machine
from lineage_hub.connectors.databricks.program.reads import Sink, Write
from lineage_hub.connectors.databricks.program.values import (
    ABSENT,
    PURE,
    UNKNOWN,
    Arguments,
    Method,
    Native,
    Value,
)

_TABLES = {"saveAsTable": "name", "insertInto": "tableName", "toTable": "tableName", "table": "tableName"}
_FILES = {"csv", "json", "parquet", "text", "orc", "xml"}
_ENDS = {"append", "overwrite", "create", "replace", "createOrReplace", "overwritePartitions", "merge"}


class Writer(Builder):
    """DataFrameWriter and DataStreamWriter."""

    __slots__ = ("frame",)

    def __init__(self, frame: Frame, *, streaming: bool, line: int, file: str) -> None:
        super().__init__(streaming=streaming, line=line, file=file)
        self.frame = frame

    def attribute(self, machine: Machine, name: str, line: int) -> Value:
        if name in _TABLES:
            return Method(lambda inner, given: self._table(inner, given.get(0, _TABLES[name], UNKNOWN), given))
        if name in ("save", "start"):
            return Method(self._save)
        if name in _FILES:
            return Method(lambda inner, given: self._stored(inner, given.get(0, "path", UNKNOWN), given))
        if name == "jdbc":
            return Method(self._jdbc)
        if name == "foreachBatch":
            return Method(self._each_batch)
        return super().attribute(machine, name, line)

    def _table(self, machine: Machine, name: Value, arguments: Arguments) -> Value:
        self._record(machine, machine.lift(machine.qualify, machine.see(name)), arguments.line)
        return PURE if self.streaming else None

    def _record(self, machine: Machine, target: Value, line: int) -> None:
        columns = self.frame.known_columns()
        machine.ledger.writes.append(Write(target, self.frame.inputs, line, machine.path, columns=columns))
        machine.doubt += 1

    def _stored(self, machine: Machine, path: Value, arguments: Arguments) -> Value:
        from lineage_hub.connectors.databricks.program.paths import PathValue

        path = machine.see(path)
        self._record(machine, path.text if isinstance(path, PathValue) else path, arguments.line)
        return PURE if self.streaming else None

    def _save(self, machine: Machine, arguments: Arguments) -> Value:
        options = self.snapshot(machine)
        for name, value in arguments.keywords.items():
            if name not in ("path", "format", "mode", "partitionBy", "outputMode", "queryName") and value is not ABSENT:
                options[name.lower()] = (name, machine.see(value))
        format_name = machine.see(arguments.get(1, "format", None))
        if format_name is None:
            format_name = machine.see(self.cells.get(FORMAT, "delta"))
        path = machine.see(arguments.get(0, "path", None))
        if path is None:
            path = options.get("path", ("", None))[1]
        if ("batch",) in self.cells:
            return PURE  # its function was run with the frame
        if path is not None and (is_stored(format_name) or not isinstance(format_name, str)):
            return self._stored(machine, path, arguments)
        if is_stored(format_name):
            return PURE
        machine.ledger.sinks.append(
            Sink(format_name, options, self.frame.inputs, self.line, machine.path, open=self.is_open, file=self.file)
        )
        return PURE

    def _jdbc(self, machine: Machine, arguments: Arguments) -> Value:
        options = self.snapshot(machine)
        options["url"] = ("url", machine.see(arguments.get(0, "url", UNKNOWN)))
        options["dbtable"] = ("table", machine.see(arguments.get(1, "table", UNKNOWN)))
        machine.ledger.sinks.append(Sink("jdbc", options, self.frame.inputs, self.line, machine.path, file=self.file))
        return None

    def _each_batch(self, machine: Machine, arguments: Arguments) -> Value:
        from lineage_hub.connectors.databricks.program.calls import call

        machine.state.put(self, ("batch",), True)
        function = machine.see(arguments.get(0, "func", UNKNOWN))
        call(machine, function, Arguments([self.frame, UNKNOWN], line=arguments.line))
        return self


class TableWriter(Native):
    """df.writeTo("t") and df.mergeInto("t", …)"""

    __slots__ = ("frame", "line", "target")

    def __init__(self, frame: Frame, target: Value, line: int) -> None:
        self.frame = frame
        self.target = target
        self.line = line

    def attribute(self, machine: Machine, name: str, line: int) -> Value:
        if name in _ENDS:
            return Method(self._write)
        return Method(lambda _, __: self)

    def _write(self, machine: Machine, arguments: Arguments) -> Value:
        columns = self.frame.known_columns()
        machine.ledger.writes.append(
            Write(self.target, self.frame.inputs, arguments.line, machine.path, columns=columns)
        )
        return None
