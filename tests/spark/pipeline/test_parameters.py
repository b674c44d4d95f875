"""Values fill `${…}` everywhere, are checked against their declaration, and never become SQL or YAML."""

import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st

from lineage_hub.errors import InvalidPipeline
from lineage_hub.spark.pipeline.definition import Pipeline
from lineage_hub.spark.pipeline.parameters import resolve
from lineage_hub.spark.pipeline.reading import review_pipeline
from lineage_hub.spark.pipeline.sql_text import tokens


def made(parameters: dict | None = None, path: str = "/in", step: dict | None = None, **extract: object) -> Pipeline:
    return Pipeline.model_validate(
        {
            "name": "p",
            "parameters": parameters or {},
            "stages": {
                "raw": {"extract": {"format": "parquet", "path": path, **extract}},
                "made": {"transform": {"from": "raw", "steps": [step or {"trim": "a"}]}},
                "save": {"load": {"from": "made", "format": "parquet", "path": "/out"}},
            },
        }
    )


def filtered(text: str, value: str, kind: str = "text") -> str | None:
    pipeline = made({"x": {"type": kind}}, step={"filter": text})
    return resolve(pipeline, {"x": value}, {}).stages["made"].transform.steps[0].filter


def refused(pipeline: Pipeline, values: dict[str, str], environment: dict[str, str] | None = None) -> str:
    with pytest.raises(InvalidPipeline) as caught:
        resolve(pipeline, values, environment or {})
    return " | ".join(f"{problem}; {problem.action}" for problem in caught.value.problems)


def test_values_stand_in_any_text_and_defaults_where_none_is_given():
    pipeline = made({"lake": "/lake", "day": "2026-11-01"}, path="${lake}/${day}/${env:SHOP}/$${x}")
    filled = resolve(pipeline, {"day": "2026-11-02"}, {"SHOP": "main"})
    assert filled.stages["raw"].extract.path == "/lake/2026-11-02/main/${x}"
    assert pipeline.stages["raw"].extract.path.startswith("${lake}")


def test_a_value_is_never_read_again():
    filled = resolve(
        made({"a": "", "b": "secret"}, path="/in/${a}"), {"a": "${b}: [x, {y: 1}] ${env:HOME}"}, {"HOME": "h"}
    )
    assert filled.stages["raw"].extract.path == "/in/${b}: [x, {y: 1}] ${env:HOME}"


def test_a_default_may_come_from_the_environment():
    pipeline = made({"lake": "${env:LAKE}/x"}, path="${lake}")
    assert resolve(pipeline, {}, {"LAKE": "/l"}).stages["raw"].extract.path == "/l/x"
    assert "the variable LAKE is not set" in refused(pipeline, {})


def test_everything_that_is_missing_unknown_or_does_not_fit_is_told_at_once():
    pipeline = made({"day": {"type": "date"}, "shop": {"choices": ["a", "b"]}, "code": {"pattern": "[a-z]+"}})
    said = refused(pipeline, {"dya": "1", "shop": "c", "code": "A"})
    assert "parameter dya: there is no such parameter; did you mean `day`?" in said
    assert "parameter day: it has no value; give one: `day=…`" in said
    assert "`c` is none of `a` or `b`" in said
    assert "`A` doesn't match [a-z]+" in said


@pytest.mark.timeout(10)
def test_a_pattern_that_means_harm_takes_no_longer_than_others():
    """Python's own engine would take years: it tries every way to share the letters out."""
    assert "doesn't match" in refused(made({"code": {"pattern": "(a+)+b"}}), {"code": "a" * 10_000})


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("number", ["0", "-5", "+1.5", "1e3"], ["", "five", "1 or 1=1", "0x1", "1_000", "٣", "1\n", "--1", "NaN"]),
        ("date", ["2026-11-01", "2024-02-29"], ["2026-02-29", "2026-1-1", "20261101", "today", "2026-11-01' or '1"]),
        ("identifier", ["amount", "_x1"], ["", "1a", "a.b", "a b", "a`", "größe", "a--", "a\n"]),
        ("text", ["", "any 'text' \\ at; all", "漢字"], ["a\nb", "\x00", "\x85", "x" * 10_001]),
    ],
)
def test_a_value_is_of_its_type(kind: str, good: list[str], bad: list[str]):
    pipeline = made({"x": {"type": kind}})
    for value in good:
        resolve(pipeline, {"x": value}, {})
    for value in bad:
        assert "parameter x" in refused(pipeline, {"x": value})


@pytest.mark.parametrize(
    ("kind", "value", "sql"),
    [
        ("text", "it's", r"a = 'it\u0027s'"),
        ("text", "\\", r"a = '\u005C'"),
        ("text", "${env:HOME}", r"a = '\u0024{env:HOME}'"),
        ("text", "x' or '1' = '1", r"a = 'x\u0027 or \u00271\u0027 = \u00271'"),
        ("number", "-5", "a = (-5)"),
        ("number", "5", "a = 5"),
        ("date", "2026-11-01", "a = DATE '2026-11-01'"),
        ("identifier", "select", "a = `select`"),
    ],
)
def test_in_sql_a_value_is_a_literal(kind: str, value: str, sql: str):
    assert filtered("a = ${x}", value, kind) == sql


@for_all(st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=30))
def test_no_text_can_leave_its_literal(value: str):
    cut = list(tokens(filtered("a = ${x} and b", value) or ""))
    assert [token.text for token in cut if token.kind == "word"] == ["a", "and", "b"]
    assert [token.kind for token in cut].count("text") == 1


@pytest.mark.parametrize(
    "text",
    [
        "a = '${x}'",
        'a = "${x}"',
        "`${x}` = 1",
        "a = 1 -- ${x}",
        "a = 1 /* ${x} */",
        "a = 'it\\'s ${x}'",
        "a = r'\\' and b = ${x} and c = '",
        "a = 1e+5r'\\' and b = ${x} --'",
        "a = '${x}",
        "a = ${x} /* open",
        "/* ' */ a = ${x}",
        "/* /* */ ' */ a = ${x} -- '",
        "a = $x and b = ${x}",
        "hdfs://a--b = ${x}",
        "a = $${x}",
        "a = ${x",
        "a = ${}",
    ],
)
def test_a_slot_where_a_literal_can_not_stand_is_an_error_before_and_during_a_run(text: str):
    pipeline = made({"x": "v"}, step={"filter": text})
    assert "stage made, transform, step 1, filter" in refused(pipeline, {})
    indented = text.replace("'", "''")
    file = (
        f"name: p\nparameters: {{x: v}}\nstages:\n  a: {{transform: {{from: a, steps: [{{filter: '{indented}'}}]}}}}\n"
    )
    assert any(problem.where.endswith("step 1, filter") for problem in review_pipeline(file).errors)


def test_literals_keep_their_distance():
    assert filtered("${x}${x}", "a") == "'a' 'a'"
    assert filtered("r${x}", "a") == "r 'a'"
    assert filtered("a=${x}and b", "1", "number") == "a=1 and b"
    assert filtered("a-${x}", "-5", "number") == "a-(-5)"


@pytest.mark.parametrize(
    "step",
    [
        {"sql": "select ${x}"},
        {"derive": {"a": "concat(b, ${x})"}},
        {"join": {"with": "raw", "condition": "raw.a = ${x}"}},
        {"window": {"columns": {"a": "lag(b, 1, ${x})"}, "order_by": "b"}},
        {"window": {"columns": {"a": "lag(b)"}, "order_by": "b = ${x}"}},
        {"drop_duplicates": {"keys": "a", "order_by": ["b", "c = ${x}"]}},
    ],
)
def test_every_text_that_is_sql_takes_literals(step: dict):
    filled = resolve(made({"x": "O'Hara"}, step=step), {}, {}).stages["made"].transform.steps[0]
    assert r"'O\u0027Hara'" in str(filled.model_dump()).replace("\\\\", "\\")


def test_a_rule_takes_literals_and_a_bound_a_number():
    pipeline = Pipeline.model_validate(
        {
            "name": "p",
            "parameters": {"x": "a'b", "least": {"type": "number", "default": "5"}, "text": "5"},
            "stages": {
                "raw": {
                    "extract": {"format": "parquet", "path": "/in"},
                    "rules": [
                        {"expression": "a = ${x}"},
                        {"range": {"column": "a", "min": "${least}", "max": "${text}"}},
                    ],
                }
            },
        }
    )
    expression, bounds = resolve(pipeline, {}, {}).stages["raw"].rules
    assert expression.expression == r"a = 'a\u0027b'"
    assert (bounds.range.min, bounds.range.max) == (5, "5")


def jdbc(**extract: str) -> Pipeline:
    place = {"format": "jdbc", "url": "jdbc:postgresql://db/shop", **extract}
    stages = {"raw": {"extract": place}, "save": {"load": {"from": "raw", "format": "csv", "path": "/out"}}}
    return Pipeline.model_validate({"name": "p", "parameters": {"x": {}}, "stages": stages})


def test_a_query_of_a_database_takes_standard_literals():
    filled = resolve(jdbc(query='select * from "t" where a = ${x}'), {"x": "it's"}, {})
    assert filled.stages["raw"].extract.query == "select * from \"t\" where a = 'it''s'"
    assert "means different things to databases" in refused(jdbc(query="select ${x}"), {"x": "\\' or 1=1 --"})
    assert "databases differ" in refused(jdbc(query="select '\\x', ${x}"), {"x": "a"})


def test_statements_in_options_take_literals_too():
    pipeline = jdbc(query="select 1")
    tree = pipeline.model_dump(by_alias=True, exclude_unset=True)
    tree["stages"]["raw"]["extract"]["options"] = {"SessionInitStatement": "set role ${x}"}
    tree["stages"]["save"]["load"] |= {"format": "delta", "options": {"replaceWhere": "a = ${x}"}}
    stages = resolve(Pipeline.model_validate(tree), {"x": "it's"}, {}).stages
    assert stages["raw"].extract.options["SessionInitStatement"] == "set role 'it''s'"
    assert stages["save"].load.options["replaceWhere"] == r"a = 'it\u0027s'"


def test_in_a_table_a_value_is_a_name():
    assert (
        resolve(jdbc(table="sales.${x}"), {"x": "orders_2026"}, {}).stages["raw"].extract.table == "sales.orders_2026"
    )
    assert "no name of a table" in refused(jdbc(table="sales.${x}"), {"x": "orders; drop table orders"})


def test_a_value_that_makes_a_text_unfit_is_told_with_the_place():
    pipeline = made({"x": ""}, path="${x}")
    assert "stage raw, extract: `parquet` needs `path`" in refused(pipeline, {})


def test_loads_that_meet_only_by_their_values_are_found():
    stages = {
        "raw": {"extract": {"format": "parquet", "path": "/in"}},
        "a": {"load": {"from": "raw", "format": "csv", "path": "/out/${x}"}},
        "b": {"load": {"from": "raw", "format": "csv", "path": "/out/${y}"}},
    }
    pipeline = Pipeline.model_validate({"name": "p", "parameters": {"x": "1", "y": "2"}, "stages": stages})
    resolve(pipeline, {}, {})
    assert "stage b, load, path" in refused(pipeline, {"y": "1"})


@pytest.mark.parametrize(
    ("parameters", "where"),
    [
        ("{a: {pattern: '('}}", "parameter a, pattern"),
        ("{a: {pattern: 'x)(y'}}", "parameter a, pattern"),
        ("{a: {pattern: '(?=x)'}}", "parameter a, pattern"),
        ("{a: {type: date, default: tomorrow}}", "parameter a, default"),
        ("{a: {choices: [x], default: y}}", "parameter a, default"),
        ("{a: x, b: '${a}'}", "parameter b"),
        ("{a: '${'}", "parameter a"),
        ("{a: {choices: []}}", "parameter a, choices"),
    ],
)
def test_a_declaration_that_can_not_hold_is_told_when_it_is_read(parameters: str, where: str):
    file = f"name: p\nparameters: {parameters}\nstages:\n  a: {{extract: {{format: delta, path: /x}}}}\n"
    assert [problem.where for problem in review_pipeline(file).errors] == [where]


def test_a_slot_that_is_not_declared_is_told_with_the_nearest():
    file = "name: p\nparameters: {lake: x}\nstages:\n  a: {extract: {format: delta, path: '${lkae}/${env:A B}'}}\n"
    assert [(problem.says, problem.line) for problem in review_pipeline(file).errors] == [
        ("`${lkae}` is not among the `parameters`", 4),
        ("`A B` is no name of a variable", 4),
    ]
    keyed = "name: p\nparameters: {a: x}\nstages:\n  a: {extract: {format: delta, path: /x, options: {'${a}': y}}}\n"
    assert [problem.says for problem in review_pipeline(keyed).errors] == ["`${…}` can't stand in a key"]
