"""Whole programs on Spark: how they end is how their run ends, and `lineage-hub instrument` needs no change of them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sdk.instrumentation.programs import Ended, Programs
from tests.transports.recorder import Recorder

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark"), pytest.mark.timeout(540)]

BEGIN = """
    import sys
    from pyspark.sql import SparkSession
    builder = SparkSession.builder.master("local[1]").appName("shop").config("spark.ui.enabled", "false")
    spark = builder.config("spark.ui.showConsoleProgress", "false").getOrCreate()
"""
FOLLOW = """
    from lineage_hub.spark import instrument
    instrument(spark)
"""
WRITE = """
    spark.range(3).write.json(sys.argv[1])
"""


@pytest.fixture
def programs(tmp_path: Path) -> Iterator[Programs]:
    with Recorder() as recorder:
        yield Programs(tmp_path, recorder, {"SPARK_LOCAL_IP": "127.0.0.1"}, patience_s=250)


def states(ended: Ended) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for event in ended.events:
        found.setdefault(event["job"]["name"], []).append(event["eventType"])
    return found


def test_a_script_under_the_command_is_the_parent_of_what_it_writes(programs: Programs, tmp_path: Path) -> None:
    text = BEGIN + WRITE + "    print(spark.read.json(sys.argv[1]).count())\n    spark.stop()\n"
    ended = programs.run(text, str(tmp_path / "ids"))
    assert (ended.code, ended.stdout) == (0, "3\n")
    write = f"shop.json.{tmp_path.name}/ids"
    assert states(ended) == {"job": ["START", "COMPLETE"], write: ["START", "COMPLETE"]}
    (output,) = ended.datasets("outputs", write).values()
    assert output["name"] == str(tmp_path / "ids")
    runs = {event["job"]["name"]: event["run"] for event in ended.events}
    assert runs[write]["facets"]["parent"]["run"]["runId"] == runs["job"]["runId"]


def test_a_program_that_dies_has_failed_even_if_it_stops_spark_first(programs: Programs, tmp_path: Path) -> None:
    body = "    try:\n" + WRITE.replace("    spark", "        spark") + "        raise ValueError('gone')\n"
    programs.write("job.py", BEGIN + FOLLOW + body + "    finally:\n        spark.stop()\n")
    ended = programs.python("job.py", str(tmp_path / "ids"))
    assert ended.code == 1
    assert states(ended) == {"shop": ["START", "FAIL"], f"shop.json.{tmp_path.name}/ids": ["START", "COMPLETE"]}
    failed = next(event for event in ended.events if event["eventType"] == "FAIL")
    assert failed["run"]["facets"]["errorMessage"]["message"] == "gone"
    assert ended.stderr.rstrip().endswith("ValueError: gone")


def test_an_exit_code_is_a_failure_and_an_end_is_an_end(programs: Programs) -> None:
    text = """
    try:
        sys.exit(int(sys.argv[1]))
    finally:
        spark.stop()
    """
    programs.write("job.py", BEGIN + FOLLOW + text)
    assert [(ended.code, states(ended)) for ended in (programs.python("job.py", code) for code in ("3", "0"))] == [
        (3, {"shop": ["START", "FAIL"]}),
        (0, {"shop": ["START", "COMPLETE"]}),
    ]
