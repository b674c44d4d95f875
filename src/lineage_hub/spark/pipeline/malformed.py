"""Rows of text files enter with the text of those that Spark couldn't parse; which rows are bad, and why, leave.

Spark parses no column that isn't asked for, so that a bad value may go unseen. A row is bad or good as a whole: the
record's column here refers to every column, and the scan parses all of them whatever is selected above. Conditions
are written as SQL: of thousands of columns one text goes to the JVM, not a call for each.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn
from pyspark.sql.types import ArrayType, MapType, StringType, StructField, StructType

from lineage_hub.spark.pipeline.columns import column, quoted
from lineage_hub.spark.pipeline.schemas import shown, unused
from lineage_hub.spark.pipeline.sources import Shape, file_column

# What a decoder puts in the place of bytes that it can't read.
REPLACEMENT = "'\ufffd'"
SHOWN_VALUES = 5
SHOWN_CHARS = 80
_TEXTS, _NULLS = "__lineage_hub_texts", "__lineage_hub_nulls"
_ENCODING, _TYPE = "'\\' isn\\'t of the encoding'", "'\\' is no '"
_BETWEEN = "\x01"  # of names in one literal
_LINE_BREAK = "'\\n'"


@dataclass(frozen=True)
class Scan:
    """Rows with the data's columns and the record of each bad row, and why a row of it is bad."""

    rows: DataFrame
    layout: StructType
    """The columns in the order of the files."""
    texts: str
    """SQL: the record parsed again, every value as text."""
    reason: str
    """SQL, of the data's columns, the record, the texts, and which columns are null."""


@dataclass(frozen=True)
class TextRows:
    """Rows of which some can't be read; files of different layouts have a scan each."""

    scans: Sequence[Scan]
    data: Sequence[str]
    record: str

    @property
    def rows(self) -> DataFrame:
        return reduce(DataFrame.unionAll, [scan.rows.selectExpr(*self._columns()) for scan in self.scans])

    @property
    def malformed(self) -> Column:
        return column(self.record).isNotNull()

    def good(self, rows: DataFrame) -> DataFrame:
        return rows.filter(~self.malformed).drop(self.record)

    def rejects(self) -> DataFrame:
        return reduce(DataFrame.unionAll, map(self._rejects_of, self.scans))

    def _rejects_of(self, scan: Scan) -> DataFrame:
        file = unused("__lineage_hub_file", self.data)
        nulls = fn.expr(f"array({', '.join(f'{quoted(name)} IS NULL' for name in scan.layout.names)})")
        known = {file: file_column(), _TEXTS: fn.expr(scan.texts), _NULLS: nulls}
        bad = scan.rows.filter(self.malformed).withColumns(known)
        record = fn.make_valid_utf8(column(self.record))
        return bad.select(column(file).alias("file"), record.alias("record"), fn.expr(scan.reason).alias("reason"))

    def _columns(self) -> list[str]:
        return [quoted(name) for name in [*self.data, self.record]]


def with_record(rows: DataFrame, shape: Shape, bad: str, written: str) -> DataFrame:
    """`record` is the text of a bad row, and null for a good one: as it was unparsed, or as it is `written` again."""
    unparsed = quoted(shape.unparsed)
    record = f"CASE WHEN {unparsed} IS NOT NULL OR {bad} THEN coalesce({unparsed}, {written}) END"
    return rows.withColumn(shape.record, fn.expr(record))


def csv_scan(rows: DataFrame, layout: StructType, shape: Shape, options: Mapping[str, str], encoding: str) -> Scan:
    sep, quote = options.get("sep", ","), options.get("quote", '"')
    names = [quoted(field.name) for field in layout]
    bad = [f"contains({name}, {REPLACEMENT})" for name, field in zip(names, layout, strict=True) if _is_text(field)]
    bad += _swallowed(layout, options)
    value = f"{_quoted_text(quote, options.get('escape', quote))}|" if quote else ""
    pattern = f"{_plain(sep)}({value}(?:(?!{_plain(sep)}).)*+)"
    return Scan(
        with_record(rows, shape, any_of(bad), f"to_csv(struct({', '.join(names)}), {_as_map(options)})"),
        layout,
        f"regexp_extract_all(concat({_literal(sep)}, {quoted(shape.record)}), {_literal(f'(?s){pattern}')}, 1)",
        _csv_reason(quoted(shape.record), layout, options, encoding),
    )


def json_scan(rows: DataFrame, shape: Shape, bad: str, written: str, encoding: str) -> Scan:
    record = quoted(shape.record)
    return Scan(
        with_record(rows, shape, bad, written),
        shape.in_files,
        f"from_json({record}, 'MAP<STRING, STRING>')",
        _json_reason(record, shape.in_files, encoding),
    )


def any_of(conditions: Sequence[str]) -> str:
    """`greatest` and not a chain of `or`: Spark compiles thousands of its arguments piece by piece."""
    return f"coalesce(greatest(false, {', '.join(conditions)}), false)" if conditions else "false"


def _csv_reason(record: str, layout: StructType, options: Mapping[str, str], encoding: str) -> str:
    quote = options.get("quote", '"')
    pattern = f"(?s){_quoted_text(quote, options.get('escape', quote))}"
    outside = f"regexp_replace({record}, {_literal(pattern)}, '')"
    unclosed = [f"contains({outside}, {_literal(quote)})" if quote else "false", *_swallowed(layout, options)]
    across = options.get("multiLine") == "true"
    advice = "it took what follows" if across else "`multiLine: true` reads line breaks inside quotes"
    count = f"size({_TEXTS})"
    text = f"get({_TEXTS}, place)"
    text = f"trim(BOTH {_literal(quote)} FROM {text})" if quote else text
    return f"""coalesce(
        CASE WHEN {any_of(unclosed)} THEN {_literal(f"a quote isn't closed; {advice}")}
            WHEN {count} <> {len(layout)} THEN concat({count}, ' values, {len(layout)} columns expected') END,
        {_wrong_values(layout, f"nullif(nullif({text}, ''), {_literal(options.get('nullValue', ''))})")},
        CASE WHEN {_replaced(record)} THEN {_literal(f"bytes that aren't {encoding}")} ELSE 'can\\'t be parsed' END)"""


def _json_reason(record: str, schema: StructType, encoding: str) -> str:
    inside = [
        f"CASE WHEN {quoted(field.name)} IS NOT NULL THEN {_literal(_wrong_inside(field))} END"
        for field in schema
        if isinstance(field.dataType, (StructType, ArrayType, MapType))
    ]
    return f"""coalesce(
        CASE WHEN {_replaced(record)} THEN {_literal(f"bytes that aren't {encoding}")}
            WHEN from_json({record}, 'ARRAY<STRING>') IS NOT NULL
                THEN 'an array that holds other things than these objects'
            WHEN {_TEXTS} IS NULL AND ltrim({record}) RLIKE '^[\\\\[{{]' THEN 'not JSON'
            WHEN {_TEXTS} IS NULL THEN 'no JSON object' END,
        {_wrong_values(schema, f"try_element_at({_TEXTS}, get({_names_of(schema)}, place))")},
        {f"nullif(concat_ws('; ', {', '.join(inside)}), '')" if inside else "NULL"},
        'can\\'t be parsed')"""


def _wrong_values(schema: StructType, text: str) -> str:
    """The first few columns for which there is a `text` (SQL, of the column's `place`) that gave no value, or null.

    A few operations on arrays, and not an expression for each column: Spark takes minutes to plan thousands of those.
    """
    types = f"split({_literal(_BETWEEN.join(shown(field.dataType) for field in schema))}, '{_BETWEEN}')"
    wrong = f"get({_NULLS}, place) AND {text} IS NOT NULL OR contains({text}, {REPLACEMENT})"
    places = f"slice(filter(sequence(0, {len(schema) - 1}), place -> {wrong}), 1, {SHOWN_VALUES})"
    shortened = (
        f"CASE WHEN length({text}) > {SHOWN_CHARS} THEN concat(left({text}, {SHOWN_CHARS}), '…') ELSE {text} END"
    )
    problem = (
        f"CASE WHEN contains({text}, {REPLACEMENT}) THEN {_ENCODING} ELSE concat({_TYPE}, get({types}, place)) END"
    )
    said = f"concat('column ', get({_names_of(schema)}, place), ': \\'', {shortened}, {problem})"
    return f"nullif(concat_ws('; ', transform({places}, place -> {said})), '')"


def _names_of(schema: StructType) -> str:
    return f"split({_literal(_BETWEEN.join(schema.names))}, '{_BETWEEN}')"


def _swallowed(layout: StructType, options: Mapping[str, str]) -> list[str]:
    """Where quotes may go on over lines: whether one that isn't closed took the rows after it.

    Spark reads such a text as it stands: with the quote that opens it, or, at the end of the file, a whole record.
    """
    quote = options.get("quote", '"')
    texts = [quoted(field.name) for field in layout if _is_text(field)]
    if options.get("multiLine") != "true" or not quote or not texts:
        return []
    found = []
    for name in texts:
        first = f"substring_index({name}, {_LINE_BREAK}, 1)"
        found.append(
            f"(startswith({name}, {_literal(quote)}) AND contains({name}, {_LINE_BREAK})"
            f" AND {_times(first, quote)} % 2 = 1)"
        )
    last = layout[-1]
    if _is_text(last) and len(layout) > 1:
        broken = unused("broken", layout.names)
        whole = StructType([*layout, StructField(broken, StringType())])
        named = _as_map({**options, "columnNameOfCorruptRecord": broken})
        line = f"get(split({quoted(last.name)}, {_LINE_BREAK}), 1)"
        read = f"from_csv({line}, {_literal(_as_ddl(whole))}, {named})"
        found.append(f"(contains({quoted(last.name)}, {_LINE_BREAK}) AND ({read}).{quoted(broken)} IS NULL)")
    return found


def _wrong_inside(field: StructField) -> str:
    return f"column {field.name}: a value inside isn't of {shown(field.dataType)}"


def _replaced(text: str) -> str:
    return f"contains({text}, {REPLACEMENT}) OR NOT is_valid_utf8({text})"


def _times(text: str, part: str) -> str:
    return f"((length({text}) - length(replace({text}, {_literal(part)}))) div {len(part)})"


def _is_text(field: StructField) -> bool:
    return isinstance(field.dataType, StringType)


def _as_ddl(schema: StructType) -> str:
    return ", ".join(f"{quoted(field.name)} {field.dataType.simpleString()}" for field in schema)


def _as_map(options: Mapping[str, str]) -> str:
    return f"map({', '.join(_literal(part) for option in options.items() for part in option)})"


def _literal(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _quoted_text(quote: str, escape: str) -> str:
    """A whole value in quotes, as a pattern; a quote inside is doubled or escaped."""
    q, e = _plain(quote), _plain(escape or quote)
    inside = f"[^{q}]|{q}{q}" if q == e else f"{e}.|{q}{q}|[^{q}{e}]"
    return f"{q}(?:{inside})*+{q}"


def _plain(text: str) -> str:
    return "".join(f"\\{char}" if not char.isalnum() else char for char in text)
