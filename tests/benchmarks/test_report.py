"""Verdicts, tables and the parts of README.md."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import report, soak
from benchmarks.claims import AIM, MUST, NOT_JUDGED, SHORT_OF, Bound, Figure, Row, as_markdown
from benchmarks.run import PARTS, PROGRAMS, render_table


@pytest.mark.parametrize(
    ("cpu_ms", "rate", "verdict"),
    [(0.4, 2500, AIM), (0.4, 1500, MUST), (0.9, 2500, MUST), (1.1, 2500, SHORT_OF), (0.4, 900, SHORT_OF)],
)
def test_the_worst_figure_decides_a_row(cpu_ms: float, rate: float, verdict: str) -> None:
    figures = (Figure(cpu_ms, "CPU-ms", Bound(1.0, 0.5)), Figure(rate, "events/s", Bound(1000, 2000, True)))
    assert Row("ingest", figures).verdict == verdict
    assert Row("ingest", figures, judged=False).verdict == NOT_JUDGED


def test_a_row_without_bounds_is_shown_and_not_judged() -> None:
    table = as_markdown([Row("reads | writes", (Figure(12.34, "ms"),), "640 nodes")])
    assert table.splitlines()[-1] == r"| reads \| writes | – | – | – | 12.3 ms | not judged | 640 nodes |"


def test_the_table_names_the_program_of_each_row_and_the_reference() -> None:
    row = Row("disk", (Figure(1, "KB", Bound(2, 1)),))
    assert "Marquez 0.51.1" not in render_table("a machine", {"disk": [row]})
    table = render_table("a machine", {"disk": [replace(row, reference="27 KB")]})
    assert "`python -m benchmarks.disk`" in table
    assert "Marquez 0.51.1" in table


def test_only_the_marked_part_of_the_readme_changes() -> None:
    text = "before\n<!-- speed:begin -->\nold\n<!-- speed:end -->\nafter\n"
    assert report.replace_part(text, "speed", "new") == text.replace("old", "new")
    with pytest.raises(ValueError, match="soak"):
        report.replace_part(text, "soak", "new")


def test_the_readme_has_every_part() -> None:
    text = report.README.read_text()
    assert all(f"<!-- {part}:begin -->" in text for part in (*PARTS, *soak.PARTS))


def test_every_program_of_the_folder_is_run_by_run() -> None:
    folder = report.README.parent
    programs = {path.stem for path in folder.glob("*.py") if "run_alone(" in path.read_text()} - {"bench"}
    assert programs == set(PROGRAMS)


def test_soak_shows_what_the_proofs_wrote(tmp_path: Path) -> None:
    (tmp_path / "kill_nine.json").write_text(json.dumps({"kills": 100, "acked_events": 123456, "lost": 0}))
    (tmp_path / "order.json").write_text(json.dumps({"proof": "Any order gives one view", "took_s": 1.23456}))
    junit = tmp_path / "junit.xml"
    junit.write_text('<testsuites><testsuite tests="5" failures="1" errors="0" skipped="0"/></testsuites>')
    table = soak.render_table("a machine", soak.read_figures(tmp_path), soak.count_outcomes(tmp_path), 600)
    assert "4 passed, 1 failures; 10 minutes" in table
    assert "| kill nine | kills 100; acked events 123,456; lost 0 |" in table
    assert "| Any order gives one view | took s 1.23 |" in table
