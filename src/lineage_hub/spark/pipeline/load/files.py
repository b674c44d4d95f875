"""Rows and a target of files enter; a staged load leaves, with the whole new content in a folder beside the target."""

from collections.abc import Mapping
from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn
from pyspark.sql.types import StructType

from lineage_hub.errors import TargetUnwritable
from lineage_hub.spark.pipeline.columns import column, quoted
from lineage_hub.spark.pipeline.definition import Extract, Load
from lineage_hub.spark.pipeline.extract import read
from lineage_hub.spark.pipeline.load.folder import Folder, check_ours, data_files, folder_at
from lineage_hub.spark.pipeline.load.merging import check_keys, check_types, merged
from lineage_hub.spark.pipeline.load.staged import Published, Staged, unwritable
from lineage_hub.spark.pipeline.options import CSV_READ_BACK, CSV_WRITTEN, Option, merged_options

# Parts of the staging folder: what becomes the target, what is added to it, what is merged into it.
CONTENT, ADDED, ROWS = "content", "added", "rows"


def prepare_files(spark: SparkSession, frame: DataFrame, load: Load, token: str) -> Staged:
    folder = folder_at(spark, load, token)
    try:
        folder.begin()
        return _stage(spark, frame, load, token, folder)
    except BaseException as error:
        folder.end()
        if isinstance(error, Exception):
            raise unwritable(spark, load, error) from error
        raise


def _stage(spark: SparkSession, frame: DataFrame, load: Load, token: str, folder: Folder) -> Staged:
    there = folder.files()
    check_ours(load.path or "", there, load.format)
    if token in folder.tokens():
        folder.end()
        return Repeated(load, frame)
    has_rows = load.mode != "overwrite" and _may_have_rows(spark, load, folder, there)
    if load.mode == "append" and has_rows:
        _write(_like_those_there(spark, frame, load, folder), load, folder.place(ADDED))
        return StagedFiles(spark, load, token, folder, ADDED, frame, None)
    if load.mode == "merge":
        frame.write.mode("overwrite").parquet(folder.place(ROWS))
        rows = spark.read.schema(frame.schema).parquet(folder.place(ROWS))
        check_keys(rows, load.keys or [], load.path or "")
        content = merged(_rows_there(spark, rows, load, folder), rows, load.keys or []) if has_rows else rows
    else:
        content = frame
    _write(content, load, folder.place(CONTENT))
    if not data_files(folder.staged_files(CONTENT)):
        # Partitions without rows leave no file, and no schema.
        _write(spark.createDataFrame([], content.schema), load, folder.place(CONTENT), partitioned=False)
    return StagedFiles(spark, load, token, folder, CONTENT, frame, there if load.mode != "overwrite" else None)


def _may_have_rows(spark: SparkSession, load: Load, folder: Folder, there: Mapping[str, int]) -> bool:
    """Where there are none, nothing says what new rows must be like: the target is written anew."""
    files = data_files(there)
    if not files:
        return False
    if spark_format(load) == "json":  # a file without rows has no columns either
        return not spark.read.text(folder.target()).isEmpty()
    # A partitioned target without rows is one file outside of all partitions.
    is_schema_alone = load.partition_by and len(files) == 1 and "/" not in next(iter(files))
    return not (is_schema_alone and _as_source(spark, load, folder).isEmpty())


def _write(frame: DataFrame, load: Load, place: str, partitioned: bool = True) -> None:
    options = merged_options(CSV_WRITTEN if load.format == "csv" else {}, load.options)
    writer = frame.write.mode("overwrite").format(spark_format(load)).options(**options)
    if load.partition_by and partitioned:
        writer = writer.partitionBy(*load.partition_by)
    writer.save(place)


def _read_back(load: Load) -> dict[str, Option]:
    return merged_options(CSV_READ_BACK if load.format == "csv" else {}, load.options)


def spark_format(load: Load) -> str:
    """Spark writes JSON as an object a line, which is how we read it too."""
    return "json" if load.format == "ndjson" else load.format


def _like_those_there(spark: SparkSession, frame: DataFrame, load: Load, folder: Folder) -> DataFrame:
    """Files of one folder are read together: the new ones must be like the old."""
    found = _as_source(spark, load, folder)
    check_partitions(load, folder)
    if load.format == "parquet":
        check_types(_in_files(found.schema, load), frame.schema, load.path or "")
    if load.format != "csv":
        return frame
    here, there = {name.casefold() for name in frame.columns}, {name.casefold() for name in found.columns}
    if here != there:
        raise TargetUnwritable(
            f"{load.path}: column {', '.join(sorted(here ^ there))} isn't in both the files there and the new rows",
            subject=load.path,
            action="select the columns that are there, or use `merge` or `overwrite`, which write all files anew",
        )
    return frame.select(*(column(name) for name in found.columns))


def check_partitions(load: Load, folder: Folder) -> None:
    names = {
        tuple(part.split("=", 1)[0].casefold() for part in name.split("/")[:-1]) for name in data_files(folder.files())
    }
    wanted = tuple(name.casefold() for name in load.partition_by or [])
    other = next((one for one in names if one != wanted), None)
    if other is not None:
        raise TargetUnwritable(
            f"{load.path} is partitioned by {', '.join(other) or 'nothing'}, not by {', '.join(wanted) or 'nothing'}",
            subject=load.path,
            action="partition as the target is, or overwrite it",
        )


def _as_source(spark: SparkSession, load: Load, folder: Folder, schema: str | None = None) -> DataFrame:
    """The rows that are there; one that can't be read stops the load, as it would be lost."""
    format_ = "ndjson" if load.format == "json" else load.format
    found = read(spark, Extract(format=format_, path=folder.target(), schema=schema, options=_read_back(load)))
    if found.malformed is None:
        return found.rows
    said = fn.raise_error(fn.lit(f"a row of {load.path} can't be read, and would be lost"))
    return found.good(found.rows.filter(fn.when(found.malformed, said.cast("boolean")).otherwise(True)))


def _rows_there(spark: SparkSession, rows: DataFrame, load: Load, folder: Folder) -> DataFrame:
    found = _as_source(spark, load, folder)
    if load.format == "parquet":
        check_types(_in_files(found.schema, load), rows.schema, load.path or "")
        if not load.partition_by:
            return found
    # Text has no types of its own, in files or in paths: it is read by those of the new rows.
    types = {field.name.casefold(): field.dataType.simpleString() for field in rows.schema}
    wanted = ", ".join(
        f"{quoted(field.name)} {types.get(field.name.casefold(), field.dataType.simpleString())}"
        for field in found.schema
    )
    return _as_source(spark, load, folder, wanted)


def _in_files(schema: StructType, load: Load) -> StructType:
    in_paths = {name.casefold() for name in load.partition_by or []}
    return StructType([field for field in schema if field.name.casefold() not in in_paths])


@dataclass
class StagedFiles:
    """Files in the staging folder; publishing renames."""

    spark: SparkSession
    load: Load
    token: str
    folder: Folder
    part: str
    frame: DataFrame
    seen: dict[str, int] | None
    published: Published | None = None

    def rows(self, spark: SparkSession) -> DataFrame:
        if self.load.mode == "merge":
            return spark.read.schema(self.frame.schema).parquet(self.folder.place(ROWS))
        reader = spark.read.format(spark_format(self.load)).options(**_read_back(self.load))
        found = reader.schema(self.frame.schema).load(self.folder.place(self.part))
        return found.select(*map(column, self.frame.columns))

    def publish(self) -> Published:
        if self.published is None:
            written = data_files(self.folder.staged_files(self.part))
            try:
                if self.part == ADDED:
                    self.folder.add(ADDED, self.token)
                else:
                    self.folder.replace(CONTENT, [*self.folder.tokens(), self.token], self.seen)
            except Exception as error:
                self.discard()
                raise unwritable(self.spark, self.load, error) from error
            self.published = Published(bytes=sum(written.values()), files=len(written))
            self.folder.end()
        return self.published

    def discard(self) -> None:
        if self.published is None:
            self.folder.end()


@dataclass(frozen=True)
class Repeated:
    """A load that was published before it was asked for again."""

    load: Load
    frame: DataFrame

    def rows(self, spark: SparkSession) -> DataFrame:
        return self.frame

    def publish(self) -> Published:
        return Published()

    def discard(self) -> None:
        pass
