"""Names of settings enter; values from the configuration and from the program itself leave."""

from __future__ import annotations

from lineage_hub.connectors.databricks.program.machine import ANY_ARGUMENT, Machine
from lineage_hub.connectors.databricks.program.values import (
    ABSENT,
    REST,
    UNKNOWN,
    Alternatives,
    Arguments,
    DictValue,
    Value,
)


def text_setting(value: Value) -> Value:
    """A setting is text, as Spark keeps it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) else value


def get_setting(machine: Machine, name: Value, default: Value = ABSENT) -> Value:
    """spark.conf.get: what the program has set, then the configuration, then the default."""

    def once(name: Value) -> Value:
        if not isinstance(name, str):
            return UNKNOWN
        cells = machine.settings.cells
        if REST in cells:
            return machine.ask(name)
        found = machine.see(cells.get(("set", name), ABSENT))
        if found is not ABSENT:
            return _with_absent(machine, cells[("set", name)], name, default)
        return _configured(machine, name, default)

    return machine.lift(once, machine.see(name))


def _with_absent(machine: Machine, raw: Value, name: str, default: Value) -> Value:
    if isinstance(raw, Alternatives):
        other = _configured(machine, name, default)
        return machine.see(Alternatives(tuple((g, other if v is ABSENT else v) for g, v in raw.options)))
    return raw


def _configured(machine: Machine, name: str, default: Value) -> Value:
    if name in machine.configuration:
        return machine.configuration[name]
    if default is ABSENT:
        machine.doubt += 1
        return machine.ask(name)
    return default


def set_setting(machine: Machine, name: Value, value: Value) -> None:
    name = machine.see(name)
    if isinstance(name, str):
        machine.state.put(machine.settings, ("set", name), machine.lift(text_setting, machine.see(value)))
    else:
        machine.state.put(machine.settings, REST, UNKNOWN)


def take_settings(machine: Machine) -> None:
    """What SET of SQL has set is a setting as any other, on the way that it was set on."""
    for name in machine.sql.touched:
        value = machine.sql.settings.pop(name, None)
        set_setting(machine, name, UNKNOWN if value is None else value)
    machine.sql.touched.clear()


def get_widget(machine: Machine, arguments: Arguments) -> Value:
    """dbutils.widgets.get: the configuration, then the default that the program gives the widget."""

    def once(name: Value) -> Value:
        if not isinstance(name, str):
            return UNKNOWN
        for place in ("argument", "widget"):
            if place == "widget" and ANY_ARGUMENT in machine.settings.cells:
                return machine.ask(name)
            if place == "widget" and name in machine.widget_values:
                return machine.widget_values[name]
            found = machine.see(machine.settings.cells.get((place, name), ABSENT))
            if found is not ABSENT:
                return found
        default = arguments.get(1, "defaultValue", ABSENT)
        if default is not ABSENT:
            return default
        machine.doubt += 1
        return machine.ask(name)

    return machine.lift(once, machine.see(arguments.get(0, "name", UNKNOWN)))


def make_widget(machine: Machine, arguments: Arguments) -> Value:
    """dbutils.widgets.text, dropdown, combobox, multiselect"""
    name = machine.see(arguments.get(0, "name", UNKNOWN))
    if isinstance(name, str):
        default = arguments.get(1, "defaultValue", UNKNOWN)
        machine.state.put(machine.settings, ("widget", name), default)
    return None


def all_widgets(machine: Machine, arguments: Arguments) -> Value:
    made = DictValue({REST: UNKNOWN})
    for key, value in machine.settings.cells.items():
        if isinstance(key, tuple) and key[0] == "widget":
            made.cells[key[1]] = value
    made.cells.update(machine.widget_values)
    for key, value in machine.settings.cells.items():
        if isinstance(key, tuple) and key[0] == "argument" and key != ANY_ARGUMENT:
            made.cells[key[1]] = value
    return made
