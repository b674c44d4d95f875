"""An extract stage enters; a lazy DataFrame of its rows, good and bad, leaves with the way to tell them apart.

Nothing is read but what a schema or a header needs, and only where it is asked for.
"""

from collections.abc import Callable, Mapping
from typing import Protocol

from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.types import StringType, StructField, StructType

from lineage_hub.errors import SourceUnreadable
from lineage_hub.spark.failures import SPARK_ERRORS, advice_for, cause_of
from lineage_hub.spark.pipeline.columns import column
from lineage_hub.spark.pipeline.definition import Extract
from lineage_hub.spark.pipeline.extract_csv import read_csv
from lineage_hub.spark.pipeline.extract_json import read_json, read_ndjson
from lineage_hub.spark.pipeline.jdbc import JdbcPlace
from lineage_hub.spark.pipeline.schemas import declared, shown
from lineage_hub.spark.pipeline.sources import paths_of, where

_PROBE = "__lineage_hub_probe"


class Extracted(Protocol):
    """Rows as they were found."""

    @property
    def rows(self) -> DataFrame:
        """Good and bad ones, with columns that only tell which are which."""

    @property
    def malformed(self) -> Column | None:
        """True for a row that can't be read; None where the format can't have any."""

    def good(self, rows: DataFrame) -> DataFrame:
        """Of `rows`, perhaps with an observation on top, those that could be read, with the columns of the data."""

    def rejects(self) -> DataFrame:
        """The others: file, record and reason."""


class Table:
    """Rows of a format that says itself what they are."""

    malformed: Column | None = None

    def __init__(self, rows: DataFrame) -> None:
        self.rows = rows

    def good(self, rows: DataFrame) -> DataFrame:
        return rows

    def rejects(self) -> DataFrame:
        return self.rows.sparkSession.createDataFrame([], "file STRING, record STRING, reason STRING")


def read(spark: SparkSession, extract: Extract) -> Extracted:
    try:
        return READERS[extract.format](spark, extract)
    except (*SPARK_ERRORS, OSError) as error:
        raise SourceUnreadable(
            f"{where(extract)} can't be read: {cause_of(error)}",
            subject=where(extract),
            action=advice_for(error, "check the path or the table, its format and the right to read it"),
        ) from error


def _read_parquet(spark: SparkSession, extract: Extract) -> Extracted:
    return Table(_read_self_described(spark, extract))


def _read_delta(spark: SparkSession, extract: Extract) -> Extracted:
    return Table(_read_self_described(spark, extract))


def _read_self_described(spark: SparkSession, extract: Extract) -> DataFrame:
    reader = spark.read.format(extract.format).options(**extract.options)
    paths = paths_of(extract)
    if extract.schema_ is None or extract.format == "delta":
        found = _loaded(reader.load, paths, extract)
    else:
        # A folder without files has no schema of its own.
        wanted = declared(extract.schema_)
        probe = reader.schema(StructType([StructField(_PROBE, StringType())])).load(paths)
        found = reader.schema(_with_partitions(spark, extract, probe) if probe.inputFiles() else wanted).load(paths)
    return _as_declared(found, extract)


def _loaded(load: Callable[..., DataFrame], paths: list[str], extract: Extract) -> DataFrame:
    try:
        return load(paths if extract.format != "delta" else paths[0])
    except PySparkException as error:
        if error.getCondition() == "UNABLE_TO_INFER_SCHEMA":
            raise SourceUnreadable(
                f"{where(extract)} has no files: a schema can't be inferred",
                subject=where(extract),
                action="declare a schema if an empty source is right",
            ) from error
        raise


def _with_partitions(spark: SparkSession, extract: Extract, probe: DataFrame) -> StructType:
    """The schema of the files. What stands in their paths is text: `day=01` is 01 or 1, as it was declared."""
    found = spark.read.format(extract.format).options(**extract.options).load(paths_of(extract)).schema
    in_paths = {field.name.casefold() for field in probe.schema} - {_PROBE}
    types = {field.name.casefold(): field.dataType for field in declared(extract.schema_ or {})}
    return StructType(
        [
            StructField(field.name, types.get(field.name.casefold(), field.dataType))
            if field.name.casefold() in in_paths
            else field
            for field in found
        ]
    )


def _read_jdbc(spark: SparkSession, extract: Extract) -> Extracted:
    place = JdbcPlace.of(extract)
    reader = spark.read.format("jdbc").options(**place.options())
    reader = reader.option("query", extract.query) if extract.query else reader.option("dbtable", extract.table or "")
    return Table(_as_declared(reader.load(), extract))


def _as_declared(found: DataFrame, extract: Extract) -> DataFrame:
    """The declared columns by name, wider where they are declared wider; what doesn't fit is an error."""
    if extract.schema_ is None:
        return found
    wanted = declared(extract.schema_)
    there = {field.name.casefold(): field for field in found.schema}
    for field in wanted:
        had = there.get(field.name.casefold())
        if had is None:
            raise SourceUnreadable(
                f"{where(extract)} has no column {field.name}; it has {', '.join(found.columns[:20])}",
                subject=field.name,
                action="correct the declared schema, or leave it out to take the source's own",
            )
        field.nullable = field.nullable or had.nullable
    try:
        return found.select(*(column(field.name) for field in wanted)).to(wanted)
    except PySparkException as error:
        if error.getCondition() not in ("INVALID_COLUMN_OR_FIELD_DATA_TYPE", "NULLABLE_COLUMN_OR_FIELD"):
            raise
        other = [
            f"{field.name} is {shown(there[field.name.casefold()].dataType)}, declared {shown(field.dataType)}"
            for field in wanted
            if there[field.name.casefold()].dataType != field.dataType
        ]
        raise SourceUnreadable(
            f"{where(extract)}: {'; '.join(other)}",
            subject=where(extract),
            action="declare the type that the source has, and cast in a transform",
        ) from error


READERS: Mapping[str, Callable[[SparkSession, Extract], Extracted]] = {
    "csv": read_csv,
    "json": read_json,
    "ndjson": read_ndjson,
    "parquet": _read_parquet,
    "delta": _read_delta,
    "jdbc": _read_jdbc,
}
