"""The executing checker sees what a program does, and what no one can know."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.connectors.databricks.executing import execute
from tests.connectors.databricks.unknowable import Unknown, is_tainted


def run(source: str, files: Mapping[str, str] | None = None, **configuration: str) -> list[dict[str, Any]]:
    return execute(source, "program.py", "/team/program.py", configuration, files or {}).sources


KAFKA = 'spark.readStream.format("kafka").option("kafka.bootstrap.servers", servers).option("subscribe", topic).load()'


def test_a_read_has_the_options_that_took_effect() -> None:
    (found,) = run('topic, servers = "b", "k:1"\n' + KAFKA.replace(".load", ".option('SUBSCRIBE', 'c').load"))
    assert (found["topics"], found["bootstrap"], found["line"], found["confidence"]) == (("c",), "k:1", 2, 1.0)


def test_a_secret_taints_every_text_that_is_made_of_it() -> None:
    secret = Unknown("secret")
    made = [secret + "a", "a" + secret, f"a{secret}", "a%s" % secret, "{}".format(secret), ",".join(["a", secret])]  # noqa: UP031, UP032
    made += [secret.upper(), secret.replace("s", "t"), secret.split(",")[0], secret["key"], secret.name, str(secret)]
    assert all(map(is_tainted, made))
    assert not is_tainted("a")


def test_an_unknown_value_is_unresolved_under_the_name_that_the_program_gives_it() -> None:
    (found,) = run(f'topic = "t"\nservers = dbutils.secrets.get("a", "b") + ":9092"\n{KAFKA}')
    assert (found["unresolved"], found["bootstrap"], found["topics"]) == (("kafka.bootstrap.servers",), None, ("t",))


def test_an_unknown_condition_is_run_both_ways() -> None:
    found = run(f'servers = "k:1"\ntopic = "a" if dbutils.secrets.get("a", "b") == "x" else "b"\n{KAFKA}')
    assert [(one["topics"], one["confidence"]) for one in found] == [(("a",), 0.5), (("b",), 0.5)]


def test_the_same_unknown_condition_is_answered_alike_within_a_run() -> None:
    found = run(
        'import os\nprod = os.environ["E"] == "prod"\n'
        'topic = "a" if prod else "b"\nservers = "ka:1" if os.environ["E"] == "prod" else "kb:1"\n' + KAFKA
    )
    assert {(one["topics"], one["bootstrap"]) for one in found} == {(("a",), "ka:1"), (("b",), "kb:1")}


def test_a_pipeline_function_is_called_after_the_program_was_read() -> None:
    (found,) = run(f'import dlt\n@dlt.table\ndef t():\n    return {KAFKA}\ntopic, servers = "late", "k:1"')
    assert (found["topics"], found["target_table"], found["line"]) == (("late",), "t", 4)


def test_a_read_that_feeds_two_tables_is_two_sources() -> None:
    found = run('df = spark.read.table("a")\ndf.write.saveAsTable("b")\ndf.select("x").write.saveAsTable("c")')
    assert [one["target_table"] for one in found] == ["b", "c"]


def test_a_function_that_nobody_calls_is_tried_with_unknown_parameters() -> None:
    (found,) = run(f"def f(topic, servers):\n    return {KAFKA}")
    assert (found["unresolved"], found["confidence"]) == (("kafka.bootstrap.servers", "subscribe"), 0.5)


def test_modules_come_from_the_files_beside_the_program_and_leave_nothing_behind() -> None:
    import json
    import sys

    files = {"/team/shared/json_topics.py": 'topic = "t"\n', "/servers.py": 'servers = "k:1"\n'}
    (found,) = run(f"from shared.json_topics import topic\nfrom servers import servers\n{KAFKA}", files)
    assert (found["topics"], found["bootstrap"]) == (("t",), "k:1")
    assert not {"shared", "servers", "dlt"} & set(sys.modules)
    assert sys.modules["json"] is json


def test_a_read_in_another_file_has_no_line() -> None:
    (found,) = run(
        "from lib import read\nread(spark)", {"/team/lib.py": "def read(spark):\n    return spark.table('a')\n"}
    )
    assert (found["path"], found["line"]) == ("a", None)


def test_an_expression_begins_where_its_first_name_stands() -> None:
    (found,) = run('x = (\n    spark\n    .read\n    .format("delta")\n    .load("/a")\n)')
    assert found["line"] == 2
