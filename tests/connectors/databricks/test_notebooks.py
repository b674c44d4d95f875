import base64
import json
import random
import time
from urllib.parse import quote

import pytest

from lineage_hub.connectors.databricks.notebooks import Cell, split_cells, why_unreadable


def told(source: object, **more: object) -> list[tuple[str, str, int]]:
    return [(cell.language, cell.text, cell.line) for cell in split_cells(source, **more)]  # type: ignore[arg-type]


def jupyter(*cells: object, **metadata: object) -> str:
    return json.dumps({"cells": list(cells), "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})


def code(source: object, **metadata: object) -> dict[str, object]:
    return {"cell_type": "code", "source": source, "metadata": metadata, "outputs": [], "execution_count": None}


PYTHON_NOTEBOOK = """\
# Databricks notebook source
# MAGIC %md
# MAGIC # Orders
# MAGIC readStream.format("kafka") is how they come

# COMMAND ----------

# DBTITLE 1,Where they land
# MAGIC %sql
# MAGIC USE CATALOG main;
# MAGIC
# MAGIC SELECT 1

# COMMAND ----------

import dlt

# COMMAND ----------

# MAGIC %run ./shared/names $env="dev" $size='2'

# COMMAND ----------

# MAGIC %pip install confluent-kafka

# COMMAND ----------

# MAGIC %python
# MAGIC x = 1

# COMMAND ----------

# MAGIC %scala
# MAGIC val x = 1

# COMMAND ----------

# MAGIC %sh ls -l
"""


def test_the_cells_of_a_python_notebook_have_their_languages_and_lines() -> None:
    assert told(PYTHON_NOTEBOOK) == [
        ("markdown", '# Orders\nreadStream.format("kafka") is how they come', 3),
        ("sql", "USE CATALOG main;\n\nSELECT 1", 10),
        ("python", "import dlt", 16),
        ("run", "./shared/names", 20),
        ("python", "x = 1", 29),
        ("scala", "val x = 1", 34),
        ("shell", "ls -l", 38),
    ]


def test_a_run_carries_its_arguments_apart_from_its_path() -> None:
    assert [cell.arguments for cell in split_cells(PYTHON_NOTEBOOK) if cell.language == "run"] == [
        {"env": "dev", "size": "2"}
    ]


@pytest.mark.parametrize(
    ("magic", "path", "arguments"),
    [
        ("%run ./a", "./a", {}),
        ("%run ../shared/a", "../shared/a", {}),
        ("%run /Repos/team/a", "/Repos/team/a", {}),
        ('%run "./with space/a"', "./with space/a", {}),
        ("%run './quoted'", "./quoted", {}),
        ("%run ./My Folder/a", "./My Folder/a", {}),
        ('%run ./a $x="1" $y = "two words"', "./a", {"x": "1", "y": "two words"}),
        ("%run ./a $x=1", "./a", {"x": "1"}),
        ("%run ./a  # names of topics", "./a", {}),
        ("%run   ./a   ", "./a", {}),
    ],
)
def test_a_run_is_read_however_it_is_written(magic: str, path: str, arguments: dict[str, str]) -> None:
    assert split_cells(f"# Databricks notebook source\n# MAGIC {magic}\n") == [Cell("run", path, 2, arguments)]
    assert split_cells(jupyter(code(magic))) == [Cell("run", path, 1, arguments)]


def test_several_runs_in_one_cell_are_several() -> None:
    source = "# Databricks notebook source\n# MAGIC %run ./a\n# MAGIC %run ./b\n"
    assert told(source) == [("run", "./a", 2), ("run", "./b", 3)]


def test_the_cells_of_an_sql_notebook_have_their_languages_and_lines() -> None:
    source = """\
-- Databricks notebook source
CREATE TABLE a (x INT);

-- COMMAND ----------

-- MAGIC %python
-- MAGIC import dlt
-- MAGIC x = 1  # one

-- COMMAND ----------

-- DBTITLE 1,The second
SELECT 'a -- MAGIC %python b'

-- COMMAND ----------

-- MAGIC %run ./setup

-- COMMAND ----------

-- MAGIC %md Words
"""
    assert told(source) == [
        ("sql", "CREATE TABLE a (x INT);", 2),
        ("python", "import dlt\nx = 1  # one", 7),
        ("sql", "SELECT 'a -- MAGIC %python b'", 13),
        ("run", "./setup", 17),
        ("markdown", "Words", 21),
    ]


def test_commands_of_an_sql_notebook_are_no_sql() -> None:
    source = "-- Databricks notebook source\n-- MAGIC %pip install a\n-- MAGIC x = 1\n-- COMMAND ----------\nSELECT 1"
    assert told(source) == [("python", "x = 1", 3), ("sql", "SELECT 1", 5)]


def test_cells_of_sql_and_python_inside_of_a_scala_notebook_are_read() -> None:
    source = """\
// Databricks notebook source
val df = spark.readStream.format("kafka")
// COMMAND ----------
// MAGIC %sql
// MAGIC SELECT * FROM a
// COMMAND ----------
// MAGIC %python
// MAGIC x = 2
"""
    assert told(source) == [
        ("scala", 'val df = spark.readStream.format("kafka")', 2),
        ("sql", "SELECT * FROM a", 5),
        ("python", "x = 2", 8),
    ]


@pytest.mark.parametrize(
    ("source", "path"),
    [
        ("library(SparkR)\ndf <- read.df('/a')", ""),
        ("x = 1", "jobs/a.r"),
    ],
)
def test_a_notebook_of_r_is_not_taken_for_python(source: str, path: str) -> None:
    source = f"# Databricks notebook source\n{source}\n# COMMAND ----------\n# MAGIC %sql\n# MAGIC SELECT 1"
    assert [cell.language for cell in split_cells(source, path=path)] == ["r", "sql"]


@pytest.mark.parametrize("ending", ["\r\n", "\r", "\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_endings_and_byte_order_marks_change_nothing(ending: str, mark: str) -> None:
    assert told(mark + PYTHON_NOTEBOOK.replace("\n", ending)) == told(PYTHON_NOTEBOOK)


def test_bytes_are_read_as_utf8_or_else_as_latin1() -> None:
    assert told("x = 'é'".encode()) == [("python", "x = 'é'", 1)]
    assert told("x = 'é'".encode("latin-1")) == [("python", "x = 'é'", 1)]


@pytest.mark.parametrize("source", [None, 3, 1.5, [], {}, "", "   \n\t\n", b"", object()])
def test_what_is_no_text_has_no_cells(source: object) -> None:
    assert told(source) == []
    assert why_unreadable(source) is None  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("source", "path", "language"),
    [
        ("x = 1", "", "python"),
        ("x = 1", "a/b.py", "python"),
        ("SELECT 1", "a/b.sql", "sql"),
        ("SELECT 1", "", "sql"),
        ("-- orders\nCREATE STREAMING TABLE a AS SELECT 1", "", "sql"),
        ("/* a */ select * from t", "", "sql"),
        ("with a as (select 1) select * from a", "", "sql"),
        ("with open('a') as f:\n    pass", "", "python"),
        ("from a import b", "", "python"),
        ("set(x)", "", "python"),
        ("SET x = 1;", "", "sql"),
        ("values = [1]", "", "python"),
        ("insert = 3", "", "python"),
        ("USE CATALOG main", "", "sql"),
        ("# a comment\nimport dlt", "", "python"),
        ("MERGE INTO a USING b ON a.x = b.x WHEN MATCHED THEN DELETE", "", "sql"),
        ("APPLY CHANGES INTO LIVE.a FROM STREAM(LIVE.b) KEYS (x) SEQUENCE BY y", "", "sql"),
        ("from orders insert into a select x", "", "sql"),
        ("select = 1", "", "python"),
        ("val x = 1", "a.scala", "scala"),
        ("SELECT 1", "b.py", "python"),
        ("x <- 1", "b.R", "r"),
    ],
)
def test_the_language_of_a_plain_file_is_found(source: str, path: str, language: str) -> None:
    assert told(source, path=path) == [(language, source, 1)]


def test_the_language_that_is_said_rules_a_plain_file_and_the_header_rules_a_notebook() -> None:
    assert told("x = 1", language="sql") == [("sql", "x = 1", 1)]
    assert told("-- Databricks notebook source\nSELECT 1", language="python") == [("sql", "SELECT 1", 2)]


def test_magics_of_a_plain_file_are_comments() -> None:
    source = "import a\n# MAGIC %sql\n# MAGIC SELECT 1\n"
    assert told(source) == [("python", source.rstrip(), 1)]


def test_a_notebook_whose_header_was_cut_off_still_has_cells() -> None:
    assert told("x = 1\n# COMMAND ----------\n# MAGIC %sql\n# MAGIC SELECT 1") == [
        ("python", "x = 1", 1),
        ("sql", "SELECT 1", 4),
    ]


def test_a_text_that_is_indented_as_a_whole_is_moved_to_the_left() -> None:
    assert told("\n    import dlt\n    if x:\n        y = 1\n") == [("python", "import dlt\nif x:\n    y = 1", 2)]


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("%pip install a\nx = 1", [("python", "x = 1", 2)]),
        ("!ls -l\nx = 1", [("python", "x = 1", 2)]),
        ("x = 1\n%matplotlib inline\ny = 2", [("python", "x = 1\n\ny = 2", 1)]),
        ("if a:\n    %pip install b\nx = 1", [("python", "if a:\n    pass\nx = 1", 1)]),
        ("files = !ls\nx = 1", [("python", "x = 1", 2)]),
        ("rows = %sql select 1\nx = 1", [("python", "x = 1", 2)]),
        ("%time x = f()", [("python", "x = f()", 1)]),
        ("%%time\nx = f()", [("python", "x = f()", 2)]),
        ("%%capture out\nx = 1", [("python", "x = 1", 2)]),
        ("!pip install \\\n  a b\nx = 1", [("python", "x = 1", 3)]),
        ("x = ('%s'\n%y)\nz = 1", [("python", "x = ('%s'\n%y)\nz = 1", 1)]),
        ("x = '''\n%pip install a\n!ls\n'''", [("python", "x = '''\n%pip install a\n!ls\n'''", 1)]),
        ("x = a \\\n%b\ny = 1", [("python", "x = a \\\n%b\ny = 1", 1)]),
        ("x = 'it''s' # don't\n%pip a\ny = 1", [("python", "x = 'it''s' # don't\n\ny = 1", 1)]),
        ("%%sql\nSELECT 1", [("sql", "SELECT 1", 2)]),
        ("%sql SELECT 1", [("sql", "SELECT 1", 1)]),
        ("%sql\n\nSELECT 1", [("sql", "SELECT 1", 3)]),
        ("\n\n%sql\nSELECT 1", [("sql", "SELECT 1", 4)]),
        ("# why\n%sql\nSELECT 1", [("sql", "SELECT 1", 3)]),
        ("%%sql -o frame\nSELECT 1", [("sql", "SELECT 1", 2)]),
        ("%%sql rows <<\nSELECT 1", [("sql", "SELECT 1", 2)]),
        ("%sql -- all\nSELECT 1", [("sql", "-- all\nSELECT 1", 1)]),
        ("%SQL\nSELECT 1", [("sql", "SELECT 1", 2)]),
        ("%%bash\nkafka-topics --list", [("shell", "kafka-topics --list", 2)]),
        ("%md\n# Title", [("markdown", "# Title", 2)]),
        ("%md-sandbox\n<b>", [("markdown", "<b>", 2)]),
        ("%r\nx <- 1", [("r", "x <- 1", 2)]),
        ("%skip\nimport dlt", [("other", "import dlt", 2)]),
        ("%%writefile a.py\nimport dlt", [("other", "a.py\nimport dlt", 1)]),
        ("%fs ls /mnt", [("shell", "ls /mnt", 1)]),
        ("df.head?\nx = 1", [("python", "x = 1", 2)]),
    ],
)
def test_magics_of_a_cell_are_read_and_commands_are_blanked(source: str, wanted: list[tuple[str, str, int]]) -> None:
    assert told(jupyter(code(source))) == wanted


def test_cells_of_jupyter_are_counted_in_lines_one_after_the_other() -> None:
    source = jupyter(
        {"cell_type": "markdown", "source": ["# Title\n", "words"], "metadata": {}},
        code(["import dlt\n", "x = 1"]),
        {"cell_type": "raw", "source": "raw", "metadata": {}},
        code("y = 2\n"),
        code("z = 3"),
    )
    assert told(source) == [
        ("markdown", "# Title\nwords", 1),
        ("python", "import dlt\nx = 1", 3),
        ("other", "raw", 5),
        ("python", "y = 2", 6),
        ("python", "z = 3", 8),
    ]


@pytest.mark.parametrize(
    ("metadata", "language"),
    [
        ({"application/vnd.databricks.v1+notebook": {"language": "sql"}, "language_info": {"name": "python"}}, "sql"),
        ({"language_info": {"name": "sql"}}, "sql"),
        ({"kernelspec": {"language": "scala", "name": "x"}}, "scala"),
        ({"language_info": {"name": "PySpark"}}, "python"),
        ({}, "python"),
        ({"language_info": 3, "kernelspec": []}, "python"),
    ],
)
def test_a_notebook_says_which_language_its_cells_have(metadata: dict[str, object], language: str) -> None:
    assert told(jupyter(code("x"), **metadata)) == [(language, "x", 1)]


@pytest.mark.parametrize(
    "metadata",
    [
        {"application/vnd.databricks.v1+cell": {"language": "sql", "title": ""}},
        {"vscode": {"languageId": "sql"}},
        {"language": "sql"},
        {"microsoft": {"language": "sparksql"}},
    ],
)
def test_a_cell_says_which_language_it_has(metadata: dict[str, object]) -> None:
    assert told(jupyter(code("SELECT 1", **metadata))) == [("sql", "SELECT 1", 1)]


def test_an_older_jupyter_notebook_has_its_cells_in_worksheets() -> None:
    cells = [
        {"cell_type": "heading", "source": ["T"], "level": 1},
        {"cell_type": "code", "input": ["x = 1"], "language": "python"},
    ]
    source = json.dumps({"nbformat": 3, "metadata": {"name": ""}, "worksheets": [{"cells": cells}]})
    assert told(source) == [("markdown", "T", 1), ("python", "x = 1", 2)]


NATIVE = {
    "version": "NotebookV1",
    "language": "python",
    "commands": [
        {"version": "CommandV1", "position": 2.0, "command": "%sql\nSELECT 'ä'"},
        {"version": "CommandV1", "position": 1.0, "command": "import dlt"},
        {"version": "CommandV1", "position": 3.0, "command": "%md words"},
    ],
}


def test_the_notebooks_own_json_is_read_bare_and_inside_of_html() -> None:
    wanted = [("python", "import dlt", 1), ("sql", "SELECT 'ä'", 3), ("markdown", "words", 4)]
    assert told(json.dumps(NATIVE)) == wanted
    model = base64.b64encode(quote(json.dumps(NATIVE)).encode()).decode()
    page = f"<!DOCTYPE html><html><script>var __DATABRICKS_NOTEBOOK_MODEL = '{model}';</script></html>"
    assert told(page, path="export.html") == wanted


@pytest.mark.parametrize(
    "source",
    [
        "{",
        '{"cells": [',
        "[]",
        "null",
        '{"cells": 3}',
        '{"nbformat": 4}',
        "nonsense",
        '{"cells": [' * 100_000,
        "<html>",
    ],
)
def test_a_broken_jupyter_file_has_no_cells_and_a_reason(source: str) -> None:
    assert told(source, path="a.ipynb") == []
    assert why_unreadable(source, "a.ipynb")


@pytest.mark.parametrize(
    "cell", [None, 3, "x", [], {}, {"cell_type": "code"}, {"cell_type": 3, "source": 4}, {"source": [1, None, {}]}]
)
def test_an_odd_cell_costs_that_cell_only(cell: object) -> None:
    assert ("python", "x = 1") in [(language, text) for language, text, _ in told(jupyter(cell, code("x = 1")))]


def test_a_dictionary_of_python_is_not_taken_for_a_notebook() -> None:
    assert told('{"cells": 1}') == [("python", '{"cells": 1}', 1)]


def test_lines_point_to_the_same_text_in_the_file() -> None:
    lines = PYTHON_NOTEBOOK.split("\n")
    for cell in split_cells(PYTHON_NOTEBOOK):
        assert cell.text.split("\n")[0] in lines[cell.line - 1]


def test_changed_notebooks_never_raise_and_take_no_time() -> None:
    chance = random.Random(7)
    pieces = ["# MAGIC", "%sql", "\n", "# COMMAND ----------", '"""', "'", "\\", "{", '"cells"', "[", "\x00", "\udc80"]
    bases = [PYTHON_NOTEBOOK, jupyter(code("%sql\nSELECT 1"), code(["x\n", "y"])), json.dumps(NATIVE)]
    begin = time.process_time()
    for _ in range(1_500):
        text = list(chance.choice(bases))
        for _ in range(chance.randint(1, 8)):
            at = chance.randrange(len(text))
            text[at : at + chance.randint(0, 30)] = chance.choice(pieces)
        for cell in split_cells("".join(text), path=chance.choice(["", "a.py", "a.ipynb"])):
            assert cell.line >= 1
    assert time.process_time() - begin < 20


@pytest.mark.parametrize(
    "text", ["x" * 5_000_000, "'" * 1_000_000, "\n" * 3_000_000, "%a " * 500_000, "x = 1\n" * 300_000]
)
def test_a_large_file_is_read_in_bounded_time(text: str) -> None:
    begin = time.process_time()
    split_cells(text)
    assert time.process_time() - begin < 5
