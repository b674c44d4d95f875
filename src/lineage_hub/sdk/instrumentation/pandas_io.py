"""pandas enters; its functions that read and write leave as they were, but that the datasets are told of.

Only what succeeded, and only the outermost call: what pandas calls inside of it is its own affair. SQL over SQLAlchemy
is told of by the engine, so here only drivers' own connections count.
"""

from __future__ import annotations

import functools
import inspect
import sys
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any

from lineage_hub.sdk.frames import column_name, fields_of, kind_of
from lineage_hub.sdk.instrumentation.analysis import analyse
from lineage_hub.sdk.instrumentation.capture import Dataset, tell, trouble
from lineage_hub.sdk.instrumentation.databases import of_connection
from lineage_hub.sdk.instrumentation.flows import Kind, Table
from lineage_hub.sdk.instrumentation.places import names_of
from lineage_hub.sdk.instrumentation.tables import Seen, columns_for, resolve

READERS = (
    "csv", "json", "parquet", "excel", "feather", "orc", "pickle", "table", "fwf", "xml", "html", "hdf", "stata", "sas",
    "spss",
)  # fmt: skip
WRITERS = ("csv", "json", "parquet", "excel", "feather", "orc", "pickle", "xml", "html", "hdf", "stata")
# Where it read from or wrote to, all arguments, the result.
Tell = Callable[[Any, dict[str, Any], Any], None]
_inside = threading.local()


def install(pandas: ModuleType) -> None:
    for name in READERS:
        _replace_function(pandas, f"read_{name}", _read)
    for name in ("read_sql", "read_sql_query"):
        _replace_function(pandas, name, _read_sql)
    for name in WRITERS:
        _replace_method(pandas, f"to_{name}", _written)
    _replace_method(pandas, "to_sql", _written_sql)


def _replace_function(pandas: ModuleType, name: str, telling: Tell) -> None:
    """Wherever pandas keeps it, so that it is found under every name, and by pickle."""
    function = getattr(pandas, name, None)
    if function is None or hasattr(function, "_lineage_hub"):
        return
    wrapped = _wrapped(function, telling)
    for module_name, module in list(sys.modules.items()):
        if module_name.partition(".")[0] == "pandas" and getattr(module, "__dict__", {}).get(name) is function:
            setattr(module, name, wrapped)


def _replace_method(pandas: ModuleType, name: str, telling: Tell) -> None:
    for cls in (pandas.DataFrame, pandas.Series):
        owner = next((base for base in cls.__mro__ if name in base.__dict__), None)
        method = owner.__dict__[name] if owner is not None else None
        if owner is not None and inspect.isfunction(method) and not hasattr(method, "_lineage_hub"):
            setattr(owner, name, _wrapped(method, telling))


def _wrapped(function: Any, telling: Tell) -> Any:
    signature = inspect.signature(function)
    place = next(name for name in signature.parameters if name != "self")

    @functools.wraps(function)
    def told(*args: Any, **kwargs: Any) -> Any:
        if getattr(_inside, "call", False):
            return function(*args, **kwargs)
        _inside.call = True
        try:
            result = function(*args, **kwargs)
        finally:
            _inside.call = False
        try:
            arguments = signature.bind(*args, **kwargs).arguments
            telling(arguments.get(place), arguments, result)
        except Exception as error:
            trouble(error)
        return result

    told._lineage_hub = True  # type: ignore[attr-defined]
    return told


def _read(place: Any, arguments: dict[str, Any], result: Any) -> None:
    names = names_of(place)
    whole = kind_of(result) is not None and len(names) == 1
    # Some of the columns say nothing of the others.
    chosen = any(arguments.get(name) is not None for name in ("usecols", "columns", "names", "index_col"))
    fields = fields_of(result) if whole and not chosen else []
    tell([Dataset(name, fields, len(result) if whole else None) for name in names])


def _written(place: Any, arguments: dict[str, Any], _: Any) -> None:
    """Without a place pandas returns the text."""
    frame, chosen, names = arguments["self"], arguments.get("columns"), names_of(place)
    fields = fields_of(frame) if names else []
    if chosen is not None:
        wanted = {column_name(one) for one in chosen}
        fields = [one for one in fields if one["name"] in wanted]
    adds = str(arguments.get("mode", "")).startswith("a")
    tell(outputs=[Dataset(name, fields, len(frame), adds) for name in names])


def _seen_by(connection: Any) -> Seen | None:
    database = of_connection(connection)
    return Seen(database) if database is not None else None


def _read_sql(sql: Any, arguments: dict[str, Any], _: Any) -> None:
    seen = _seen_by(arguments.get("con"))
    if seen is None or not isinstance(sql, str):
        return
    dialect = seen.database.dialect
    flows, text = analyse(sql, dialect, columns_for(seen, {}, None), lambda: seen.database)
    for flow in flows:
        if flow.kind is Kind.UNKNOWN:
            tell(statements=[text], dialect=dialect)
        elif flow.kind is Kind.READ and (inputs := resolve(flow, seen, {}).inputs):
            tell([Dataset(name) for name in inputs], statements=[text], dialect=dialect)


def _written_sql(table: Any, arguments: dict[str, Any], _: Any) -> None:
    seen, frame = _seen_by(arguments.get("con")), arguments["self"]
    name = seen.name_of(Table(str(table), arguments.get("schema") or "")) if seen is not None else None
    if name is not None:
        adds = arguments.get("if_exists") == "append"
        tell(outputs=[Dataset(name, fields_of(frame), len(frame), adds)])
