"""What a definition means is checked beyond its shape: names, circles, places, folders for rejected rows."""

import pytest

from lineage_hub.errors import InvalidPipeline, Problem
from lineage_hub.spark.pipeline.checks import problems_of, require
from lineage_hub.spark.pipeline.definition import Extract, Load, Pipeline, Stage
from lineage_hub.spark.pipeline.reading import review_pipeline

HEAD = "name: shop\nquarantine: q\n"


def problems(stages: str, head: str = HEAD) -> list[Problem]:
    return list(review_pipeline(f"{head}stages:\n{stages}").problems)


def told(stages: str, head: str = HEAD) -> list[tuple[str, str, str]]:
    return [(problem.level, problem.where, problem.says) for problem in problems(stages, head)]


RAW = "  raw: {extract: {format: csv, path: in}}\n"
SAVE = "  save: {load: {from: raw, format: csv, path: out}}\n"


def test_a_sound_pipeline_has_no_problem():
    assert problems(RAW + SAVE) == []


@pytest.mark.parametrize(
    ("stage", "where"),
    [
        ("  a: {load: {from: rwa, format: csv, path: x}}\n", "stage a, load, from"),
        ("  a: {transform: {from: [raw, rwa], steps: [{trim: a}]}}\n", "stage a, transform, from, 2"),
        (
            "  a: {transform: {from: raw, steps: [{join: {with: rwa, on: a}}]}}\n",
            "stage a, transform, step 1, join, with",
        ),
        (
            "  a: {transform: {from: raw, steps: [{trim: a}]}, rules: [{referential: {column: a, to: rwa.id}}]}\n",
            "stage a, rule 1, referential, to",
        ),
    ],
)
def test_a_stage_that_is_not_there_is_told_with_the_nearest_name(stage: str, where: str):
    found = [problem for problem in problems(RAW + SAVE + stage) if problem.level == "error"]
    assert [(problem.where, problem.says, problem.action) for problem in found] == [
        (where, "there is no stage `rwa`", "did you mean `raw`?")
    ]
    assert found[0].line == 6


def test_a_load_is_not_read_from_and_the_way_out_is_told():
    found = problems(RAW + SAVE + "  more: {load: {from: save, format: csv, path: more}}\n")
    assert found[0].says == "`save` is a load, which gives no rows to other stages"
    assert found[0].action == "read `raw`, or add an extract of out: it waits for the load"


def test_a_circle_is_told_with_its_way():
    stages = """\
  a: {transform: {from: b, steps: [{trim: x}]}}
  b: {transform: {from: c, steps: [{trim: x}]}}
  c: {transform: {from: raw, steps: [{join: {with: a, on: x}}]}}
"""
    circles = [says for level, _, says in told(RAW + stages) if "waits for itself" in says]
    assert len(circles) == 1
    way = circles[0].split(": ")[1].split(" → ")
    assert way[0] == way[-1]
    assert set(way) == {"a", "b", "c"}
    # Each waits for the one that is told after it.
    assert {tuple(way[at : at + 2]) for at in range(3)} == {("a", "b"), ("b", "c"), ("c", "a")}


def test_two_circles_are_both_told():
    stages = "".join(
        f"  {one}: {{transform: {{from: {other}, steps: [{{trim: x}}]}}}}\n"
        for one, other in ["ab", "ba", "cd", "dc", "ee"]
    )
    assert len([says for _, _, says in told(stages) if "itself" in says]) == 3


def test_a_rule_may_refer_to_its_own_stage():
    stage = RAW.replace("}}\n", "}, rules: [{referential: {column: boss, to: raw.id}}]}\n")
    assert problems(stage + SAVE) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("format: csv, path: out", "format: parquet, path: ./out/"),
        ("format: csv, path: /lake/out", "format: csv, path: file:///lake/out"),
        ("format: csv, path: /lake/out", "format: csv, path: /lake"),
        ("format: csv, path: 's3a://Bucket/x'", "format: csv, path: 's3a://bucket/x/'"),
        ("format: jdbc, url: 'jdbc:x://h/db', table: Orders", "format: jdbc, url: 'jdbc:x://h/db?a=b', table: orders"),
    ],
)
def test_two_loads_into_one_place_are_an_error(one: str, other: str):
    found = told(f"{RAW}  a: {{load: {{from: raw, {one}}}}}\n  b: {{load: {{from: raw, {other}}}}}\n")
    assert [(level, where.split(",")[0]) for level, where, _ in found] == [("error", "stage b")]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("format: csv, path: out", "format: csv, path: output"),
        ("format: csv, path: /lake/a", "format: csv, path: lake/a"),
        ("format: csv, path: 's3a://a/x'", "format: csv, path: 's3a://b/x'"),
        ("format: jdbc, url: 'jdbc:x://h/db', table: a", "format: jdbc, url: 'jdbc:x://h/db2', table: a"),
        ("format: jdbc, url: 'jdbc:x://h/db', table: a", "format: csv, path: a"),
    ],
)
def test_loads_into_different_places_are_none(one: str, other: str):
    assert told(f"{RAW}  a: {{load: {{from: raw, {one}}}}}\n  b: {{load: {{from: raw, {other}}}}}\n") == []


def test_the_quarantine_does_not_lie_inside_of_what_a_load_replaces():
    found = told(RAW + SAVE, HEAD.replace("quarantine: q", "quarantine: out/rejected"))
    assert [(level, where) for level, where, _ in found] == [("error", "quarantine")]


def test_a_quarantine_rule_needs_a_folder():
    stage = RAW.replace("csv", "parquet").replace("}}\n", "}, rules: [{not_null: a, severity: quarantine}]}\n")
    found = problems(stage + SAVE, "name: shop\n")
    assert [(one.level, one.where) for one in found] == [("error", "stage raw, rule 1, severity")]
    assert "quarantine: FOLDER" in str(found[0].action)
    assert problems(stage.replace("rules:", "quarantine: q, rules:") + SAVE, "name: shop\n") == []


def test_rows_that_can_not_be_read_without_a_folder_are_a_warning():
    assert [(level, where) for level, where, _ in told(RAW + SAVE, "name: shop\n")] == [("warning", "stage raw")]
    assert told(RAW.replace("csv", "parquet") + SAVE, "name: shop\n") == []


def test_what_nothing_reads_or_uses_is_a_warning():
    found = told(RAW + SAVE + RAW.replace("raw", "more"), HEAD + "parameters: {day: x}\n")
    assert [(level, where) for level, where, _ in found] == [("warning", "parameter day"), ("warning", "stage more")]


def test_a_stage_that_only_its_own_rule_reads_is_read_by_nothing():
    rules = ", rules: [{referential: {column: boss, to: more.id}}]}\n"
    found = told(RAW + SAVE + RAW.replace("raw", "more").replace("}}\n", "}" + rules))
    assert [(level, where) for level, where, _ in found] == [("warning", "stage more")]


def test_a_password_in_the_file_is_a_warning_that_does_not_repeat_it():
    stage = "  raw: {extract: {format: jdbc, url: 'jdbc:x://h/d', table: t, password: PASSWORD}}\n" + SAVE
    found = problems(stage.replace("PASSWORD", "hunter2"))
    assert [(one.level, one.where) for one in found] == [("warning", "stage raw, extract, password")]
    assert "hunter2" not in str(found)
    assert problems(stage.replace("PASSWORD", '"${env:PW}"')) == []


@pytest.mark.parametrize("function", ["shop.clean", "shop:", ":clean", "shop.py:clean()", "shop:a.b", "import os:x"])
def test_a_python_step_names_a_module_and_a_function(function: str):
    stage = f"  a: {{transform: {{from: raw, steps: [{{python: '{function}'}}]}}}}\n"
    assert f"`{function}` names no function" in [says for _, _, says in told(RAW + SAVE + stage)]


def test_two_rules_of_a_stage_have_two_names():
    rules = "rules: [{not_null: a, name: x}, {unique: a, name: x}]"
    stage = RAW.replace("}}\n", f"}}, {rules}}}\n")
    assert [where for _, where, _ in told(stage + SAVE)] == ["stage raw, rule 2, name"]


def test_no_stage_is_named_this():
    assert [where for _, where, _ in told((RAW + SAVE).replace("raw", "this"))] == ["stage this"]


def test_a_pipeline_made_in_python_is_checked_alike():
    stages = {
        "raw": Stage(extract=Extract(format="parquet", path="in")),
        "save": Stage(load=Load(from_="rwa", format="csv", path="out")),
    }
    pipeline = Pipeline(name="shop", stages=stages)
    assert [(one.level, one.says) for one in problems_of(pipeline)] == [
        ("error", "there is no stage `rwa`"),
        ("warning", "nothing reads this stage"),
    ]
    with pytest.raises(InvalidPipeline, match="shop: stage save, load, from: there is no stage `rwa`"):
        require(pipeline)
