"""Where the columns of whole queries come from; what is expected was written from what each query means."""

import pandas as pd
import pytest
from pyspark.sql import Window
from pyspark.sql import functions as F  # noqa: N812

from tests.spark.plan.shop import inputs, open_shop, read, told, written

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark"), pytest.mark.timeout(300)]


@pytest.fixture(autouse=True, scope="module")
def shop(spark, interpreted, tmp_path_factory):
    open_shop(spark, tmp_path_factory.mktemp("shop"))


JOINED = "orders.customer_id JOIN, customers.customer_id JOIN"

QUERIES = [
    # name, query, columns, what holds for every column
    ("rename", "select order_id as id, status from orders",
     {"id": "orders.order_id IDENTITY", "status": "orders.status IDENTITY"}, ""),
    ("expression", "select amount * product_id as x, upper(status) as u, 1 as one, current_date() as d from orders",
     {"x": "orders.amount TRANSFORMATION, orders.product_id TRANSFORMATION", "u": "orders.status TRANSFORMATION",
      "one": "", "d": ""}, ""),
    ("cast", "select cast(amount as double) same, cast(amount as int) other from orders",
     {"same": "orders.amount IDENTITY", "other": "orders.amount TRANSFORMATION"}, ""),
    ("filter", "select order_id from orders where amount > 1 and status = 'new'",
     {"order_id": "orders.order_id IDENTITY"}, "orders.amount FILTER, orders.status FILTER"),
    ("sort and limit", "select order_id from orders order by ts desc limit 3",
     {"order_id": "orders.order_id IDENTITY"}, "orders.ts SORT"),
    ("aggregate", "select status, sum(amount) s, count(*) n, count(1) m from orders group by status",
     {"status": "orders.status IDENTITY", "s": "orders.amount AGGREGATION, orders.status GROUP_BY",
      "n": "orders.status GROUP_BY", "m": "orders.status GROUP_BY"}, ""),
    ("aggregate of all", "select count(*) n, max(amount) m from orders",
     {"n": "", "m": "orders.amount AGGREGATION"}, ""),
    ("two keys", "select status, customer_id, count(*) n from orders group by status, customer_id",
     {"status": "orders.status IDENTITY, orders.customer_id GROUP_BY",
      "customer_id": "orders.customer_id IDENTITY, orders.status GROUP_BY",
      "n": "orders.customer_id GROUP_BY, orders.status GROUP_BY"}, ""),
    ("computed key", "select upper(status) u, lower(status) l, count(*) n from orders group by upper(status), status",
     {"u": "orders.status TRANSFORMATION, orders.status GROUP_BY",
      "l": "orders.status TRANSFORMATION, orders.status GROUP_BY", "n": "orders.status GROUP_BY"}, ""),
    ("filter clause", "select sum(amount) filter (where status = 'new') s, count(*) n from orders",
     {"s": "orders.amount AGGREGATION, orders.status FILTER", "n": ""}, ""),
    ("having", "select status from orders group by status having max(amount) > 1",
     {"status": "orders.status IDENTITY"}, "orders.amount FILTER, orders.status FILTER"),
    ("rollup", "select status, customer_id, sum(amount) s from orders group by rollup(status, customer_id)",
     {"status": "orders.status IDENTITY, orders.customer_id GROUP_BY",
      "customer_id": "orders.customer_id IDENTITY, orders.status GROUP_BY",
      "s": "orders.amount AGGREGATION, orders.status GROUP_BY, orders.customer_id GROUP_BY"}, ""),
    ("distinct", "select distinct status, customer_id from orders",
     {"status": "orders.status IDENTITY", "customer_id": "orders.customer_id IDENTITY"},
     "orders.status GROUP_BY, orders.customer_id GROUP_BY"),
    ("join", "select o.amount, c.name from orders o join customers c on o.customer_id = c.customer_id",
     {"amount": "orders.amount IDENTITY", "name": "customers.name IDENTITY"}, JOINED),
    ("join using", "select customer_id, name from orders left join customers using (customer_id)",
     {"customer_id": "orders.customer_id IDENTITY", "name": "customers.name IDENTITY"}, JOINED),
    ("self join", "select a.status x, b.status y from orders a join orders b on a.order_id = b.product_id",
     {"x": "orders.status IDENTITY", "y": "orders.status IDENTITY"}, "orders.order_id JOIN, orders.product_id JOIN"),
    ("cross join", "select amount, name from orders cross join customers",
     {"amount": "orders.amount IDENTITY", "name": "customers.name IDENTITY"}, ""),
    ("semi join", "select amount from orders left semi join customers using (customer_id)",
     {"amount": "orders.amount IDENTITY"}, "orders.customer_id FILTER, customers.customer_id FILTER"),
    ("anti join", "select amount from orders left anti join customers using (customer_id)",
     {"amount": "orders.amount IDENTITY"}, "orders.customer_id FILTER, customers.customer_id FILTER"),
    ("join with a grouped query",
     "select c.name, t.s from customers c join (select customer_id, sum(amount) s from orders group by customer_id) t "
     "on c.customer_id = t.customer_id",
     {"name": "customers.name IDENTITY", "s": "orders.amount AGGREGATION"},
     JOINED + ", orders.customer_id GROUP_BY"),
    ("union", "select order_id, status from orders union all select customer_id, name from customers",
     {"order_id": "orders.order_id IDENTITY, customers.customer_id IDENTITY",
      "status": "orders.status IDENTITY, customers.name IDENTITY"}, ""),
    ("except", "select status from orders except select name from customers where country = 'DE'",
     {"status": "orders.status IDENTITY"}, "orders.status FILTER, customers.name FILTER, customers.country FILTER"),
    ("window", "select sum(amount) over (partition by status order by ts) s, row_number() over (order by ts) r, "
     "lag(amount) over (partition by status order by ts) l, rank() over (order by amount) k from orders",
     {"s": "orders.amount AGGREGATION, orders.status WINDOW, orders.ts WINDOW", "r": "orders.ts WINDOW",
      "l": "orders.amount TRANSFORMATION, orders.status WINDOW, orders.ts WINDOW", "k": "orders.amount WINDOW"}, ""),
    ("first of each", "select order_id from "
     "(select *, row_number() over (partition by status order by ts) r from orders) where r = 1",
     {"order_id": "orders.order_id IDENTITY"}, "orders.status FILTER, orders.ts FILTER"),
    ("case", "select case when status = 'new' then amount else 0 end a, "
     "if(amount > 1, product_id, order_id) b from orders",
     {"a": "orders.status CONDITIONAL, orders.amount TRANSFORMATION",
      "b": "orders.amount CONDITIONAL, orders.product_id TRANSFORMATION, orders.order_id TRANSFORMATION"}, ""),
    ("null functions", "select coalesce(status, 'x') a, nullif(status, 'x') b, nvl2(status, amount, 0) c from orders",
     {"a": "orders.status TRANSFORMATION, orders.status CONDITIONAL",
      "b": "orders.status TRANSFORMATION, orders.status CONDITIONAL",
      "c": "orders.status CONDITIONAL, orders.amount TRANSFORMATION"}, ""),
    ("conditional sum", "select sum(case when status = 'new' then amount end) s from orders",
     {"s": "orders.amount AGGREGATION, orders.status CONDITIONAL"}, ""),
    ("scalar subquery", "select name, (select max(amount) from orders o where o.customer_id = c.customer_id) m "
     "from customers c",
     {"name": "customers.name IDENTITY",
      "m": "orders.amount AGGREGATION, orders.customer_id FILTER, customers.customer_id FILTER"}, ""),
    ("exists", "select name from customers c where exists (select status from orders o "
     "where o.customer_id = c.customer_id and amount > 1)", {"name": "customers.name IDENTITY"},
     "orders.customer_id FILTER, customers.customer_id FILTER, orders.amount FILTER"),
    ("in", "select name from customers where customer_id in (select customer_id from orders where amount > 1)",
     {"name": "customers.name IDENTITY"},
     "orders.customer_id FILTER, customers.customer_id FILTER, orders.amount FILTER"),
    ("lateral", "select c.name, t.a from customers c join lateral (select amount a from orders o "
     "where o.customer_id = c.customer_id) t", {"name": "customers.name IDENTITY", "a": "orders.amount IDENTITY"},
     "orders.customer_id FILTER, customers.customer_id FILTER"),
    ("ctes", "with a as (select order_id, amount from orders where amount > 1), b as (select amount * 2 d from a) "
     "select x.d, y.d e from b x, b y",
     {"d": "orders.amount TRANSFORMATION", "e": "orders.amount TRANSFORMATION"}, "orders.amount FILTER"),
    ("recursion", "with recursive r(n, p, q) as (select 1, product_id, order_id from orders union all "
     "select n + 1, q, p + 1 from r where n < 3) select n, p, q from r",
     {"n": "",
      "p": "orders.product_id IDENTITY, orders.product_id TRANSFORMATION, orders.order_id IDENTITY, "
      "orders.order_id TRANSFORMATION",
      "q": "orders.product_id TRANSFORMATION, orders.order_id IDENTITY, orders.order_id TRANSFORMATION"}, ""),
    ("generators", "select id, p, i.price, k from events lateral view outer posexplode(items) t as p, i "
     "lateral view explode(attrs) m as k, v",
     {"id": "events.id IDENTITY", "p": "events.items TRANSFORMATION", "price": "events.items.price TRANSFORMATION",
      "k": "events.attrs TRANSFORMATION"}, ""),
    ("inline", "select inline(items) from events",
     {"sku": "events.items.sku TRANSFORMATION", "price": "events.items.price TRANSFORMATION"}, ""),
    ("nested fields", "select user, user.geo.city, items.price p, items[0].sku s, attrs['k'] v from events",
     {"user": "events.user IDENTITY", "city": "events.user.geo.city IDENTITY", "p": "events.items.price IDENTITY",
      "s": "events.items.sku TRANSFORMATION", "v": "events.attrs TRANSFORMATION"}, ""),
    ("built structures", "select s.b, s from (select struct(order_id as a, upper(status) as b) s from orders)",
     {"b": "orders.status TRANSFORMATION",
      "s": "orders.order_id TRANSFORMATION, orders.status TRANSFORMATION"}, ""),
    ("lambdas", "select transform(items, x -> x.price * id) a, filter(items, x -> x.price > id) b, "
     "exists(items, x -> x.sku = 'a') c, aggregate(items, 0D, (s, x) -> s + x.price, s -> s * id) d, "
     "transform(items, x -> 1) e, zip_with(items, array(id), (x, y) -> x.sku) f, "
     "transform(items, x -> transform(array(id), y -> x.price + y)) g from events",
     {"a": "events.items.price TRANSFORMATION, events.id TRANSFORMATION",
      "b": "events.items TRANSFORMATION, events.id TRANSFORMATION", "c": "events.items.sku TRANSFORMATION",
      "d": "events.items.price TRANSFORMATION, events.id TRANSFORMATION", "e": "events.items TRANSFORMATION",
      "f": "events.items.sku TRANSFORMATION, events.id TRANSFORMATION",
      "g": "events.items.price TRANSFORMATION, events.id TRANSFORMATION"}, ""),
    ("reduction to a structure", "select aggregate(items, named_struct('s', 0D, 'n', 0), (a, x) -> "
     "named_struct('s', a.s + x.price, 'n', a.n + 1), a -> a.s) m from events",
     {"m": "events.items.price TRANSFORMATION"}, ""),
    ("pivot", "select * from (select customer_id, status, amount from orders) "
     "pivot (sum(amount) for status in ('new'))",
     {"customer_id": "orders.customer_id IDENTITY, orders.status GROUP_BY",
      "new": "orders.amount AGGREGATION, orders.customer_id GROUP_BY, orders.status GROUP_BY"}, ""),
    ("unpivot", "select * from (select status, order_id, product_id from orders) unpivot include nulls "
     "(v for n in (order_id, product_id))",
     {"status": "orders.status IDENTITY", "n": "", "v": "orders.order_id IDENTITY, orders.product_id IDENTITY"}, ""),
    ("ordered aggregates", "select listagg(status) within group (order by ts) l, max_by(status, amount) m from orders",
     {"l": "orders.status AGGREGATION, orders.ts WINDOW",
      "m": "orders.status AGGREGATION, orders.amount AGGREGATION"}, ""),
    ("between", "select amount between order_id and product_id b from orders",
     {"b": "orders.amount TRANSFORMATION, orders.order_id TRANSFORMATION, orders.product_id TRANSFORMATION"}, ""),
    ("values", "select a, b + 1 c from values (1, 2) as t(a, b)", {"a": "", "c": ""}, ""),
    ("odd names", "select order_id as `a.b`, status as `ü \"x\"` from orders",
     {"a.b": "orders.order_id IDENTITY", 'ü "x"': "orders.status IDENTITY"}, ""),
]  # fmt: skip


@pytest.mark.parametrize(
    ("query", "columns", "everywhere"), [one[1:] for one in QUERIES], ids=[one[0] for one in QUERIES]
)
def test_a_query_is_read_as_it_means(spark, query, columns, everywhere):
    answer = read(spark.sql(query))
    assert told(answer) == written(columns, everywhere)
    assert answer.opaque == ()
    assert answer.outputs == ()


def test_each_dataset_is_an_input_once_even_if_no_column_comes_from_it(spark):
    query = "select name from customers a where exists (select 1 from orders) and name in (select name from customers)"
    assert inputs(read(spark.sql(query))) == ["customers", "orders"]


def test_an_input_has_its_schema_with_nested_fields(spark):
    [events] = read(spark.table("events")).inputs
    assert [(one.name, one.type) for one in events.fields][:2] == [
        ("id", "int"),
        ("user", "struct<id:int,geo:struct<city:string,zip:string>>"),
    ]
    assert [one.name for one in events.fields[1].fields] == ["id", "geo"]
    assert [one.name for one in events.fields[2].fields] == ["sku", "price"]
    assert events.format == "json"


def test_union_by_name_with_missing_columns(spark):
    left = spark.table("orders").select("status", "order_id")
    right = spark.table("customers").select(F.col("customer_id").alias("order_id"), "name")
    assert told(read(left.unionByName(right, allowMissingColumns=True))) == written(
        {
            "status": "orders.status IDENTITY",
            "order_id": "orders.order_id IDENTITY, customers.customer_id IDENTITY",
            "name": "customers.name IDENTITY",
        }
    )


def test_unpivot_of_a_frame(spark):
    frame = spark.table("orders").unpivot("status", ["order_id", "product_id"], "n", "v")
    assert told(read(frame)) == written(
        {"status": "orders.status IDENTITY", "n": "", "v": "orders.order_id IDENTITY, orders.product_id IDENTITY"}
    )


def test_drop_duplicates_groups_by_its_keys(spark):
    frame = spark.table("orders").select("status", "amount").dropDuplicates(["status"])
    assert told(read(frame)) == written(
        {"status": "orders.status IDENTITY", "amount": "orders.amount IDENTITY"}, "orders.status GROUP_BY"
    )


def test_what_only_moves_rows_changes_nothing(spark):
    frame = spark.table("orders").observe("o", F.count("*").alias("n")).hint("broadcast").sample(0.5, 1)
    moved = frame.repartition(2, "status").coalesce(1).offset(1).limit(5).alias("z").select("z.amount")
    assert told(read(moved)) == written({"amount": "orders.amount IDENTITY"})


def test_fields_of_a_structure_are_replaced_and_dropped_one_by_one(spark):
    frame = spark.table("events").select(
        F.col("user").withField("id", F.col("id") + 1).dropFields("geo.zip").alias("u")
    )
    assert told(read(frame)) == written({"u": "events.id TRANSFORMATION, events.user.geo.city TRANSFORMATION"})


def test_fields_survive_lists_of_structures(spark):
    listed = spark.table("events").groupBy("id").agg(F.collect_list(F.struct("user.id", "attrs")).alias("l"))
    frame = listed.select(F.col("l")[0]["attrs"].alias("a"), F.col("l.id").alias("i"))
    assert told(read(frame)) == written(
        {"a": "events.attrs AGGREGATION", "i": "events.user.id AGGREGATION"}, "events.id GROUP_BY"
    )


def test_functions_in_python_take_from_their_arguments(spark):
    @F.pandas_udf("double")
    def mean(values: pd.Series) -> float:
        return values.mean()

    plain = F.udf(lambda a, b: f"{a}{b}")
    orders = spark.table("orders").withColumn("x", plain("status", "order_id"))
    frame = orders.groupBy("x").agg(mean("amount").alias("m"))
    assert told(read(frame)) == written(
        {
            "x": "orders.status TRANSFORMATION, orders.order_id TRANSFORMATION",
            "m": "orders.amount AGGREGATION, orders.status GROUP_BY, orders.order_id GROUP_BY",
        }
    )
    windowed = spark.table("orders").select(mean("amount").over(Window.partitionBy("status")).alias("m"))
    assert told(read(windowed)) == written({"m": "orders.amount AGGREGATION, orders.status WINDOW"})


def test_rows_that_a_python_function_makes_depend_on_everything_and_are_listed(spark):
    frame = spark.table("customers").filter("country = 'DE'").mapInPandas(lambda rows: rows, "a int, b string")
    answer = read(frame.selectExpr("a + 1 as c", "1 as one"))
    every = "customers.customer_id TRANSFORMATION, customers.name TRANSFORMATION, customers.country TRANSFORMATION"
    assert told(answer) == written({"c": every, "one": ""}, "customers.country FILTER")
    assert [(one.operator, one.columns) for one in answer.opaque] == [("MapInPandas", ("c",))]


def test_groups_that_a_python_function_makes_depend_on_both_sides(spark):
    left, right = spark.table("orders").groupBy("customer_id"), spark.table("customers").groupBy("customer_id")
    answer = read(left.cogroup(right).applyInPandas(lambda a, b: a, "a int"))
    assert inputs(answer) == ["customers", "orders"]
    assert len(told(answer)["a"]) == 9
    assert answer.opaque[0].columns == ("a",)


def test_a_table_function_in_python_is_opaque_with_its_arguments(spark):
    @F.udtf(returnType="a int")
    class Twice:
        def eval(self, x):
            yield (x,)

    spark.udtf.register("twice", Twice)
    answer = read(spark.sql("select order_id, a from orders, lateral twice(product_id)"))
    assert told(answer) == written({"order_id": "orders.order_id IDENTITY", "a": "orders.product_id TRANSFORMATION"})
    assert [(one.operator, one.columns) for one in answer.opaque] == [("twice", ("a",))]


def test_a_script_is_opaque(spark):
    answer = read(spark.sql("select transform(name) using 'cat' as (a string) from customers"))
    assert len(told(answer)["a"]) == 3
    assert [one.operator for one in answer.opaque] == ["ScriptTransformation"]


def test_the_file_of_a_row_is_a_field_of_its_source(spark, tmp_path):
    (tmp_path / "t.csv").write_text("1\n")
    answer = read(spark.read.schema("a int").csv(str(tmp_path / "t.csv")).select("_metadata.file_name", "a"))
    assert told(answer) == written({"file_name": "t._metadata.file_name IDENTITY", "a": "t.a IDENTITY"})
    assert [one.name for one in answer.inputs[0].fields] == ["a"]
