"""The fixture `lineage_events` works in a project of its own, however it is loaded and run."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.hub_process import clean_environment

pytestmark = pytest.mark.slow

BY_NAME = 'pytest_plugins = ["lineage_hub.testing"]\n'
TESTS = """
import asyncio, threading
import pytest
from lineage_hub.sdk import configure, get_config, lineage_track, outbox, track

@lineage_track("report", inputs="s3://lake/orders", outputs="s3://lake/report")
def report():
    return 7

def test_a_run_is_recorded(lineage_events):
    assert report() == 7
    run = lineage_events.only_run("report")
    assert run.state == "COMPLETE"
    run.assert_wrote("s3://lake/report")

@pytest.mark.parametrize("number", range(20))
def test_each_has_its_own(lineage_events, number):
    assert get_config().namespace == "default"
    configure(namespace=f"n{number}")
    with track(f"job {number}"):
        pass
    assert lineage_events.only_run().namespace == f"n{number}"

def test_threads(lineage_events):
    threads = [threading.Thread(target=report) for _ in range(10)]
    for one in threads: one.start()
    for one in threads: one.join()
    assert len(lineage_events.runs_of("report")) == 10

@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_async(lineage_events):
    @lineage_track("async")
    async def work():
        await asyncio.sleep(0)
    await asyncio.gather(*(work() for _ in range(5)))
    assert len(lineage_events.runs_of("async")) == 5

class TestNested:
    @pytest.fixture
    def prepared(self, lineage_events):
        report()
        yield lineage_events
        assert len(lineage_events.runs) == 2

    def test_a_fixture_and_its_test_share_it(self, prepared, lineage_events):
        assert prepared is lineage_events
        report()

def test_nothing_is_left_behind():
    assert outbox._instead is None
"""


def run_pytest(folder: Path, *flags: str, **environment: str) -> subprocess.CompletedProcess[str]:
    (folder / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n")
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *flags],
        cwd=folder,
        env=clean_environment() | environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def entry_point(tmp_path: Path) -> Path:
    """A folder that says what an installed package would say."""
    folder = tmp_path / "installed" / "plugin_of_lineage_hub-1.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: plugin-of-lineage-hub\nVersion: 1\n")
    (folder / "entry_points.txt").write_text("[pytest11]\nlineage_hub.testing.plugin = lineage_hub.testing.plugin\n")
    return folder.parent


@pytest.mark.parametrize(
    ("by_conftest", "by_entry_point", "flags"), [(True, False, []), (False, True, ["-n", "2"]), (True, True, [])]
)
def test_a_project_uses_the_fixture(
    tmp_path: Path, entry_point: Path, by_conftest: bool, by_entry_point: bool, flags: list[str]
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "test_project.py").write_text(TESTS)
    if by_conftest:
        (project / "conftest.py").write_text(BY_NAME)
    path = ":".join([str(entry_point), *sys.path] if by_entry_point else sys.path)
    ran = run_pytest(project, *flags, PYTHONPATH=path)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "25 passed" in ran.stdout


def test_a_failure_tells_what_was_recorded(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(BY_NAME)
    (tmp_path / "test_project.py").write_text(
        "from lineage_hub.sdk import track\n"
        "def test_it(lineage_events):\n"
        "    with track('load', outputs='s3://lake/a'): pass\n"
        "    lineage_events.only_run('load').assert_wrote('s3://lake/b')\n"
    )
    ran = run_pytest(tmp_path)
    assert ran.returncode == 1
    assert "never wrote 'b' in 's3://lake'" in ran.stdout
    assert "it wrote 'a' in 's3://lake'" in ran.stdout


def test_the_plugin_costs_a_project_that_does_not_use_it_nothing(tmp_path: Path, entry_point: Path) -> None:
    (tmp_path / "test_project.py").write_text(
        "import sys\ndef test_it():\n"
        "    assert not {name for name in sys.modules if name.startswith(('lineage_hub.sdk', 'msgspec'))}\n"
        "    assert 'lineage_hub.testing.plugin' in sys.modules\n"
    )
    ran = run_pytest(tmp_path, "-p", "no:schemathesis", PYTHONPATH=":".join([str(entry_point), *sys.path]))
    assert ran.returncode == 0, ran.stdout + ran.stderr
