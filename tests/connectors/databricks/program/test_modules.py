"""Other notebooks and modules of `files`, settings and widgets."""

from __future__ import annotations

import pytest

from tests.connectors.databricks.program.reading_programs import read, sources, topics

READ = 'spark.readStream.format("kafka").option("subscribe", {}).load()\n'

IMPORTS = [
    ("from conf import T", "T", {"/R/p/conf.py": "T = 'a'"}),
    ("import conf", "conf.T", {"/R/p/conf.py": "T = 'a'"}),
    ("import conf as c", "c.T", {"/R/p/conf": "T = 'a'"}),
    ("from shared.conf import T as X", "X", {"/R/shared/conf.py": "T = 'a'"}),
    ("import shared.conf", "shared.conf.T", {"/R/shared/conf.py": "T = 'a'", "/R/shared/__init__.py": ""}),
    ("from shared import conf", "conf.T", {"/R/shared/conf.py": "T = 'a'"}),
    ("from shared import T", "T", {"/R/shared/__init__.py": "from .conf import T", "/R/shared/conf.py": "T = 'a'"}),
    ("from lib import *", "T", {"/R/p/lib.py": "T = 'a'\n_H = 1"}),
    ("from lib import *", "T", {"/R/p/lib.py": "__all__ = ['T']\nT = 'a'\nU = 1"}),
    ("from deep.er import mod", "mod.T", {"/R/src/deep/er/mod.py": "T = 'a'"}),
    ("from a import T", "T", {"/R/p/a.py": "from b import U as T", "/R/p/b.py": "U = 'a'"}),
    ("from a import T", "T", {"/R/p/a.py": "import b\nT = 'a'", "/R/p/b.py": "import a"}),
    ("from conf import topic", 'topic("a")', {"/R/p/conf.py": "P = ''\ndef topic(x):\n    return P + x"}),
    ("from conf import C", "C().t", {"/R/p/conf.py": "class C:\n    t = 'a'"}),
]  # fmt: skip


@pytest.mark.parametrize(("line", "name", "files"), IMPORTS, ids=[f"{one[0]}|{len(one[2])}" for one in IMPORTS])
def test_modules_come_from_the_files(line: str, name: str, files: dict[str, str]) -> None:
    assert topics(f"{line}\n{READ.format(name)}", path="/R/p/main", files=files) == [["a"]]


RUNS = [
    ("./conf", "/R/p/conf"),
    ("../conf", "/R/conf"),
    ("/Shared/conf", "/Shared/conf"),
    ("./conf", "/R/p/conf.py"),
    ('"./conf"', "/R/p/conf"),
    ("/Workspace/Shared/conf", "/Shared/conf.py"),
]


@pytest.mark.parametrize(("said", "path"), RUNS)
def test_a_notebook_that_is_run_shares_its_names(said: str, path: str) -> None:
    program = f"# Databricks notebook source\n# MAGIC %run {said}\n\n# COMMAND ----------\n{READ.format('T')}"
    assert topics(program, path="/R/p/main", files={path: "# Databricks notebook source\nT = 'a'\n"}) == [["a"]]


def test_a_notebook_that_is_not_there_is_a_problem() -> None:
    reading = read("# Databricks notebook source\n# MAGIC %run ./nowhere\n")
    assert any("nowhere" in one.reason for one in reading.problems)


SETTINGS = [
    ('spark.conf.get("k")', ["a"]),
    ('spark.conf.get("none", "b")', ["b"]),
    ('spark.conf.get("k", "b")', ["a"]),
    ('dbutils.widgets.get("k")', ["a"]),
    ('getArgument("k")', ["a"]),
    ('dbutils.widgets.getArgument("none", "b")', ["b"]),
    ('dbutils.widgets.getAll()["k"]', ["a"]),
    ('(dbutils.widgets.text("k", "b"), dbutils.widgets.get("k"))[1]', ["a"]),
    ('(dbutils.widgets.dropdown("w", "b", ["b", "c"]), dbutils.widgets.get("w"))[1]', ["b"]),
    ('(dbutils.widgets.text("w", "b", "label"), dbutils.widgets.get("w"))[1]', ["b"]),
    ('(spark.conf.set("k", "c"), spark.conf.get("k"))[1]', ["c"]),
    ('(spark.conf.set("n", 5), spark.conf.get("n"))[1]', ["5"]),
    ('spark.conf.get("none")', ["unresolved"]),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "expected"), SETTINGS, ids=[one[0] for one in SETTINGS])
def test_settings_come_from_the_configuration_and_the_program(expression: str, expected: list[str]) -> None:
    assert topics(READ.format(expression), configuration={"k": "a"}) == [expected]


def test_a_setting_of_one_branch_is_a_possibility() -> None:
    program = f"""
    from elsewhere import flag
    if flag:
        spark.conf.set("k", "b")
    {READ.format('spark.conf.get("k")')}
    """
    assert sorted(topics(program, configuration={"k": "a"})) == [["a"], ["b"]]


def test_a_broken_cell_costs_itself_only() -> None:
    program = (
        "# Databricks notebook source\nT = 'a'\n# COMMAND ----------\nT = 'b\n# COMMAND ----------\n" + READ.format("T")
    )
    reading = read(program)
    assert [one.topics for one in reading.sources] == [["a"]]
    assert [one.line for one in reading.problems] == [4]


def test_a_broken_statement_of_a_file_costs_itself_only() -> None:
    program = f"T = 'a'\nprint 'two'\ndef broken(:\n    pass\n@x\ndef fine():\n    pass\n{READ.format('T')}"
    reading = read(program)
    assert [one.topics for one in reading.sources] == [["a"]]
    assert len(reading.problems) == 2


def test_functions_of_other_files_that_nobody_calls_are_not_told() -> None:
    files = {"/p/lib.py": "def f():\n    return spark.table('lib')\n"}
    assert sources("import lib", path="/p/main", files=files) == []


def test_reads_of_other_files_that_run_are_told() -> None:
    files = {"/p/lib.py": "def f(t):\n    return spark.table(t)\n"}
    program = "from lib import f\nf('a').write.saveAsTable('b')"
    assert [(one.path, one.target_table) for one in sources(program, path="/p/main", files=files)] == [("a", "b")]
