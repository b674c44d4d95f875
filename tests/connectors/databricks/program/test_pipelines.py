# ruff: noqa: E501 - one case is one line
"""Pipelines of dlt and pyspark.pipelines: tables, views, flows, sinks and expectations, under any alias."""

from __future__ import annotations

import pytest

from tests.connectors.databricks.program.reading_programs import feeds, read, sources, table

IMPORTS = [
    ("import dlt", "dlt"),
    ("import dlt as d", "d"),
    ("from pyspark import pipelines as dp", "dp"),
    ("import pyspark.pipelines as p", "p"),
    ("import pyspark.pipelines", "pyspark.pipelines"),
    ("try:\n    import dlt\nexcept ImportError:\n    dlt = None", "dlt"),
]


@pytest.mark.parametrize(("line", "name"), IMPORTS, ids=[one[1] for one in IMPORTS])
def test_the_module_is_known_under_any_name(line: str, name: str) -> None:
    program = f'{line}\n@{name}.table\ndef t():\n    return spark.readStream.table("a")\n'
    assert feeds(program) == {("a", "t")}


def test_names_of_the_module_can_be_imported_one_by_one_or_all() -> None:
    one = 'from dlt import table as t, read\n@t(name="x")\ndef f():\n    return read("a")\n'
    every = 'from dlt import *\n@table\ndef x():\n    return read("a")\n'
    assert feeds(one) == feeds(every) == {("a", "x")}


DECLARATIONS = [
    ('@dlt.table\ndef t():\n    return spark.table("a")', "table"),
    ('@dlt.table()\ndef t():\n    return spark.table("a")', "table"),
    ('@dlt.table(name="t", comment="c")\ndef f():\n    return spark.table("a")', "table"),
    ('@dlt.create_table(name="t")\ndef f():\n    return spark.table("a")', "table"),
    ('@dlt.view\ndef t():\n    return spark.table("a")', "view"),
    ('@dlt.materialized_view(name="t")\ndef f():\n    return spark.table("a")', "materialized_view"),
    ('@dp.temporary_view\ndef t():\n    return spark.table("a")', "temporary_view"),
    ('dlt.table(name="t")(lambda: spark.table("a"))', "table"),
    ('def t():\n    return spark.table("a")\ndlt.table(t)', "table"),
    ('class P:\n    def q(self):\n        return spark.table("a")\ndlt.table(name="t")(P().q)', "table"),
    ('dlt.create_streaming_table("t")\n@dlt.append_flow(target="t")\ndef f():\n    return spark.table("a")', "streaming_table"),
    ('dlt.create_streaming_table(name="t")\ndlt.apply_changes(target="t", source="a", keys=["id"], sequence_by="n")', "streaming_table"),
    ('dp.create_streaming_table("t")\ndp.create_auto_cdc_flow("t", "a", keys=["id"], sequence_by="n")', "streaming_table"),
    ('dlt.create_streaming_table("t")\ndlt.apply_changes_from_snapshot(target="t", source="a", keys=["id"])', "streaming_table"),
    ('dlt.create_streaming_table("t")\ndlt.apply_changes_from_snapshot(target="t", snapshot_and_version=lambda last: (spark.table("a"), 1), keys=["id"])', "streaming_table"),
]  # fmt: skip


@pytest.mark.parametrize(("program", "kind"), DECLARATIONS, ids=[one[0][:50] for one in DECLARATIONS])
def test_every_declaration_is_a_table_with_its_reads(program: str, kind: str) -> None:
    assert feeds(program) == {("a", "t")}
    found = table(program, "t")
    assert (found.kind, found.reads) == (kind, ("a",))


READS = ['dlt.read("a")', 'dlt.read_stream("a")', 'spark.readStream.table("LIVE.a")', 'spark.table("live.a")',
         'spark.sql("SELECT * FROM LIVE.a")', 'dlt.read(name="a")', 'dlt.readStream("a")']  # fmt: skip


@pytest.mark.parametrize("expression", READS)
def test_a_table_of_the_pipeline_is_read_by_its_name(expression: str) -> None:
    (found,) = sources(f"import dlt\n@dlt.table\ndef t():\n    return {expression}\n")
    assert (found.kind, found.path, found.source_table, found.target_table) == ("table", "a", "a", "t")


def test_two_streams_of_one_notebook_keep_their_own_topics() -> None:
    program = """
    import dlt
    def stream(t):
        return spark.readStream.format("kafka").option("subscribe", t).load()
    @dlt.table
    def orders():
        return stream("o")
    @dlt.table
    def users():
        return stream("u")
    @dlt.table
    def joined():
        return dlt.read("orders").join(dlt.read("users"), "id")
    """
    assert feeds(program) == {("o", "orders"), ("u", "users"), ("orders", "joined"), ("users", "joined")}


def test_functions_see_names_as_they_are_after_the_program() -> None:
    program = """
    import dlt
    for t in ("a", "b"):
        @dlt.table(name=f"late_{t}")
        def f():
            return spark.table(t)
    for u in ("c", "d"):
        @dlt.table(name=f"bound_{u}")
        def g(u=u):
            return spark.table(u)
    def factory(v):
        @dlt.table(name=f"made_{v}")
        def h():
            return spark.table(v)
    for v in ("e", "f"):
        factory(v)
    """
    assert feeds(program) == {
        ("b", "late_a"), ("b", "late_b"), ("c", "bound_c"), ("d", "bound_d"), ("e", "made_e"), ("f", "made_f"),
    }  # fmt: skip


def test_expectations_are_rules_of_their_table_in_order() -> None:
    program = """
    import dlt
    RULES = {"r1": "x > 0", "r2": "y IS NOT NULL"}
    @dlt.expect("a", "p")
    @dlt.table
    @dlt.expect_or_drop("b", "q")
    @dlt.expect_or_fail("c", "r")
    @dlt.expect_all_or_drop(RULES)
    def t():
        return spark.table("s")
    """
    found = [(one.name, one.condition, one.action) for one in table(program, "t").expectations]
    assert found == [
        ("a", "p", "warn"), ("b", "q", "drop"), ("c", "r", "fail"), ("r1", "x > 0", "drop"),
        ("r2", "y IS NOT NULL", "drop"),
    ]  # fmt: skip


def test_a_condition_that_can_not_be_known_is_none() -> None:
    program = """
    import dlt
    from elsewhere import rule
    @dlt.table
    @dlt.expect("a", rule)
    def t():
        return spark.table("s")
    """
    assert [(one.name, one.condition) for one in table(program, "t").expectations] == [("a", None)]


BATCH_SINKS = [
    '@dp.foreach_batch_sink(name="s")\ndef f(df, number):',
    "@dp.foreach_batch_sink\ndef s(df, number):",
    "@dp.foreach_batch_sink()\ndef s(df, number):",
]


@pytest.mark.parametrize("declaration", BATCH_SINKS)
def test_flows_into_a_function_feed_what_it_fills_and_no_table_of_its_name(declaration: str) -> None:
    flows = "".join(
        f'@dp.append_flow(target="s")\ndef f_{n}():\n    return spark.readStream.table("{n}")\n' for n in "ab"
    )
    program = f'{declaration}\n    df.write.saveAsTable("main.x.t")\n{flows}'
    assert feeds(program) == {("a", "main.x.t"), ("b", "main.x.t")}
    assert [one.name for one in read(program).tables] == ["main.x.t"]


def test_a_sink_of_delta_is_a_table_or_a_path() -> None:
    program = """
    dlt.create_sink(name="one", format="delta", options={"tableName": "main.s.events"})
    dlt.create_sink("two", "delta", {"path": "/Volumes/m/s/v"})
    dlt.create_sink("three", "delta", {"tableName": spark.conf.get("nobody.knows")})
    """
    found = [(one.kind, one.path, one.unresolved) for one in sources(program)]
    assert found == [
        ("delta_sink", "main.s.events", []),
        ("delta_sink", "/Volumes/m/s/v", []),
        ("delta_sink", None, ["tableName"]),
    ]


def test_flows_into_a_sink_name_the_tables_that_feed_it() -> None:
    program = """
    import dlt
    dlt.create_sink("out", "kafka", {"kafka.bootstrap.servers": "k", "topic": "x"})
    @dlt.append_flow(name="f", target="out")
    def f():
        return spark.readStream.table("silver")
    """
    sink = next(one for one in sources(program) if one.kind == "kafka_sink")
    assert (sink.topics, sink.bootstrap, sink.source_table, sink.line) == (["x"], "k", "silver", 3)
    assert table(program, "out").kind == "sink"


def test_a_table_whose_name_can_not_be_known_is_not_told() -> None:
    program = """
    import dlt
    from elsewhere import name
    @dlt.table(name=name)
    def t():
        return spark.readStream.format("kafka").option("subscribe", "a").load()
    """
    reading = read(program)
    assert reading.tables == []
    assert [(one.topics, one.target_table) for one in reading.sources] == [(["a"], None)]


def test_several_flows_fill_one_table_together() -> None:
    program = """
    import dlt
    dlt.create_streaming_table("all", comment="both", expect_all={"ok": "x > 0"})
    for r in ("eu", "us"):
        @dlt.append_flow(target="all", name=f"from_{r}")
        def f(r=r):
            return spark.readStream.table(f"raw_{r}")
    """
    found = table(program, "all")
    assert (found.kind, found.reads, found.comment) == ("streaming_table", ("raw_eu", "raw_us"), "both")
    assert [one.name for one in found.expectations] == ["ok"]


def test_decorators_of_the_program_keep_the_function_and_its_name() -> None:
    program = """
    import dlt, functools
    def logged(f):
        @functools.wraps(f)
        def w(*a, **k):
            return f(*a, **k)
        return w
    @dlt.table
    @logged
    def bronze():
        return spark.table("a")
    """
    assert feeds(program) == {("a", "bronze")}
