"""A small shop becomes files, Delta tables, a JDBC table and catalog tables, each with a temporary view of its name.
What leaves is each source's dataset name and its columns, for the fixtures and the generated queries."""

import datetime as dt
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

COLUMNS = {
    "orders": "order_id INT, customer_id INT, product_id INT, quantity INT, amount DOUBLE, status STRING,"
    " ordered_on DATE",
    "customers": "customer_id INT, name STRING, email STRING, country STRING, referrer_id INT",
    "products": "product_id INT, title STRING, category STRING, price DOUBLE, tags ARRAY<STRING>",
    "events": "event_id BIGINT, user STRUCT<id: INT, name: STRING, address: STRUCT<city: STRING, zip: STRING>>,"
    " items ARRAY<STRUCT<sku: STRING, price: DOUBLE, qty: INT>>, props MAP<STRING, STRING>, at TIMESTAMP",
    "sales": "sale_id INT, total DOUBLE, region STRING, year INT",
    "quarters": "shop STRING, q1 INT, q2 INT, q3 INT",
    "odd": '`first name` STRING, `a.b` INT, `it\'s "quoted"` STRING, `back``tick` STRING, `Größe` INT, `数量` INT,'
    " Mixed STRING, nested STRUCT<`x.y`: INT, `z z`: STRING>",
    "stock": "product_id INT, depot STRING, on_hand INT",
    "inventory": "SKU STRING, UNITS INT",
    "payments": "payment_id INT, order_id INT, paid DOUBLE, method STRING",
    "ledger": "entry_id INT, account STRING, balance DOUBLE",
    "notes": "value STRING",
}
"""Each source with its columns as DDL; `sales` is partitioned by its last two."""

FILES = {
    "orders": "csv",
    "customers": "parquet",
    "products": "parquet",
    "events": "json",
    "sales": "parquet",
    "quarters": "parquet",
    "odd": "parquet",
    "notes": "text",
}
"""The others are a Delta folder (stock), a table over JDBC (inventory) and tables of the catalog."""

DERBY = "jdbc:derby:memory:shop;create=true"
STAGES = "pipeline"


def _day(day: int) -> dt.date:
    return dt.date(2024, 1, day)


ROWS: dict[str, list[tuple[Any, ...]]] = {
    "orders": [
        (1, 1, 1, 2, 20.0, "paid", _day(1)),
        (2, 1, 2, 1, 5.5, "open", _day(2)),
        (3, 2, 1, 7, 70.0, "paid", _day(3)),
        (4, 3, 3, 1, 12.25, "void", _day(3)),
        (5, 9, 2, 4, 22.0, "open", _day(5)),
    ],
    "customers": [
        (1, "Ada", "ada@example.org", "UK", None),
        (2, "Bo", "bo@example.com", "DE", 1),
        (3, "Cy", None, "DE", 1),
        (4, "Di", "di@example.org", "FR", 2),
    ],
    "products": [
        (1, "Pen", "office", 10.0, ["blue", "small"]),
        (2, "Mug", "kitchen", 5.5, []),
        (3, "Lamp", "office", 12.25, ["warm"]),
    ],
    "events": [
        (
            1,
            (1, "Ada", ("Ulm", "89073")),
            [("pen", 10.0, 2), ("mug", 5.5, 1)],
            {"color": "red"},
            dt.datetime(2024, 1, 1),
        ),
        (2, (2, "Bo", ("Bonn", "53111")), [], {}, dt.datetime(2024, 1, 2)),
    ],
    "sales": [(1, 9.5, "eu", 2023), (2, 3.0, "us", 2024)],
    "quarters": [("north", 1, 2, 3), ("south", 4, None, 6)],
    "odd": [("Ada", 1, "q", "t", 38, 7, "m", (1, "a"))],
    "notes": [("one line",), ("another",)],
}


@dataclass(frozen=True)
class Shop:
    folder: Path
    warehouse: Path

    def path(self, source: str) -> str:
        return str(self.folder / source)

    def name_of(self, dataset: tuple[str, str]) -> str:
        """What a fixture calls this dataset: sources and tables by their name alone."""
        namespace, name = dataset
        path = Path(name)
        if namespace == STAGES:
            return f"stage:{name}"
        if namespace == "derby:memory:shop":
            return name
        if namespace == f"file:{self.warehouse}":
            return name.removeprefix("default.")
        if namespace == "file" and path.is_relative_to(self.warehouse):
            return str(path.relative_to(self.warehouse))
        if namespace == "file" and path.is_relative_to(self.folder):
            inside = str(path.relative_to(self.folder))
            return inside if inside in COLUMNS else f"file:{inside}"
        return f"{namespace} {name}"


def make_shop(spark: SparkSession, folder: Path) -> Shop:
    shop = Shop(folder, Path(spark.conf.get("spark.sql.warehouse.dir").removeprefix("file:")))
    _write_files(spark, folder)
    _make_tables(spark, shop)
    return shop


def view_shop(spark: SparkSession, shop: Shop) -> None:
    view_files(spark, shop.folder)
    spark.read.format("delta").load(shop.path("stock")).createOrReplaceTempView("stock")
    spark.read.jdbc(DERBY, "inventory").createOrReplaceTempView("inventory")


def view_files(spark: SparkSession, folder: Path) -> None:
    for source, format_ in FILES.items():
        reader = spark.read.format(format_).schema(COLUMNS[source]).option("header", "true")
        reader.load(str(folder / source)).createOrReplaceTempView(source)


def _write_files(spark: SparkSession, folder: Path) -> None:
    for source, format_ in FILES.items():
        frame = spark.createDataFrame(ROWS[source], COLUMNS[source]).coalesce(1)
        writer = frame.write.format(format_).option("header", "true")
        writer.partitionBy(["region", "year"] if source == "sales" else []).save(str(folder / source))


def _make_tables(spark: SparkSession, shop: Shop) -> None:
    path = shop.path("stock")
    spark.sql(f"CREATE TABLE delta.`{path}` ({COLUMNS['stock']}) USING delta")
    spark.sql(f"INSERT INTO delta.`{path}` VALUES (1, 'Ulm', 5), (2, 'Bonn', 0), (3, 'Ulm', 9)")
    spark.sql(f"CREATE TABLE payments ({COLUMNS['payments']}) USING parquet")
    spark.sql("INSERT INTO payments VALUES (1, 1, 20.0, 'card'), (2, 3, 35.0, 'cash'), (3, 3, 35.0, 'card')")
    spark.sql(f"CREATE TABLE ledger ({COLUMNS['ledger']}) USING delta")
    spark.sql("INSERT INTO ledger VALUES (1, 'a', 10.0), (2, 'b', 20.0)")
    spark.sql("CREATE VIEW paid_orders AS SELECT order_id, sum(paid) AS paid FROM payments GROUP BY order_id")
    inventory = spark.sql("SELECT 'pen' AS SKU, 3 AS UNITS")
    inventory.write.jdbc(DERBY, "inventory", mode="overwrite")
