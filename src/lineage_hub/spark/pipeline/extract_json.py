"""JSON files enter, whole documents or an object a line; rows leave, and of a bad row its text.

Spark rejects a document for one bad value in it. So documents are parsed as text, each value of which is then read by
its type: a row is bad by itself, and each column still comes from the field of its name.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as fn
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    DataType,
    MapType,
    NumericType,
    StringType,
    StructField,
    StructType,
)

from lineage_hub.errors import SourceUnreadable
from lineage_hub.spark.pipeline.columns import column, quoted
from lineage_hub.spark.pipeline.definition import Extract
from lineage_hub.spark.pipeline.heads import read_heads
from lineage_hub.spark.pipeline.malformed import Scan, TextRows, any_of, json_scan
from lineage_hub.spark.pipeline.options import as_texts, encoding_of, is_on, merged_options
from lineage_hub.spark.pipeline.schemas import declared
from lineage_hub.spark.pipeline.sources import Shape, TextFiles

_UNQUOTED = (NumericType, BooleanType, StructType, ArrayType, MapType)


def read_ndjson(spark: SparkSession, extract: Extract) -> TextRows:
    lines = _files(spark, extract, multi_line=False)
    return _read([(lines, None)])


def read_json(spark: SparkSession, extract: Extract) -> TextRows:
    """Files that have an object a line are read so: Spark would take the first of them for the whole document."""
    lines, documents = _files(spark, extract, multi_line=False), _files(spark, extract, multi_line=True)
    heads = zip(lines.files, read_heads(spark, lines.files), strict=True)
    in_lines = {file for file, head in heads if _is_lines(head, encoding_of(lines.options))}
    others = [file for file in lines.files if file not in in_lines]
    if not others or not in_lines:
        return _read([(documents if others else lines, None)])
    if extract.schema_ is None:
        raise SourceUnreadable(
            f"{lines.name} has documents and files with an object a line",
            subject=lines.name,
            action="declare a schema, or read them in two stages",
        )
    return _read([(lines, sorted(in_lines)), (documents, others)])


def _files(spark: SparkSession, extract: Extract, multi_line: bool) -> TextFiles:
    return TextFiles(
        spark, extract, "json", merged_options({"multiLine": multi_line}, extract.options) | {"multiLine": multi_line}
    )


def _is_lines(head: bytes, encoding: str) -> bool:
    """Whether the first line is an object by itself, or too long to tell."""
    line, *rest = head.decode(encoding, errors="replace").removeprefix("\ufeff").lstrip().split("\n", 1)
    if not line.startswith("{"):
        return False
    try:
        return not rest or isinstance(json.loads(line), dict)
    except ValueError:
        return False


def _read(kinds: Sequence[tuple[TextFiles, Sequence[str] | None]]) -> TextRows:
    files = kinds[0][0]
    schema = declared(files.extract.schema_) if files.extract.schema_ is not None else files.inferred({}, None)
    if not schema.names:
        raise files.nothing_to_infer_from()
    shape = files.shape(schema)
    return TextRows([_scan(of_kind, shape, only) for of_kind, only in kinds], shape.data, shape.record)


def _scan(files: TextFiles, shape: Shape, only: Sequence[str] | None) -> Scan:
    options = as_texts(files.options)
    encoding = encoding_of(options)
    written = f"to_json(struct({', '.join(quoted(name) for name in shape.in_files.names)}))"
    if not is_on(options, "multiLine"):
        return json_scan(files.scan(shape.in_files.fields, shape, only), shape, "false", written, encoding)
    texts = [StructField(field.name, StringType()) for field in shape.in_files]
    values = {
        field.name: _value(field.dataType, column(field.name), options)
        for field in shape.in_files
        if not isinstance(field.dataType, StringType)
    }
    # A text that gives no value makes its row bad.
    read = files.scan(texts, shape, only).withColumns({_read_as(name): value for name, value in values.items()})
    bad = any_of([f"({quoted(name)} IS NOT NULL AND {quoted(_read_as(name))}.broken IS NOT NULL)" for name in values])
    scan = json_scan(read, shape, bad, written, encoding)
    return replace(scan, rows=scan.rows.withColumns({name: column(_read_as(name))["v"] for name in values}))


def _read_as(name: str) -> str:
    return f"__lineage_hub_read {name}"


def _value(type_: DataType, text: Column, options: Mapping[str, str]) -> Column:
    """As Spark reads the field of a JSON object, with the text where it can't."""
    field = (
        fn.concat(fn.lit('{"v":'), text, fn.lit("}"))
        if isinstance(type_, _UNQUOTED)
        else fn.to_json(fn.struct(text.alias("v")))
    )
    wanted = StructType([StructField("v", type_), StructField("broken", StringType())])
    return fn.from_json(field, wanted, {**options, "columnNameOfCorruptRecord": "broken"})
