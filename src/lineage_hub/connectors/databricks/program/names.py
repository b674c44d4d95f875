"""A name that the program binds nowhere enters; what Python or a notebook has under it leaves."""

from __future__ import annotations

from lineage_hub.connectors.databricks.program.builtin_functions import BUILTINS
from lineage_hub.connectors.databricks.program.machine import Machine
from lineage_hub.connectors.databricks.program.pipelines import PIPELINES
from lineage_hub.connectors.databricks.program.session import DbUtils, Session
from lineage_hub.connectors.databricks.program.values import PURE, Arguments, Method, Unknown, Value


def _session_method(name: str) -> Method:
    from lineage_hub.connectors.databricks.program.calls import call

    def run(machine: Machine, arguments: Arguments) -> Value:
        return call(machine, Session().attribute(machine, name, arguments.line), arguments)

    return Method(run)


def _argument(machine: Machine, arguments: Arguments) -> Value:
    from lineage_hub.connectors.databricks.program.calls import call

    widgets = DbUtils("widgets").attribute(machine, "getArgument", arguments.line)
    return call(machine, widgets, arguments)


NOTEBOOK: dict[str, Value] = {
    "spark": Session(),
    "sqlContext": Session(),
    "dbutils": DbUtils(),
    "dlt": PIPELINES,
    "dp": PIPELINES,
    "sql": _session_method("sql"),
    "table": _session_method("table"),
    "getArgument": Method(_argument),
    "display": PURE,
    "displayHTML": PURE,
}


def free_name(machine: Machine, name: str) -> Value:
    if name in BUILTINS:
        return BUILTINS[name]
    if name in NOTEBOOK:
        return NOTEBOOK[name]
    machine.doubt += 1
    return Unknown(key=("free", name))
