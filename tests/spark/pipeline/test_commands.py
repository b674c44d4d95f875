"""The commands as a person uses them, each a process of its own."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hub_process import clean_environment
from tests.spark.pipeline.shop_files import write_files

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark"), pytest.mark.timeout(600)]


class Terminal:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        write_files(folder)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        environment = clean_environment() | {
            "LINEAGE_HUB_DATA_DIR": str(self.folder / "hub"),
            "LINEAGE_HUB_SPOOL_FOLDER": str(self.folder / "spool"),
            "LINEAGE_HUB_URL": "http://127.0.0.1:9",
        }
        command = [sys.executable, "-m", "lineage_hub.cli", "pipeline", *arguments]
        return subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False, timeout=500
        )


@pytest.fixture(scope="module")
def terminal(tmp_path_factory: pytest.TempPathFactory) -> Terminal:
    return Terminal(tmp_path_factory.mktemp("terminal"))


def test_init_writes_an_example_that_validate_takes(terminal: Terminal) -> None:
    done = terminal.run("init", "mine.yaml", "--no-rows")
    assert (done.returncode, done.stderr) == (0, "")
    assert "pipeline plan mine.yaml" in (terminal.folder / "mine.yaml").read_text()
    assert not (terminal.folder / "data").exists()
    again = terminal.run("init", "mine.yaml")
    assert again.returncode != 0
    assert "mine.yaml is there already" in again.stderr
    checked = terminal.run("validate", "mine.yaml", "-p", "data=/in", "-p", "lake=/out")
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_validate_names_line_and_nearest_key(terminal: Terminal) -> None:
    text = (terminal.folder / "small.yaml").read_text()
    (terminal.folder / "wrong.yaml").write_text(text.replace("  doubled:\n    transform:", "  doubled:\n    tranform:"))
    done = terminal.run("validate", "wrong.yaml", "-p", "at=.")
    assert done.returncode == 2
    assert "error: line 8, column 5, stage doubled, tranform" in done.stdout
    assert "did you mean `transform`?" in done.stdout
    told = terminal.run("validate", "wrong.yaml", "-p", "at=.", "--json")
    assert [one["line"] for one in json.loads(told.stdout) if one["level"] == "error"] == [8]


def test_the_example_runs_on_its_rows_and_is_listed_and_asked_for_again(tmp_path: Path) -> None:
    """With no hub: capture never fails the job."""
    terminal = Terminal(tmp_path)
    (tmp_path / "data").mkdir()
    beside = terminal.run("init", "beside.yaml")
    assert (beside.returncode, list((tmp_path / "data").iterdir())) == (0, [])
    (tmp_path / "data").rmdir()
    began = terminal.run("init", "mine.yaml")
    assert "Next: lineage-hub pipeline run mine.yaml" in began.stdout
    done = terminal.run("run", "mine.yaml", "--master", "local[1]")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "\x1b" not in done.stdout
    for word in ("raw_orders", "save_revenue", "COMPLETE", "not_null", "1 of 5 rows have currency not among"):
        assert word in done.stdout
    listed = json.loads(terminal.run("list", "--json").stdout)
    assert [(one["pipeline"], one["state"]) for one in listed] == [("retail", "COMPLETE")]
    stages = {one["name"]: (one["rows"], one["rejected"]) for one in listed[0]["stages"]}
    assert (stages["raw_orders"], stages["orders"], stages["customers"]) == ((6, 1), (5, 1), (3, 1))
    assert stages["save_revenue"][0] == 5
    shown = terminal.run("status", listed[0]["run_id"])
    assert (shown.returncode, "COMPLETE" in shown.stdout) == (0, True)
    ended = terminal.run("cancel", listed[0]["run_id"])
    assert ended.returncode != 0
    assert "has ended" in ended.stderr


def test_a_failed_run_names_stage_and_cause_and_is_continued(terminal: Terminal) -> None:
    """What was finished stays as it is: the second run doesn't write it again."""
    text = (terminal.folder / "small.yaml").read_text()
    late = text.replace("parameters: {at: {}}", "parameters: {at: {}, least: {type: number}}") + (
        '  again:\n    extract: {format: parquet, path: "${at}/doubled"}\n'
        '  late:\n    transform: {from: again, steps: [filter: "order_id >= ${least}"]}\n'
        "    rules:\n      - {row_count: {min: 1}, severity: fail}\n"
        '  late_orders:\n    load: {from: late, format: parquet, path: "${at}/late"}\n'
    )
    (terminal.folder / "late.yaml").write_text(late)
    arguments = ("late.yaml", "-p", f"at={terminal.folder}", "--master", "local[1]", "--json")
    failed = terminal.run("run", *arguments, "-p", "least=100")
    assert failed.returncode == 1, failed.stdout + failed.stderr
    told = json.loads(failed.stdout)
    assert (told["state"], told["failed_stage"]) == ("FAIL", "late")
    assert "0 rows" in told["error"]
    written = {one: one.stat().st_mtime_ns for one in (terminal.folder / "doubled").rglob("*.parquet")}
    done = terminal.run("run", *arguments, "-p", "least=1", "--rerun-failed", told["run_id"])
    assert done.returncode == 0, done.stdout + done.stderr
    states = {one["name"]: one["state"] for one in json.loads(done.stdout)["stages"]}
    assert (states["doubled_orders"], states["late_orders"]) == ("REUSED", "COMPLETE")
    assert {one: one.stat().st_mtime_ns for one in (terminal.folder / "doubled").rglob("*.parquet")} == written


def test_plan_prints_the_lineage_to_expect_and_writes_nothing(terminal: Terminal, tmp_path: Path) -> None:
    write_files(tmp_path)
    before = sorted(one.name for one in tmp_path.iterdir())
    done = terminal.run("plan", str(tmp_path / "small.yaml"), "-p", f"at={tmp_path}", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert found["order"] == [["orders"], ["doubled"], ["doubled_orders"]]
    assert found["stages"]["doubled"]["columns"]["twice"] == ["small.orders.amount TRANSFORMATION"]
    assert found["stages"]["orders"]["inputs"] == [f"file/{tmp_path}/orders.csv"]
    assert sorted(one.name for one in tmp_path.iterdir()) == before
