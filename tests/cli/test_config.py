"""`lineage-hub config show` and what all commands share: errors without tracebacks, pipes without colours."""

import json
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from lineage_hub import __version__
from lineage_hub.sdk import LineageHubConfig
from lineage_hub.settings import every_setting
from tests.cli.conftest import Cli

HUB = Path(sys.executable).parent / "lineage-hub"


@pytest.fixture
def run(tmp_path: Path):
    def run_hub(*arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
        bare = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), **environ}
        return subprocess.run(
            [HUB, *arguments], env=bare, cwd=tmp_path, capture_output=True, text=True, timeout=30, check=False
        )

    return run_hub


def test_every_setting_is_shown_with_value_and_origin_and_no_secret(run):
    shown = run("config", "show", "--port", "9", LINEAGE_HUB_API_KEY="swordfish")
    assert shown.returncode == 0, shown.stderr
    lines = shown.stdout.splitlines()
    assert [line.split()[0] for line in lines[1:]] == [setting.name for setting in every_setting()]
    assert any(line.split() == ["server_port", "9", "flag", "--port"] for line in lines)
    assert any(line.endswith("environment LINEAGE_HUB_API_KEY") for line in lines)
    assert "swordfish" not in shown.stdout + shown.stderr


def test_json_has_the_same_and_keeps_numbers(run, tmp_path: Path):
    (tmp_path / "lineage-hub.toml").write_text("[server]\nport = 7\n")
    values = json.loads(run("config", "show", "--json").stdout)
    assert values["server_port"] == {"value": 7, "origin": f"file {tmp_path}/lineage-hub.toml"}
    assert set(values) == {setting.name for setting in every_setting()}


def test_an_error_is_one_message_with_the_next_action_and_its_exit_code(run):
    shown = run("config", "show", LINEAGE_HUB_SERVER_PROT="1")
    assert shown.returncode == 2
    assert shown.stdout == ""
    assert shown.stderr.splitlines() == [
        "Error: unknown environment variable LINEAGE_HUB_SERVER_PROT",
        "  did you mean LINEAGE_HUB_SERVER_PORT? Otherwise remove it",
    ]


def test_a_command_written_wrongly_exits_with_2_and_no_traceback(run):
    shown = run("config", "show", "--port", "many")
    assert shown.returncode == 2
    assert "Traceback" not in shown.stderr
    assert "--port" in shown.stderr


def test_nothing_in_a_pipe_has_colours(run):
    for arguments in (["--help"], ["config", "show"], ["config", "show", "--help"]):
        assert "\x1b[" not in run(*arguments).stdout


def test_version_is_the_packages(run):
    assert run("--version").stdout.strip() == f"lineage-hub {__version__}"


def test_help_imports_nothing_of_the_server():
    heavy = ("fastapi", "sqlalchemy", "uvicorn", "alembic", "openlineage", "httpx", "structlog", "pydantic")
    program = (
        "import sys; from lineage_hub.cli.app import load_app; load_app();"
        f"print([name for name in {heavy!r} if name in sys.modules])"
    )
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "[]"


def test_what_the_sdk_goes_by_is_shown_with_its_origin_and_no_secret(cli: Cli, monkeypatch, tmp_path: Path):
    file = tmp_path / "sdk.yml"
    file.write_text("namespace: team\ndry_run: true\n")
    monkeypatch.setenv("LINEAGE_HUB_SDK_CONFIG", str(file))
    monkeypatch.setenv("LINEAGE_HUB_NAMESPACE", "weighs less")
    monkeypatch.setenv("OPENLINEAGE_API_KEY", "swordfish")
    monkeypatch.setenv("LINEAGE_HUB_HUB_ENDPOINT", "http://me:swordfish@hub:8000")
    shown = cli("config", "show", "--sdk")
    assert shown.code == 0, shown.err
    rows = {line.split()[0]: " ".join(line.split()[1:]) for line in shown.out.splitlines()[1:]}
    assert set(rows) == {one.name for one in fields(LineageHubConfig)}
    assert rows["namespace"] == f"team file {file}"
    assert rows["dry_run"] == f"true file {file}"
    assert rows["timeout"] == "30 default"
    assert rows["api_key"].endswith("environment OPENLINEAGE_API_KEY")
    assert rows["hub_endpoint"].endswith("@hub:8000 environment LINEAGE_HUB_HUB_ENDPOINT")
    values = cli("config", "show", "--sdk", "--json")
    assert values.json()["timeout"] == {"value": 30.0, "origin": "default"}
    assert "swordfish" not in shown.out + shown.err + values.out


def test_a_file_of_the_sdk_that_is_wrong_is_an_error(cli: Cli, monkeypatch, tmp_path: Path):
    (tmp_path / "sdk.yml").write_text("namespcae: team\n")
    monkeypatch.setenv("LINEAGE_HUB_SDK_CONFIG", str(tmp_path / "sdk.yml"))
    shown = cli("config", "show", "--sdk")
    assert shown.code == 2
    assert "did you mean 'namespace'?" in shown.err
