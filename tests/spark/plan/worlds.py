"""Seeds become worlds: random rows for the three tables, and the same with one field changed, all in one DuckDB.
A query leaves its results in as many worlds as one likes, each in milliseconds where a Spark job takes a second."""

import datetime as dt
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from tests.spark.plan.generated import SOURCE, TABLES

FIELDS = tuple(column.sql for column in SOURCE)
TYPES = {"int": pa.int64(), "text": pa.string(), "date": pa.date32()}
SCHEMA = pa.schema(
    [
        *((column.sql, TYPES[column.type]) for column in SOURCE if "." not in column.sql),
        ("st", pa.struct([("x", pa.int64()), ("y", pa.string())])),
    ]
)
ROWS = 9
Rows = dict[str, list[Any]]
Change = tuple[str, str]
"""A table and the field of it that has new values."""
Result = list[Counter[Any]]
"""For each output column, how often each value occurs."""


class Worlds:
    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.database = duckdb.connect(config={"threads": 1})
        self.made: set[str] = set()

    def write_parquet(self, folder: Path) -> None:
        """The first world, for Spark."""
        for table in TABLES:
            (folder / table).mkdir(parents=True)
            pq.write_table(_arrow(_rows(self.seed, 0, table)), folder / table / "part-0.parquet")

    def result(self, sql: str, world: int, change: Change | None = None) -> Result:
        path = [self._schema(world, change)] if change else []
        for table in TABLES:
            path.append(self._schema(world, (table, "")))
        self.database.execute(f"SET search_path = '{','.join(path)}'")
        cursor = self.database.execute(sql)
        return count_columns(cursor.fetchall(), len(cursor.description))

    def _schema(self, world: int, change: Change) -> str:
        """Of one table, as it is in that world or with its change."""
        table, field = change
        name = f"world_{world}_{table}_{field.replace('.', '_')}"
        if name not in self.made:
            rows = _rows(self.seed, world, table)
            if field:
                rows = {**rows, field: _values(Random(f"{self.seed} {name}"), field)}
            self.database.execute(f"CREATE SCHEMA {name}")
            self.database.register("rows_of_table", _arrow(rows))
            self.database.execute(f"CREATE TABLE {name}.{table} AS SELECT * FROM rows_of_table")
            self.database.unregister("rows_of_table")
            self.made.add(name)
        return name


def fields_named(sql: str) -> Iterator[Change]:
    """The others can't matter."""
    for table in TABLES:
        if re.search(rf"\b{table}\b", sql):
            yield from ((table, field) for field in FIELDS if re.search(rf"\b{re.escape(field)}\b", sql))


def count_columns(rows: list[tuple[Any, ...]], width: int) -> Result:
    return [Counter(row[position] for row in rows) for position in range(width)]


@cache
def _rows(seed: int, world: int, table: str) -> Rows:
    random = Random(f"{seed} {world} {table}")
    return {field: _values(random, field) for field in FIELDS}


def _values(random: Random, field: str) -> list[Any]:
    if field == "id":
        return random.sample(range(100), ROWS)
    return [None if random.random() < 0.15 else _value(random, field) for _ in range(ROWS)]


def _value(random: Random, field: str) -> Any:
    if field == "g":
        return random.choice(["a", "b", "ab", "A"])
    if field in ("s", "t", "st.y"):
        return "".join(random.choices("abcdeXYZ", k=random.randint(1, 4)))
    if field == "d":
        return dt.date(random.randint(2019, 2025), random.randint(1, 12), random.randint(1, 28))
    return random.randint(0, 4) if field in ("k", "c") else random.randint(-9, 30)


def _arrow(rows: Rows) -> pa.Table:
    plain = {field: values for field, values in rows.items() if "." not in field}
    pairs = zip(rows["st.x"], rows["st.y"], strict=True)
    return pa.table({**plain, "st": [{"x": x, "y": y} for x, y in pairs]}, schema=SCHEMA)
