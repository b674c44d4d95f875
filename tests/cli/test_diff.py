"""`lineage-hub diff` tells what came, went and changed between two moments."""

from lineage_hub.cli.answers import Changed, Column, Difference, Edge, EdgeChanges, NodeChanges, SchemaChange
from lineage_hub.cli.diff import changes
from lineage_hub.sample import Week
from tests.cli.conftest import Cli


def test_every_kind_of_change_is_a_row() -> None:
    answer = Difference(
        nodes=NodeChanges(["dataset:s3://lake:new"], ["job:airflow:old"]),
        edges=EdgeChanges([Edge("dataset:s3://l:a", "job:air:b")], [Edge("job:air:c", "dataset:s3://l:d")]),
        columns=EdgeChanges([Edge("datasetField:s3://l:a:x", "datasetField:s3://l:d:y")], []),
        schemas=[SchemaChange("dataset:s3://l:t", [Column("n", "INT")], ["o"], [Changed("p", "INT", "TEXT")])],
    )
    assert changes(answer) == [
        ("added", "dataset", "s3://lake:new"),
        ("removed", "job", "airflow:old"),
        ("added", "edge", "a → b"),
        ("removed", "edge", "c → d"),
        ("added", "column edge", "a.x → d.y"),
        ("added", "column", "t: n INT"),
        ("removed", "column", "t: o"),
        ("changed", "column", "t: p INT → TEXT"),
    ]


def test_the_release_of_the_week_is_told(ask: Cli, week: Week) -> None:
    shown = ask("diff", "revenue_daily", "--from", week.midweek_at.isoformat(), "--to", week.end_at.isoformat())
    assert shown.code == 0, shown.err
    lines = shown.out.splitlines()
    assert any(line.startswith("added") and "dim_books" in line and " edge " in line for line in lines)
    assert any(line.startswith("added") and "genre" in line for line in lines)
    assert any(line.startswith("changed") and "unit_price INTEGER → NUMERIC(10,2)" in line for line in lines)


def test_json_has_the_answer_of_the_hub(ask: Cli, week: Week) -> None:
    told = ask(
        "diff",
        "revenue_daily",
        "--from",
        week.midweek_at.isoformat(),
        "--to",
        week.end_at.isoformat(),
        "--json",
    ).json()
    assert {"from", "to", "nodes", "edges", "columns", "schemas"} <= set(told)


def test_nothing_changed_is_an_answer_too(ask: Cli, week: Week) -> None:
    end = week.end_at.isoformat()
    assert ask("diff", "revenue_daily", "--from", end, "--to", end).out.startswith("Nothing changed between")


def test_a_moment_without_zone_is_refused(ask: Cli) -> None:
    shown = ask("diff", "revenue_daily", "--from", "2026-11-09T00:00:00")
    assert shown.code == 2
    assert "has no time zone" in shown.err
