"""CSV files enter; rows with columns matched by the header's names leave, each file by the order of its own header."""

from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.types import StructField, StructType

from lineage_hub.errors import SourceUnreadable
from lineage_hub.spark.jvm import java_class, scala_map
from lineage_hub.spark.pipeline.definition import Extract
from lineage_hub.spark.pipeline.heads import as_path, as_pattern, read_heads
from lineage_hub.spark.pipeline.malformed import TextRows, csv_scan
from lineage_hub.spark.pipeline.options import CSV_DEFAULTS, as_texts, encoding_of, is_on, merged_options
from lineage_hub.spark.pipeline.schemas import declared, repeated
from lineage_hub.spark.pipeline.sources import TextFiles

Header = tuple[str, ...]


def read_csv(spark: SparkSession, extract: Extract) -> TextRows:
    options = merged_options(CSV_DEFAULTS, extract.options)
    encoding = encoding_of(options)
    # Spark looks for line breaks as single bytes; only the reader of whole files decodes first.
    if encoding.startswith(("utf-16", "utf-32")) and "lineSep" not in options:
        options["multiLine"] = True
    files = TextFiles(spark, extract, "csv", options)
    headers = _headers(files, encoding) if is_on(options, "header") else {}
    shape = files.shape(_schema(files, headers))
    layouts = {header: StructType(_matched(shape.in_files, header, named[0])) for header, named in headers.items()}
    scans = []
    for header, layout in (layouts or {(): shape.in_files}).items():
        rows = files.scan(layout.fields, shape, only=headers[header] if len(layouts) > 1 else None)
        scans.append(csv_scan(rows, layout, shape, as_texts(options), encoding))
    return TextRows(scans, shape.data, shape.record)


def _schema(files: TextFiles, headers: Mapping[Header, Sequence[str]]) -> StructType:
    if files.extract.schema_ is not None:
        return declared(files.extract.schema_)
    if not headers and is_on(files.options, "header"):
        raise files.nothing_to_infer_from()
    (first, named), *others = headers.items() if headers else [((), files.files)]
    for other, told in others:
        _check_same_names(first, named[0], other, told[0])
    paths = [as_pattern(file) for file in named] if others else None
    found = files.inferred({"inferSchema": True}, paths)
    if not found.names:
        raise files.nothing_to_infer_from()
    return found


def _headers(files: TextFiles, encoding: str) -> dict[Header, list[str]]:
    """The files by their header; one without a byte has none, and no rows either."""
    parser = _parser(files)
    by_line: dict[bytes, Header] = {}
    found: dict[Header, list[str]] = {}
    for file, head in zip(files.files, read_heads(files.spark, files.files), strict=True):
        line = head.split(b"\n", 1)[0]
        # One way to the JVM for all files that begin alike.
        key = line if line.strip() and line.count(b'"') % 2 == 0 else head
        if key not in by_line:
            by_line[key] = _parse(files, parser, head, encoding)
        if by_line[key]:
            found.setdefault(by_line[key], []).append(file)
    for header, named in found.items():
        name = repeated(one for one in header if one)
        if name is not None:
            raise SourceUnreadable(
                f"{as_path(named[0])}: the header names column {name} twice",
                subject=name,
                action="rename one of them in the file, or set `header: false` and declare the columns by position",
            )
    return found


def _parser(files: TextFiles) -> Any:
    """Spark's own parser of CSV, so that the header is read as the rows are."""
    options = scala_map(files.spark, as_texts(files.options))
    read = java_class(files.spark, "org.apache.spark.sql.catalyst.csv.CSVOptions")(options, False, "UTC")
    return java_class(files.spark, "com.univocity.parsers.csv.CsvParser")(read.asParserSettings())


def _parse(files: TextFiles, parser: Any, head: bytes, encoding: str) -> Header:
    # Spark takes line ends of all kinds, its parser only one.
    text = head.decode(encoding, errors="replace").removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    parser.beginParsing(java_class(files.spark, "java.io.StringReader")(text))
    found = parser.parseNext()
    parser.stopParsing()
    return tuple(one or "" for one in found) if found is not None else ()


def _matched(fields: StructType, header: Header, file: str) -> list[StructField]:
    """The fields in the order of the header."""
    by_name = {field.name.casefold(): field for field in fields}
    named = [name.casefold() for name in header]
    lacking = [field.name for field in fields if field.name.casefold() not in named]
    beyond = [
        name or f"{place}, which has no name" for place, name in enumerate(header, 1) if name.casefold() not in by_name
    ]
    if lacking or beyond:
        said = [
            *([f"lacks column {', '.join(lacking[:20])}"] if lacking else []),
            *([f"has column {', '.join(beyond[:20])}, which isn't declared"] if beyond else []),
        ]
        raise SourceUnreadable(
            f"{as_path(file)}: the header {' and '.join(said)}",
            subject=(lacking or beyond)[0],
            action="correct the declared schema, or the file",
        )
    return [by_name[name] for name in named]


def _check_same_names(header: Header, file: str, other: Header, other_file: str) -> None:
    here, there = {name.casefold(): name for name in header}, {name.casefold(): name for name in other}
    different = [there.get(one) or here[one] for one in sorted(here.keys() ^ there.keys())]
    if different:
        raise SourceUnreadable(
            f"{as_path(file)} and {as_path(other_file)} differ in column {', '.join(different[:20])}",
            subject=as_path(other_file),
            action="read files of one schema in one stage",
        )
