"""`lineage-hub serve` starts a hub, stops in order, and says what is missing."""

import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from lineage_hub.sample import Week
from tests.hub_process import HubProcess


@pytest.mark.slow
def test_sigterm_stops_it_in_order_and_nothing_is_lost(tmp_path: Path, week: Week) -> None:
    hub = HubProcess(tmp_path / "data")
    assert httpx.post(f"{hub.url}/api/v1/lineage/batch", json=week.events[:20]).status_code == 204
    assert hub.stop() == 0
    with HubProcess(tmp_path / "data") as again:
        assert httpx.get(f"{again.url}/api/v1/events/lineage").json()["totalCount"] == 20


@pytest.mark.slow
def test_a_port_that_is_taken_is_an_error(tmp_path: Path) -> None:
    with HubProcess(tmp_path / "first") as first:
        second = HubProcess(tmp_path / "second", port=first.port, wait=False)
        assert second.wait_for_exit() == 1
        assert f"port {first.port}: Address already in use" in second.said()
        assert "name another with --port" in second.said()
        assert first.exit_code is None


def test_until_its_first_answer_it_imports_only_what_that_needs(tmp_path: Path) -> None:
    with HubProcess(tmp_path / "data", environment={"PYTHONPROFILEIMPORTTIME": "1"}) as hub:
        assert httpx.get(f"{hub.url}/api/v1/lineage", params={"nodeId": "dataset:none:none"}).status_code == 404
    lines = [line for line in hub.log.read_text().splitlines() if line.startswith("import time:")]
    # A package that was only looked for has a line too, but none of its parts.
    parts = {line.rpartition("|")[2].strip() for line in lines}
    heavy = (
        *("alembic", "attrs", "colorama", "httpx", "jinja2", "openlineage", "psycopg", "pydantic.v1", "pygments"),
        *("requests", "rich", "sqlalchemy.dialects.postgresql", "sqlalchemy.orm", "websockets", "yaml"),
    )
    assert [part for part in sorted(parts) if part.startswith(tuple(f"{name}." for name in heavy))] == []
    assert "lineage_hub.server.app" in parts
    assert len(parts) < 1000


def test_without_the_extra_it_says_what_to_install(tmp_path: Path) -> None:
    program = (
        "import sys; sys.modules['uvicorn'] = None\n"
        "sys.argv = ['lineage-hub', 'serve']\n"
        "from lineage_hub.cli import main; main()"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, timeout=60, check=False
    )
    assert ended.returncode == 5
    assert "pip install 'lineage-hub[server]'" in ended.stderr
