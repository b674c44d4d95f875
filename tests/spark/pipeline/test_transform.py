"""Each kind of step does what the definition says of it, and what doesn't fit is told with the step's number."""

import threading
import unicodedata
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from lineage_hub.errors import FunctionFailed, InvalidStage
from lineage_hub.spark.pipeline.boundary import hand_on, mark
from lineage_hub.spark.pipeline.definition import Transform
from lineage_hub.spark.pipeline.steps import STEPS
from lineage_hub.spark.pipeline.steps.texts import WHITE
from lineage_hub.spark.pipeline.transform import apply
from tests.spark.pipeline import shop_functions

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark")]
HERE = "tests.spark.pipeline.shop_functions"


@pytest.fixture(scope="module")
def shop(spark: SparkSession) -> dict[str, DataFrame]:
    orders = spark.sql(
        "SELECT * FROM VALUES (1, 'ann', 10.0D, DATE'2026-11-01'), (2, 'bob', 20.0D, DATE'2026-11-02'),"
        " (3, 'ann', 5.0D, DATE'2026-11-03'), (4, 'eve', 7.5D, NULL) AS t(order_id, customer, amount, day)"
    )
    customers = spark.sql(
        "SELECT * FROM VALUES ('ann', 'Ann', 'eu'), ('bob', 'Bob', 'us') AS t(customer, name, region)"
    )
    return {"orders": hand_on(orders, "orders"), "customers": hand_on(customers, "customers")}


def made(spark: SparkSession, frames: Mapping[str, DataFrame], *steps: dict[str, Any]) -> DataFrame:
    """By the steps, beginning with the first frame."""
    return apply(Transform.model_validate({"from": list(frames), "steps": list(steps)}), frames, spark)


def one_column(spark: SparkSession, kind: str, *values: Any) -> dict[str, DataFrame]:
    return {"t": spark.createDataFrame([(value,) for value in values], f"c {kind}")}


def column_of(frame: DataFrame, name: str = "c") -> list[Any]:
    return [row[name] for row in frame.collect()]


def rows(frame: DataFrame) -> set[tuple[Any, ...]]:
    return {tuple(row) for row in frame.collect()}


def refusal(spark: SparkSession, frames: Mapping[str, DataFrame], *steps: dict[str, Any]) -> InvalidStage:
    with pytest.raises(InvalidStage) as caught:
        made(spark, frames, *steps)
    return caught.value


def test_every_kind_of_step_that_a_definition_can_have_is_done() -> None:
    from lineage_hub.spark.pipeline.definition import Step

    assert set(STEPS) == set(Step.model_fields)


class TestCleaning:
    def test_trim_takes_every_white_space_at_both_ends(self, spark: SparkSession) -> None:
        frames = one_column(spark, "string", "  a b\t", "\u00a0\u3000x\u2003\n", "", None, "\ufeffid")
        assert column_of(made(spark, frames, {"trim": "c"})) == ["a b", "x", "", None, "id"]

    def test_white_space_is_what_python_takes_for_it(self) -> None:
        assert set(WHITE) == {chr(code) for code in range(0x110000) if chr(code).isspace()} | {"\ufeff"}

    def test_cast_makes_null_of_what_cannot_be_cast(self, spark: SparkSession) -> None:
        frames = one_column(spark, "string", "12", "12x", "99999999999", None)
        assert column_of(made(spark, frames, {"cast": {"c": "int"}})) == [12, None, None, None]
        decimals = one_column(spark, "string", "1.25", "1234.5", "x")
        assert column_of(made(spark, decimals, {"cast": {"c": "decimal(5,2)"}})) == [Decimal("1.25"), None, None]

    def test_fill_puts_a_value_of_the_column_s_type_in_the_place_of_null(self, spark: SparkSession) -> None:
        frame = spark.sql(
            "SELECT CAST(NULL AS INT) n, CAST(NULL AS DECIMAL(6,2)) d, CAST(NULL AS DATE) t, CAST(NULL AS STRING) s,"
            " CAST(NULL AS BOOLEAN) b, CAST(NULL AS TIMESTAMP_NTZ) at"
        )
        filled = made(
            spark,
            {"t": frame},
            {"fill": {"n": 7, "d": 1.5, "t": "2026-11-30", "s": 3, "b": False, "at": "2026-11-30T18:00:00"}},
        )
        assert filled.dtypes == frame.dtypes
        row = filled.first()
        assert row is not None
        assert (row.n, row.d, row.t, row.s, row.b) == (7, Decimal("1.50"), date(2026, 11, 30), "3", False)
        assert row["at"].isoformat() == "2026-11-30T18:00:00"

    @pytest.mark.parametrize(
        ("kind", "value"),
        [("int", "abc"), ("int", 0.5), ("tinyint", 300), ("decimal(4,2)", 100), ("decimal(4,2)", 1.125),
         ("date", "30.11.2026"), ("boolean", "maybe"), ("array<int>", 1), ("int", True)],
    )  # fmt: skip
    def test_a_value_that_the_column_cannot_hold_is_refused(self, spark: SparkSession, kind: str, value: Any) -> None:
        told = refusal(spark, {"t": spark.sql(f"SELECT CAST(NULL AS {kind}) c")}, {"fill": {"c": value}})
        assert told.message.startswith("step 1 (fill): ")
        assert kind.upper() in told.message

    def test_normalise(self, spark: SparkSession) -> None:
        examples = [
            ("lower", "ÄB c", "äb c"),
            ("upper", "äb", "ÄB"),
            ("title", "ann-marie SMITH", "Ann-marie Smith"),
            ("spaces", " a \t\u00a0 b\n", "a b"),
            ("digits", "+49 (0) 30-12", "4903012"),
            ("email", "  Ann@Example.ORG\t", "ann@example.org"),
            ("empty_to_null", " \t", None),
            ("empty_to_null", " a ", " a "),
            ("ascii", "Ångström Straße œuvre Łódź", "Angstrom Strasse oeuvre Lodz"),
        ]
        names = [f"c{at}" for at in range(len(examples))]
        given = [tuple(before for _, before, _ in examples), (None,) * len(examples)]
        frame = spark.createDataFrame(given, ", ".join(f"{name} string" for name in names))
        kinds = {name: kind for name, (kind, _, _) in zip(names, examples, strict=True)}
        assert rows(made(spark, {"t": frame}, {"normalise": kinds})) == {
            tuple(after for _, _, after in examples), (None,) * len(examples),
        }  # fmt: skip

    def test_ascii_does_to_every_accented_letter_what_unicode_says(self, spark: SparkSession) -> None:
        letters = [chr(code) for code in range(0xC0, 0x2000) if len(_plain(chr(code))) == 1] + ["漢", "e\u0301"]
        found = column_of(made(spark, one_column(spark, "string", *letters), {"normalise": {"c": "ascii"}}))
        assert found == [_plain(letter) for letter in letters]

    def test_of_equal_keys_the_first_by_the_order_stays(self, spark: SparkSession) -> None:
        frame = spark.createDataFrame(
            [(1, 5, "a"), (1, 9, "b"), (2, 1, "c"), (None, 3, "d"), (None, 4, "e")], "k int, v int, w string"
        )
        steps = {"drop_duplicates": {"keys": "k", "order_by": ["v desc"]}}
        assert rows(made(spark, {"t": frame}, steps)) == {(1, 9, "b"), (2, 1, "c"), (None, 4, "e")}

    def test_rows_that_the_order_cannot_tell_apart_give_the_same_row_whatever_comes_first(
        self, spark: SparkSession
    ) -> None:
        given = [(1, 5, name, {"m": 1}) for name in "dacb"]
        steps = {"drop_duplicates": {"keys": ["k"], "order_by": "v"}}
        for some in (given, given[::-1], given[2:] + given[:2]):
            frame = spark.createDataFrame(some, "k int, v int, w string, m map<string,int>")
            assert column_of(made(spark, {"t": frame.repartition(2)}, steps), "w") == ["a"]

    def test_without_an_order_one_of_equal_keys_stays(self, spark: SparkSession) -> None:
        frame = spark.createDataFrame([(1, "a"), (1, "b"), (2, "c")], ["a.b", "w"])
        assert sorted(column_of(made(spark, {"t": frame}, {"drop_duplicates": {"keys": "a.b"}}), "a.b")) == [1, 2]


def _plain(letter: str) -> str:
    return unicodedata.normalize("NFKD", letter).encode("ascii", "ignore").decode()


class TestShaping:
    def test_columns_change_names_with_each_other(self, spark: SparkSession) -> None:
        frame = spark.createDataFrame([(1, 2, 3)], ["a", "b", "c"])
        after = made(spark, {"t": frame}, {"rename": {"a": "b", "b": "a"}})
        assert after.columns == ["b", "a", "c"]
        assert rows(after) == {(1, 2, 3)}

    def test_two_columns_of_one_name_are_refused(self, spark: SparkSession) -> None:
        frame = spark.createDataFrame([(1, 2)], ["a", "b"])
        assert "two columns would be called `B`" in refusal(spark, {"t": frame}, {"rename": {"a": "B"}}).message

    def test_select_and_drop(self, spark: SparkSession, shop: dict[str, DataFrame]) -> None:
        assert made(spark, shop, {"select": ["amount", "order_id"]}).columns == ["amount", "order_id"]
        assert made(spark, shop, {"drop": ["amount", "day"]}).columns == ["order_id", "customer"]

    def test_a_derived_column_may_use_one_before_it_and_replace_one(
        self, spark: SparkSession, shop: dict[str, DataFrame]
    ) -> None:
        steps = {"derive": {"amount": "amount * 2", "more": "amount + 1"}}
        after = made(spark, shop, {"filter": "orders.order_id = 1"}, steps)
        assert [(row.amount, row.more) for row in after.collect()] == [(20.0, 21.0)]

    def test_a_window_has_its_rows_order_and_partitions(self, spark: SparkSession) -> None:
        frame = spark.createDataFrame(
            [("a", n, n * 10) for n in range(1, 5)] + [("b", 1, 7)], "k string, `the day` int, v int"
        )
        window = {"partition_by": "k", "order_by": "the day", "rows": [-1, 0]}
        after = made(spark, {"t": frame}, {"window": {"columns": {"two": "sum(v)"}, **window}})
        assert {(row.k, row["the day"]): row.two for row in after.collect()} == {
            ("a", 1): 10, ("a", 2): 30, ("a", 3): 50, ("a", 4): 70, ("b", 1): 7,
        }  # fmt: skip
        ranked = made(spark, {"t": frame}, {"window": {"columns": {"place": "row_number()"}, "order_by": "v desc"}})
        assert {row.v: row.place for row in ranked.collect()} == {40: 1, 30: 2, 20: 3, 10: 4, 7: 5}
        whole = made(spark, {"t": frame}, {"window": {"columns": {"n": "count(*)"}, "rows": [None, None]}})
        assert set(column_of(whole, "n")) == {5}

    def test_names_are_names_whatever_letters_they_have(self, spark: SparkSession) -> None:
        names = ["a.b", "two words", "quo`te", "größe 漢", 'say "x"', "it's"]
        frame = spark.createDataFrame(
            [(" x ", None, "Y", "Z", "1", "k"), (" x ", None, "Y", "Z", "1", "l")],
            ", ".join(f"`{n.replace('`', '``')}` string" for n in names),
        )
        after = made(
            spark,
            {"t": frame},
            {"join": {"with": "t", "on": ["a.b", "quo`te"], "how": "semi"}},
            {"trim": ["a.b"]},
            {"fill": {"two words": "-"}},
            {"normalise": {"quo`te": "lower", "größe 漢": "lower"}},
            {"cast": {"say \"x\"": "int"}},
            {"drop_duplicates": {"keys": ["a.b", "quo`te"], "order_by": ["it's"]}},
            {"window": {"columns": {"n.n": "count(*)"}, "partition_by": ["a.b"]}},
            {"rename": {"größe 漢": "size.of"}},
            {"select": ["a.b", "two words", "quo`te", "size.of", "say \"x\"", "n.n"]},
            {"drop": ["n.n"]},
        )  # fmt: skip
        assert after.columns == ["a.b", "two words", "quo`te", "size.of", 'say "x"']
        assert rows(after) == {("x", "-", "y", "z", 1)}


class TestJoining:
    def test_by_columns_the_key_is_there_once(self, spark: SparkSession, shop: dict[str, DataFrame]) -> None:
        after = made(spark, shop, {"join": {"with": "customers", "on": "customer", "columns": ["name"]}})
        assert after.columns == ["customer", "order_id", "amount", "day", "name"]
        assert {(row.order_id, row.name) for row in after.collect()} == {(1, "Ann"), (2, "Bob"), (3, "Ann"), (4, None)}

    def test_of_a_full_join_the_key_is_that_of_the_side_that_has_it(
        self, spark: SparkSession, shop: dict[str, DataFrame]
    ) -> None:
        extra = spark.sql("SELECT 'zoe' AS CUSTOMER, 1 AS points")
        frames = {"orders": shop["orders"], "points": extra}
        after = made(spark, frames, {"join": {"with": "points", "on": "customer", "how": "full"}})
        assert sorted(column_of(after, "customer")) == ["ann", "ann", "bob", "eve", "zoe"]

    def test_by_a_condition_both_stages_go_by_their_names(
        self, spark: SparkSession, shop: dict[str, DataFrame]
    ) -> None:
        after = made(
            spark,
            shop,
            {"derive": {"who": "upper(customer)"}},
            {
                "join": {
                    "with": "customers",
                    "condition": "orders.who = upper(customers.customer) AND customers.region = 'eu'",
                    "columns": ["region"],
                    "how": "inner",
                }
            },
            {"filter": "amount > 5"},
        )
        assert [(row.order_id, row.who, row.region) for row in after.collect()] == [(1, "ANN", "eu")]

    @pytest.mark.parametrize(("how", "found"), [("semi", {1, 2, 3}), ("anti", {4})])
    def test_rows_with_or_without_a_match(
        self, spark: SparkSession, shop: dict[str, DataFrame], how: str, found: set[int]
    ) -> None:
        for by in ({"on": ["customer"]}, {"condition": "orders.customer = customers.customer"}):
            after = made(spark, shop, {"join": {"with": "customers", "how": how, **by}})
            assert after.columns == ["order_id", "customer", "amount", "day"] or by.get("on")
            assert set(column_of(after, "order_id")) == found

    def test_a_stage_can_be_joined_with_itself(self, spark: SparkSession) -> None:
        staff = hand_on(spark.createDataFrame([(1, "a", None), (2, "b", 1)], "id int, name string, boss int"), "staff")
        steps = [
            {"join": {"with": "staff", "condition": "this.boss = staff.id", "how": "inner", "columns": ["title"]}},
        ]
        with pytest.raises(InvalidStage, match=r"step 1 \(join\): in staff there is no column `title`"):
            made(spark, {"staff": staff}, *steps)
        renamed = [{"rename": {"id": "own_id", "name": "own_name", "boss": "own_boss"}}]
        after = made(
            spark,
            {"staff": staff},
            *renamed,
            {"join": {"with": "staff", "condition": "this.own_boss = staff.id", "how": "inner", "columns": ["name"]}},
        )
        assert rows(after) == {(2, "b", 1, "a")}

    def test_every_row_with_every_row(self, spark: SparkSession, shop: dict[str, DataFrame]) -> None:
        after = made(spark, shop, {"join": {"with": "customers", "how": "cross", "columns": ["name"]}})
        assert after.count() == 8

    def test_columns_that_both_sides_have_are_refused(self, spark: SparkSession, shop: dict[str, DataFrame]) -> None:
        told = refusal(spark, shop, {"join": {"with": "customers", "how": "cross"}})
        assert told.message == "step 1 (join): both sides have `customer`"
        assert told.action == "name the `columns` that are wanted of customers, or rename them before"

    def test_a_wrong_name_in_a_condition_is_told_with_the_nearest(
        self, spark: SparkSession, shop: dict[str, DataFrame]
    ) -> None:
        told = refusal(
            spark,
            shop,
            {"join": {"with": "customers", "condition": "orders.custmer = customers.customer", "columns": "name"}},
        )
        assert told.message.startswith("step 1 (join): there is no column `orders`.`custmer`")
        assert "customer" in (told.action or "")


class TestSql:
    def test_stages_go_by_their_names_and_this_is_what_the_steps_made(
        self, spark: SparkSession, shop: dict[str, DataFrame]
    ) -> None:
        after = made(
            spark,
            shop,
            {"filter": "amount > 6"},
            {
                "sql": "SELECT this.order_id, customers.name,"
                " (SELECT count(*) FROM orders o WHERE o.customer = this.customer) n"
                " FROM this LEFT JOIN customers USING (customer) WHERE EXISTS (SELECT 1 FROM orders WHERE order_id = 3)"
            },
        )
        assert rows(after) == {(1, "Ann", 2), (2, "Bob", 1), (4, None, 1)}

    def test_a_with_of_the_statement_wins_over_a_stage(self, spark: SparkSession, shop: dict[str, DataFrame]) -> None:
        text = "WITH orders AS (SELECT order_id, amount * 2 AS amount FROM orders) SELECT orders.amount FROM orders"
        assert sorted(column_of(made(spark, shop, {"sql": text}), "amount")) == [10.0, 15.0, 20.0, 40.0]

    def test_a_table_or_view_of_the_session_doesn_t_hide_a_stage_and_none_is_left_behind(
        self, spark: SparkSession, shop: dict[str, DataFrame]
    ) -> None:
        spark.range(1).createOrReplaceTempView("customers")
        before = {table.name for table in spark.catalog.listTables()}
        try:
            assert made(spark, shop, {"sql": "SELECT name FROM customers"}).count() == 2
            assert {table.name for table in spark.catalog.listTables()} == before
        finally:
            spark.catalog.dropTempView("customers")

    def test_stages_at_the_same_time_don_t_meet(self, spark: SparkSession) -> None:
        found: dict[int, list[int]] = {}

        def work(number: int) -> None:
            frames = {"t": spark.range(number, number + 1).alias("t")}
            for _ in range(5):
                found.setdefault(number, []).extend(column_of(made(spark, frames, {"sql": "SELECT id FROM t"}), "id"))

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        assert found == {number: [number] * 5 for number in range(4)}

    def test_a_function_of_the_session_can_be_used(self, spark: SparkSession, shop: dict[str, DataFrame]) -> None:
        spark.udf.register("shout", lambda text: f"{text}!", "string")
        after = made(spark, shop, {"sql": "SELECT shout(name) AS c FROM customers"})
        assert set(column_of(after)) == {"Ann!", "Bob!"}

    @pytest.mark.parametrize(
        "text",
        ["INSERT INTO x SELECT * FROM orders", "WITH a AS (SELECT 1) INSERT INTO x SELECT * FROM a", "DROP TABLE x",
         "CREATE VIEW v AS SELECT 1", "SET a=b", "FROM orders INSERT INTO a SELECT 1 INSERT INTO b SELECT 2"],
    )  # fmt: skip
    def test_what_is_no_query_is_refused_and_not_done(
        self, spark: SparkSession, shop: dict[str, DataFrame], text: str
    ) -> None:
        told = refusal(spark, shop, {"sql": text})
        assert told.message.startswith("step 1 (sql): the statement is no query (")
        assert not spark.catalog.tableExists("v")

    @pytest.mark.parametrize("text", ["BEGIN SELECT 1; END", "SELECT 1; SELECT 2", "SELEC 1", ""])
    def test_what_is_no_statement_is_refused(self, spark: SparkSession, shop: dict[str, DataFrame], text: str) -> None:
        assert refusal(spark, shop, {"sql": text}).message.startswith("step 1 (sql): ")

    def test_a_misspelt_stage_is_told_with_the_nearest(self, spark: SparkSession, shop: dict[str, DataFrame]) -> None:
        told = refusal(spark, shop, {"sql": "SELECT * FROM\n custmers"})
        assert told.message == "step 1 (sql): there is no stage or table `custmers` (line 2, character 2)"
        assert (told.action or "").startswith("did you mean `customers`? the stages in `from` are ")

    def test_the_mark_of_a_stage_stays_in_the_plan_whatever_is_called_by_its_name(
        self, spark: SparkSession, shop: dict[str, DataFrame]
    ) -> None:
        text = "SELECT orders.a FROM (SELECT amount * 2 AS a FROM orders) AS orders"
        plan = made(spark, shop, {"sql": text})._jdf.queryExecution().analyzed().toString()
        lines = [line.strip(" :+-") for line in plan.splitlines()]
        assert f"SubqueryAlias {mark('orders')}" in plan.replace("`", "")
        assert sum(line == "SubqueryAlias orders" for line in lines) >= 2


class TestPython:
    def test_a_function_gets_the_rows_and_other_stages_by_name(
        self, spark: SparkSession, shop: dict[str, DataFrame]
    ) -> None:
        after = made(spark, shop, {"python": f"{HERE}:double"}, {"python": f"{HERE}:with_names"})
        assert {(row.order_id, row.amount, row.name) for row in after.collect()} == {
            (1, 20.0, "Ms Ann"), (2, 40.0, "Ms Bob"), (3, 10.0, "Ms Ann"),
        }  # fmt: skip

    def test_a_callable_a_method_and_a_decorated_function_do_as_well(
        self, spark: SparkSession, shop: dict[str, DataFrame]
    ) -> None:
        assert set(column_of(made(spark, shop, {"python": shop_functions.wrapped}), "order_id")) == {1, 2, 3}
        assert column_of(made(spark, shop, {"python": f"{HERE}:Steps.first"}), "order_id") == [1]
        assert made(spark, shop, {"python": lambda frame: frame.limit(2)}).count() == 2

    def test_what_it_raises_is_told_with_function_file_and_line(
        self, spark: SparkSession, shop: dict[str, DataFrame]
    ) -> None:
        source = Path(shop_functions.__file__).read_text().splitlines()
        line = next(number for number, text in enumerate(source, 1) if "the line that the error names" in text)
        with pytest.raises(FunctionFailed) as caught:
            made(spark, shop, {"filter": "true"}, {"python": f"{HERE}:raises"})
        place = f"{shop_functions.__file__}:{line}"
        said = f"step 2 (python): {HERE}:raises raised ValueError: the year has 13 months ({place})"
        assert caught.value.message == said
        assert isinstance(caught.value.__cause__, ValueError)

    def test_what_spark_says_of_it_is_told_short(self, spark: SparkSession, shop: dict[str, DataFrame]) -> None:
        with pytest.raises(
            FunctionFailed, match=r"raised there is no column `amuont`.*shop_functions\.py:\d+\)$"
        ) as caught:
            made(spark, shop, {"python": f"{HERE}:selects_what_is_not_there"})
        assert "did you mean `amount`?" in (caught.value.action or "")

    @pytest.mark.parametrize(
        ("function", "said"),
        [
            ("forgets_to_return", "returned nothing, not a DataFrame"),
            ("takes_nothing", "takes no DataFrame"),
            ("LIMIT", "is no function"),
            ("dubble", "has no 'dubble'"),
        ],
    )
    def test_what_is_no_step_is_refused(
        self, spark: SparkSession, shop: dict[str, DataFrame], function: str, said: str
    ) -> None:
        with pytest.raises(FunctionFailed, match=said):
            made(spark, shop, {"python": f"{HERE}:{function}"})

    def test_a_parameter_that_no_stage_has_is_told_with_the_nearest(
        self, spark: SparkSession, shop: dict[str, DataFrame]
    ) -> None:
        told = refusal(spark, shop, {"python": f"{HERE}:wants_a_stage"})
        assert "wants `custmers`" in told.message
        assert "did you mean `customers`?" in (told.action or "")

    @pytest.mark.parametrize("path", ["no_such_module_here:f", "tests.spark.pipeline:f.g", "nonsense"])
    def test_what_cannot_be_found_is_told(self, spark: SparkSession, shop: dict[str, DataFrame], path: str) -> None:
        with pytest.raises(FunctionFailed, match=r"step 1 \(python\)"):
            made(spark, shop, {"python": path})

    def test_a_module_that_cannot_be_imported_is_told_with_the_line(
        self, spark: SparkSession, shop: dict[str, DataFrame], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "broken_steps_module.py").write_text("\n\nimport no_such_library_here\n")
        monkeypatch.syspath_prepend(tmp_path)
        with pytest.raises(FunctionFailed, match=r"no_such_library_here.*broken_steps_module\.py:3\)$"):
            made(spark, shop, {"python": "broken_steps_module:f"})


class TestWhatDoesNotFit:
    @pytest.mark.parametrize(
        ("kind", "given"),
        [
            ("trim", ["custmer"]), ("cast", {"custmer": "int"}), ("fill", {"custmer": "x"}),
            ("normalise", {"custmer": "lower"}), ("drop_duplicates", {"keys": ["custmer"]}),
            ("drop_duplicates", {"keys": ["order_id"], "order_by": ["custmer desc"]}),
            ("rename", {"custmer": "c"}), ("select", ["custmer"]), ("drop", ["custmer"]),
            ("filter", "custmer = 'ann'"), ("derive", {"x": "upper(custmer)"}),
            ("join", {"with": "customers", "on": ["custmer"]}),
            ("window", {"columns": {"n": "count(*)"}, "partition_by": ["custmer"]}),
            ("sql", "SELECT custmer FROM orders"),
        ],
    )  # fmt: skip
    def test_a_missing_column_is_told_with_step_and_nearest_name(
        self, spark: SparkSession, shop: dict[str, DataFrame], kind: str, given: Any
    ) -> None:
        told = refusal(spark, shop, {"filter": "amount > 0"}, {kind: given})
        assert told.message.startswith(f"step 2 ({kind}): there is no column `custmer`")
        assert told.subject == "custmer"
        assert (told.action or "").startswith("did you mean `customer`? the columns are `order_id`, `customer`")

    @pytest.mark.parametrize(
        ("step", "said"),
        [
            ({"filter": "amount >"}, "yntax error"),
            ({"filter": "amount + 1"}, "is not a boolean"),
            ({"derive": {"x": "no_such_function(amount)"}}, "Spark has no function `no_such_function`"),
            ({"derive": {"x": "sum(amount)"}}, "aggregate|GROUP BY"),
            ({"cast": {"amount": "decimall(3)"}}, "Spark has no type 'decimall"),
            ({"cast": {"amount": "array<int>"}}, "cannot cast"),
            ({"trim": ["amount"]}, "`amount` is DOUBLE, not text"),
            ({"window": {"columns": {"x": "upper(customer)"}}}, "window"),
        ],
    )
    def test_what_spark_refuses_is_told_in_one_sentence(
        self, spark: SparkSession, shop: dict[str, DataFrame], step: dict[str, Any], said: str
    ) -> None:
        with pytest.raises(InvalidStage, match=said) as caught:
            made(spark, shop, step)
        assert "\n" not in caught.value.message
        assert "SQLSTATE" not in caught.value.message
        assert caught.value.action

    def test_case_is_as_the_session_has_it(self, spark: SparkSession, shop: dict[str, DataFrame]) -> None:
        assert made(spark, shop, {"select": ["AMOUNT"]}).columns == ["amount"]
        spark.conf.set("spark.sql.caseSensitive", "true")
        try:
            assert refusal(spark, shop, {"select": ["AMOUNT"]}).subject == "AMOUNT"
        finally:
            spark.conf.unset("spark.sql.caseSensitive")

    def test_a_name_that_two_columns_have_is_refused(self, spark: SparkSession) -> None:
        frame = spark.range(1).select(sf.col("id").alias("a"), sf.col("id").alias("a"))
        assert "2 columns are called `a`" in refusal(spark, {"t": frame}, {"select": ["a"]}).message

    def test_thousands_of_columns(self, spark: SparkSession) -> None:
        frame = spark.range(1).select(*(sf.lit(f" {n} ").alias(f"c{n}") for n in range(3000)))
        after = made(spark, {"t": frame}, {"trim": [f"c{n}" for n in range(3000)]}, {"rename": {"c0": "first"}})
        row = after.first()
        assert row is not None
        assert (row.first, row.c2999) == ("0", "2999")
