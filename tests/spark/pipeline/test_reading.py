"""A definition is read as it was meant; what is wrong in it is told all at once, each with its place and what to do."""

from pathlib import Path

import pytest

from lineage_hub.errors import InvalidPipeline, NotFound, Problem
from lineage_hub.spark.pipeline.document import MOST_BYTES
from lineage_hub.spark.pipeline.reading import read_pipeline, review_pipeline

SMALL = """\
name: small
quarantine: q
stages:
  raw:
    extract: {format: csv, path: in}
  save:
    load: {from: raw, format: csv, path: out}
"""


def with_transform(steps: str, more: str = "") -> str:
    return f"""\
name: one
quarantine: q
stages:
  raw:
    extract: {{format: csv, path: in}}
  other:
    extract: {{format: parquet, path: other}}
  made:
    transform:
      from: raw
      steps:
{steps}
{more}
  save:
    load: {{from: made, format: csv, path: out}}
"""


def errors(text: str) -> list[Problem]:
    with pytest.raises(InvalidPipeline) as caught:
        read_pipeline(text)
    return list(caught.value.problems)


def only_error(text: str) -> Problem:
    found = errors(text)
    assert len(found) == 1, found
    return found[0]


def test_a_file_and_its_text_give_the_same_pipeline(tmp_path: Path):
    file = tmp_path / "small.yaml"
    file.write_text(SMALL)
    assert read_pipeline(file) == read_pipeline(SMALL)
    assert list(read_pipeline(file).stages) == ["raw", "save"]


def test_every_error_is_told_at_once_in_the_order_of_the_lines_with_line_and_column():
    text = """\
nam: shop
version: 2
stages:
  raw:
    extract: {format: cvs, path: in}
    cahce: true
  made:
    transform:
      from: raww
      steps:
        - trimm: name
  Save:
    load: {from: made, format: csv, path: out}
    rules:
      - not_null: a
        tolerance: 2
"""
    found = [(problem.line, problem.column, problem.where) for problem in errors(text)]
    assert found == [
        (1, 1, "nam"),
        (2, 10, "version"),
        (5, 23, "stage raw, extract, format"),
        (6, 5, "stage raw, cahce"),
        (11, 11, "stage made, transform, step 1, trimm"),
        (12, 3, "stage Save"),
        (16, 20, "stage Save, rule 1, tolerance"),
    ]


def test_the_message_lists_every_problem_with_its_action(tmp_path: Path):
    file = tmp_path / "shop.yaml"
    file.write_text("nam: a\nstages:\n  raw: {extract: {format: cvs, path: in}}\n")
    with pytest.raises(InvalidPipeline) as caught:
        read_pipeline(file)
    message = caught.value.message
    assert str(file) in message
    assert "2 problems" in message
    assert "line 1, column 1, nam: `nam` is no key here; did you mean `name`?" in message
    assert "did you mean `csv`?" in message
    assert caught.value.body()["error"] == "invalid_pipeline"
    assert caught.value.exit_code == 2


def test_a_slip_in_one_stage_does_not_hide_what_another_means_wrongly():
    text = SMALL.replace("format: csv, path: in", "format: cvs, path: in").replace("from: raw", "from: rwa")
    assert [problem.says for problem in errors(text)][1] == "there is no stage `rwa`"
    assert errors(text)[1].action == "did you mean `raw`?"


@pytest.mark.parametrize(
    ("old", "new", "says", "action"),
    [
        ("format: csv, path: in", "fromat: csv, path: in", "`fromat` is no key here", "did you mean `format`?"),
        ("name: small", "Name: small", "`Name` is no key here", "did you mean `name`?"),
        ("name: small", "name: small\nzzzzzz: 1", "`zzzzzz` is no key here", "use `description`, `name`"),
        ("name: small", "version: 1", "`name` is missing", "add `name:`"),
        ("from: raw", "from: []", "text is wanted, this is a list", ""),
        ("format: csv, path: in", "format: csv, path: {a: b}", "text or a list is wanted, this is a mapping", ""),
        ("format: csv, path: in", "format: csv", "`csv` needs `path`, and neither `url` nor `table`", ""),
        ("format: csv, path: out", "format: csv, path: out, mode: merge", "`keys` and `mode: merge` go together", ""),
        ("format: csv, path: out", "format: csv, path: out, mode: upsert", "`upsert` is none of", "use one of them"),
        ("extract: {format: csv, path: in}", "description: nothing", "one of extract, transform, load is needed", ""),
        ("raw:\n", "Raw Data:\n", "a stage's name is of small letters", ""),
        ("name: small", "name: a/b", "a pipeline's name is of letters", ""),
        ("name: small", "name: small\nparameters: {1a: x}", "a parameter's name is of letters", ""),
        ("name: small", "name: small\nparameters: {a: [x]}", "text or a mapping is wanted, this is a list", ""),
        ("name: small", "name: small\nstages: {}", "`stages` stands here already, in line 2", "keep one of them"),
        ("name: small", "name:", "text is wanted, nothing stands here", ""),
        ("path: out}", "path: out}\n    rules: {}", "a list is wanted, this is a mapping", ""),
        ("path: out}", "path: out}\n    cache: maybe", "true or false is wanted, this is `maybe`", ""),
        ("path: out}", "path: out}\n    rules: [{row_count: {min: few}}]", "a whole number is wanted", ""),
        ("path: out}", "path: out}\n    rules: [{row_count_change: {max_drop: 2}}]", "`2` must be at most 1", ""),
        ("path: out}", "path: out}\n    rules: [{row_count: {}}]", "no bound is given", "give `min`, `max` or both"),
        ("path: out}", "path: out}\n    rules: [{freshness: {column: a, within: soon}}]", "a number and `s`", ""),
        ("path: out}", "path: 'out/*'}", "a load has one place", "take out the wildcards"),
        ("path: out}", "path: out, options: {a: [1]}}", "text, a number or true or false is wanted", ""),
        ("path: in}", "path: in, schema: {str: int, b: [1]}}", "text is wanted, this is a list", ""),
    ],
)
def test_a_wrong_shape_is_told_in_plain_words(old: str, new: str, says: str, action: str):
    found = errors(SMALL.replace(old, new, 1))
    assert any(says in problem.says and action in (problem.action or "") for problem in found), found
    assert all(problem.line for problem in found)
    assert not any("Input should" in problem.says for problem in found)


def test_a_misspelt_key_is_not_told_again_as_missing():
    assert only_error(SMALL.replace("load: {from", "load: {frm")).says == "`frm` is no key here"


def test_a_step_is_exactly_one_thing():
    problem = only_error(with_transform("        - {trim: a, drop: b}"))
    assert problem.where == "stage made, transform, step 1"
    assert problem.says.endswith("2 (trim, drop) are given")
    assert problem.line == 12


def test_words_that_yaml_takes_for_true_false_and_numbers_stay_as_written():
    text = with_transform(
        "        - join: {with: other, on: id}\n        - fill: {flag: no, code: 007, day: 2026-11-01}"
    )
    made = read_pipeline("parameters: {day: 2026-11-01, no: 007, pi: 3.10, yes: {default: 1_000}}\n" + text)
    assert made.parameters["day"] == "2026-11-01"
    assert made.parameters["no"] == "007"
    assert made.parameters["pi"] == "3.10"
    assert made.parameters["yes"].default == "1_000"
    join, fill = made.stages["made"].transform.steps
    assert join.join.on == ["id"]
    assert fill.fill == {"flag": "no", "code": "007", "day": "2026-11-01"}


def test_numbers_and_booleans_are_those_where_both_can_stand_unless_they_are_quoted():
    text = with_transform("        - fill: {a: 5, b: -0.5, c: true, d: '5', e: 1e3, f: 1e999, g: 12:30, h: \"true\"}")
    fill = read_pipeline(text).stages["made"].transform.steps[0].fill
    assert fill == {"a": 5, "b": -0.5, "c": True, "d": "5", "e": 1000.0, "f": "1e999", "g": "12:30", "h": "true"}
    assert [type(fill[key]) for key in "abcd"] == [int, float, bool, str]


def test_anchors_and_merged_keys_work_and_own_keys_win():
    text = """\
name: small
quarantine: q
stages:
  raw:
    extract: &files {format: csv, path: in, options: {header: true}}
  more:
    extract: {<<: *files, path: more}
  save:
    load: {from: raw, format: csv, path: out}
  save_more:
    load: {from: more, format: csv, path: out_more}
"""
    more = read_pipeline(text).stages["more"].extract
    assert (more.path, more.format, more.options) == ("more", "csv", {"header": True})


@pytest.mark.parametrize(
    ("text", "place", "says"),
    [
        ("", None, "the file is empty"),
        ("# nothing\n", None, "the file is empty"),
        ("- a\n- b\n", (1, 1), "a pipeline is a mapping"),
        ("just words", (1, 1), "a pipeline is a mapping"),
        ("name: a\nstages:\n\traw: 1\n", (3, 1), "a tab"),
        ("name: a\n\tb: 1", (2, 1), "a tab"),
        ("name: 'a", (1, 9), "the text ends inside quotes"),
        ("name: [a", (1, 9), "the text ends inside quotes"),
        ("name: a: b", (1, 8), "a `:` where none can stand"),
        ("name: a\n---\nname: b\n", (2, 1), "a second document begins"),
        ("name: *that", (1, 7), "no `&` names it above"),
        ("name: &a [*a]", (1, 7), "an alias stands inside what it names"),
        ("name: \x07", (1, 7), "U+0007"),
        ("load: {path: ${lake}/x, a: b}", (1, 15), "needs quotes"),
        ("[" * 3000, None, "too deep"),
        ("name: " + "a" * MOST_BYTES, None, "more than 1,048,576 bytes"),
    ],
)
def test_what_is_no_yaml_is_told_with_its_place(text: str, place: tuple[int, int] | None, says: str):
    problem = only_error(text)
    assert says in problem.says
    assert (problem.line, problem.column) == (place or (None, None))
    assert problem.action


def test_a_tag_can_not_make_an_object():
    found = errors(SMALL.replace("name: small", "name: !!python/object/apply:os.system [ls]"))
    assert found[0].says == "the tag `!!python/object/apply:os.system` has no meaning here"


def test_aliases_that_multiply_are_stopped():
    levels = [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    assert "aliases make more than" in only_error("\n".join(["a0: &a0 [x]", *levels])).says


def test_a_long_chain_of_aliases_is_told_as_too_deep():
    links = [f"a{n}: &a{n} [[[[[*a{n - 1}]]]]]" for n in range(1, 200)]
    assert "too deep" in only_error("\n".join(["a0: &a0 [x]", *links])).says


@pytest.mark.slow
def test_a_thousand_stages_are_read_and_more_are_refused():
    def many(count: int) -> str:
        loads = [f"  s{n}: {{load: {{from: raw, format: delta, path: /out/{n}}}}}" for n in range(count)]
        return "\n".join(["name: many", "stages:", "  raw: {extract: {format: delta, path: in}}", *loads])

    assert len(read_pipeline(many(999)).stages) == 1000
    assert only_error(many(1000)).says == "at most 1000 items can stand here"


def test_a_file_that_is_not_utf_8_is_told_with_the_place_of_the_first_bad_byte(tmp_path: Path):
    file = tmp_path / "latin.yaml"
    file.write_bytes("name: a\ndescription: für alle".encode("latin-1"))
    with pytest.raises(InvalidPipeline) as caught:
        read_pipeline(file)
    assert (caught.value.problems[0].line, caught.value.problems[0].column) == (2, 15)
    file.write_bytes(SMALL.encode("utf-16"))
    with pytest.raises(InvalidPipeline, match="not UTF-8"):
        read_pipeline(file)


def test_a_byte_order_mark_does_no_harm(tmp_path: Path):
    file = tmp_path / "bom.yaml"
    file.write_bytes(SMALL.encode("utf-8-sig"))
    assert read_pipeline(file).name == "small"


def test_a_file_that_is_not_there_is_not_found(tmp_path: Path):
    with pytest.raises(NotFound, match=r"none\.yaml"):
        read_pipeline(tmp_path / "none.yaml")
    with pytest.raises(NotFound, match="directory"):
        read_pipeline(tmp_path)


def test_warnings_leave_with_the_pipeline():
    review = review_pipeline(SMALL.replace("quarantine: q\n", ""))
    assert review.pipeline is not None
    assert [(problem.level, problem.line, problem.stage) for problem in review.problems] == [("warning", 3, "raw")]
    assert review.errors == ()
