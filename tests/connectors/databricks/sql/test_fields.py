"""Columns of generators such as `explode`, and fields of structs, come from the columns that they are made of."""

import pytest

from tests.connectors.databricks.sql.test_columns import direct, indirect, last

BOTH = {"id": ["s.id"], "item": ["s.items"]}


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("SELECT id, item FROM s LATERAL VIEW explode(items) e AS item", BOTH),
        ("SELECT id, item FROM s LATERAL VIEW OUTER explode_outer(items) AS item", BOTH),
        ("SELECT s.id, e.item FROM s, LATERAL explode(s.items) AS e(item)", BOTH),
        ("SELECT id, item FROM s CROSS JOIN LATERAL explode(items) AS e(item)", BOTH),
        ("SELECT id, explode(items) AS item FROM s", BOTH),
        ("SELECT id, k, v FROM s LATERAL VIEW explode(m) x AS k, v", {"id": ["s.id"], "k": ["s.m"], "v": ["s.m"]}),
        ("SELECT pos, item.sku, e.item.price.net AS net FROM s LATERAL VIEW posexplode(items) e AS pos, item",
         {"pos": ["s.items"], "sku": ["s.items"], "net": ["s.items"]}),
        ("SELECT id, posexplode(items) AS (p, item) FROM s", {"id": ["s.id"], "p": ["s.items"], "item": ["s.items"]}),
        ("SELECT id, x.* FROM s LATERAL VIEW inline(items) x AS sku, qty",
         {"id": ["s.id"], "sku": ["s.items"], "qty": ["s.items"]}),
        ("SELECT id, j.a, b FROM s LATERAL VIEW json_tuple(body, 'a', 'b') j AS a, b",
         {"id": ["s.id"], "a": ["s.body"], "b": ["s.body"]}),
        ("SELECT json_tuple(body, 'a', 'b') AS (a, b) FROM s", {"a": ["s.body"], "b": ["s.body"]}),
        ("SELECT f.b, c FROM s LATERAL VIEW explode(x) e AS a LATERAL VIEW explode(a.items) f AS b "
         "LATERAL VIEW OUTER posexplode(b.tags) g AS p, c", {"b": ["s.x"], "c": ["s.x"]}),
        ("SELECT t.tags FROM s LATERAL VIEW explode(tags) t AS tags", {"tags": ["s.tags"]}),
        ("SELECT o.id, item FROM o JOIN c ON o.c = c.c LATERAL VIEW explode(o.items) e AS item",
         {"id": ["o.id"], "item": ["o.items"]}),
        ("SELECT id, stack(2, 'a', a, 'b', b) AS (k, v) FROM s", {"id": ["s.id"], "k": [], "v": ["s.a", "s.b"]}),
        ("WITH e AS (SELECT id, i FROM s LATERAL VIEW explode(items) x AS i) SELECT id, i.sku FROM e",
         {"id": ["s.id"], "sku": ["s.items"]}),
    ],
)  # fmt: skip
def test_a_generators_columns_come_from_what_it_is_given(query: str, wanted: dict[str, list[str]]) -> None:
    assert direct(last(f"CREATE TABLE t AS {query}")) == wanted


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        # Of which of the two tables are the items?
        ("SELECT o.id, item FROM o JOIN c ON o.c = c.c LATERAL VIEW explode(items) e AS item", {"id": ["o.id"]}),
        # Which value goes to which column depends on how many there are.
        ("SELECT id, k FROM s LATERAL VIEW stack(2, 'a', a, 'b', b) z AS k, v", {"id": ["s.id"]}),
        # Is q a column of s, or the one beside it?
        ("SELECT y.a AS q, q + 1 AS r FROM s LATERAL VIEW explode(x) e AS y", {"q": ["s.x"]}),
        ("SELECT * FROM s LATERAL VIEW explode(x) e AS a", None),
        ("SELECT s.id, col FROM s LATERAL VIEW explode(x) e", {"id": ["s.id"]}),
        ("SELECT inline(items) FROM s", None),
    ],
)
def test_a_column_that_can_not_be_told_has_no_origin(query: str, wanted: dict[str, list[str]] | None) -> None:
    assert direct(last(f"CREATE TABLE t AS {query}")) == wanted


def test_what_a_generator_made_can_decide_about_rows() -> None:
    table = last("CREATE TABLE t AS SELECT id, w FROM s LATERAL VIEW explode(split(txt, ' ')) e AS w WHERE w <> ''")
    assert direct(table) == {"id": ["s.id"], "w": ["s.txt"]}
    assert indirect(table, "id") == {"s.txt"}


def test_a_star_gives_the_columns_of_a_known_table_and_those_of_the_generator() -> None:
    table = last(
        "CREATE TABLE s (id INT, x ARRAY<INT>); CREATE TABLE t AS SELECT * FROM s LATERAL VIEW explode(x) AS a"
    )
    assert direct(table) == {"id": ["s.id"], "x": ["s.x"], "a": ["s.x"]}


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("SELECT payload.id, payload.c.d AS d FROM s", {"id": ["s.payload"], "d": ["s.payload"]}),
        ("SELECT m.s.payload.id, s.id AS i FROM m.s", {"id": ["m.s.payload"], "i": ["m.s.id"]}),
        # A field of a column of one table is no column of a table that is called like the column.
        ("SELECT a.payload.id, b.x FROM s a JOIN payload b ON a.i = b.i", {"id": ["s.payload"], "x": ["payload.x"]}),
        ("SELECT id, (SELECT max(p.x) FROM p WHERE p.id = s.id) AS m, s.st.f FROM s",
         {"id": ["s.id"], "m": ["p.x"], "f": ["s.st"]}),
        ("SELECT y FROM (SELECT payload.* FROM s)", {"y": ["s.payload"]}),
        ("SELECT x, z FROM (SELECT a.*, b.z FROM a JOIN b ON a.i = b.i)", {"x": ["a.x"], "z": ["b.z"]}),
        ("SELECT b FROM (SELECT * RENAME (a AS b) FROM s)", None),
        ("SELECT a FROM (SELECT * REPLACE (q + 1 AS a) FROM s)", None),
    ],
)  # fmt: skip
def test_fields_of_a_struct_come_from_its_column(query: str, wanted: dict[str, list[str]] | None) -> None:
    assert direct(last(f"CREATE TABLE t AS {query}")) == wanted


def test_a_field_of_the_table_that_a_merge_fills_is_no_column_of_its_source() -> None:
    table = last("MERGE INTO tt t USING s ON t.k.id = s.k.id WHEN MATCHED THEN UPDATE SET v = t.p.x + s.y.z")
    assert direct(table) == {"v": ["s.y"]}
    assert indirect(table, "v") == {"s.k"}
