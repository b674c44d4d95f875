"""Rows and a Delta table enter; a load leaves that is committed already, or staged and committed when it is published.

Delta remembers the token of a commit, and does nothing when the same comes again.
"""

from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import ArrayType, MapType, StructType

from lineage_hub.errors import TargetUnwritable
from lineage_hub.spark.pipeline.columns import quoted
from lineage_hub.spark.pipeline.definition import Load
from lineage_hub.spark.pipeline.load.folder import Folder, folder_at
from lineage_hub.spark.pipeline.load.merging import check_keys, check_storable
from lineage_hub.spark.pipeline.load.staged import Published, Staged, unwritable
from lineage_hub.spark.pipeline.options import as_texts

ROWS = "rows"
_SOURCE = "lineage_hub_rows"
_SPECIAL = set(" ,;{}()\n\t=")
_MAPPING = "delta.columnMapping.mode"


def prepare_delta(spark: SparkSession, frame: DataFrame, load: Load, token: str, checked: bool) -> Staged:
    folder = folder_at(spark, load, token)
    try:
        _check_target(folder, load)
        exists = folder.holds("_delta_log")
        if exists and load.mode != "overwrite":
            _check_types(spark, frame, load)
        folder.begin()
        if not checked and load.mode != "merge":
            _write(spark, frame, load, token, exists)
            folder.end()
            return CommittedDelta(frame, _told(spark, load, token))
        frame.write.mode("overwrite").parquet(folder.place(ROWS))
        staged = StagedDelta(spark, load, token, folder, frame)
        if load.mode == "merge":
            check_keys(staged.rows(spark), load.keys or [], load.path or "")
        return staged
    except BaseException as error:
        folder.end()
        if isinstance(error, Exception):
            raise unwritable(spark, load, error) from error
        raise


def _check_target(folder: Folder, load: Load) -> None:
    files = {} if folder.holds("_delta_log") else folder.files()
    if files:
        raise TargetUnwritable(
            f"{load.path} holds {next(iter(files))} and no Delta table: the folder is left as it is",
            subject=load.path,
            action="load into a folder of its own",
        )


def _check_types(spark: SparkSession, frame: DataFrame, load: Load) -> None:
    """What Delta says of two types that don't go together names no column. Inside of structs it decides."""
    there = spark.read.format("delta").load(load.path).schema
    plain = [field for field in frame.schema if not isinstance(field.dataType, StructType | ArrayType | MapType)]
    check_storable(spark, there, StructType(plain), load.path or "")


def _allow_names(spark: SparkSession, frame: DataFrame, load: Load, exists: bool) -> dict[str, str]:
    """Options for a table that is to be made. Names with spaces and the like need one that is told to map them."""
    if not any(set(name) & _SPECIAL for name in frame.columns):
        return {}
    if not exists:
        return {_MAPPING: "name"}
    table = f"delta.{quoted(load.path or '')}"
    [told] = spark.sql(f"DESCRIBE DETAIL {table}").select("properties").collect()
    if (told.properties or {}).get(_MAPPING, "none") == "none":
        spark.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('{_MAPPING}' = 'name')")
    return {}


def _write(spark: SparkSession, frame: DataFrame, load: Load, token: str, exists: bool) -> None:
    """A new schema is taken over: whether it may change was decided before."""
    names = _allow_names(spark, frame, load, exists)
    follow = {"overwriteSchema": "true"} if load.mode == "overwrite" else {"mergeSchema": "true"}
    named = {"txnAppId": _name(token), "txnVersion": "1", "userMetadata": _name(token)}
    mode = "overwrite" if load.mode == "overwrite" else "append"
    writer = frame.write.format("delta").mode(mode).options(**{**names, **follow, **named, **as_texts(load.options)})
    if load.partition_by:
        writer = writer.partitionBy(*load.partition_by)
    writer.save(load.path)


def _name(token: str) -> str:
    return f"lineage-hub/{token}"


def _told(spark: SparkSession, load: Load, token: str) -> Published:
    """What Delta notes of the commit; others may have committed since."""
    history = spark.sql(f"DESCRIBE HISTORY delta.{quoted(load.path or '')} LIMIT 100")
    found = history.filter(history.userMetadata == _name(token)).select("version", "operationMetrics").first()
    if found is None:
        return Published()
    metrics = found["operationMetrics"]
    size = metrics.get("numOutputBytes", metrics.get("numTargetBytesAdded"))
    files = metrics.get("numFiles", metrics.get("numTargetFilesAdded"))
    return Published(
        bytes=int(size) if size is not None else None,
        files=int(files) if files is not None else None,
        version=int(found["version"]),
    )


@dataclass(frozen=True)
class CommittedDelta:
    """Nothing could fail after the write, so that it was the commit."""

    frame: DataFrame
    told: Published

    def rows(self, spark: SparkSession) -> DataFrame:
        return self.frame

    def publish(self) -> Published:
        return self.told

    def discard(self) -> None:
        pass


@dataclass
class StagedDelta:
    """Rows as Parquet beside the table."""

    spark: SparkSession
    load: Load
    token: str
    folder: Folder
    frame: DataFrame
    published: Published | None = None

    def rows(self, spark: SparkSession) -> DataFrame:
        return spark.read.schema(self.frame.schema).parquet(self.folder.place(ROWS))

    def publish(self) -> Published:
        if self.published is None:
            try:
                exists = self.folder.holds("_delta_log")
                if self.load.mode == "merge" and exists:
                    _allow_names(self.spark, self.frame, self.load, exists)
                    self._merge()
                else:
                    _write(self.spark, self.rows(self.spark), self.load, self.token, exists)
                self.published = _told(self.spark, self.load, self.token)
            except Exception as error:
                self.discard()
                raise unwritable(self.spark, self.load, error) from error
            self.folder.end()
        return self.published

    def discard(self) -> None:
        if self.published is None:
            self.folder.end()

    def _merge(self) -> None:
        # Statements take the token from the session's settings; a session of its own keeps it from other loads.
        session = SparkSession(self.spark.sparkContext, self.spark._jsparkSession.cloneSession())
        for name, value in {
            "spark.databricks.delta.write.txnAppId": _name(self.token),
            "spark.databricks.delta.write.txnVersion": "1",
            "spark.databricks.delta.commitInfo.userMetadata": _name(self.token),
            "spark.databricks.delta.schema.autoMerge.enabled": "true",
        }.items():
            session.conf.set(name, value)
        self.rows(session).createOrReplaceTempView(_SOURCE)
        same = " AND ".join(f"there.{quoted(key)} = new.{quoted(key)}" for key in self.load.keys or [])
        session.sql(
            f"MERGE INTO delta.{quoted(self.load.path or '')} there USING {_SOURCE} new ON {same}"
            " WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
        )
