"""A metric view is made of its source and of what it joins, at whatever depth."""

import pytest

from lineage_hub.connectors.databricks.reading import Reading
from lineage_hub.connectors.databricks.sql import read_statements

ORDERS = """CREATE OR REPLACE VIEW main.gold.orders_metrics (`Order Month` COMMENT 'by month', Total)
WITH METRICS
LANGUAGE YAML
COMMENT 'Orders; and their totals'
AS $$
version: 1.1
source: main.silver.orders
filter: o_orderdate > '1990-01-01'; -- no end of a statement
joins:
  - name: customer
    source: main.silver.customer
    on: source.o_custkey = customer.c_custkey
    joins:
      - name: nation
        source: |
          SELECT * FROM main.ref.nation
          WHERE region IN (SELECT id FROM main.ref.region)
        using: [n_nationkey]
dimensions:
  - name: Order Month
    expr: date_trunc('MONTH', o_orderdate)
measures:
  - name: Total
    expr: SUM(o_totalprice)
$$;
SELECT * FROM after_it;
"""


def read(sql: str, **values: str) -> Reading:
    return read_statements(sql, substitute=values.get)


def test_its_tables_are_told_with_their_lines() -> None:
    reading = read(ORDERS)
    assert reading.problems == []
    assert [(one.path, one.line, one.target_table) for one in reading.sources] == [
        ("main.silver.orders", 7, "main.gold.orders_metrics"),
        ("main.silver.customer", 11, "main.gold.orders_metrics"),
        ("main.ref.nation", 16, "main.gold.orders_metrics"),
        ("main.ref.region", 17, "main.gold.orders_metrics"),
        ("after_it", 26, None),
    ]
    [view] = reading.tables
    assert (view.kind, view.comment, view.columns) == ("view", "Orders; and their totals", None)


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("SELECT * FROM a JOIN b ON a.i = b.i", ["a", "b"]),
        ('"(SELECT id FROM customers)"', ["customers"]),
        ("`my catalog`.s.t", ["my catalog.s.t"]),
        ("${env}.silver.orders", ["dev.silver.orders"]),
        ("${nobody}.silver.orders", [None]),
        ("map.s.t", ["map.s.t"]),
    ],
)
def test_a_source_is_a_name_or_a_query(source: str, wanted: list[str | None]) -> None:
    made = f"CREATE VIEW m WITH METRICS LANGUAGE YAML AS $$\nsource: {source}\n$$"
    if source[0] == "`":
        made = made.replace(source, f'"{source}"')
    reading = read(made, env="dev")
    assert [one.path for one in reading.sources] == wanted
    assert [one.unresolved for one in reading.sources if one.path is None] == [["table"]] * wanted.count(None)


@pytest.mark.parametrize("body", ["not: [yaml", "- a list", "version: 1.1", "source: [a]", "joins: {source: a}", ""])
def test_what_is_no_such_yaml_is_a_problem_and_the_view_is_there(body: str) -> None:
    reading = read(f"CREATE VIEW m WITH METRICS LANGUAGE YAML AS $$ {body} $$; CREATE VIEW v AS SELECT * FROM a")
    assert [one.name for one in reading.tables] == ["m", "v"]
    assert [one.path for one in reading.sources] == ["a"]
    assert len(reading.problems) == 1


def test_a_view_that_is_altered_has_another_definition() -> None:
    assert [one.path for one in read("ALTER VIEW m AS $$\nsource: a.b.c\n$$").sources] == ["a.b.c"]
    reading = read("ALTER VIEW s.v AS SELECT x AS y FROM a")
    assert [(one.path, one.target_table) for one in reading.sources] == [("a", "s.v")]
    assert read("ALTER VIEW s.v SET TBLPROPERTIES ('a' = 'b'); ALTER VIEW s.v RENAME TO w").sources == []


def test_the_body_of_a_function_is_none_of_its_reads() -> None:
    sql = "CREATE FUNCTION f(x INT) RETURNS INT LANGUAGE PYTHON AS $$\nsource: a\n$$; CREATE VIEW v AS SELECT 1 AS x"
    assert read(sql).sources == []
