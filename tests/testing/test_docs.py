"""docs/testing.md speaks of what there is, and its example works as it is written."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from lineage_hub.testing import LineageEvents, RecordedRun
from tests.hub_process import clean_environment

PAGE = (Path(__file__).parents[2] / "docs" / "testing.md").read_text()
PROGRAM = """
import pytest
from lineage_hub.sdk import lineage_track

@lineage_track(
    "report", inputs=lambda day: f"s3://lake/orders/{day}", outputs={"type": "postgres", "name": "shop.public.report"}
)
def report(day):
    if day != "monday":
        raise ValueError("no such day")
"""


def test_every_name_of_the_tables_exists() -> None:
    for row in re.findall(r"^\| (`\..*?) \|", PAGE, re.MULTILINE):
        for name in re.findall(r"`\.(\w+)", row):
            assert hasattr(LineageEvents(), name) or hasattr(RecordedRun("", "", ""), name), name


@pytest.mark.slow
def test_the_examples_work_as_they_are_written(tmp_path: Path) -> None:
    with_pytest, without = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["lineage_hub.testing"]\n')
    (tmp_path / "test_it.py").write_text(f"{PROGRAM}\n{with_pytest}\n{without}")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    ran = subprocess.run(command, cwd=tmp_path, env=clean_environment(), capture_output=True, text=True, check=False)
    assert "2 passed" in ran.stdout, ran.stdout + ran.stderr
