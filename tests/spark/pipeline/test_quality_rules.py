"""Rules judge rows as the definition says, from what one observation and at most one more query bring."""

import json
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from lineage_hub.errors import InternalError, InvalidStage
from lineage_hub.spark.measured import Measured
from lineage_hub.spark.pipeline.definition import Rule
from lineage_hub.spark.pipeline.quality import RulePlan, RuleResult, plan_rules

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark")]
NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
PATIENCE_S = 2.0


def rules_of(*given: dict[str, Any]) -> list[Rule]:
    return [Rule.model_validate(one) for one in given]


def judge(
    frame: DataFrame,
    *given: dict[str, Any],
    others: Mapping[str, DataFrame] | None = None,
    previous: int | None = None,
) -> tuple[list[RuleResult], RulePlan, list[tuple[Any, ...]]]:
    """As the executor does: observed while the kept rows are read, then the query of the rest."""
    plan = plan_rules("stage", rules_of(*given), frame, others or {})
    measured = Measured("stage", frame, plan.measures)
    kept = [tuple(row) for row in plan.keep(measured.frame).collect()]
    later = plan.later(frame, twice=True)
    assert plan.later(frame) == later
    return plan.results(measured.values(PATIENCE_S) or measured.counted(), later, previous, NOW), plan, kept


def only(frame: DataFrame, rule: dict[str, Any], **more: Any) -> RuleResult:
    (result,), _, _ = judge(frame, rule, **more)
    return result


@pytest.fixture(scope="module")
def orders(spark: SparkSession) -> DataFrame:
    return (
        spark.sql(
            "SELECT * FROM VALUES"
            " (1, 'new', 10.00BD, DATE'2026-11-14', TIMESTAMP'2026-11-16 00:00:00Z', 'a-1', 1, 0.5D),"
            " (2, 'paid', -3.00BD, DATE'2026-11-15', TIMESTAMP'2026-11-15 23:00:00Z', 'a-2', 2, 1.5D),"
            " (2, 'lost', 250.00BD, DATE'2027-01-01', NULL, 'x', 9, NULL),"
            " (NULL, NULL, NULL, NULL, NULL, NULL, NULL, 2.5D),"
            " (3, 'new', 0.00BD, DATE'2026-01-01', TIMESTAMP'2026-11-10 00:00:00Z', 'a-3\\n', 1, 3.5D)"
            " AS t(id, status, amount, day, at, code, customer, score)"
        )
        .select("*")
        .repartition(2)
    )


@pytest.fixture(scope="module")
def customers(spark: SparkSession) -> DataFrame:
    return spark.sql("SELECT CAST(c AS BIGINT) AS c FROM VALUES (1), (2), (2), (NULL) AS t(c)")


BROKEN: list[tuple[dict[str, Any], int]] = [
    ({"not_null": ["id"]}, 1),
    ({"not_null": ["id", "score"]}, 2),
    ({"accepted_values": {"column": "status", "values": ["new", "paid"]}}, 1),
    ({"accepted_values": {"column": "id", "values": [1, 2]}}, 1),
    ({"accepted_values": {"column": "amount", "values": ["10", -3, 250.0]}}, 1),
    ({"accepted_values": {"column": "day", "values": ["2026-11-14", "2026-11-15"]}}, 2),
    ({"range": {"column": "amount", "min": 0}}, 1),
    ({"range": {"column": "amount", "min": 0, "max": 100.5}}, 2),
    ({"range": {"column": "amount", "max": "9.99"}}, 2),
    ({"range": {"column": "id", "min": 1.5}}, 1),
    ({"range": {"column": "score", "min": 1.5, "max": 2.5}}, 2),
    ({"range": {"column": "day", "min": "2026-11-01", "max": "2026-12-31"}}, 2),
    ({"range": {"column": "at", "min": "2026-11-15T23:00:00+00:00"}}, 1),
    ({"range": {"column": "status", "min": "m", "max": "o"}}, 2),
    ({"regex": {"column": "code", "pattern": "a-[0-9]"}}, 2),
    ({"regex": {"column": "code", "pattern": "a|x"}}, 3),
    ({"regex": {"column": "id", "pattern": "[12]"}}, 1),
    ({"expression": "amount >= 0 OR status = 'paid'"}, 0),
    ({"expression": "amount > 0"}, 2),
]


class TestRowRules:
    def test_rows_that_break_it_are_counted(self, orders: DataFrame) -> None:
        results, _, _ = judge(orders, *(rule for rule, _ in BROKEN))
        found = [(rule, one.checked, one.broken, one.passed) for (rule, _), one in zip(BROKEN, results, strict=True)]
        assert found == [(rule, 5, broken, broken == 0) for rule, broken in BROKEN]

    def test_what_is_measured_beside(self, orders: DataFrame) -> None:
        results, _, _ = judge(orders, {"not_null": ["id", "score"]}, {"not_null": "day"})
        assert [one.value for one in results] == [{"id": 1, "score": 1}, {"day": 1}]

    def test_a_share_of_the_rows_may_break_it(self, orders: DataFrame) -> None:
        results, _, _ = judge(orders, *({"not_null": "id", "tolerance": share} for share in (0.0, 0.19, 0.2, 0.5)))
        assert [one.passed for one in results] == [False, False, True, True]

    def test_a_float_is_compared_as_a_float(self, spark: SparkSession) -> None:
        frame = spark.sql("SELECT CAST(0.1 AS FLOAT) AS f")
        assert only(frame, {"range": {"column": "f", "min": 0.1, "max": 0.1}}).broken == 0
        assert only(frame, {"accepted_values": {"column": "f", "values": [0.1]}}).broken == 0

    def test_names_are_names_whatever_letters_they_have(self, spark: SparkSession) -> None:
        names = ["a.b", "two words", "quo`te", "größe 漢"]
        frame = spark.createDataFrame([(1, 2, "x", None), (1, 3, "y", "z")], names)
        given: list[dict[str, Any]] = [
            {"not_null": "größe 漢", "severity": "quarantine"},
            {"unique": ["a.b", "quo`te"], "severity": "quarantine"},
            {"range": {"column": "two words", "max": 2}},
            {"regex": {"column": "quo`te", "pattern": "y"}},
            {"referential": {"column": "a.b", "to": "t.a.b"}, "severity": "quarantine"},
        ]
        results, plan, kept = judge(frame, *given, others={"t": frame})
        assert [one.broken for one in results] == [1, 0, 1, 0, 0]
        assert kept == [(1, 3, "y", "z")]
        (rejected,) = plan.rejects(frame).collect()
        assert json.loads(rejected.record) == {"a.b": 1, "two words": 2, "quo`te": "x", "größe 漢": None}


class TestTotals:
    @pytest.mark.parametrize(
        ("rule", "passed"), [({"min": 5, "max": 5}, True), ({"min": 6}, False), ({"max": 4}, False), ({}, True)]
    )
    def test_row_count(self, orders: DataFrame, rule: dict[str, int], passed: bool) -> None:
        result = only(orders, {"row_count": rule})
        assert (result.passed, result.value, result.broken) == (passed, 5, None)

    @pytest.mark.parametrize(
        ("rule", "previous", "passed"),
        [
            ({"max_drop": 0.5}, 10, True), ({"max_drop": 0.49}, 10, False), ({"max_growth": 0.25}, 4, True),
            ({"max_growth": 0.24}, 4, False), ({"max_drop": 0}, 4, True), ({"max_growth": 0}, 10, True),
            ({"max_drop": 0, "max_growth": 0}, 5, True), ({"max_growth": 9}, 0, False), ({"max_drop": 0}, 0, True),
            ({"max_drop": 0, "max_growth": 0}, None, True),
        ],
    )  # fmt: skip
    def test_row_count_change(
        self, orders: DataFrame, rule: dict[str, float], previous: int | None, passed: bool
    ) -> None:
        assert only(orders, {"row_count_change": rule}, previous=previous).passed is passed

    @pytest.mark.parametrize(
        ("column", "within", "passed", "latest"),
        [
            ("at", "12h", True, datetime(2026, 11, 16, tzinfo=UTC)),
            ("at", "719 m", False, datetime(2026, 11, 16, tzinfo=UTC)),
            ("day", "1d", True, None),
        ],
    )
    def test_freshness(
        self, orders: DataFrame, column: str, within: str, passed: bool, latest: datetime | None
    ) -> None:
        result = only(orders, {"freshness": {"column": column, "within": within}})
        assert result.passed is passed
        assert latest is None or result.value == latest

    def test_freshness_without_any_time(self, orders: DataFrame) -> None:
        assert not only(orders.filter("at IS NULL"), {"freshness": {"column": "at", "within": "1d"}}).passed


class TestSetRules:
    @pytest.mark.parametrize("kind", ["tinyint", "smallint", "int", "bigint", "decimal(19,0)", "string"])
    def test_keys_of_any_type_are_counted_exactly(self, spark: SparkSession, kind: str) -> None:
        chance = random.Random(kind)
        ends = [-128, -65, -64, -63, -1, 0, 1, 63, 64, 127]
        if kind not in ("tinyint", "smallint"):
            ends += [-(2**31), 2**31 - 1]
        if kind in ("bigint", "decimal(19,0)", "string"):
            ends += [-(2**63), 2**63 - 1]
        keys = [chance.choice(ends) for _ in range(12)] + [chance.randrange(-128, 128) for _ in range(150)]
        rows = spark.createDataFrame(
            [(str(key), at % 2) for at, key in enumerate(keys)] + [(None, 0), (None, 0)], "k string, half int"
        )
        frame = rows.select(rows.k.cast(kind).alias("k"), "half").repartition(3)
        alone, pairs = Counter(keys), Counter((key, at % 2) for at, key in enumerate(keys))
        one, two, none = (only(frame, {"unique": key}) for key in ("k", ["k", "half"], ["half", "k"]))
        assert one.broken == sum(count for count in alone.values() if count > 1) > 0
        assert two.broken == none.broken == sum(count for count in pairs.values() if count > 1)

    def test_every_row_of_a_key_that_is_there_twice_breaks_unique_and_null_does_not(self, orders: DataFrame) -> None:
        result = only(orders, {"unique": "id"})
        assert (result.checked, result.broken, result.value, result.passed) == (5, 2, 3, False)
        assert only(orders, {"unique": ["id", "status"]}).passed
        assert only(orders, {"unique": ["id"], "tolerance": 0.4}).passed

    def test_a_value_that_the_lookup_does_not_have_breaks_referential_and_null_does_not(
        self, orders: DataFrame, customers: DataFrame
    ) -> None:
        result = only(orders, {"referential": {"column": "customer", "to": "people.c"}}, others={"people": customers})
        assert (result.checked, result.broken, result.passed) == (5, 1, False)
        assert result.says == "1 of 5 rows have customer not in people.c"

    @pytest.mark.parametrize("severity", ["warn", "quarantine"])
    def test_a_column_may_refer_to_another_of_the_same_rows(self, spark: SparkSession, severity: str) -> None:
        staff = spark.sql(
            "SELECT * FROM VALUES (1, NULL, 'a'), (2, 1, 'b'), (3, 9, 'c'), (4, 5, 'd'), (5, 1, NULL)"
            " AS t(id, boss, name)"
        ).repartition(2)
        rule = {"referential": {"column": "boss", "to": "stage.id"}, "severity": severity}
        (named, known), plan, kept = judge(staff, {"not_null": "name", "severity": "quarantine"}, rule)
        assert (named.checked, named.broken) == (5, 1)
        # The row of 5 is set aside, so that nobody can refer to it any more.
        assert (known.checked, known.broken) == (4, 2)
        assert sorted(row[0] for row in kept) == ([1, 2] if severity == "quarantine" else [1, 2, 3, 4])
        reasons = {row.reason for row in plan.rejects(staff).collect()}
        assert ("boss is 5, which is not in stage.id" in reasons) is (severity == "quarantine")

    def test_several_are_answered_together(self, orders: DataFrame, customers: DataFrame) -> None:
        people = {"people": customers}
        results, _, kept = judge(
            orders,
            {"unique": "id"},
            {"referential": {"column": "customer", "to": "people.c"}},
            {"unique": ["customer", "status"]},
            {"referential": {"column": "id", "to": "people.c"}},
            {"not_null": "id"},
            {"unique": "code"},
            others=people,
        )
        assert [(one.kind, one.broken) for one in results] == [
            ("unique", 2), ("referential", 1), ("unique", 2), ("referential", 1), ("not_null", 1), ("unique", 0),
        ]  # fmt: skip
        assert len(kept) == 5

    def test_a_stage_can_look_up_itself(self, spark: SparkSession) -> None:
        staff = spark.createDataFrame([(1, None), (2, 1), (3, 7)], "id int, boss int")
        rule = {"referential": {"column": "boss", "to": "staff.id"}, "severity": "quarantine"}
        results, plan, kept = judge(staff, rule, others={"staff": staff})
        assert results[0].broken == 1
        assert set(kept) == {(1, None), (2, 1)}
        assert [row.reason for row in plan.rejects(staff).collect()] == ["boss is 7, which is not in staff.id"]

    def test_types_of_one_family_are_compared(self, spark: SparkSession) -> None:
        frame = spark.sql("SELECT * FROM VALUES (1, DATE'2026-01-01'), (2, DATE'2026-01-02') AS t(n, d)")
        lookup = spark.sql("SELECT 1.0BD AS n, TIMESTAMP_NTZ'2026-01-02 00:00:00' AS d")
        results, _, _ = judge(
            frame,
            {"referential": {"column": "n", "to": "l.n"}},
            {"referential": {"column": "d", "to": "l.d"}},
            others={"l": lookup},
        )
        assert [one.broken for one in results] == [1, 1]


class TestQuarantine:
    def test_rejected_rows_go_with_record_rules_and_reason(self, orders: DataFrame) -> None:
        results, plan, kept = judge(
            orders,
            {"not_null": ["id"], "severity": "quarantine", "name": "has an id"},
            {"range": {"column": "amount", "min": 0, "max": 100}, "severity": "quarantine"},
            {"accepted_values": {"column": "status", "values": ["new", "paid"]}, "severity": "quarantine"},
        )
        assert [(one.checked, one.broken) for one in results] == [(5, 1), (5, 2), (5, 1)]
        assert {row[0] for row in kept} == {1, 3}
        rejected = {
            (json.loads(row.record)["amount"], tuple(row.rules), row.reason) for row in plan.rejects(orders).collect()
        }
        assert rejected == {
            (None, ("has an id",), "id is null"),
            (-3.0, ("range(amount)",), "amount is -3.00, below 0"),
            (
                250.0,
                ("range(amount)", "accepted_values(status)"),
                "amount is 250.00, above 100; status is lost, which is not accepted",
            ),
        }

    def test_other_rules_judge_the_rows_that_stay(self, orders: DataFrame) -> None:
        results, _, _ = judge(
            orders,
            {"range": {"column": "amount", "min": 0, "max": 100}, "severity": "quarantine"},
            {"not_null": "id", "severity": "fail"},
            {"range": {"column": "amount", "max": 5}},
            {"unique": "id", "severity": "fail"},
            {"row_count": {"max": 3}},
            {"freshness": {"column": "at", "within": "12h"}},
        )
        assert [(one.kind, one.checked, one.broken) for one in results] == [
            ("range", 5, 2), ("not_null", 3, 1), ("range", 3, 1), ("unique", 3, 0), ("row_count", 3, None),
            ("freshness", 3, None),
        ]  # fmt: skip
        assert results[4].passed

    def test_no_row_of_a_key_that_is_there_twice_is_kept(self, orders: DataFrame) -> None:
        results, plan, kept = judge(orders, {"unique": "id", "severity": "quarantine"}, {"row_count": {"min": 1}})
        assert {row[0] for row in kept} == {1, None, 3}
        assert (results[0].broken, results[1].value) == (2, 3)
        assert not plan.later_on_kept
        assert sorted(row.reason for row in plan.rejects(orders).collect()) == ["id is 2, as in another row"] * 2

    def test_rows_are_counted_once_though_several_rules_take_them_out(
        self, orders: DataFrame, customers: DataFrame
    ) -> None:
        results, plan, kept = judge(
            orders,
            {"unique": "id", "severity": "quarantine"},
            {"referential": {"column": "customer", "to": "people.c"}, "severity": "quarantine"},
            {"expression": "status != 'new' OR id > 1", "severity": "quarantine"},
            {"row_count": {"min": 1}},
            others={"people": customers},
        )
        assert [row[0] for row in kept if row[0] is not None] == [3]
        assert len(kept) == 2
        assert [(one.kind, one.checked, one.broken) for one in results] == [
            ("unique", 4, 2), ("referential", 4, 1), ("expression", 5, 1), ("row_count", 2, None),
        ]  # fmt: skip
        found = sorted((row.rules, row.reason) for row in plan.rejects(orders).collect())
        assert found == [
            (["expression(status != 'new' OR id > 1)"], "not true: status != 'new' OR id > 1"),
            (["unique(id)"], "id is 2, as in another row"),
            (
                ["unique(id)", "referential(customer)"],
                "id is 2, as in another row; customer is 9, which is not in people.c",
            ),
        ]  # fmt: skip

    def test_kept_and_rejected_rows_are_all_rows(self, orders: DataFrame, customers: DataFrame) -> None:
        _, plan, kept = judge(
            orders,
            {"not_null": "id", "severity": "quarantine"},
            {"referential": {"column": "customer", "to": "people.c"}, "severity": "quarantine"},
            others={"people": customers},
        )
        assert len(kept) + plan.rejects(orders).count() == orders.count()
        assert plan.keep(orders).columns == orders.columns

    def test_what_was_observed_of_rows_that_all_went_away_is_told(self, spark: SparkSession) -> None:
        """Spark would drop the observation with the rows, and who asks for it would wait for ever."""
        frame = spark.range(4).repartition(2)
        plan = plan_rules("stage", rules_of({"expression": "id > 10", "severity": "quarantine"}), frame, {})
        measured = Measured("stage", frame, plan.measures)
        downstream = plan.keep(measured.frame).groupBy("id").count().join(spark.range(3), "id")
        assert downstream.collect() == []
        (result,) = plan.results(measured.values(PATIENCE_S) or measured.counted(), None, None, NOW)
        assert (result.checked, result.broken) == (4, 4)

    def test_without_such_rules_the_frame_is_handed_on_as_it_is(self, orders: DataFrame) -> None:
        plan = plan_rules("stage", rules_of({"not_null": "id"}, {"unique": "id"}), orders, {})
        assert plan.keep(orders) is orders
        assert plan.later_on_kept
        assert plan.rejects(orders).count() == 0


EVERY_KIND: list[dict[str, Any]] = [
    {"not_null": ["id", "status"]},
    {"unique": "id"},
    {"accepted_values": {"column": "status", "values": ["new"]}},
    {"range": {"column": "amount", "min": 0}},
    {"regex": {"column": "code", "pattern": "x"}},
    {"row_count_change": {"max_drop": 1}},
    {"referential": {"column": "customer", "to": "people.c"}},
    {"freshness": {"column": "at", "within": "1s"}},
    {"expression": "amount > 0"},
]


@pytest.mark.parametrize("severity", ["warn", "quarantine"])
def test_of_no_rows_every_rule_holds_and_row_count_decides(
    orders: DataFrame, customers: DataFrame, severity: str
) -> None:
    none = orders.filter("id > 1000")
    about_all = ("row_count_change", "freshness")
    given = [one if set(one) & set(about_all) else {**one, "severity": severity} for one in EVERY_KIND]
    results, _, kept = judge(none, *given, {"row_count": {"min": 1}}, others={"people": customers}, previous=1)
    assert kept == []
    assert [one.passed for one in results] == [True] * 9 + [False]
    assert all(one.checked == 0 for one in results)


def test_what_was_not_measured_does_not_count_as_right(orders: DataFrame, customers: DataFrame) -> None:
    plan = plan_rules("stage", rules_of(*EVERY_KIND), orders, {"people": customers})
    observed = dict.fromkeys(plan.measures, 0)
    with pytest.raises(InternalError, match=r"r1_broken, r1_distinct, r6_broken was not measured"):
        plan.results(observed, None, None, NOW)
    later = {"r1_broken": 0, "r1_distinct": 0, "r6_broken": 0}
    assert len(plan.results(observed, later, None, NOW)) == len(EVERY_KIND)
    with pytest.raises(InternalError, match=r"^rows, "):
        plan.results({}, later, None, NOW)


def test_measures_go_by_names_that_are_identifiers(orders: DataFrame, customers: DataFrame) -> None:
    plan = plan_rules("stage", rules_of(*EVERY_KIND), orders, {"people": customers})
    assert "rows" in plan.measures
    assert all(name.isidentifier() for name in plan.measures)


@pytest.mark.parametrize(
    ("rule", "said", "subject"),
    [
        ({"not_null": ["idd"]}, "there is no column `idd`", "idd"),
        ({"unique": ["idd"]}, "there is no column `idd`", "idd"),
        ({"accepted_values": {"column": "statu", "values": ["x"]}}, "there is no column `statu`", "statu"),
        ({"accepted_values": {"column": "id", "values": ["x"]}}, "'x' is no INT", "x"),
        ({"range": {"column": "amont", "min": 1}}, "there is no column `amont`", "amont"),
        ({"range": {"column": "day", "min": "yesterday"}}, "'yesterday' is no DATE", "yesterday"),
        ({"range": {"column": "status", "min": 5}}, "5 is no STRING", "5"),
        ({"range": {"column": "id"}}, "has no ends", "id"),
        ({"range": {"column": "tags", "min": 1}}, "type MAP<STRING,INT> can't be compared", "1"),
        ({"regex": {"column": "code", "pattern": "("}}, r"'\(' is no regular expression", "code"),
        ({"regex": {"column": "kode", "pattern": "x"}}, "there is no column `kode`", "kode"),
        ({"freshness": {"column": "status", "within": "1d"}}, "not a date or a time", "status"),
        ({"referential": {"column": "customer", "to": "poeple.c"}}, "there is no stage `poeple`", "poeple"),
        ({"referential": {"column": "customer", "to": "people.cc"}}, "there is no column `cc`", "cc"),
        ({"referential": {"column": "status", "to": "people.c"}}, "`status` is STRING, people.c is BIGINT", "status"),
        ({"expression": "amont > 0"}, "there is no column `amont`", "amont"),
        ({"expression": "amount + 1"}, "not true or false", "amount + 1"),
        ({"expression": "amount >"}, "yntax error", None),
        ({"expression": "sum(amount) > 0"}, "rule expression", None),
        ({"expression": "row_number() OVER (ORDER BY id) > 0"}, "rule expression", None),
        ({"expression": "rand() > 2"}, "another answer each time", "rand() > 2"),
        ({"unique": ["tags"]}, "rule unique", None),
    ],
)
def test_a_rule_that_does_not_fit_is_refused_before_any_job(
    spark: SparkSession, orders: DataFrame, customers: DataFrame, rule: dict[str, Any], said: str, subject: str | None
) -> None:
    frame = orders.selectExpr("*", "map('a', 1) AS tags")
    tracker = spark.sparkContext.statusTracker()
    before = list(tracker.getJobIdsForGroup(None))
    with pytest.raises(InvalidStage, match=said) as caught:
        plan_rules("stage", rules_of(rule), frame, {"people": customers})
    assert caught.value.message.startswith("rule ")
    assert "\n" not in caught.value.message
    assert caught.value.action
    assert subject is None or caught.value.subject == subject
    assert list(tracker.getJobIdsForGroup(None)) == before


def test_the_sentences(orders: DataFrame) -> None:
    given: Sequence[dict[str, Any]] = [
        {"not_null": ["id", "day"], "tolerance": 0.5},
        {"unique": "id"},
        {"range": {"column": "amount", "min": 0}},
        {"row_count": {"min": 10}},
        {"row_count_change": {"max_drop": 0.2}},
        {"freshness": {"column": "at", "within": "6h"}},
        {"expression": "amount > 0", "name": "paid for"},
    ]
    results, _, _ = judge(orders, *given, previous=10)
    assert [(one.name, one.says) for one in results] == [
        ("not_null(id, day)", "1 of 5 rows have no id or no day; up to 50 % of them may"),
        ("unique(id)", "2 of 5 rows share their id with another"),
        ("range(amount)", "1 of 5 rows have amount not at least 0"),
        ("row_count", "5 rows; wanted are at least 10"),
        ("row_count_change", "5 rows after 10, a change of -50 %; at most 20 % fewer may be"),
        ("freshness(at)", "the latest at is 2026-11-16T00:00:00+00:00, 12h before now; at most 6h may be"),
        ("paid for", "2 of 5 rows break amount > 0"),
    ]
