"""A pipeline as data: what a YAML file or a Python program writes enters, checked values leave. Nothing here runs.

The same models make the published JSON Schema, so that an editor's help and the reader's errors can't differ.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    WithJsonSchema,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue, SkipJsonSchema
from pydantic_core import CoreSchema

Format = Literal["csv", "json", "ndjson", "parquet", "delta", "jdbc"]
Mode = Literal["overwrite", "append", "merge"]
Severity = Literal["warn", "quarantine", "fail"]
Policy = Literal["allow", "warn", "fail"]
JoinKind = Literal["inner", "left", "right", "full", "semi", "anti", "cross"]
ParameterType = Literal["text", "number", "date", "identifier"]
# A stage's name is a word of SQL, so that a statement can name it without quotes.
STAGE_NAME = r"^[a-z][a-z0-9_]{0,62}$"
PIPELINE_NAME = r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$"
PARAMETER_NAME = r"^[A-Za-z_][A-Za-z0-9_]*$"
STAGE_AND_COLUMN = r"^[a-z][a-z0-9_]*\..+$"
DURATION = r"^\d+(\.\d+)?\s*(s|m|h|d)$"
MOST_STAGES = 1_000
NUMBER = re.compile(r"[-+]?(?:0|[1-9]\d{0,37})(?:\.\d{1,38})?(?:[eE][-+]?\d{1,3})?", re.ASCII)

StageName = Annotated[str, Field(pattern=STAGE_NAME)]
Duration = Annotated[str, Field(pattern=DURATION, description="a number and s, m, h or d: 36h")]


class Plain(str):
    """Text that stood without quotes. Where a field takes a number or a boolean too, it is that."""


def _read_plain(value: Any) -> Any:
    """`007` and `2026-11-01` are no numbers: they stay as they were written."""
    if not isinstance(value, Plain):
        return value
    if value.lower() in ("true", "false"):
        return value.lower() == "true"
    if not NUMBER.fullmatch(value):
        return str(value)
    number = float(value)
    if value.lstrip("+-").isdigit():
        return int(value)
    return number if math.isfinite(number) else str(value)


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _as_text(value: Any) -> Any:
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def _one_or_more(item: dict[str, Any]) -> WithJsonSchema:
    return WithJsonSchema({"anyOf": [item, {"type": "array", "items": item, "minItems": 1}]})


Scalar = Annotated[str | int | float | bool, BeforeValidator(_read_plain)]
# Text also where an editor sees a number: `default: 7`.
Text = Annotated[str, BeforeValidator(_as_text), WithJsonSchema({"type": ["string", "number", "boolean"]})]
Columns = Annotated[list[str], BeforeValidator(_as_list), Field(min_length=1), _one_or_more({"type": "string"})]
StageNames = Annotated[
    list[StageName],
    BeforeValidator(_as_list),
    Field(min_length=1),
    _one_or_more({"type": "string", "pattern": STAGE_NAME}),
]


class Part(BaseModel):
    """Every part of a definition: frozen, and a key that it doesn't know is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, use_attribute_docstrings=True)


class _OneOf(Part):
    """A part that is exactly one of several kinds: the key says which."""

    shared: ClassVar[frozenset[str]] = frozenset()

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        kinds = [name for name in type(self).model_fields if name not in self.shared]
        given = [name for name in kinds if getattr(self, name) is not None]
        if len(given) != 1:
            said = f"{len(given)} ({', '.join(given)}) are given" if given else "none is given"
            raise ValueError(f"one of {', '.join(_written(type(self), kinds))} is needed, {said}")
        return self

    @property
    def kind(self) -> str:
        return next(
            name for name in type(self).model_fields if name not in self.shared and getattr(self, name) is not None
        )

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        schema = handler.resolve_ref_schema(handler(core_schema))
        kinds = _written(cls, [name for name in cls.model_fields if name not in cls.shared])
        return {**schema, "oneOf": [{"required": [kind]} for kind in kinds]}


def _written(model: type[BaseModel], names: list[str]) -> list[str]:
    return [model.model_fields[name].alias or name for name in names]


class Parameter(Part):
    """A value that a run may set; without a default it must."""

    default: Text | None = None
    type: ParameterType = "text"
    """How it stands in SQL: a text in quotes, a number, a date, or the name of a column or table."""
    description: str = ""
    pattern: str | None = None
    """What a value must match as a whole."""
    choices: Annotated[list[Text], Field(min_length=1)] | None = None


class Extract(Part):
    """Reads files or a table. Rows that can't be read go to the quarantine with file, record and reason."""

    format: Format
    path: str | list[str] | None = None
    """Files or folders; `*` and `?` as in a shell."""
    schema_: dict[str, str] | str | None = Field(None, alias="schema")
    """Columns and their Spark types, or one DDL text; left out, it is inferred."""
    options: dict[str, Scalar] = {}
    url: str | None = None
    table: str | None = None
    query: str | None = None
    user: str | None = None
    password: str | None = None

    @model_validator(mode="after")
    def _has_a_place(self) -> Self:
        _check_place(self.format, self.path, self.url, self.table or self.query)
        if self.table and self.query:
            raise ValueError("`table` and `query` exclude each other")
        return self


class Load(Part):
    """Writes a stage's rows. Readers see the old or the new content."""

    from_: StageName = Field(alias="from")
    format: Format
    mode: Mode = "overwrite"
    path: str | None = None
    keys: Columns | None = None
    """What makes a row the same, for `merge`."""
    partition_by: Columns | None = None
    options: dict[str, Scalar] = {}
    url: str | None = None
    table: str | None = None
    user: str | None = None
    password: str | None = None

    @model_validator(mode="after")
    def _has_a_place(self) -> Self:
        _check_place(self.format, self.path, self.url, self.table)
        if (self.mode == "merge") != bool(self.keys):
            raise ValueError("`keys` and `mode: merge` go together")
        if self.partition_by and self.format == "jdbc":
            raise ValueError("a table behind JDBC can't be partitioned by us: leave `partition_by` out")
        return self


def _check_place(format: str, path: object, url: object, table: object) -> None:
    if format == "jdbc" and not (url and table and not path):
        raise ValueError("`jdbc` needs `url` and `table`, and no `path`")
    if format != "jdbc" and (not path or url or table):
        raise ValueError(f"`{format}` needs `path`, and neither `url` nor `table`")


class DropDuplicates(Part):
    """Of the rows with equal keys the first by the order stays."""

    keys: Columns
    order_by: Columns | None = None
    """SQL, such as `updated_at desc`; without it any one of them stays."""


class Join(Part):
    """Adds the columns of another stage."""

    with_: StageName = Field(alias="with")
    on: Columns | None = None
    """Columns of the same name on both sides."""
    condition: str | None = None
    """SQL, in which both stages go by their names."""
    how: JoinKind = "left"
    columns: Columns | None = None
    """Of the other stage; all if left out."""

    @model_validator(mode="after")
    def _has_a_condition(self) -> Self:
        if (self.on is None) == (self.condition is None) and self.how != "cross":
            raise ValueError("one of `on` and `condition` is needed")
        return self


class Window(Part):
    """Derived columns over the rows around each row."""

    columns: dict[str, str] = Field(min_length=1)
    """Name and SQL of each: `rank: row_number()`."""
    partition_by: Columns | None = None
    order_by: Columns | None = None
    rows: tuple[int | None, int | None] | None = None
    """From and to, counted from the row: `[-6, 0]`; null is unbounded."""


class Step(_OneOf):
    """One thing that is done to the rows."""

    trim: Columns | None = None
    cast: dict[str, str] | None = None
    """Column and Spark type; what can't be cast becomes null."""
    fill: dict[str, Scalar] | None = None
    """Column and the value for null."""
    normalise: dict[str, Literal["lower", "upper", "title", "spaces", "digits", "ascii", "email", "empty_to_null"]] | (
        None
    ) = None
    drop_duplicates: DropDuplicates | None = None
    rename: dict[str, str] | None = None
    """Old and new name."""
    select: Columns | None = None
    drop: Columns | None = None
    filter: str | None = None
    """SQL: the rows that stay."""
    derive: dict[str, str] | None = None
    """Name and SQL of new columns."""
    join: Join | None = None
    window: Window | None = None
    sql: str | None = None
    """A statement over the stages in `from`, by their names; `this` is what the steps before made."""
    python: str | SkipJsonSchema[Callable[..., Any]] | None = None
    """`module:function`, DataFrame to DataFrame; one with more parameters gets the other stages by name."""


class AcceptedValues(Part):
    """The column holds one of these, or null."""

    column: str
    values: list[Scalar] = Field(min_length=1)


class Range(Part):
    """The column lies between the two, ends included; null passes."""

    column: str
    min: Scalar | None = None
    max: Scalar | None = None


class Regex(Part):
    """The column matches as a whole; null passes."""

    column: str
    pattern: str


class RowCount(Part):
    """How many rows there are."""

    min: int | None = None
    max: int | None = None


class RowCountChange(Part):
    """Against the run before: 0.2 is a fifth."""

    max_drop: float | None = Field(None, ge=0, le=1)
    max_growth: float | None = Field(None, ge=0)


class Referential(Part):
    """Every value of the column is in the other stage's column; null passes."""

    column: str
    to: Annotated[str, Field(pattern=STAGE_AND_COLUMN, description="stage.column")]


class Freshness(Part):
    """The latest time in the column is not older than this."""

    column: str
    within: Duration


class Rule(_OneOf):
    """What must hold of a stage's rows."""

    shared = frozenset({"name", "severity", "tolerance"})
    not_null: Columns | None = None
    unique: Columns | None = None
    """The columns together."""
    accepted_values: AcceptedValues | None = None
    range: Range | None = None
    regex: Regex | None = None
    row_count: RowCount | None = None
    row_count_change: RowCountChange | None = None
    referential: Referential | None = None
    freshness: Freshness | None = None
    expression: str | None = None
    """SQL that is true of every row, or null."""
    name: str | None = None
    severity: Severity = "warn"
    tolerance: float = Field(0.0, ge=0, lt=1)
    """The share of rows that may break it."""

    @model_validator(mode="after")
    def _is_about_rows(self) -> Self:
        if self.severity == "quarantine" and self.kind in ("row_count", "row_count_change", "freshness"):
            raise ValueError(f"`{self.kind}` is about all rows together: its severity is warn or fail")
        return self


class Transform(Part):
    """Makes rows from rows of other stages."""

    from_: StageNames = Field(alias="from")
    """The steps begin with the first; the others are there by name."""
    steps: list[Step] = Field(min_length=1)


class Stage(_OneOf):
    """An extract, a transform or a load, with its rules."""

    shared = frozenset({"description", "rules", "evolution", "quarantine", "cache", "owners"})
    extract: Extract | None = None
    transform: Transform | None = None
    load: Load | None = None
    description: str = ""
    rules: list[Rule] = []
    evolution: Policy = "warn"
    """What a changed schema does to the run."""
    quarantine: str | None = None
    """The folder for rejected rows; the pipeline's with the stage's name if left out."""
    cache: bool = False
    """Keep the rows in memory or on disk when several stages read them."""
    owners: list[str] = []

    @property
    def sources(self) -> list[str]:
        """The stages whose rows it reads."""
        if self.transform is not None:
            joined = [step.join.with_ for step in self.transform.steps if step.join is not None]
            read = [*self.transform.from_, *joined]
        else:
            read = [self.load.from_] if self.load is not None else []
        return list(
            dict.fromkeys([*read, *(one.referential.to.split(".")[0] for one in self.rules if one.referential)])
        )


class SparkConf(Part):
    """What the session needs."""

    packages: list[str] = []
    """Maven coordinates of further jars; those for `delta` and PostgreSQL come by themselves."""
    conf: dict[str, Scalar] = {}


class Pipeline(Part):
    """Stages by name. What one reads from makes it wait; the rest run at the same time."""

    version: Annotated[Literal[1], BeforeValidator(_read_plain)] = 1
    name: Annotated[str, Field(pattern=PIPELINE_NAME)]
    namespace: str | None = None
    """Of its jobs; the configured one if left out."""
    description: str = ""
    owners: list[str] = []
    tags: list[str] = []
    parameters: dict[Annotated[str, Field(pattern=PARAMETER_NAME)], Text | Parameter] = {}
    """`${name}` in any text stands for a parameter, `${env:NAME}` for a variable of the environment."""
    spark: SparkConf = SparkConf()
    quarantine: str | None = None
    """The folder under which rejected rows are kept."""
    stages: dict[StageName, Stage] = Field(min_length=1, max_length=MOST_STAGES)
