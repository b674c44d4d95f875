"""Rows and a table behind JDBC enter; a staging table leaves, whose rows one transaction moves into the table."""

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StringType

from lineage_hub.errors import TargetUnwritable
from lineage_hub.spark.pipeline.definition import Load
from lineage_hub.spark.pipeline.jdbc import JdbcPlace
from lineage_hub.spark.pipeline.load.connection import Connection, TableName
from lineage_hub.spark.pipeline.load.merging import check_keys, check_storable
from lineage_hub.spark.pipeline.load.staged import Published, Staged, short, unwritable

# Which loads each table holds, and a row for each table that one load at a time can change.
LEDGER = "lineage_hub_load"
_LEDGER_COLUMNS = (
    "target VARCHAR(255) NOT NULL, token VARCHAR(255) NOT NULL, loaded_at TIMESTAMP, PRIMARY KEY (target, token)"
)
_TURN = "-"
# Text of Spark's, and a column that takes no text without being told.
_TEXT_TYPES = {"text", "varchar", "bpchar", "char", "name", "citext"}


def prepare_jdbc(spark: SparkSession, frame: DataFrame, load: Load, token: str) -> Staged:
    table = TableName.of(load.table or "")
    # Of this load and token: another load of the same table keeps its own.
    begins = table.name[:30] if table.name.isascii() else "table"  # names are counted in bytes
    prefix = f"{begins}__lh_{short(f'{load.from_}/{load.mode}/{load.table}')[:6]}_"
    staging = table.beside(prefix + short(token))
    staged = StagedTable(spark, load, token, table, staging, frame)
    try:
        with Connection(spark, JdbcPlace.of(load)) as database:
            known = _is_loaded(database, table, token)
            for left in database.tables_like(table, prefix):
                database.run(f"DROP TABLE {table.beside(left)}")
        if known:
            return StagedTable(spark, load, token, table, None, frame)
        _write(frame, load, staging)
        with Connection(spark, JdbcPlace.of(load)) as database:
            if database.exists(table):
                staged.pairs(database)
                check_storable(spark, _rows_of(spark, load, table).schema, frame.schema, load.table or "")
        if load.keys:
            check_keys(staged.rows(spark), load.keys, load.table or "")
        return staged
    except BaseException as error:
        _drop_quietly(staged)
        if isinstance(error, Exception):
            raise unwritable(spark, load, error) from error
        raise


def _write(frame: DataFrame, load: Load, staging: TableName) -> None:
    options = {**JdbcPlace.of(load).options(), "dbtable": str(staging)}
    frame.write.format("jdbc").mode("overwrite").options(**options).save()


def _rows_of(spark: SparkSession, load: Load, table: TableName) -> DataFrame:
    return spark.read.format("jdbc").options(**{**JdbcPlace.of(load).options(), "dbtable": str(table)}).load()


def _is_loaded(database: Connection, table: TableName, token: str) -> bool:
    ledger = table.beside(LEDGER)
    if not database.exists(ledger):
        return False
    asked = f"SELECT 1 FROM {ledger} WHERE target = ? AND token = ?"
    return bool(database.rows(asked, [table.name, _kept(token)]))


def _kept(token: str) -> str:
    return token if len(token) <= 200 else short(token)


def _drop_quietly(staged: "StagedTable") -> None:
    try:
        staged.discard()
    except Exception:  # what stopped the load is told, not that its leftovers stay; the next run removes them
        return


@dataclass
class StagedTable:
    """Rows in a table of their own; None when they were published before."""

    spark: SparkSession
    load: Load
    token: str
    table: TableName
    staging: TableName | None
    frame: DataFrame

    def rows(self, spark: SparkSession) -> DataFrame:
        if self.staging is None:
            return self.frame
        return _rows_of(spark, self.load, self.staging)

    def publish(self) -> Published:
        if self.staging is not None:
            try:
                with Connection(self.spark, JdbcPlace.of(self.load)) as database:
                    self._open_ledger(database)
                    with database.transaction():
                        self._move(database, self.staging)
                    database.run(f"DROP TABLE {self.staging}")
            except Exception as error:
                _drop_quietly(self)
                raise unwritable(self.spark, self.load, error) from error
            self.staging = None
        return Published()

    def discard(self) -> None:
        if self.staging is not None:
            with Connection(self.spark, JdbcPlace.of(self.load)) as database:
                if database.exists(self.staging):
                    database.run(f"DROP TABLE {self.staging}")
            self.staging = None

    def _open_ledger(self, database: Connection) -> None:
        ledger = self.table.beside(LEDGER)
        if not database.exists(ledger):
            database.run_unless(f"CREATE TABLE {ledger} ({_LEDGER_COLUMNS})", lambda: database.exists(ledger))
        asked = f"SELECT 1 FROM {ledger} WHERE target = ? AND token = ?"
        mine = [self.table.name, _TURN]
        if not database.rows(asked, mine):
            database.run_unless(
                f"INSERT INTO {ledger} (target, token) VALUES (?, ?)", lambda: bool(database.rows(asked, mine)), mine
            )

    def _move(self, database: Connection, staging: TableName) -> None:
        ledger = self.table.beside(LEDGER)
        # Whoever changes this row first goes first; the others wait here until it has committed.
        database.run(
            f"UPDATE {ledger} SET loaded_at = CURRENT_TIMESTAMP WHERE target = ? AND token = ?",
            [self.table.name, _TURN],
        )
        if _is_loaded(database, self.table, self.token):
            return
        if not database.exists(self.table):
            database.run(f"CREATE TABLE {self.table} ({database.columns_of(self.frame)})")
        pairs = self.pairs(database)
        if self.load.mode == "overwrite":
            database.run(f"DELETE FROM {self.table}")
        elif self.load.mode == "merge":
            database.run(
                f"DELETE FROM {self.table} WHERE EXISTS (SELECT 1 FROM {staging} s WHERE {self._same(database, pairs)})"
            )
        into, taken = ", ".join(there for there, _ in pairs.values()), ", ".join(value for _, value in pairs.values())
        database.run(f"INSERT INTO {self.table} ({into}) SELECT {taken} FROM {staging} s")
        database.run(
            f"INSERT INTO {ledger} (target, token, loaded_at) VALUES (?, ?, CURRENT_TIMESTAMP)",
            [self.table.name, _kept(self.token)],
        )

    def pairs(self, database: Connection) -> dict[str, tuple[str, str]]:
        """By folded name: the table's column, and what is taken from the staging table for it."""
        types = database.types_of(self.table)
        by_name = {name.casefold(): name for name in types}
        lacking = [name for name in self.frame.columns if name.casefold() not in by_name]
        if lacking:
            raise TargetUnwritable(
                f"{self.load.table} has no column {', '.join(lacking)}; it has {', '.join(types)}",
                subject=self.load.table,
                action="add the column to the table, or select the columns that it has",
            )
        pairs = {}
        for field in self.frame.schema:
            name = by_name[field.name.casefold()]
            value = f"s.{database.quoted(field.name)}"
            # PostgreSQL takes no text for a uuid, jsonb or an enum unless it is told to.
            if isinstance(field.dataType, StringType) and database.is_postgres and types[name] not in _TEXT_TYPES:
                value = f"CAST({value} AS {types[name]})"
            pairs[field.name.casefold()] = (database.quoted(name), value)
        return pairs

    def _same(self, database: Connection, pairs: dict[str, tuple[str, str]]) -> str:
        keys: Sequence[tuple[str, str]] = [pairs[key.casefold()] for key in self.load.keys or []]
        return " AND ".join(f"{value} = {self.table}.{there}" for there, value in keys)
