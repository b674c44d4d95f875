"""The name of an example enters; it is run as a user would run it, and what it printed leaves."""

import os
import subprocess
import sys
from pathlib import Path

from tests.hub_process import clean_environment

ROOT = Path(__file__).parent.parent.parent


def run_example(name: str, url: str, spool: Path, **more: str) -> str:
    environment = {
        **{name: value for name, value in clean_environment().items() if name not in ("TRACEPARENT", "TRACESTATE")},
        "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), *filter(None, sys.path)]),
        "LINEAGE_HUB_URL": url,
        "LINEAGE_HUB_SPOOL_FOLDER": str(spool),
        **more,
    }
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / name)],
        env=environment, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout
