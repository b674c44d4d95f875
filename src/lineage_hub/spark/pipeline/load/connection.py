"""Statements of SQL enter; a database behind JDBC runs them, through the driver that Spark has loaded."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self

from pyspark.sql import DataFrame, SparkSession

from lineage_hub.spark.failures import SPARK_ERRORS
from lineage_hub.spark.jvm import java_class, scala_map
from lineage_hub.spark.pipeline.jdbc import JdbcPlace

_JDBC = "org.apache.spark.sql.execution.datasources.jdbc"


@dataclass(frozen=True)
class TableName:
    """A table as a definition names it: perhaps with a schema, perhaps in quotes."""

    before: str
    name: str
    quote: str

    @classmethod
    def of(cls, text: str) -> "TableName":
        found = re.fullmatch(
            r"(?P<before>.*?\.)?(?P<quote>[\"`]?)(?P<name>[^.\"`]+|(?<=[\"`]).+)(?P=quote)", text, re.DOTALL
        )
        if found is None:
            return cls("", text, "")
        return cls(found["before"] or "", found["name"], found["quote"])

    def beside(self, name: str) -> "TableName":
        """Another table of the same schema."""
        return TableName(self.before, name, self.quote)

    @property
    def schema(self) -> str | None:
        return self.before.removesuffix(".").strip('"`') or None

    def __str__(self) -> str:
        return f"{self.before}{self.quote}{self.name}{self.quote}"


class Connection:
    """py4j's edge: a java.sql.Connection, each statement of which is committed by itself but in `transaction`."""

    def __init__(self, spark: SparkSession, place: JdbcPlace) -> None:
        self._spark = spark
        self._place = place
        self._dialect = java_class(spark, "org.apache.spark.sql.jdbc.JdbcDialects").get(place.url)
        self.is_postgres = place.url.startswith("jdbc:postgresql:")

    def __enter__(self) -> Self:
        options = {**self._place.options(), "dbtable": "-"}
        asked = java_class(self._spark, f"{_JDBC}.JDBCOptions")(scala_map(self._spark, options))
        self._java = self._dialect.createConnectionFactory(asked).apply(-1)
        return self

    def __exit__(self, *_: object) -> None:
        self._java.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        self._java.setAutoCommit(False)
        try:
            yield
            self._java.commit()
        except BaseException:
            self._java.rollback()
            raise
        finally:
            self._java.setAutoCommit(True)

    def run(self, sql: str, values: Sequence[str] = ()) -> None:
        statement = self._prepared(sql, values)
        try:
            statement.executeUpdate()
        finally:
            statement.close()

    def run_unless(self, sql: str, done: Callable[[], bool], values: Sequence[str] = ()) -> None:
        """Another may have done it in the same moment."""
        try:
            self.run(sql, values)
        except SPARK_ERRORS:
            if not done():
                raise

    def rows(self, sql: str, values: Sequence[str] = ()) -> list[str]:
        """The first column, as text."""
        statement = self._prepared(sql, values)
        try:
            found, result = [], statement.executeQuery()
            while result.next():
                found.append(str(result.getString(1)))
            return found
        finally:
            statement.close()

    def exists(self, table: TableName) -> bool:
        return table.name.casefold() in (name.casefold() for name in self.tables_like(table, table.name))

    def tables_like(self, beside: TableName, prefix: str) -> list[str]:
        """Names of tables in the same schema that begin so."""
        about = self._java.getMetaData()
        pattern = _as_stored(about, prefix, beside.quote)
        escape = about.getSearchStringEscape() or "\\"
        for special in (escape, "_", "%"):
            pattern = pattern.replace(special, escape + special)
        result = about.getTables(self._java.getCatalog(), self._schema(about, beside), pattern + "%", None)
        found = []
        while result.next():
            if str(result.getString("TABLE_TYPE") or "").upper() in (
                "TABLE",
                "BASE TABLE",
                "PARTITIONED TABLE",
                "VIEW",
            ):
                found.append(str(result.getString("TABLE_NAME")))
        return found

    def types_of(self, table: TableName) -> dict[str, str]:
        """Columns and the database's names of their types."""
        statement = self._prepared(f"SELECT * FROM {table} WHERE 1 = 0", ())
        try:
            about = statement.executeQuery().getMetaData()
            places = range(1, about.getColumnCount() + 1)
            return {str(about.getColumnName(place)): str(about.getColumnTypeName(place)) for place in places}
        finally:
            statement.close()

    def columns_of(self, frame: DataFrame) -> str:
        """Of a table that is to be made, as Spark would make it."""
        utils, nothing = java_class(self._spark, f"{_JDBC}.JdbcUtils"), java_class(self._spark, "scala.Option").empty()
        return str(utils.schemaString(self._dialect, frame._jdf.schema(), False, nothing))

    def quoted(self, name: str) -> str:
        return str(self._dialect.quoteIdentifier(name))

    def _prepared(self, sql: str, values: Sequence[str]) -> Any:
        statement = self._java.prepareStatement(sql)
        for place, value in enumerate(values, 1):
            statement.setString(place, value)
        return statement

    def _schema(self, about: Any, table: TableName) -> str | None:
        if table.schema is not None:
            return _as_stored(about, table.schema, '"' if '"' in table.before else "")
        try:
            return str(self._java.getSchema()) if self._java.getSchema() else None
        except SPARK_ERRORS:
            return None


def _as_stored(about: Any, name: str, quote: str) -> str:
    """What isn't quoted a database may write in capitals or not."""
    if quote:
        return name
    if about.storesLowerCaseIdentifiers():
        return name.lower()
    return name.upper() if about.storesUpperCaseIdentifiers() else name
