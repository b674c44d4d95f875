"""The proofs enter, at full size. Their figures leave as tables of README.md: the hub's, the readers' and Spark's.

A proof writes what it did as one JSON object into a file of the folder that LINEAGE_HUB_FIGURES names;
the file's name is the proof's, the keys are its figures, and a key `proof` replaces the name by a sentence.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

from benchmarks.report import describe_machine, write_part

# Parts of README.md. Proofs kill hubs and fill disks, each needs the machine alone; properties only need cores.
PARTS: dict[str, dict[str, tuple[str, ...]]] = {
    "soak": {"tests/proofs": (), "tests/properties": ("-n", "auto")},
    "soak-code": {"tests/connectors/databricks/program/test_fuzz.py": ()},
    "soak-spark": {"tests/spark/plan/test_generated.py": (), "tests/spark/pipeline/test_kill.py": ()},
}
ROOT = Path(__file__).resolve().parents[1]


def read_figures(folder: Path) -> dict[str, dict[str, Any]]:
    """Each proof's sentence, with its figures."""
    found: dict[str, dict[str, Any]] = {}
    for path in sorted(folder.glob("*.json")):
        figures = json.loads(path.read_text())
        sentence = figures.pop("proof", path.stem.replace("_", " "))
        found[sentence] = figures
    return found


def count_outcomes(folder: Path) -> dict[str, int]:
    suites = [suite for junit in folder.glob("*.xml") for suite in ET.parse(junit).getroot().iter("testsuite")]
    counts = {name: sum(int(s.get(name, 0)) for s in suites) for name in ("tests", "failures", "errors", "skipped")}
    return {"passed": counts["tests"] - counts["failures"] - counts["errors"] - counts["skipped"], **counts}


def _show(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def render_table(machine: str, figures: dict[str, dict[str, Any]], outcomes: dict[str, int], took_s: float) -> str:
    shown = ", ".join(f"{count} {name}" for name, count in outcomes.items() if name != "tests" and count)
    lines = [
        machine,
        "",
        f"`python -m benchmarks.soak`: {shown or 'no test ran'}; {took_s / 60:.0f} minutes.",
        "",
        "| proof | figures |",
        "|---|---|",
    ]
    for sentence, values in figures.items():
        text = "; ".join(f"{name.replace('_', ' ')} {_show(value)}" for name, value in values.items())
        lines.append(f"| {sentence} | {text} |".replace("\n", " "))
    return "\n".join(lines)


def _run_to_its_end(command: list[str], environment: dict[str, str]) -> int:
    """Ctrl-C reaches pytest too, which then stops the servers that its tests have started: it gets the time to."""
    pytest = subprocess.Popen(command, cwd=ROOT, env=environment)
    try:
        return pytest.wait()
    except KeyboardInterrupt:
        pytest.wait()
        raise


def run_part(suites: dict[str, tuple[str, ...]], for_pytest: list[str]) -> tuple[int, str]:
    """The exit code that isn't 0, if any, and the table."""
    machine = describe_machine()
    with tempfile.TemporaryDirectory(prefix="lineage-hub-soak-") as name:
        folder = Path(name, "figures")
        folder.mkdir()
        environment = {**os.environ, "LINEAGE_HUB_PROOF": "soak", "LINEAGE_HUB_FIGURES": str(folder)}
        started_at = time.monotonic()
        code = 0
        for number, (suite, options) in enumerate(suites.items()):
            # A proof at full size may take long: the limit of the everyday suite would end it.
            report = f"--junitxml={Path(name, f'{number}.xml')}"
            command = [sys.executable, "-m", "pytest", "-o", "timeout=0", report, suite, *options, *for_pytest]
            code = _run_to_its_end(command, environment) or code
        took_s = time.monotonic() - started_at
        return code, render_table(machine, read_figures(folder), count_outcomes(Path(name)), took_s)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.soak",
        description="Run the proofs at full size; further words go to pytest.",
    )
    parser.add_argument("--only", choices=PARTS, help="one part; the other's table stays")
    parser.add_argument("--no-readme", action="store_true", help="leave README.md as it is")
    wanted, for_pytest = parser.parse_known_args()
    failed = 0
    for part in [wanted.only] if wanted.only else PARTS:
        code, table = run_part(PARTS[part], for_pytest)
        print(table)
        if not wanted.no_readme:
            write_part(part, table)
        failed = code or failed
    return failed


if __name__ == "__main__":
    sys.exit(main())
