"""Expressions on columns enter, such as F.upper("a") or df.a + 1; their names and what they are made of leave."""

from __future__ import annotations

from lineage_hub.connectors.databricks.program.column_functions import AFTER_FIRST, EVERY, FIRST, NONE, SECOND
from lineage_hub.connectors.databricks.program.frames import Frame, FrameMember
from lineage_hub.connectors.databricks.program.iteration import members
from lineage_hub.connectors.databricks.program.machine import Machine
from lineage_hub.connectors.databricks.program.schemas import Origins, Schema, short_name
from lineage_hub.connectors.databricks.program.struct_types import TYPES, fields_of
from lineage_hub.connectors.databricks.program.values import (
    PURE,
    UNKNOWN,
    Arguments,
    FunctionValue,
    Library,
    ListValue,
    Method,
    Native,
    Value,
)

__all__ = [
    "FUNCTIONS",
    "TYPES",
    "WINDOW",
    "Column",
    "as_column",
    "bound_column",
    "combine_columns",
    "member",
    "parse_column",
]

_KEEPS_NAME = {
    "cast",
    "astype",
    "try_cast",
    "asc",
    "desc",
    "asc_nulls_first",
    "asc_nulls_last",
    "desc_nulls_first",
    "desc_nulls_last",
}
_LONGEST = 4_000


class Column(Native):
    """A column of some frame: names that it is made of, or the origins themselves where it is bound to a frame."""

    __slots__ = ("fields", "name", "origins", "refs", "sure")

    def __init__(
        self,
        name: str | None,
        refs: tuple[str, ...] = (),
        origins: Origins = (),
        *,
        sure: bool = True,
        fields: tuple[str, ...] | None = None,
    ) -> None:
        self.name = name
        self.refs = refs
        self.origins = origins
        self.sure = sure  # False: what it is made of can't be told
        self.fields = fields

    def found_in(self, schema: Schema) -> Origins | None:
        """Where it comes from, in a frame of these columns."""
        if not self.sure:
            return None
        found = list(self.origins)
        for ref in self.refs:
            origins = schema.origins(ref)
            if origins is None:
                return None
            found.extend(origins)
        return tuple(dict.fromkeys(found))

    def attribute(self, machine: Machine, name: str, line: int) -> Value:
        if name in ("alias", "name"):
            return Method(self._alias)
        if name == "over":
            return Method(self._over)
        if name in _KEEPS_NAME:
            return Method(lambda _, given: self._with(given, self.name))
        if name in ("getField", "getItem"):
            return Method(lambda inner, given: member(inner, self, inner.see(given.get(0, "", UNKNOWN))))
        if name in _COLUMN_METHODS:
            return Method(lambda _, given: self._with(given, None))
        return Column(name, self.refs, self.origins, sure=self.sure)

    def call(self, machine: Machine, arguments: Arguments) -> Value:
        return self._with(arguments, None)

    def truth(self) -> bool | None:
        return None

    def _alias(self, machine: Machine, arguments: Arguments) -> Value:
        name = machine.see(arguments.get(0, "alias", UNKNOWN))
        plain = name if isinstance(name, str) and len(arguments.positional) < 2 else None
        return Column(plain, self.refs, self.origins, sure=self.sure, fields=self.fields)

    def _over(self, machine: Machine, arguments: Arguments) -> Value:
        window = machine.see(arguments.get(0, "window", UNKNOWN))
        whole = combine(self, window.made_of) if isinstance(window, WindowSpec) else Column(None, sure=False)
        return Column(self.name, whole.refs, whole.origins, sure=whole.sure)

    def _with(self, arguments: Arguments, name: str | None) -> Value:
        result: Column = self
        for one in arguments.every():
            result = combine(result, one)
        return Column(name, result.refs, result.origins, sure=result.sure)


_COLUMN_METHODS = {
    "when", "otherwise", "isNull", "isNotNull", "isNaN", "like", "rlike", "ilike", "contains", "startswith", "endswith",
    "isin", "between", "substr", "eqNullSafe", "bitwiseAND", "bitwiseOR", "bitwiseXOR", "withField", "dropFields",
}  # fmt: skip


class WindowSpec(Native):
    """Window.partitionBy("a").orderBy("b"): columns by which rows are put together and in order."""

    __slots__ = ("made_of",)

    def __init__(self, made_of: Column) -> None:
        self.made_of = made_of

    def attribute(self, machine: Machine, name: str, line: int) -> Value:
        if name in ("partitionBy", "orderBy"):
            return Method(self._by)
        return Method(lambda _, __: self) if name in ("rowsBetween", "rangeBetween") else PURE

    def _by(self, machine: Machine, arguments: Arguments) -> Value:
        whole = Column(None, self.made_of.refs, self.made_of.origins, sure=self.made_of.sure and not arguments.open)
        for one in map(machine.see, arguments.every()):
            items = members(machine, one) if isinstance(one, ListValue | tuple) else (one,)
            for item in (UNKNOWN,) if items is None else map(machine.see, items):
                column = as_column(item)
                whole = combine(whole, Column(None, sure=False) if column is None else column)
        return WindowSpec(whole)


WINDOW = WindowSpec(Column(None))


def combine(one: Column, other: Value) -> Column:
    """Of both. Constants add nothing."""
    if isinstance(other, FrameMember):
        other = other.column()
    if isinstance(other, Column):
        return Column(None, one.refs + other.refs, one.origins + other.origins, sure=one.sure and other.sure)
    if isinstance(other, ListValue | tuple):
        items = other.cells["items"] if isinstance(other, ListValue) else other
        for inner in items if isinstance(items, tuple) else ():
            one = combine(one, inner)
    return one


def combine_columns(one: Native, other: Value) -> Value:
    """An operator between a column and something else."""
    if isinstance(one, FrameMember):
        one = one.column()  # type: ignore[assignment]
    if not isinstance(one, Column):
        return combine(Column(None), other) if isinstance(other, Column) else UNKNOWN
    result = combine(one, other)
    return Column(None, result.refs, result.origins, sure=result.sure)


def bound_column(frame: Frame, name: str) -> Column:
    """df.name, df["name"]"""
    origins = frame.schema.origins(name) if frame.schema is not None else None
    fields = frame.schema.structs.get(name) if frame.schema is not None else None
    return Column(short_name(name), (), origins or (), sure=origins is not None, fields=fields)


def member(machine: Machine, holder: Native, key: Value) -> Value:
    """holder[key] where holder is a frame or a column."""
    if isinstance(holder, FrameMember):
        holder = holder.column()  # type: ignore[assignment]
    if isinstance(holder, Frame):
        if isinstance(key, str):
            return bound_column(holder, key)
        if isinstance(key, ListValue | tuple):
            items = key.cells["items"] if isinstance(key, ListValue) else key
            return FrameMember(holder, "select").call(
                machine, Arguments(list(items) if isinstance(items, tuple) else [UNKNOWN])
            )
        return FrameMember(holder, "filter").call(machine, Arguments([key]))
    if isinstance(holder, Column):
        return Column(key if isinstance(key, str) else None, holder.refs, holder.origins, sure=holder.sure)
    return UNKNOWN


def as_column(value: Value) -> Column | None:
    """What select and its like take: a name or a column."""
    if isinstance(value, str):
        return Column(short_name(value), (value,))
    if isinstance(value, FrameMember):
        value = value.column()
    return value if isinstance(value, Column) else None


def parse_column(text: str) -> Column:
    """expr("…"), and each text of selectExpr"""
    if len(text) > _LONGEST:
        return Column(None, sure=False)
    import sqlglot
    from sqlglot import exp

    try:
        parsed = sqlglot.parse_one(text, dialect="databricks")
    except Exception:  # whatever a parser meets in a text of any kind
        return Column(None, sure=False)
    if parsed.find(exp.Select, exp.Lambda) is not None:
        return Column(None, sure=False)
    if isinstance(parsed, exp.Star):
        return Column("*")
    if isinstance(parsed, exp.Column) and isinstance(parsed.this, exp.Star):
        return Column("*", (f"{parsed.table}.*",))
    columns = [one for one in parsed.find_all(exp.Column) if not isinstance(one.this, exp.Star)]
    refs = tuple(".".join(part.name for part in one.parts) for one in columns)
    sure = all(isinstance(one.parent, exp.Count) for one in parsed.find_all(exp.Star))
    plain = parsed.unalias()
    while isinstance(plain, exp.Cast):
        plain = plain.this
    named = parsed.alias or (plain.name if isinstance(plain, exp.Column | exp.Dot) else None)
    return Column(named or None, refs, sure=sure)


def _is_star(value: Value) -> bool:
    return value == "*" if isinstance(value, str) else isinstance(value, Column) and value.name == "*"


class ColumnFunction(Native):
    """A function of pyspark.sql.functions."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def call(self, machine: Machine, arguments: Arguments) -> Value:
        given = [machine.see(one) for one in arguments.every()]
        first = given[0] if given else None
        if self.name in ("col", "column"):
            return Column(short_name(first), (first,)) if isinstance(first, str) else Column(None, sure=False)
        if self.name == "expr":
            return parse_column(first) if isinstance(first, str) else Column(None, sure=False)
        result = Column(None, sure=not arguments.open)
        for index, one in enumerate(given):
            if _is_star(one):
                # All columns, whichever these are; to count rows takes none of them.
                result = Column(None, result.refs, result.origins, sure=result.sure and self.name == "count")
                continue
            named = isinstance(one, str) and self._names(index)
            result = combine(result, Column(None, (str(one),)) if named else one)
            sure = result.sure and (self._knows() or not isinstance(one, str))
            result = Column(None, result.refs, result.origins, sure=sure)
        fields = fields_of(given[1]) if self.name == "from_json" and len(given) > 1 else None
        return Column(None, result.refs, result.origins, sure=result.sure, fields=fields)

    def _names(self, index: int) -> bool:
        """Is a text in this place a column's name?"""
        return (
            self.name in EVERY
            or (self.name in FIRST and index == 0)
            or (self.name in SECOND and index == 1)
            or (self.name in AFTER_FIRST and index > 0)
        )

    def _knows(self) -> bool:
        return any(self.name in known for known in (EVERY, FIRST, SECOND, AFTER_FIRST, NONE))


def _decorated(machine: Machine, arguments: Arguments) -> Value:
    """udf(f), @udf, @udf("type"): a function of columns that is not looked into."""

    def apply(inner: Machine, given: Arguments) -> Value:
        # Given a type only, it is called with the function first.
        if isinstance(inner.see(given.get(0, "", None)), FunctionValue):
            return made
        return ColumnFunction("struct").call(inner, given)

    made = Method(apply)
    return made


class _Functions(Library):
    """Whatever is asked for is a function of columns."""

    __slots__ = ()

    def attribute(self, machine: Machine, name: str, line: int) -> Value:
        return self.members.get(name, PURE if name.startswith("_") else ColumnFunction(name))


FUNCTIONS = _Functions(
    "pyspark.sql.functions",
    {
        **{
            name: ColumnFunction(name)
            for name in sorted(EVERY | FIRST | SECOND | AFTER_FIRST | NONE | {"col", "column", "expr"})
        },
        "udf": Method(_decorated),
        "pandas_udf": Method(_decorated),
        "broadcast": Method(lambda machine, given: machine.see(given.get(0, "df", UNKNOWN))),
    },
)
