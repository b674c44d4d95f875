"""Notebooks that others start or run: what they see, what they give back, and in which file their reads stand."""

from __future__ import annotations

from tests.connectors.databricks.program.reading_programs import read, sources, topics

MAIN = "/jobs/main"
READ = 'spark.readStream.format("kafka").option("subscribe", topic).load()'
LOADER = {"/jobs/loader": f'topic = dbutils.widgets.get("topic")\n{READ}\ndbutils.notebook.exit("done." + topic)'}


def found(program: str, files: dict[str, str]) -> list[tuple[str, float, str]]:
    """Topics, confidence and file of each read."""
    told = sources(program, path=MAIN, files=files)
    return sorted((",".join(one.topics), one.confidence, one.file) for one in told)


def test_a_notebook_whose_path_is_one_of_two_is_started_perhaps() -> None:
    program = """
    import os
    where = "./loader" if os.environ["A"] == "1" else "./other"
    dbutils.notebook.run(where, 0, {"topic": "a"})
    """
    files = LOADER | {"/jobs/other": LOADER["/jobs/loader"]}
    assert found(program, files) == [("a", 0.5, "/jobs/loader"), ("a", 0.5, "/jobs/other")]


def test_arguments_that_can_not_be_known_leave_widgets_unknown() -> None:
    program = """
    from elsewhere import arguments
    dbutils.notebook.run("./loader", *arguments)
    """
    assert topics(program, path=MAIN, files=LOADER) == [["unresolved"]]


def test_what_a_notebook_exits_with_is_one_of_several_where_ways_differ() -> None:
    program = f"""
    topic = dbutils.notebook.run("./chooses", 0)
    {READ}
    """
    exits = """
    import os
    if os.environ["A"] == "1":
        dbutils.notebook.exit("p")
    dbutils.notebook.exit("q")
    """
    assert found(program, {"/jobs/chooses": exits}) == [("p", 0.5, ""), ("q", 0.5, "")]


def test_what_follows_an_exit_of_a_started_notebook_may_not_run_and_its_caller_goes_on() -> None:
    program = f"""
    dbutils.notebook.run("./stops", 0)
    topic = "after"
    {READ}
    """
    stops = f"""
    import os
    topic = "rest"
    if os.environ["A"] == "1":
        dbutils.notebook.exit("skipped")
    {READ}
    """
    assert found(program, {"/jobs/stops": stops}) == [("after", 1.0, ""), ("rest", 0.5, "/jobs/stops")]


def test_a_path_is_seen_from_the_notebook_that_was_started_also_in_a_module() -> None:
    starter = """
    from pyspark.dbutils import DBUtils
    def start(topic):
        DBUtils().notebook.run("./loader", 0, {"topic": topic})
    """
    program = """
    from lib.starter import start
    start("a")
    """
    assert found(program, LOADER | {"/jobs/lib/starter.py": starter}) == [("a", 1.0, "/jobs/loader")]


def test_a_notebook_that_starts_itself_is_read_once() -> None:
    program = f'topic = "a"\n{READ}\ndbutils.notebook.run("./main", 0)'
    assert found(program, {"/jobs/main.py": program}) == [("a", 1.0, "")]


def test_a_function_of_a_notebook_that_is_run_stands_in_its_own_file() -> None:
    program = """
    # Databricks notebook source
    # MAGIC %run ./lib
    # COMMAND ----------
    get("a")
    Reader().get("b")
    """.replace("\n    ", "\n").strip()
    lib = f"""
    def get(topic):
        return {READ}
    class Reader:
        def get(self, topic):
            return {READ}
    def never(topic):
        return {READ}
    """
    assert found(program, {"/jobs/lib": lib}) == [("a", 1.0, "/jobs/lib"), ("b", 1.0, "/jobs/lib")]


def test_a_function_of_the_program_that_a_module_calls_stands_in_the_program() -> None:
    program = f"""
    from lib import apply
    topic = "a"
    apply(lambda: {READ})
    """
    told = sources(program, files={"lib.py": "def apply(function):\n    return function()"})
    assert [(one.topics, one.line, one.file) for one in told] == [(["a"], 4, "")]


def test_a_notebook_that_is_not_there_is_a_problem_of_the_file_that_starts_it() -> None:
    reading = read(
        'dbutils.notebook.run("./outer", 0)', path=MAIN, files={"/jobs/outer": 'dbutils.notebook.run("./no", 0)'}
    )
    assert [(one.path, one.line) for one in reading.problems] == [("/jobs/outer", 1)]


TABLES = """
import dlt

@dlt.table(name=dbutils.widgets.get("topic") + "_raw")
def raw():
    topic = dbutils.widgets.get("topic")
    return spark.readStream.format("kafka").option("subscribe", topic).load()
"""


def test_tables_of_a_started_notebook_see_the_arguments_that_it_was_started_with() -> None:
    program = """
    for topic in ("a", "b"):
        dbutils.notebook.run("./tables", 60, {"topic": topic})
    """
    told = sources(program, path=MAIN, files={"/jobs/tables": TABLES})
    assert [(one.topics, one.target_table, one.file) for one in told] == [
        (["a"], "a_raw", "/jobs/tables"),
        (["b"], "b_raw", "/jobs/tables"),
    ]


def test_tables_of_a_notebook_that_is_run_in_this_one_see_its_names() -> None:
    tables = TABLES.replace('dbutils.widgets.get("topic")', "TOPIC")
    program = '# Databricks notebook source\nTOPIC = "a"\n# COMMAND ----------\n# MAGIC %run ./tables\n'
    told = sources(program, path=MAIN, files={"/jobs/tables": tables})
    assert [(one.topics, one.target_table, one.file) for one in told] == [(["a"], "a_raw", "/jobs/tables")]
