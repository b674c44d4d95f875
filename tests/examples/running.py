"""The name of an example enters; it is run as a user would run it, and what it printed leaves."""

import subprocess
import sys
from pathlib import Path

from tests.hub_process import clean_environment

EXAMPLES = Path(__file__).parents[2] / "examples"


def run_example(tmp_path: Path, name: str, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    environment = clean_environment() | {"XDG_STATE_HOME": str(tmp_path / "state")} | settings
    ran = subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLES / name), *arguments],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=250,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran
