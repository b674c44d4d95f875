"""What commands write, and what goes into the columns of their targets."""

import pytest

from lineage_hub.spark.plan import lineage_of_plan
from tests.spark.plan.shop import inputs, open_shop, read, told, written

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark"), pytest.mark.timeout(300)]


@pytest.fixture(autouse=True, scope="module")
def shop(spark, interpreted, tmp_path_factory):
    open_shop(spark, tmp_path_factory.mktemp("shop"))


@pytest.fixture(scope="module")
def warehouse(spark):
    return spark.conf.get("spark.sql.warehouse.dir").removeprefix("file:")


def run(spark, command):
    answer = read(spark.sql(command))
    return answer, answer.outputs[0]


@pytest.mark.parametrize("format_", ["parquet", "delta"])
def test_a_table_made_from_a_query(spark, warehouse, format_):
    command = (
        f"create table selected_{format_} using {format_} as select amount * 2 d, status from orders where amount > 1"
    )
    answer, target = run(spark, command)
    assert target.name == ("file", f"{warehouse}/selected_{format_}")
    assert (target.format, target.lifecycle) == (format_, "CREATE")
    assert [one.name for one in target.symlinks] == [(f"file:{warehouse}", f"default.selected_{format_}")]
    assert [(one.name, one.type) for one in target.fields] == [("d", "double"), ("status", "string")]
    assert inputs(answer) == ["orders"]
    assert told(answer) == written(
        {"d": "orders.amount TRANSFORMATION", "status": "orders.status IDENTITY"}, "orders.amount FILTER"
    )


@pytest.mark.parametrize("format_", ["parquet", "delta"])
@pytest.mark.parametrize("rows", ["", " as select 1 a"])
def test_what_is_made_unless_it_is_there_is_not_told_as_made(spark, format_, rows):
    columns = "" if rows else " (a int)"
    table = f"perhaps_{format_}{'_of_rows' if rows else ''}"
    _, target = run(spark, f"create table if not exists {table}{columns} using {format_}{rows}")
    assert (target.name.name.rpartition("/")[2], target.lifecycle) == (table, None)


def test_a_view_made_unless_it_is_there_is_not_told_as_made_and_a_partition_still_changes_its_table(spark):
    _, view = run(spark, "create view if not exists perhaps_seen as select 1 a")
    assert (view.name.name, view.lifecycle) == ("default.perhaps_seen", None)
    spark.sql("create table perhaps_parts (a int, p int) using parquet partitioned by (p)")
    assert run(spark, "alter table perhaps_parts add if not exists partition (p = 1)")[1].lifecycle == "ALTER"


@pytest.mark.parametrize("format_", ["parquet", "delta"])
def test_rows_added_to_a_table_get_its_names(spark, format_):
    spark.sql(f"create table added_{format_} (a int, b string) using {format_}")
    answer, target = run(spark, f"insert into added_{format_} select customer_id, name from customers")
    assert (target.lifecycle, inputs(answer)) == ("APPEND", ["customers"])
    assert told(answer) == written({"a": "customers.customer_id IDENTITY", "b": "customers.name IDENTITY"})
    answer, target = run(spark, f"insert overwrite added_{format_} select 1, name from customers")
    assert target.lifecycle == "OVERWRITE"
    assert told(answer) == written({"a": "", "b": "customers.name IDENTITY"})
    answer, _ = run(spark, f"insert into added_{format_} (b) select name from customers")
    assert told(answer) == written({"a": "", "b": "customers.name IDENTITY"})


def test_one_query_into_two_tables(spark):
    for name in ("first", "second"):
        spark.sql(f"create table {name} (a int, {name} string) using parquet")
    answer = read(
        spark.sql(
            "from customers insert into first select customer_id, name where country = 'DE' "
            "insert into second select customer_id, country"
        )
    )
    assert [set(one.columns) for one in answer.outputs] == [{"a", "first"}, {"a", "second"}]
    assert told(answer) == written(
        {
            "a": "customers.customer_id IDENTITY, customers.country FILTER",
            "first": "customers.name IDENTITY, customers.country FILTER",
            "second": "customers.country IDENTITY",
        }
    )
    assert not answer.outputs[1].columns.shared


@pytest.fixture
def delta_table(spark):
    spark.sql("drop table if exists stock")
    spark.sql("create table stock using delta as select order_id, amount, status from orders")


def test_merge(spark, delta_table):
    answer, target = run(
        spark,
        "merge into stock t using customers s on t.order_id = s.customer_id "
        "when matched and s.country = 'DE' then update set status = s.name, amount = t.amount + s.customer_id "
        "when not matched then insert (order_id, status) values (s.customer_id, 'new')",
    )
    assert (target.name.name.rpartition("/")[2], target.format, target.lifecycle) == ("stock", "delta", None)
    assert inputs(answer) == ["customers", "stock"]
    assert told(answer) == written(
        {
            "order_id": "stock.order_id IDENTITY, customers.customer_id IDENTITY",
            "amount": "stock.amount TRANSFORMATION, customers.customer_id TRANSFORMATION",
            "status": "customers.name IDENTITY",
        },
        "stock.order_id JOIN, customers.customer_id JOIN, customers.country FILTER",
    )


def test_merge_of_all_columns(spark, delta_table):
    answer, _ = run(
        spark,
        "merge into stock t using (select order_id, amount, status from orders) s on t.order_id = s.order_id "
        "when matched then update set * when not matched then insert *",
    )
    assert told(answer) == written(
        {one: f"orders.{one} IDENTITY" for one in ("order_id", "amount", "status")},
        "orders.order_id JOIN, stock.order_id JOIN",
    )


def test_update_and_delete(spark, delta_table):
    answer, target = run(spark, "update stock set amount = amount * 2 where status = 'new'")
    assert (inputs(answer), target.lifecycle) == (["stock"], None)
    kept = {"order_id": "stock.order_id IDENTITY", "status": "stock.status IDENTITY"}
    assert told(answer) == written({**kept, "amount": "stock.amount TRANSFORMATION"}, "stock.status FILTER")
    answer, _ = run(spark, "delete from stock where status = 'new'")
    assert told(answer) == written({**kept, "amount": "stock.amount IDENTITY"}, "stock.status FILTER")


def test_views(spark, warehouse):
    spark.sql("create table clients using parquet as select name, country from customers")
    answer, target = run(spark, "create view seen (n, c) as select upper(name) as u, country from clients")
    assert (target.name, target.format, target.lifecycle) == ((f"file:{warehouse}", "default.seen"), "view", "CREATE")
    assert told(answer) == written({"n": "clients.name TRANSFORMATION", "c": "clients.country IDENTITY"})
    _, target = run(spark, "alter view seen as select 1 as one")
    assert (target.name.name, target.lifecycle) == ("default.seen", "ALTER")
    _, target = run(spark, "drop view seen")
    assert (target.name.name, target.lifecycle) == ("default.seen", "DROP")


def test_a_temporary_view_is_no_dataset(spark):
    answer = read(spark.sql("create or replace temp view mine as select name from customers"))
    assert answer.outputs == ()
    assert told(answer) == written({"name": "customers.name IDENTITY"})


@pytest.mark.parametrize("format_", ["parquet", "delta"])
def test_the_life_of_a_table(spark, warehouse, format_):
    life, later = f"life_{format_}", f"later_{format_}"
    answer, target = run(spark, f"create table {life} (a int, s struct<b:int>) using {format_}")
    assert (target.name, target.lifecycle) == (("file", f"{warehouse}/{life}"), "CREATE")
    assert [(one.name, one.type) for one in target.fields] == [("a", "int"), ("s", "struct<b:int>")]
    assert (answer.inputs, dict(answer.columns)) == ((), {})
    assert run(spark, f"alter table {life} add columns (c int)")[1].lifecycle == "ALTER"
    assert run(spark, f"alter table {life} set tblproperties ('x' = 'y')")[1].lifecycle == "ALTER"
    if format_ == "parquet":
        assert run(spark, f"truncate table {life}")[1].lifecycle == "TRUNCATE"
    _, target = run(spark, f"alter table {life} rename to {later}")
    assert (target.name, target.lifecycle) == (("file", f"{warehouse}/{later}"), "RENAME")
    assert target.previous == ("file", f"{warehouse}/{life}")
    _, target = run(spark, f"drop table {later}")
    assert (target.name, target.lifecycle) == (("file", f"{warehouse}/{later}"), "DROP")


def analysed(spark, command):
    """The plan of a command that doesn't run."""
    state = spark._jsparkSession.sessionState()
    return state.analyzer().execute(state.sqlParser().parsePlan(command))


def test_a_table_that_was_never_made_is_where_the_command_would_have_put_it(spark, tmp_path):
    command = f"create table never using delta location '{tmp_path}/never' as select name from customers"
    answer = lineage_of_plan(analysed(spark, command), spark)
    [target] = answer.outputs
    assert (target.name, target.format, target.lifecycle) == (("file", f"{tmp_path}/never"), "delta", "CREATE")
    assert told(answer) == written({"name": "customers.name IDENTITY"})


DERBY = {"url": "jdbc:derby:memory:commands;create=true", "driver": "org.apache.derby.jdbc.EmbeddedDriver"}


def test_a_table_of_a_catalog_that_is_behind_jdbc(spark):
    spark.sql("select 1 a").write.format("jdbc").options(**DERBY, dbtable="goods").mode("overwrite").save()
    options = ", ".join(f"{key} '{value}'" for key, value in {**DERBY, "dbtable": "goods"}.items())
    spark.sql(f"create table goods using jdbc options ({options})")
    answer, target = run(spark, "insert into goods select customer_id from customers")
    assert (target.name, target.format, target.lifecycle) == (("derby:memory:commands", "goods"), "jdbc", "APPEND")
    assert told(answer) == written({"a": "customers.customer_id IDENTITY"})


@pytest.mark.parametrize(
    ("provider", "options", "mode", "name"),
    [
        ("org.apache.spark.sql.execution.datasources.jdbc.JdbcRelationProvider",
         {"url": "jdbc:postgresql://h/db", "dbtable": "s.t", "password": "secret"}, "Overwrite",
         ("postgres://h:5432", "db.s.t")),
        ("org.apache.spark.sql.delta.sources.DeltaDataSource", {"path": "/lake/t"}, "Append", ("file", "/lake/t")),
    ],
    ids=["jdbc", "delta"],
)  # fmt: skip
def test_what_a_writer_saves(spark, provider, options, mode, name):
    jvm = spark._jvm
    to_scala = jvm.org.apache.spark.api.python.PythonUtils.toScalaMap
    maker = jvm.java.lang.Thread.currentThread().getContextClassLoader().loadClass(provider)
    command = jvm.org.apache.spark.sql.execution.datasources.SaveIntoDataSourceCommand(
        spark.table("customers").select("name")._jdf.queryExecution().analyzed(),
        maker.getDeclaredConstructor(spark.sparkContext._gateway.new_array(jvm.java.lang.Class, 0)).newInstance(
            spark.sparkContext._gateway.new_array(jvm.java.lang.Object, 0)
        ),
        to_scala(options),
        getattr(jvm.org.apache.spark.sql.SaveMode, mode),
    )
    answer = lineage_of_plan(command, spark)
    assert [(one.name, one.lifecycle) for one in answer.outputs] == [(name, mode.upper())]
    assert told(answer) == written({"name": "customers.name IDENTITY"})
    assert "secret" not in repr(answer)


def test_a_folder_that_sql_writes(spark, tmp_path):
    answer, target = run(
        spark, f"insert overwrite directory '{tmp_path}/out' using parquet select order_id as o from orders"
    )
    assert (target.name, target.format, target.lifecycle) == (("file", f"{tmp_path}/out"), "parquet", "OVERWRITE")
    assert told(answer) == written({"o": "orders.order_id IDENTITY"})


@pytest.mark.parametrize("command", ["show tables", "describe table stock", "set a.b = 1", "explain select 1"])
def test_what_only_shows_or_sets_reads_and_writes_nothing(spark, delta_table, command):
    answer = read(spark.sql(command))
    assert (answer.inputs, answer.outputs, answer.opaque) == ((), (), ())
    assert all(found == frozenset() for found in answer.columns.values())


def test_a_command_that_has_run_is_still_known(spark):
    frame = spark.sql("create table ran using parquet as select name from customers")
    answer = lineage_of_plan(frame._jdf.queryExecution().commandExecuted(), spark)
    assert [one.name.name.rpartition("/")[2] for one in answer.outputs] == ["ran"]
    assert told(answer) == written({"name": "customers.name IDENTITY"})
