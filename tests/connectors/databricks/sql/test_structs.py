"""`data.*` is written out where a literal in the query says which fields there are, and nowhere else."""

import pytest

from tests.connectors.databricks.sql.test_columns import direct, last


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("SELECT id, from_json(body, 'a INT, B STRING').* FROM s", {"id": ["s.id"], "a": ["s.body"], "B": ["s.body"]}),
        ("SELECT j.* FROM (SELECT from_json(body, 'STRUCT<a: INT, b: STRUCT<c: INT>>') AS j FROM s)",
         {"a": ["s.body"], "b": ["s.body"]}),
        ("WITH p AS (SELECT from_json(value::string, 'id BIGINT, at TIMESTAMP') AS data, timestamp "
         "FROM STREAM read_kafka(subscribe => 'o')) SELECT data.*, timestamp FROM p",
         {"id": ["o.value"], "at": ["o.value"], "timestamp": ["o.timestamp"]}),
        ("WITH a AS (SELECT *, from_json(v, 'x INT, y STRUCT<z: INT, w: INT>') AS d FROM k), "
         "b AS (SELECT id, d FROM a) SELECT id, d.* EXCEPT (y), d.y.* FROM b",
         {"id": ["k.id"], "x": ["k.v"], "z": ["k.v"], "w": ["k.v"]}),
        ("SELECT e.* FROM (SELECT explode(from_json(body, 'array<struct<sku: string, qty: int>>')) AS e FROM s)",
         {"sku": ["s.body"], "qty": ["s.body"]}),
        ("SELECT i.* FROM s LATERAL VIEW explode(from_json(body, 'array<struct<a: int, b: int>>')) e AS i",
         {"a": ["s.body"], "b": ["s.body"]}),
        ("SELECT c.* FROM (SELECT cast(x AS STRUCT<p: INT, q: INT>) AS c FROM s)", {"p": ["s.x"], "q": ["s.x"]}),
        ("SELECT r.* FROM (SELECT from_csv(line, 'a INT, b INT') AS r FROM s)", {"a": ["s.line"], "b": ["s.line"]}),
        ("SELECT from_json(body, schema_of_json('[1]')).* FROM s", None),
        ("SELECT from_json(body, '${nobody}').* FROM s", None),
        ("SELECT from_json(body, 'nonsense').* FROM s", None),
        ("SELECT data.* FROM s", None),
        ("SELECT d.* FROM (SELECT from_json(b, 'a INT') AS d FROM s UNION ALL SELECT from_json(b, 'c INT') FROM u)",
         None),
        # Either of the two may have such a column.
        ("SELECT d.* FROM (SELECT from_json(b, 'a INT') AS d, i FROM s) x JOIN u ON x.i = u.i", None),
        ("SELECT d.* RENAME (a AS b) FROM (SELECT from_json(b, 'a INT') AS d FROM s)", None),
    ],
)  # fmt: skip
def test_a_star_of_a_struct_is_as_long_as_its_schema_says(query: str, wanted: dict[str, list[str]] | None) -> None:
    assert direct(last(f"CREATE TABLE t AS {query}")) == wanted


def test_a_schema_that_is_very_deep_is_not_read() -> None:
    deep = "a INT"
    for _ in range(60):
        deep = f"a STRUCT<{deep}>"
    assert direct(last(f"CREATE TABLE t AS SELECT id, from_json(body, '{deep}').* FROM s")) is None
