"""Columns of tables and the columns that they are made from, where the text says so for sure."""

import pytest

from lineage_hub.connectors.databricks.reading import DefinedTable
from lineage_hub.connectors.databricks.sql import read_query, read_statements


def direct(table: DefinedTable) -> dict[str, list[str]] | None:
    if table.columns is None:
        return None
    return {
        name: sorted(f"{one.table}.{one.column}" for one in origins if one.direct)
        for name, origins in table.columns.items()
    }


def indirect(table: DefinedTable, column: str) -> set[str]:
    assert table.columns is not None
    return {f"{one.table}.{one.column}" for one in table.columns[column] if not one.direct}


def last(sql: str) -> DefinedTable:
    reading = read_statements(sql, substitute={}.get)
    assert reading.problems == []
    return reading.tables[-1]


A = "CREATE TABLE a (id INT, x INT, y INT);"
B = "CREATE TABLE b (id INT, z INT);"


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("SELECT x, y AS z FROM a", {"x": ["a.x"], "z": ["a.y"]}),
        ("SELECT a.x + a.y AS s, 1 AS one, 'c' AS c FROM a", {"s": ["a.x", "a.y"], "one": [], "c": []}),
        ("SELECT sum(x) AS s, count(*) AS n FROM a GROUP BY y", {"s": ["a.x"], "n": []}),
        ("SELECT upper(t.x) AS u FROM main.s.a AS t", {"u": ["main.s.a.x"]}),
        ("SELECT p.x, q.z FROM a p JOIN b q ON p.id = q.id", {"x": ["a.x"], "z": ["b.z"]}),
        ("SELECT a.x, b.z FROM a JOIN s.b ON a.id = b.id", {"x": ["a.x"], "z": ["s.b.z"]}),
        ("WITH c AS (SELECT x AS w FROM a) SELECT w, w + 1 AS v FROM c", {"w": ["a.x"], "v": ["a.x"]}),
        ("SELECT w FROM (SELECT x AS w FROM a) s", {"w": ["a.x"]}),
        ("SELECT x FROM a UNION ALL SELECT z FROM b", {"x": ["a.x", "b.z"]}),
        ("SELECT CASE WHEN x > 1 THEN y ELSE 0 END AS c FROM a", {"c": ["a.y"]}),
        ("SELECT row_number() OVER (PARTITION BY x ORDER BY y) AS r FROM a", {"r": []}),
        ("SELECT coalesce(x, y) AS c, cast(x AS STRING) AS s, x::date AS d FROM a",
         {"c": ["a.x", "a.y"], "s": ["a.x"], "d": ["a.x"]}),
        ("SELECT OrderId AS orderID FROM Orders", {"orderID": ["Orders.OrderId"]}),
        ("SELECT count(*), x, max(y) AS m FROM a", {"x": ["a.x"], "m": ["a.y"]}),  # Spark names the first by its text
        ("SELECT _col_0, y + 1 FROM a", {"_col_0": ["a._col_0"]}),
        ("SELECT `a b` FROM a", {"a b": ["a.a b"]}),
        ("SELECT key, value:id AS id FROM read_kafka(subscribe => 'k')", {"key": ["k.key"], "id": ["k.value"]}),
        ("SELECT topic AS t FROM read_kafka(subscribe => 'k,l')", {"t": ["k.topic", "l.topic"]}),
        ("SELECT * FROM STREAM read_kafka(subscribe => 'k')",
         {c: [f"k.{c}"] for c in ("key", "value", "topic", "partition", "offset", "timestamp", "timestampType")}),
        ("SELECT headers AS h FROM read_kafka(subscribe => 'k', includeHeaders => true)", {"h": ["k.headers"]}),
        ("SELECT id FROM read_files('/in', format => 'json')", {"id": ["/in.id"]}),
        ("SELECT id FROM delta.`/lake/t`", {"id": ["/lake/t.id"]}),
        ("SELECT p * q AS g, g * 2 AS t, r FROM a", {"g": ["a.p", "a.q"], "r": ["a.r"]}),  # is g a column of a?
        ("SELECT p / 2 AS p, p + 1 AS t FROM a", {"p": ["a.p"], "t": ["a.p"]}),
        ("SELECT coalesce(r, 'all') AS r, sum(s) AS s FROM a GROUP BY GROUPING SETS ((r), ())",
         {"r": ["a.r"], "s": ["a.s"]}),
        ("SELECT x.*, c.y FROM (SELECT i, x FROM a) x JOIN c ON x.i = c.i", {"i": ["a.i"], "x": ["a.x"], "y": ["c.y"]}),
        # What all columns are is not known, so they are no constant either.
        ("SELECT to_json(struct(*)) AS value, id AS key, count(*) AS n FROM a", {"key": ["a.id"], "n": []}),
        ("SELECT struct(a.*, b.x) AS value, b.id FROM a JOIN b ON a.i = b.i", {"id": ["b.id"]}),
        ("SELECT * FROM unknown", None),
        ("SELECT *, 1 AS one FROM unknown", None),
        ("SELECT x FROM a JOIN b ON a.id = b.id", None),  # of which of the two?
        ("SELECT a.x, w FROM a JOIN b ON a.id = b.id", {"x": ["a.x"]}),
        ("SELECT x FROM ${nobody}", None),
        ("SELECT ${nobody} AS c FROM a", None),
        ("SELECT x FROM read_kafka(subscribe => '${nobody}')", None),
        ("SELECT p FROM a PIVOT (sum(x) FOR y IN ('p', 'q'))", None),
    ],
)  # fmt: skip
def test_columns_come_from_where_the_query_takes_them(query: str, wanted: dict[str, list[str]] | None) -> None:
    assert direct(last(f"CREATE TABLE t AS {query}")) == wanted


@pytest.mark.parametrize(
    ("statements", "wanted"),
    [
        (A + "CREATE VIEW v AS SELECT * FROM a", {"id": ["a.id"], "x": ["a.x"], "y": ["a.y"]}),
        (A + "CREATE VIEW v AS SELECT * EXCEPT (id) FROM a", {"x": ["a.x"], "y": ["a.y"]}),
        (A + B + "CREATE VIEW v AS SELECT x, z FROM a JOIN b ON a.id = b.id", {"x": ["a.x"], "z": ["b.z"]}),
        (A + B + "CREATE VIEW v AS SELECT a.*, b.z FROM a JOIN b USING (id)",
         {"id": ["a.id"], "x": ["a.x"], "y": ["a.y"], "z": ["b.z"]}),
        ("CREATE VIEW u AS SELECT p AS q FROM a; CREATE VIEW v AS SELECT * FROM u", {"q": ["u.q"]}),
        ("CREATE STREAMING TABLE u AS SELECT p AS Q FROM a; CREATE VIEW v AS SELECT q FROM STREAM(LIVE.U)",
         {"q": ["U.Q"]}),
        ("CREATE VIEW v (f COMMENT 'c', g) AS SELECT p, q FROM a", {"f": ["a.p"], "g": ["a.q"]}),
        ("CREATE STREAMING TABLE v (q INT, p INT) AS SELECT p, q FROM STREAM a", {"p": ["a.p"], "q": ["a.q"]}),
        ("INSERT INTO t (f, g) SELECT p, q FROM a", {"f": ["a.p"], "g": ["a.q"]}),
        ("INSERT INTO t SELECT p, q FROM a", None),
        ("CREATE TABLE t (f INT, g INT); INSERT INTO t SELECT p, q FROM a", {"f": ["a.p"], "g": ["a.q"]}),
        ("CREATE TABLE t (f INT, g INT); INSERT INTO t SELECT p FROM a", None),
        ("INSERT INTO t BY NAME SELECT p AS f FROM a", {"f": ["a.p"]}),
        ("CREATE STREAMING TABLE t; CREATE FLOW f AS INSERT INTO t BY NAME SELECT p FROM STREAM a;"
         "CREATE FLOW g AS INSERT INTO t BY NAME SELECT p, q FROM STREAM b", {"p": ["a.p", "b.p"], "q": ["b.q"]}),
        ("CREATE STREAMING TABLE t; CREATE FLOW f AS INSERT INTO t BY NAME SELECT p FROM STREAM a;"
         "CREATE FLOW g AS INSERT INTO t BY NAME SELECT * FROM STREAM b", None),
        ("APPLY CHANGES INTO t FROM STREAM s KEYS (k) SEQUENCE BY ts COLUMNS k, v", {"k": ["s.k"], "v": ["s.v"]}),
        (A + "APPLY CHANGES INTO t FROM STREAM a KEYS (id) SEQUENCE BY y COLUMNS * EXCEPT (y) STORED AS SCD TYPE 1",
         {"id": ["a.id"], "x": ["a.x"]}),
        (B + "CREATE FLOW f AS AUTO CDC INTO t FROM stream(b) KEYS (id) SEQUENCE BY z STORED AS SCD TYPE 2",
         {"id": ["b.id"], "z": ["b.z"], "__START_AT": ["b.z"], "__END_AT": ["b.z"]}),
        ("MERGE INTO t USING s ON t.k = s.k WHEN MATCHED THEN UPDATE SET v = s.w + t.v "
         "WHEN NOT MATCHED THEN INSERT (k, v) VALUES (s.k, s.u)", {"v": ["s.u", "s.w"], "k": ["s.k"]}),
        (B + "MERGE INTO t USING b ON t.id = b.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
         {"id": ["b.id"], "z": ["b.z"]}),
        ("MERGE INTO t USING b ON t.id = b.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *", None),
        (A + "CREATE VIEW v AS SELECT x * 2 AS w, w + y AS s FROM a", {"w": ["a.x"], "s": ["a.x", "a.y"]}),
        (A + "CREATE TABLE t DEEP CLONE a", {"id": ["a.id"], "x": ["a.x"], "y": ["a.y"]}),
        (A + "CREATE OR REPLACE TABLE a AS SELECT * FROM elsewhere; CREATE VIEW v AS SELECT * FROM a", None),
        (A + "ALTER TABLE a ADD COLUMNS (w INT); CREATE VIEW v AS SELECT * FROM a", None),
        ("WITH u AS (SELECT w AS v, i FROM s) MERGE INTO t USING u ON t.i = u.i WHEN MATCHED THEN UPDATE SET v = u.v",
         {"v": ["s.w"]}),
        (A + "DROP TABLE a; CREATE VIEW v AS SELECT * FROM a", None),
    ],
)  # fmt: skip
def test_what_earlier_statements_say_of_columns_counts(statements: str, wanted: dict[str, list[str]] | None) -> None:
    assert direct(last(statements)) == wanted


def test_columns_that_decide_about_rows_are_indirect_origins_of_every_column() -> None:
    table = last(
        "CREATE TABLE t AS SELECT a.x AS c, 1 AS one FROM a JOIN b ON a.k = b.l WHERE a.f > 0 "
        "GROUP BY a.x HAVING max(b.h) > 1 ORDER BY a.o"
    )
    assert direct(table) == {"c": ["a.x"], "one": []}
    for column in ("c", "one"):
        assert indirect(table, column) == {"a.k", "b.l", "a.f", "a.x", "b.h", "a.o"}


def test_the_condition_of_a_merge_decides_about_its_rows() -> None:
    table = last("MERGE INTO t USING s ON t.k = s.k AND s.live WHEN MATCHED THEN UPDATE SET v = s.v")
    assert direct(table) == {"v": ["s.v"]}
    assert indirect(table, "v") == {"s.k", "s.live"}


def test_columns_of_windows_and_conditions_are_indirect_origins() -> None:
    table = last("CREATE TABLE t AS SELECT sum(v) OVER (PARTITION BY p ORDER BY o) AS s, if(c, v, 0) AS i FROM a")
    assert direct(table) == {"s": ["a.v"], "i": ["a.v"]}
    assert indirect(table, "s") == {"a.p", "a.o"}
    assert indirect(table, "i") == {"a.c"}


def test_a_query_of_another_program_tells_its_columns() -> None:
    found = read_query("SELECT id, amount * 2 AS twice FROM orders")
    assert found.columns is not None
    assert {name: [(one.table, one.column) for one in origins] for name, origins in found.columns.items()} == {
        "id": [("orders", "id")],
        "twice": [("orders", "amount")],
    }


def test_conditions_of_a_flow_of_changes_decide_about_its_rows() -> None:
    sql = "APPLY CHANGES INTO t FROM STREAM s KEYS (k) WHERE r IN (SELECT r FROM w) APPLY AS DELETE WHEN op = 'D' "
    reading = read_statements(sql + "SEQUENCE BY ts COLUMNS k, v")
    assert [one.path for one in reading.sources] == ["s", "w"]
    reading = read_statements(sql.replace("r IN (SELECT r FROM w)", "r > 1") + "SEQUENCE BY ts COLUMNS k, v")
    [table] = reading.tables
    assert table.columns is not None
    decide = {one.column for one in table.columns["v"] if not one.direct}
    assert decide == {"k", "r", "op", "ts"}
