"""Rollups and ranges say what the table of spans says, also after a batch was taken back."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from lineage_hub.errors import InternalError
from lineage_hub.store.telemetry.open import TelemetryStore
from lineage_hub.store.telemetry.rebuilding import disagreeing
from tests.telemetry_rows import AT, HOUR_NS, spans

pytestmark = pytest.mark.slow
HOUR = AT // HOUR_NS
ROLLED_UP = """
    SELECT at, sum(spans) AS spans, sum(errors) AS errors, sum(duration_sum) AS duration_sum,
           max(duration_max) AS duration_max, quantilesBFloat16Merge(0.5, 0.99)(durations) AS durations
    FROM {table} WHERE namespace = {{namespace:String}} GROUP BY at ORDER BY at
"""
COUNTED = """
    SELECT toDateTime64(intDiv(toUnixTimestamp64Nano(timestamp), {unit} * 1000000000) * {unit}, 0, 'UTC') AS at,
           count() AS spans, countIf(status_code = 'ERROR') AS errors, sum(duration_ns) AS duration_sum,
           max(duration_ns) AS duration_max, quantilesBFloat16(0.5, 0.99)(duration_ns) AS durations
    FROM traces WHERE namespace = {{namespace:String}} GROUP BY at ORDER BY at
"""
RANGES = """
    SELECT trace_id, min(started_at) AS started_at, max(ended_at) AS ended_at, sum(spans) AS spans
    FROM trace_ranges WHERE namespace = {namespace:String} GROUP BY trace_id ORDER BY trace_id
"""


def rollups(store: TelemetryStore, namespace: str) -> list[Any]:
    given = {"namespace": namespace}
    return [
        store.ask(ROLLED_UP.format(table="operation_minutes"), given),
        store.ask(ROLLED_UP.format(table="operation_hours"), given),
        store.ask(RANGES, given),
    ]


def agree(store: TelemetryStore, namespace: str) -> None:
    minutes, hours, _ = rollups(store, namespace)
    assert minutes == store.ask(COUNTED.format(unit=60), {"namespace": namespace})
    assert hours == store.ask(COUNTED.format(unit=3600), {"namespace": namespace})


def fill(store: TelemetryStore, namespace: str) -> None:
    for batch in range(3):
        rows = spans(300, at=AT + batch * 7, step=20 * 10**9, trace_id=str(batch) * 32, namespace=namespace)
        store.insert("traces", rows, batch)


def test_rollups_count_what_is_inserted(store: TelemetryStore):
    fill(store, "counted")
    agree(store, "counted")
    _, hours, ranges = rollups(store, "counted")
    assert [(row["at"], row["spans"]) for row in hours] == [(HOUR * 3600, 540), ((HOUR + 1) * 3600, 360)]
    assert ranges[1] == {
        "trace_id": "1" * 32,
        "started_at": AT + 7,
        "ended_at": AT + 7 + 299 * 20 * 10**9 + 1299,
        "spans": 300,
    }


def test_what_is_rebuilt_is_what_it_was_however_often(store: TelemetryStore):
    fill(store, "again")
    before = rollups(store, "again")
    for _ in range(2):
        store.rebuild([HOUR, HOUR + 1])
        assert rollups(store, "again") == before


def test_hours_that_are_not_named_are_left_alone(store: TelemetryStore):
    fill(store, "alone")
    before = rollups(store, "alone")
    store.run("DELETE FROM traces WHERE namespace = 'alone'")
    store.rebuild([HOUR])
    assert rollups(store, "alone")[1] == before[1][1:]
    store.rebuild([HOUR, HOUR + 1])
    assert rollups(store, "alone") == [[], [], []]


def test_a_batch_that_is_taken_back_is_gone_from_tables_and_rollups(store: TelemetryStore):
    fill(store, "back")
    store.insert("traces", spans(50, trace_id="b" * 32, namespace="back"), 77)
    for _ in range(2):
        store.remove(77, ["otel.traces", "metrics", "logs"])
        store.rebuild([HOUR, HOUR + 1])
        assert store.ask("SELECT count() AS n FROM traces WHERE batch = 77") == [{"n": 0}]
        agree(store, "back")
    assert [row["trace_id"][0] for row in rollups(store, "back")[2]] == ["0", "1", "2"]


def test_two_hubs_that_rebuild_the_same_hours_at_once_leave_them_right(store: TelemetryStore):
    fill(store, "both")
    before = rollups(store, "both")
    # Another hub at the same tables: nothing keeps the two apart.
    other = TelemetryStore(store._clients, store._database, store._retention)
    together = threading.Barrier(2)

    def rebuild(one: TelemetryStore) -> None:
        together.wait(20)
        one.rebuild([HOUR, HOUR + 1])

    for _ in range(3):
        with ThreadPoolExecutor(2) as hubs:
            list(hubs.map(rebuild, (store, other)))
        assert rollups(store, "both") == before


def test_hours_that_disagree_are_told(store: TelemetryStore):
    fill(store, "odd")
    store.run(
        "INSERT INTO operation_hours SELECT * FROM operation_hours WHERE namespace = 'odd' AND at = "
        f"toDateTime64({(HOUR + 1) * 3600}, 0, 'UTC')"
    )
    assert store.ask(disagreeing([HOUR, HOUR + 1, HOUR + 5])) == [{"hour": HOUR + 1}]
    store.rebuild([HOUR + 1])
    assert store.ask(disagreeing([HOUR, HOUR + 1, HOUR + 5])) == []


def test_no_hours_are_nothing_to_do(store: TelemetryStore):
    store.rebuild([])


def test_a_table_without_batches_is_refused(store: TelemetryStore):
    with pytest.raises(InternalError, match="has no batches"):
        store.remove(1, ["pipeline_runs"])
