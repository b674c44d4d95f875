"""The chains of options by which Spark's readers and writers are built; they change in place, as Spark's do."""

from __future__ import annotations

from lineage_hub.connectors.databricks.program.machine import Machine
from lineage_hub.connectors.databricks.program.reads import Options
from lineage_hub.connectors.databricks.program.values import (
    ABSENT,
    REST,
    UNKNOWN,
    Alternatives,
    Arguments,
    Cells,
    Method,
    Native,
    Value,
)

FORMAT = ("format",)


class Builder(Native, Cells):
    """Options by name in lower case, the format under its own key; REST says that there may be others."""

    __slots__ = ("file", "line", "spelled", "streaming")

    def __init__(self, *, streaming: bool, line: int, file: str) -> None:
        Cells.__init__(self)
        self.streaming = streaming
        self.line = line
        self.file = file  # in which the chain begins
        self.spelled: dict[str, str] = {}

    def attribute(self, machine: Machine, name: str, line: int) -> Value:
        if name in ("format", "using"):
            return Method(self._format)
        if name == "option":
            return Method(self._option)
        if name == "options":
            return Method(self._options)
        return Method(lambda _, __: self)

    def call(self, machine: Machine, arguments: Arguments) -> Value:
        return UNKNOWN

    def _format(self, machine: Machine, arguments: Arguments) -> Value:
        machine.state.put(self, FORMAT, machine.see(arguments.get(0, "source", UNKNOWN)))
        return self

    def _option(self, machine: Machine, arguments: Arguments) -> Value:
        self.set_option(machine, arguments.get(0, "key", UNKNOWN), arguments.get(1, "value", UNKNOWN))
        return self

    def _options(self, machine: Machine, arguments: Arguments) -> Value:
        self.set_options(machine, arguments)
        return self

    def set_option(self, machine: Machine, name: Value, value: Value) -> None:
        name = machine.see(name)
        if not isinstance(name, str):
            self.forget(machine)
            return
        self.spelled[name.lower()] = name
        before = self.cells.get(name.lower(), ABSENT)
        if isinstance(value, Alternatives) and any(one is ABSENT for _, one in value.options):
            value = Alternatives(tuple((g, before if v is ABSENT else v) for g, v in value.options))
        machine.state.put(self, name.lower(), value)

    def set_options(self, machine: Machine, arguments: Arguments) -> None:
        if arguments.open:
            self.forget(machine)
        for name, value in arguments.keywords.items():
            self.set_option(machine, name, value)

    def forget(self, machine: Machine) -> None:
        """Any option may be there, and any that was may be another."""
        for key in list(self.cells):
            if isinstance(key, str):
                machine.state.put(self, key, UNKNOWN)
        machine.state.put(self, REST, UNKNOWN)

    def snapshot(self, machine: Machine) -> Options:
        found: Options = {}
        for key, value in self.cells.items():
            if isinstance(key, str):
                held = value if not isinstance(value, Alternatives) else _held(machine, value)
                if held is not ABSENT:
                    found[key] = (self.spelled.get(key, key), held)
        return found

    @property
    def is_open(self) -> bool:
        return REST in self.cells


def _held(machine: Machine, value: Alternatives) -> Value:
    """An option that may be missing keeps that as a possibility."""
    from lineage_hub.connectors.databricks.program.guards import both

    left = tuple((g, v) for g, v in value.options if both(g, machine.path) is not None)
    return left[0][1] if len(left) == 1 else Alternatives(left) if left else ABSENT
