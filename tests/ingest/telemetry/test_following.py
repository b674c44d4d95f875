"""The table pipeline_runs says what the lineage says, from whatever point it was left at."""

import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from lineage_hub.ingest.telemetry.following import FILE, RunFollower
from lineage_hub.lineage.rules.model import NameRule, RuleSet, read_rule
from lineage_hub.settings import Settings
from lineage_hub.store.telemetry.open import TelemetryStore, open_telemetry
from tests.conformance.databases import Database, Databases, Sender
from tests.ingest.telemetry.test_runs import ALONE, PIPELINE, READ, WRITE, event, rows_of, send

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TelemetryStore]:
    opened = open_telemetry(Settings(data_dir=tmp_path_factory.mktemp("engine")))
    yield opened
    opened.close()


@pytest.fixture
def database(tmp_path: Path, store: TelemetryStore) -> Iterator[Database]:
    store.run("TRUNCATE TABLE pipeline_runs")
    with ExitStack() as opened:
        yield Databases("sqlite", tmp_path, opened, lambda: "").new()


def stored(store: TelemetryStore) -> list[dict[str, Any]]:
    return store.ask("SELECT * EXCEPT expires_at FROM pipeline_runs FINAL ORDER BY run_id, pipeline_name, stage")


def lineage_says(sender: Sender) -> list[dict[str, Any]]:
    return [row._asdict() for row in sorted(rows_of(sender).values(), key=lambda row: row.run_id)]


def test_each_run_has_one_row_that_follows_its_events(
    database: Database, store: TelemetryStore, tmp_path: Path
) -> None:
    sender = database.sender()
    follower = RunFollower(sender.store, store, tmp_path)
    assert follower.catch_up() == 0
    send(
        sender,
        event("daily", PIPELINE, "START", 0),
        event("daily.read", READ, "START", 1, parent=("daily", PIPELINE)),
    )
    assert follower.catch_up() == 2
    send(sender, event("daily.read", READ, "FAIL", 5, parent=("daily", PIPELINE), error="x", rows={"/a": (7, 8)}))
    assert follower.catch_up() == 1
    found = stored(store)
    assert found == lineage_says(sender)
    assert [(row["stage"], row["status"], row["records_processed"]) for row in found] == [
        ("", "RUNNING", 0),
        ("daily.read", "FAILED", 7),
    ]


def test_a_run_that_turns_out_to_belong_elsewhere_leaves_no_row_behind(
    database: Database, store: TelemetryStore, tmp_path: Path
) -> None:
    sender = database.sender()
    follower = RunFollower(sender.store, store, tmp_path)
    send(
        sender,
        event("spark", WRITE, "START", 2, parent=("dag.task", READ)),
        event("inner", ALONE, "START", 3, parent=("spark", WRITE)),
    )
    follower.catch_up()
    assert {row["pipeline_name"] for row in stored(store)} == {"dag.task"}
    send(sender, event("dag.task", READ, "COMPLETE", 9, parent=("dag", PIPELINE)))
    follower.catch_up()
    assert {(row["run_id"], row["pipeline_name"]) for row in stored(store)} == {
        (run, "dag") for run in (READ, WRITE, ALONE)
    }
    assert stored(store) == lineage_says(sender)


def test_runs_of_jobs_that_rules_rename_have_their_rows_under_the_new_names(
    database: Database, store: TelemetryStore, tmp_path: Path
) -> None:
    sender = database.sender()
    follower = RunFollower(sender.store, store, tmp_path)
    send(
        sender,
        event("daily", PIPELINE, "START", 0),
        event("daily.read", READ, "FAIL", 5, parent=("daily", PIPELINE), error="x", rows={"/a": (7, 8)}),
    )
    follower.catch_up()
    before = stored(store)
    renaming = {
        "id": "r",
        "on": ["job.name", "job.namespace"],
        "match": "glob",
        "pattern": "*",
        "replacement": "new $1",
    }
    sender.set_rules(RuleSet((read_rule(NameRule, renaming),)))
    sender.fold_all_again()
    follower.catch_up()
    assert {(row["pipeline_name"], row["stage"]) for row in stored(store)} == {
        ("new daily", ""),
        ("new daily", "new daily.read"),
    }
    assert {row["job_namespace"][:4] for row in stored(store)} == {"new "}
    assert stored(store) == lineage_says(sender)
    send(sender, event("daily", PIPELINE, "COMPLETE", 9))
    RunFollower(sender.store, store, tmp_path).catch_up()
    assert stored(store) == lineage_says(sender)
    assert [row["records_processed"] for row in stored(store)] == [row["records_processed"] for row in before]


def test_the_next_hub_goes_on_where_the_last_one_was(database: Database, store: TelemetryStore, tmp_path: Path) -> None:
    sender = database.sender()
    send(sender, *(event("job", f"run-{number}", "START", 0) for number in range(5)))
    assert RunFollower(sender.store, store, tmp_path).catch_up() == 5
    send(sender, event("job", "run-5", "START", 1))
    assert RunFollower(sender.store, store, tmp_path).catch_up() == 1
    (tmp_path / FILE).write_bytes(b'{"seq": 3')
    assert RunFollower(sender.store, store, tmp_path).catch_up() == 6, "a cursor that is torn counts as none"
    assert len(stored(store)) == 6
    store.run("TRUNCATE TABLE pipeline_runs")
    assert RunFollower(sender.store, store, tmp_path).catch_up() == 6, "tables that are empty are filled again"
    assert RunFollower(sender.store, store, tmp_path, "clickhouse://elsewhere").catch_up() == 6


def test_lineage_that_came_back_from_a_backup_is_followed_anew(
    database: Database, store: TelemetryStore, tmp_path: Path
) -> None:
    sender = database.sender()
    send(sender, *(event("job", f"run-{number}", "START", 0) for number in range(3)))
    follower = RunFollower(sender.store, store, tmp_path)
    follower.catch_up()
    # As after events that the backup doesn't have.
    (tmp_path / FILE).write_bytes((tmp_path / FILE).read_bytes().replace(b'"seq":3', b'"seq":900'))
    rows = stored(store)
    lost = {name: [value] for name, value in (rows[0] | {"run_id": "lost", "version": 900}).items()}
    later = {name: [value] for name, value in (rows[1] | {"status": "FAILED", "version": 899}).items()}
    for columns in (lost, later):
        store.insert("pipeline_runs", columns, 1)
    assert len(stored(store)) == 4
    assert RunFollower(sender.store, store, tmp_path).catch_up() == 3
    assert stored(store) == rows


def test_it_follows_in_the_background_until_it_is_stopped(
    database: Database, store: TelemetryStore, tmp_path: Path
) -> None:
    sender = database.sender()
    follower = RunFollower(sender.store, store, tmp_path)
    follower.start()
    send(sender, event("job", "run-1", "START", 0))
    deadline = time.monotonic() + 30
    while follower.seq < 1 and time.monotonic() < deadline:
        time.sleep(0.01)
    follower.stop()
    assert len(stored(store)) == 1
