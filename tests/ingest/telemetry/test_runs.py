"""Rows of pipeline_runs say what the events of a run say, whichever way and in whichever order they came."""

import itertools
import json
import random
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from lineage_hub.ingest.telemetry.runs import RunProjector, RunRow
from lineage_hub.model import EVERYTHING, NOW
from lineage_hub.store.reader import Reader
from tests.conformance.databases import Databases, Sender

SECOND = 10**9
DAY_NS = 1_793_613_600 * SECOND
PIPELINE, READ, WRITE, ALONE = (f"018f0000-0000-7000-8000-{number:012d}" for number in range(1, 5))
_BASE = {"_producer": "https://x", "_schemaURL": "https://x"}
Parent = tuple[str, str]


def event(
    name: str,
    run: str,
    kind: str,
    second: int,
    *,
    parent: Parent | None = None,
    root: Parent | None = None,
    rows: dict[str, tuple[int | None, int | None]] | None = None,
    error: str | None = None,
) -> dict[str, Any]:
    facets: dict[str, Any] = {}
    if parent:
        facets["parent"] = {**_BASE, **_job_run(parent)} | ({"root": _job_run(root)} if root else {})
    if error is not None:
        facets["errorMessage"] = {**_BASE, "message": error, "programmingLanguage": "PYTHON"}
    return {
        "eventTime": f"2026-11-02T10:00:{second:02d}Z",
        "eventType": kind,
        "producer": "https://x",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": run, "facets": facets},
        "job": {"namespace": "etl", "name": name},
        "inputs": [],
        "outputs": [
            {
                "namespace": "file",
                "name": dataset,
                "outputFacets": {"outputStatistics": {**_BASE, "rowCount": count, "size": size}},
            }
            for dataset, (count, size) in (rows or {}).items()
        ],
    }


def _job_run(named: Parent) -> dict[str, Any]:
    return {"job": {"namespace": "etl", "name": named[0]}, "run": {"runId": named[1]}}


@pytest.fixture
def sender(tmp_path: Path) -> Iterator[Sender]:
    with ExitStack() as opened:
        yield Databases("sqlite", tmp_path, opened, lambda: "").new().sender()


def send(sender: Sender, *events: dict[str, Any]) -> None:
    for one in events:
        (outcome,) = sender.send([json.dumps(one).encode()])
        assert outcome.error is None, outcome


def rows_of(sender: Sender, page_events: int = 100, projector: RunProjector | None = None) -> dict[str, RunRow]:
    """As the table has them in the end: the last that was written for each run."""
    found: dict[str, RunRow] = {}
    projector, seq = projector or RunProjector(), 0
    with sender.store.reading() as connection:
        reader = Reader(connection, sender.store.library, EVERYTHING, NOW)
        while page := projector.page(reader, seq, page_events):
            assert page.last_seq > seq
            seq = page.last_seq
            found.update({row.run_id: row for row in page.rows})
        assert seq == reader.last_seq()
    return found


def test_a_pipeline_its_stages_and_a_job_alone_have_each_a_row(sender: Sender) -> None:
    above = ("daily", PIPELINE)
    send(
        sender,
        event("daily", PIPELINE, "START", 0),
        event("daily.read", READ, "START", 1, parent=above),
        event("daily.read", READ, "RUNNING", 2, parent=above, rows={"/a": (10, 100), "/b": (5, None)}),
        event("daily.read", READ, "COMPLETE", 3, parent=above, rows={"/a": (70, None)}),
        event("daily.write", WRITE, "START", 3, parent=above),
        event("daily.write", WRITE, "FAIL", 7, parent=above, error="no space left"),
        event("alone", ALONE, "START", 0),
    )
    found = rows_of(sender)
    assert {run: (row.pipeline_name, row.stage, row.status, row.duration_ms) for run, row in found.items()} == {
        PIPELINE: ("daily", "", "RUNNING", 0),
        READ: ("daily", "daily.read", "COMPLETED", 2000),
        WRITE: ("daily", "daily.write", "FAILED", 4000),
        ALONE: ("alone", "", "RUNNING", 0),
    }
    read, write = found[READ], found[WRITE]
    assert (read.records_processed, read.bytes_processed) == (75, 100)
    assert (write.error_message, write.parent_run_id, write.job_namespace, write.namespace) == (
        "no space left",
        PIPELINE,
        "etl",
        "default",
    )
    assert (read.timestamp, read.ended_at) == (DAY_NS + SECOND, DAY_NS + 3 * SECOND)
    assert [found[run].version for run in (PIPELINE, READ, WRITE, ALONE)] == [1, 4, 6, 7]


def test_the_outermost_parent_names_the_pipeline_by_root_or_by_the_way_up(sender: Sender) -> None:
    send(
        sender,
        event("dag.task", READ, "START", 1, parent=("dag", PIPELINE)),
        event("spark", WRITE, "START", 2, parent=("dag.task", READ)),
        event("other", ALONE, "START", 2, parent=("unseen.task", "run-x"), root=("unseen", "run-y")),
    )
    found = rows_of(sender)
    assert {run: (row.pipeline_name, row.stage) for run, row in found.items()} == {
        READ: ("dag", "dag.task"),
        WRITE: ("dag", "spark"),
        ALONE: ("unseen", "other"),
    }


def test_runs_that_name_each_other_as_parents_keep_nobody(sender: Sender) -> None:
    send(
        sender,
        event("a", READ, "START", 1, parent=("b", WRITE)),
        event("b", WRITE, "START", 1, parent=("a", READ)),
        event("c", ALONE, "START", 1, parent=("c", ALONE)),
    )
    found = rows_of(sender)
    assert found.keys() == {READ, WRITE, ALONE}
    assert (found[ALONE].pipeline_name, found[ALONE].stage) == ("c", "")


@pytest.mark.parametrize("page_events", [1, 2, 100])
def test_any_order_of_events_ends_in_the_same_rows(tmp_path: Path, page_events: int) -> None:
    events = [
        event("dag", PIPELINE, "START", 0),
        event("dag.task", READ, "START", 1, parent=("dag", PIPELINE)),
        event("dag.task", READ, "COMPLETE", 8, parent=("dag", PIPELINE)),
        event("spark", WRITE, "START", 2, parent=("dag.task", READ)),
        event("spark", WRITE, "COMPLETE", 5, parent=("dag.task", READ), rows={"/a": (3, 4)}),
        event("inner", ALONE, "FAIL", 4, parent=("spark", WRITE), error="x"),
    ]
    orders = random.Random(5).sample(list(itertools.permutations(events)), 6)
    seen = set()
    for order in orders:
        with ExitStack() as opened:
            folder = tmp_path / str(len(list(tmp_path.iterdir())))
            folder.mkdir()
            sender = Databases("sqlite", folder, opened, lambda: "").new().sender()
            send(sender, *order)
            rows = rows_of(sender, page_events)
            seen.add(tuple(sorted(row._replace(version=0) for row in rows.values())))
    assert len(seen) == 1
    assert {(row.run_id, row.pipeline_name) for row in seen.pop()} == {
        (run, "dag") for run in (PIPELINE, READ, WRITE, ALONE)
    }


def test_events_about_no_run_are_passed_over(sender: Sender) -> None:
    job_event = {
        "eventTime": "2026-11-02T10:00:00Z",
        "producer": "https://x",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/JobEvent",
        "job": {"namespace": "etl", "name": "planned"},
        "inputs": [],
        "outputs": [],
    }
    send(sender, job_event, event("alone", ALONE, "START", 0))
    assert rows_of(sender).keys() == {ALONE}


def test_a_run_before_1970_has_no_row(sender: Sender) -> None:
    old = event("alone", ALONE, "START", 0) | {"eventTime": "1969-12-31T23:59:59Z"}
    send(sender, old, event("new", READ, "START", 0))
    assert rows_of(sender).keys() == {READ}


def test_counts_that_no_column_can_hold_are_bounded(sender: Sender) -> None:
    send(sender, event("a", READ, "COMPLETE", 0, rows={"/a": (-5, 2**64), "/b": (2**63, 2**63), "/c": (2**63, 1)}))
    row = rows_of(sender)[READ]
    assert row.records_processed == 2**64 - 1
    assert 0 <= row.bytes_processed <= 2**64 - 1
