"""spark.read and spark.readStream enter, in any shape; frames leave, and each read is in the ledger."""

from __future__ import annotations

from lineage_hub.connectors.databricks.program.builders import FORMAT, Builder
from lineage_hub.connectors.databricks.program.frames import Frame
from lineage_hub.connectors.databricks.program.guards import ALWAYS
from lineage_hub.connectors.databricks.program.iteration import members
from lineage_hub.connectors.databricks.program.machine import Machine
from lineage_hub.connectors.databricks.program.reads import Input, Options, Read, joined_inputs
from lineage_hub.connectors.databricks.program.schemas import schema_of_read
from lineage_hub.connectors.databricks.program.values import (
    ABSENT,
    UNKNOWN,
    Arguments,
    DictValue,
    ListValue,
    Method,
    Value,
)

_FILES = {"csv", "json", "parquet", "text", "textFile", "orc", "xml", "avro", "delta"}


def record_read(
    machine: Machine, format_name: Value, options: Options, line: int, *, file: str | None = None, more: bool = False
) -> Frame:
    """One read, and the frame it gives. `file` is where it begins, if that isn't here."""
    read = Read(format_name, options, line, machine.path, open=more, file=machine.other_file if file is None else file)
    machine.ledger.reads.append(read)
    machine.doubt += 1
    return Frame((Input(read, ALWAYS),), schema_of_read(read))


def read_table(machine: Machine, name: Value, line: int, spelled: str = "table") -> Frame:
    return record_read(machine, "table", {"table": (spelled, machine.see(name))}, line)


def read_catalog_table(machine: Machine, name: Value, line: int) -> Frame:
    """spark.table: where the program has set a catalog or schema, the name is one of theirs."""
    return read_table(machine, machine.lift(machine.qualify, machine.see(name)), line)


class Reader(Builder):
    """DataFrameReader and DataStreamReader."""

    __slots__ = ()

    def attribute(self, machine: Machine, name: str, line: int) -> Value:
        if name == "load":
            return Method(self._load)
        if name == "table":
            return Method(self._table)
        if name == "jdbc":
            return Method(self._jdbc)
        if name in _FILES:
            return Method(lambda inner, given: self._file(inner, name, given))
        return super().attribute(machine, name, line)

    def _table(self, machine: Machine, arguments: Arguments) -> Value:
        return read_catalog_table(machine, arguments.get(0, "tableName", UNKNOWN), self.line or arguments.line)

    def _load(self, machine: Machine, arguments: Arguments) -> Value:
        options = self.snapshot(machine)
        more = self.is_open or arguments.open
        for name, value in arguments.keywords.items():
            if name not in ("path", "format", "schema") and value is not ABSENT:
                options[name.lower()] = (name, machine.see(value))
        format_name = machine.see(arguments.get(1, "format", None))
        if format_name is None:
            format_name = machine.see(self.cells.get(FORMAT, "delta" if not more else UNKNOWN))
        return self._read(machine, format_name, machine.see(arguments.get(0, "path", None)), options, more)

    def _file(self, machine: Machine, name: str, arguments: Arguments) -> Value:
        options = self.snapshot(machine)
        paths: Value = machine.see(arguments.get(0, "path", arguments.keywords.get("paths", None)))
        if len(arguments.positional) > 1 and name in ("parquet", "text", "orc"):
            paths = tuple(machine.see(one) for one in arguments.positional)
        return self._read(machine, "text" if name == "textFile" else name, paths, options, self.is_open)

    def _read(self, machine: Machine, format_name: Value, path: Value, options: Options, more: bool) -> Value:
        if isinstance(path, ListValue | tuple):
            each = members(machine, path)
            frames = [self._read(machine, format_name, one, dict(options), more) for one in each or (UNKNOWN,)]
            return Frame(joined_inputs(*(one.inputs for one in frames if isinstance(one, Frame))))
        if path is not None:
            from lineage_hub.connectors.databricks.program.paths import PathValue

            options["path"] = ("path", path.text if isinstance(path, PathValue) else path)
        return record_read(machine, format_name, options, self.line, file=self.file, more=more)

    def _jdbc(self, machine: Machine, arguments: Arguments) -> Value:
        options = self.snapshot(machine)
        options["url"] = ("url", machine.see(arguments.get(0, "url", UNKNOWN)))
        options["dbtable"] = ("table", machine.see(arguments.get(1, "table", UNKNOWN)))
        properties = machine.see(arguments.get(-1, "properties", None))
        if isinstance(properties, DictValue):
            options.update({str(k).lower(): (str(k), v) for k, v in properties.cells.items() if isinstance(k, str)})
        return record_read(machine, "jdbc", options, self.line, file=self.file, more=self.is_open)
