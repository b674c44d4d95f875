"""The session and dbutils of a program: reads, settings, widgets and SQL begin here."""

from __future__ import annotations

from lineage_hub.connectors.databricks.program.frames import Frame
from lineage_hub.connectors.databricks.program.joins import inputs_of
from lineage_hub.connectors.databricks.program.machine import Machine
from lineage_hub.connectors.databricks.program.settings import (
    all_widgets,
    get_setting,
    get_widget,
    make_widget,
    set_setting,
)
from lineage_hub.connectors.databricks.program.spark_read import Reader, read_catalog_table
from lineage_hub.connectors.databricks.program.sql_text import run_sql
from lineage_hub.connectors.databricks.program.values import (
    PURE,
    UNKNOWN,
    Arguments,
    DictValue,
    Method,
    Native,
    Unknown,
    Value,
)


class Session(Native):
    """SparkSession; every session is one."""

    __slots__ = ()

    def attribute(self, machine: Machine, name: str, line: int) -> Value:
        if name in ("read", "readStream"):
            return Reader(streaming=name == "readStream", line=line, file=machine.other_file)
        if name in _METHODS:
            return _METHODS[name]
        if name == "conf":
            return Settings()
        if name == "builder":
            return SessionBuilder()
        if name == "catalog":
            return Catalog()
        if name == "sparkContext":
            return UNKNOWN
        return PURE


class SessionBuilder(Native):
    """SparkSession.builder"""

    __slots__ = ()

    def attribute(self, machine: Machine, name: str, line: int) -> Value:
        if name in ("getOrCreate", "create"):
            return Method(lambda _, __: Session())
        if name == "config":
            return Method(self._config)
        return Method(lambda _, __: self)

    def _config(self, machine: Machine, arguments: Arguments) -> Value:
        if len(arguments.positional) == 2:
            set_setting(machine, *arguments.positional)
        mapped = machine.see(arguments.get(-1, "map", None))
        if isinstance(mapped, DictValue):
            for key, value in mapped.cells.items():
                set_setting(machine, key, value)
        return self


class Settings(Native):
    """spark.conf"""

    __slots__ = ()

    def attribute(self, machine: Machine, name: str, line: int) -> Value:
        if name == "get":
            return Method(
                lambda inner, given: get_setting(inner, given.get(0, "key", UNKNOWN), given.get(1, "default"))
            )
        if name == "set":
            return Method(_set)
        return PURE


def _set(machine: Machine, arguments: Arguments) -> Value:
    set_setting(machine, arguments.get(0, "key", UNKNOWN), arguments.get(1, "value", UNKNOWN))
    return None


class Catalog(Native):
    """spark.catalog: whether a table is there is not known."""

    __slots__ = ()

    def attribute(self, machine: Machine, name: str, line: int) -> Value:
        if name in ("setCurrentCatalog", "setCurrentDatabase"):
            return Method(lambda inner, given: _use(inner, name, given))
        return PURE


def _use(machine: Machine, name: str, arguments: Arguments) -> Value:
    wanted = machine.see(arguments.get(0, "", UNKNOWN))
    plain = wanted if isinstance(wanted, str) and not machine.path else None
    if name == "setCurrentCatalog":
        machine.sql.catalog, machine.sql.schema = plain, None
    else:
        machine.sql.schema = plain
    return None


def _table(machine: Machine, arguments: Arguments) -> Value:
    return read_catalog_table(machine, arguments.get(0, "tableName", UNKNOWN), arguments.line)


def _made_of_values(machine: Machine, arguments: Arguments) -> Value:
    """createDataFrame: rows that the program itself has, or those of what it is made of."""
    return Frame(inputs_of(arguments.get(0, "data", None)))


_METHODS: dict[str, Value] = {
    "table": Method(_table),
    "sql": Method(run_sql),
    "createDataFrame": Method(_made_of_values),
    "range": Method(lambda _, __: Frame(())),
    "newSession": Method(lambda _, __: Session()),
    "getActiveSession": Method(lambda _, __: Session()),
    "active": Method(lambda _, __: Session()),
}


class SessionClass(Native):
    """The class SparkSession itself."""

    __slots__ = ()

    def attribute(self, machine: Machine, name: str, line: int) -> Value:
        return SessionBuilder() if name == "builder" else Session().attribute(machine, name, line)

    def call(self, machine: Machine, arguments: Arguments) -> Value:
        return Session()


class DbUtils(Native):
    """dbutils and its parts."""

    __slots__ = ("part",)

    def __init__(self, part: str = "") -> None:
        self.part = part

    def attribute(self, machine: Machine, name: str, line: int) -> Value:
        if not self.part:
            return DbUtils(name)
        if self.part == "widgets":
            return _WIDGETS.get(name, PURE)
        if self.part == "notebook" and name == "exit":
            return Method(_exit)
        if self.part == "notebook" and name == "run":
            return Method(_run)
        return Unknown(key=("dbutils", self.part, name), pure=True)

    def call(self, machine: Machine, arguments: Arguments) -> Value:
        return DbUtils()


def _run(machine: Machine, arguments: Arguments) -> Value:
    from lineage_hub.connectors.databricks.program.children import start_notebook

    return start_notebook(machine, arguments)


def _exit(machine: Machine, arguments: Arguments) -> Value:
    machine.end(machine.see(arguments.get(0, "value", UNKNOWN)), well=True)


_WIDGETS: dict[str, Value] = {
    "get": Method(get_widget),
    "getArgument": Method(get_widget),
    "getAll": Method(all_widgets),
    **{name: Method(make_widget) for name in ("text", "dropdown", "combobox", "multiselect")},
}
