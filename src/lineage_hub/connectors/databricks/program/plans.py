"""A frame and a method of it enter; the columns of the new frame leave, or nothing where the code doesn't tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from lineage_hub.connectors.databricks.program.columns import Column, as_column, parse_column
from lineage_hub.connectors.databricks.program.frames import NA, Frame
from lineage_hub.connectors.databricks.program.iteration import members
from lineage_hub.connectors.databricks.program.machine import Machine
from lineage_hub.connectors.databricks.program.schemas import AMBIGUOUS, Origins, Schema, joined, short_name, united
from lineage_hub.connectors.databricks.program.values import UNKNOWN, Arguments, DictValue, ListValue, Value

_GROUPING = {"groupBy", "groupby"}
_SAME = {
    "filter", "where", "orderBy", "sort", "limit", "distinct", "dropDuplicates", "drop_duplicates", "withWatermark",
    "dropDuplicatesWithinWatermark", "repartition", "coalesce", "cache", "persist", "unpersist", "hint", "sample",
    "checkpoint", "localCheckpoint", "repartitionByRange", "sortWithinPartitions", "offset", "dropna", "fillna",
    "replace", "observe", "exceptAll", "subtract", "intersect", "intersectAll", "withMetadata", "sampleBy",
}  # fmt: skip
_BY_COLUMNS = {
    "filter",
    "where",
    "orderBy",
    "sort",
    "dropDuplicates",
    "drop_duplicates",
    "dropDuplicatesWithinWatermark",
}
_PARTIAL = {"left_semi", "leftsemi", "semi", "left_anti", "leftanti", "anti"}
Derivation = tuple[Schema | None, object]
_Step = Callable[[Machine, Schema, Arguments], Schema | None]


def derive(machine: Machine, frame: Frame, method: str, arguments: Arguments) -> Derivation:
    found, groups = _derived(machine, frame, method, arguments)
    before = frame.schema
    if found is None or before is None:
        return found, groups
    others = [one.schema.rows for one in map(machine.see, arguments.every()) if isinstance(one, Frame) and one.schema]
    return found.decided_by(before.rows, *others, *_deciding(machine, frame, before, method, arguments)), groups


def _deciding(
    machine: Machine, frame: Frame, schema: Schema, method: str, arguments: Arguments
) -> list[Origins | None]:
    """Origins of what a method filters, joins, groups or orders by."""
    if isinstance(frame.groups, list):
        return [column.found_in(schema) for one in frame.groups if (column := as_column(one)) is not None]
    if method == "join":
        return _join_condition(machine, schema, arguments)
    if method not in _BY_COLUMNS:
        return []
    named = [value for name, value in arguments.keywords.items() if name in ("condition", "subset")]
    given = _listed(machine, Arguments([*arguments.positional, *named]))
    if method in ("filter", "where"):
        given = [parse_column(one) if isinstance(one, str) else one for one in given]
    return [column.found_in(schema) for one in given if (column := as_column(one)) is not None]


def _join_condition(machine: Machine, schema: Schema, arguments: Arguments) -> list[Origins | None]:
    other = machine.see(arguments.get(0, "other", UNKNOWN))
    on = machine.see(arguments.get(1, "on", None))
    items = members(machine, on) if isinstance(on, ListValue | tuple) else (on,)
    theirs = other.schema if isinstance(other, Frame) else None
    # A name in a condition may be of either side, if nothing says of which.
    whole = joined(schema, theirs, None) if theirs is not None else Schema({}, AMBIGUOUS)
    found: list[Origins | None] = []
    for one in map(machine.see, items or ()):
        column = as_column(one)
        if column is None:
            continue
        if isinstance(one, str):
            found.append(column.found_in(schema))
            found.append(column.found_in(theirs) if theirs is not None else None)
        else:
            found.append(column.found_in(whole))
    return found


def _derived(machine: Machine, frame: Frame, method: str, arguments: Arguments) -> Derivation:
    schema = frame.schema
    if frame.groups is NA:
        return schema, None
    if isinstance(frame.groups, list):
        return (_aggregated(machine, schema, frame.groups, method, arguments) if schema is not None else None), None
    if method in _GROUPING or method in ("rollup", "cube"):
        return schema, _listed(machine, arguments)
    if schema is None or arguments.open:
        return None, None
    if method in _SAME:
        return schema, None
    step = _STEPS.get(method)
    return (None if step is None else step(machine, schema, arguments)), None


def _listed(machine: Machine, arguments: Arguments) -> list[Value]:
    """Columns are given one by one, or as a list."""
    found: list[Value] = []
    for one in arguments.positional:
        one = machine.see(one)
        items = members(machine, one) if isinstance(one, ListValue | tuple) else (one,)
        found.extend([UNKNOWN] if items is None else (machine.see(item) for item in items))
    return found


def _select(machine: Machine, schema: Schema, arguments: Arguments) -> Schema | None:
    return _selected(schema, [as_column(one) for one in _listed(machine, arguments)])


def _select_expressions(machine: Machine, schema: Schema, arguments: Arguments) -> Schema | None:
    texts = _listed(machine, arguments)
    return _selected(schema, [parse_column(one) if isinstance(one, str) else None for one in texts])


def _selected(schema: Schema, chosen: list[Column | None]) -> Schema | None:
    columns: dict[str, Origins] = {}
    structs: dict[str, tuple[str, ...]] = {}
    rest: str | None = None
    for one in chosen:
        if one is None or one.name is None:
            return None
        if one.name == "*" and one.refs in ((), ("*",)):
            if schema.doubtful:
                return None
            columns.update(schema.columns)
            structs.update(schema.structs)
            rest = schema.rest
            continue
        if one.name == "*":
            spread = _spread(schema, one.refs[0].removesuffix(".*"))
            if spread is None:
                return None
            columns.update(spread.columns)
            rest = spread.rest if rest is None else AMBIGUOUS if spread.rest is not None else rest
            continue
        origins = one.found_in(schema)
        if origins is None:
            return None
        columns[one.name] = origins
        fields = one.fields or (schema.structs.get(one.refs[0]) if len(one.refs) == 1 else None)
        if fields:
            structs[one.name] = fields
    aliases = {name: one for name, one in schema.aliases.items() if name not in columns}
    return Schema(columns, rest, aliases=aliases, structs=structs)


def _spread(schema: Schema, name: str) -> Schema | None:
    """name.*: a frame of a join by its alias, or the fields of a column whose type is known."""
    if name in schema.aliases:
        return schema.aliases[name]
    origins = schema.columns.get(name)
    fields = schema.structs.get(name)
    return None if origins is None or fields is None else Schema(dict.fromkeys(fields, origins))


def _with_column(machine: Machine, schema: Schema, arguments: Arguments) -> Schema | None:
    name = machine.see(arguments.get(0, "colName", UNKNOWN))
    column = as_column(machine.see(arguments.get(1, "col", UNKNOWN)))
    return _added(schema, {name: column}) if isinstance(name, str) else None


def _with_columns(machine: Machine, schema: Schema, arguments: Arguments) -> Schema | None:
    given = machine.see(arguments.get(0, "colsMap", UNKNOWN))
    if not isinstance(given, DictValue) or not all(isinstance(key, str) for key in given.cells):
        return None
    return _added(schema, {str(key): as_column(machine.see(value)) for key, value in given.cells.items()})


def _added(schema: Schema, columns: dict[str, Column | None]) -> Schema | None:
    made: dict[str, Origins] = {}
    structs: dict[str, tuple[str, ...]] = {}
    for name, column in columns.items():
        origins = column.found_in(schema) if column is not None else None
        if column is None or origins is None:
            return None
        made[name] = origins
        if column.fields:
            structs[name] = column.fields
    return schema.with_columns(made, structs)


def _renamed(machine: Machine, schema: Schema, arguments: Arguments) -> Schema | None:
    before, after = machine.see(arguments.get(0, "existing", UNKNOWN)), machine.see(arguments.get(1, "new", UNKNOWN))
    return _with_names(schema, {before: after})


def _renamed_all(machine: Machine, schema: Schema, arguments: Arguments) -> Schema | None:
    given = machine.see(arguments.get(0, "colsMap", UNKNOWN))
    if not isinstance(given, DictValue):
        return None
    return _with_names(schema, {key: machine.see(value) for key, value in given.cells.items()})


def _with_names(schema: Schema, names: dict[object, Value]) -> Schema | None:
    texts = {before: after for before, after in names.items() if isinstance(before, str) and isinstance(after, str)}
    if len(texts) < len(names) or schema.doubtful:
        return None
    texts = {schema.spelled(before): after for before, after in texts.items()}
    columns = {texts.get(name, name): origins for name, origins in schema.columns.items()}
    for before, after in texts.items():
        if before not in schema.columns and schema.rest is not None:
            origins = schema.origins(before)
            if origins is None:
                return None
            columns[after] = origins
    return replace(schema, columns=columns)


def _dropped(machine: Machine, schema: Schema, arguments: Arguments) -> Schema | None:
    names = [column.name for one in _listed(machine, arguments) if (column := as_column(one)) is not None]
    if None in names or len(names) < len(arguments.positional):
        return None
    gone = {schema.spelled(str(name)) for name in names}
    kept = {name: origins for name, origins in schema.columns.items() if name not in gone}
    return replace(schema, columns=kept, doubtful=schema.doubtful - gone)


def _alias(machine: Machine, schema: Schema, arguments: Arguments) -> Schema | None:
    name = machine.see(arguments.get(0, "alias", UNKNOWN))
    bare = replace(schema, aliases={})
    return replace(bare, aliases={name: bare}) if isinstance(name, str) else None


def _joined(machine: Machine, schema: Schema, arguments: Arguments) -> Schema | None:
    other = machine.see(arguments.get(0, "other", UNKNOWN))
    if not isinstance(other, Frame) or other.schema is None:
        return None
    how = machine.see(arguments.get(2, "how", "inner"))
    if how in _PARTIAL:
        return schema
    on = machine.see(arguments.get(1, "on", None))
    items = [on] if isinstance(on, str) else members(machine, on) if isinstance(on, ListValue | tuple) else ()
    keys = [one for one in items or () if isinstance(one, str)]
    return joined(schema, other.schema, keys)


def _united(by_name: bool) -> _Step:
    def unite(machine: Machine, schema: Schema, arguments: Arguments) -> Schema | None:
        other = machine.see(arguments.get(0, "other", UNKNOWN))
        return united(schema, other.schema, by_name=by_name) if isinstance(other, Frame) and other.schema else None

    return unite


def _named_again(machine: Machine, schema: Schema, arguments: Arguments) -> Schema | None:
    """toDF("a", "b")"""
    names = [one for one in _listed(machine, arguments) if isinstance(one, str)]
    columns = schema.closed()
    if not arguments.positional:
        return schema
    if columns is None or len(names) != len(columns) or len(names) != len(arguments.positional):
        return None
    return Schema(dict(zip(names, columns.values(), strict=True)))


def _aggregated(
    machine: Machine, schema: Schema, groups: list[Value], method: str, arguments: Arguments
) -> Schema | None:
    keys = _selected(schema, [as_column(one) for one in groups])
    if keys is None or keys.rest is not None:
        return None
    if method == "count" and not arguments.positional:
        return Schema({**keys.columns, "count": ()})
    if method == "agg":
        return _with_aggregates(machine, schema, keys, arguments)
    if method in ("sum", "avg", "mean", "min", "max") and arguments.positional:
        names = [one for one in _listed(machine, arguments) if isinstance(one, str)]
        spelled = "avg" if method == "mean" else method
        made = {f"{spelled}({short_name(one)})": schema.origins(one) for one in names}
        known = {name: origins for name, origins in made.items() if origins is not None}
        return Schema({**keys.columns, **known}) if len(known) == len(arguments.positional) else None
    return None


def _with_aggregates(machine: Machine, schema: Schema, keys: Schema, arguments: Arguments) -> Schema | None:
    given = _listed(machine, arguments)
    if len(given) == 1 and isinstance(given[0], DictValue):
        pairs = [(key, machine.see(how)) for key, how in given[0].cells.items()]
        made = {f"{how}({key})": schema.origins(key) for key, how in pairs if isinstance(key, str)}
        known = {name: origins for name, origins in made.items() if origins is not None}
        return Schema({**keys.columns, **known}) if len(known) == len(pairs) else None
    aggregates = _selected(schema, [as_column(one) for one in given])
    return None if aggregates is None else Schema({**keys.columns, **aggregates.columns})


_STEPS: dict[str, _Step] = {
    "select": _select,
    "selectExpr": _select_expressions,
    "withColumn": _with_column,
    "withColumns": _with_columns,
    "withColumnRenamed": _renamed,
    "withColumnsRenamed": _renamed_all,
    "drop": _dropped,
    "alias": _alias,
    "join": _joined,
    "crossJoin": _joined,
    "union": _united(by_name=False),
    "unionAll": _united(by_name=False),
    "unionByName": _united(by_name=True),
    "toDF": _named_again,
    "agg": lambda machine, schema, given: _with_aggregates(machine, schema, Schema({}), given),
}
