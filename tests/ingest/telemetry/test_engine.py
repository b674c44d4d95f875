"""With the real engine: what was sent is in tables and rollups once, whatever was killed or sent again."""

import asyncio
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lineage_hub.errors import InternalError, Transient
from lineage_hub.ingest.telemetry.intake import TelemetryIntake
from lineage_hub.ingest.telemetry.journal import FILE
from lineage_hub.ingest.telemetry.names import MetricNames
from lineage_hub.settings import Settings
from lineage_hub.store.telemetry.open import TelemetryStore, open_telemetry
from tests.ingest.telemetry.engine import (
    COLUMNS,
    all_equal,
    identity,
    kill_engine,
    point_columns,
    rollups_agree,
    span_columns,
    spans_everywhere,
)
from tests.ingest.telemetry.test_intake import in_a_loop, until
from tests.proofs.sizes import SEED, TIMEOUT_S, pick

pytestmark = [pytest.mark.slow, pytest.mark.serial, pytest.mark.timeout(TIMEOUT_S)]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path)


@pytest.fixture
def store(settings: Settings) -> Iterator[TelemetryStore]:
    opened = open_telemetry(settings)
    yield opened
    opened.close()


async def submit(intake: TelemetryIntake, kind: Any, request: int, rows: int) -> None:
    await intake.submit(kind, "default", identity(kind, request), COLUMNS[kind](request, rows))


@in_a_loop
async def test_concurrent_requests_and_their_repeats_count_once_everywhere(
    store: TelemetryStore, settings: Settings
) -> None:
    rng = random.Random(SEED)
    intake = TelemetryIntake(store, settings)
    intake.start()
    wanted = {kind: {number: rng.randint(1, 300) for number in range(pick(60, 1000))} for kind in COLUMNS}
    sendings = [(kind, number) for kind, each in wanted.items() for number in each for _ in range(rng.randint(1, 3))]
    rng.shuffle(sendings)
    at_once = asyncio.Semaphore(40)

    async def send(kind: Any, number: int) -> None:
        async with at_once:
            await submit(intake, kind, number, wanted[kind][number])

    await asyncio.gather(*(send(kind, number) for kind, number in sendings))
    await intake.stop()
    total = {kind: sum(each.values()) for kind, each in wanted.items()}
    assert {kind: intake.counts[f"{kind} accepted"] for kind in COLUMNS} == total
    assert intake.counts["repeated"] == len(sendings) - sum(map(len, wanted.values()))
    assert spans_everywhere(store) == all_equal(total["traces"])
    assert rollups_agree(store)
    for kind in ("metrics", "logs"):
        assert store.ask(f"SELECT count() AS found FROM {kind}")[0]["found"] == total[kind]
    assert intake.counts["batches"] < len(sendings) / 2, "requests that wait together share an insert"


@in_a_loop
async def test_an_engine_that_is_killed_at_any_moment_costs_a_retry_and_nothing_else(
    store: TelemetryStore, settings: Settings, tmp_path: Path
) -> None:
    rng = random.Random(SEED)
    intake = TelemetryIntake(store, settings)
    intake.start()
    await submit(intake, "traces", 0, 10)
    kills, refused, sent = pick(3, 12), 0, 0
    numbers = iter(range(1, 10**9))
    going_on = True

    async def client() -> int:
        nonlocal refused
        rows_sent = 0
        while going_on:
            number, rows = next(numbers), rng.randint(1, 200)
            while True:
                try:
                    await submit(intake, "traces", number, rows)
                    break
                except Transient:
                    refused += 1
                    await asyncio.sleep(0.05)
            rows_sent += rows
            if rng.random() < 0.2:
                await submit_until_taken(intake, number, rows)
        return rows_sent

    clients = [asyncio.create_task(client()) for _ in range(12)]
    for _ in range(kills):
        target = intake.counts["batches"] + rng.randint(3, 8)
        await until_long(lambda target=target: intake.counts["batches"] >= target)
        await asyncio.sleep(rng.uniform(0, 0.15))
        assert kill_engine(tmp_path / "telemetry")
    target = intake.counts["batches"] + 3
    await until_long(lambda: intake.counts["batches"] >= target)
    going_on = False
    sent = 10 + sum(await asyncio.gather(*clients))
    await intake.stop()
    assert spans_everywhere(store) == all_equal(sent)
    assert rollups_agree(store)
    assert refused > 0


async def submit_until_taken(intake: TelemetryIntake, number: int, rows: int) -> None:
    while True:
        try:
            return await submit(intake, "traces", number, rows)
        except Transient:
            await asyncio.sleep(0.05)


async def until_long(holds: Any) -> None:
    async with asyncio.timeout(120):
        while not holds():  # noqa: ASYNC110 - it happens in a thread
            await asyncio.sleep(0.01)


# The hub dies after an insert and before it is done in the journal; of the second half of the rows only in one case.
DYING = """
import asyncio, os, sys
from pathlib import Path
from lineage_hub.ingest.telemetry.intake import TelemetryIntake
from lineage_hub.ingest.telemetry.journal import IntakeJournal
from lineage_hub.settings import Settings
from lineage_hub.store.telemetry.open import open_telemetry
from tests.ingest.telemetry.engine import identity, span_columns

settings = Settings(data_dir=Path(sys.argv[1]))
store = open_telemetry(settings)
insert, how = store.insert, sys.argv[2]

def dying(table, columns, batch):
    rows = len(columns["timestamp"])
    if rows != 100:
        return insert(table, columns, batch)
    if how != "before":
        most = rows if how == "after" else rows // 2
        insert(table, {name: each if isinstance(each, str) else each[:most] for name, each in columns.items()}, batch)
    os.kill(os.getpid(), 9)

store.insert = dying

async def main():
    intake = TelemetryIntake(store, settings)
    intake.start()
    await intake.submit("traces", "default", identity("traces", 1), span_columns(1, 40))
    await intake.submit("traces", "default", identity("traces", 2), span_columns(2, 100))

asyncio.run(main())
"""


@pytest.mark.parametrize("how", ["before", "half", "after"])
def test_the_next_hub_removes_what_a_killed_one_inserted_and_never_finished(
    tmp_path: Path, settings: Settings, how: str
) -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    dead = subprocess.run([sys.executable, "-c", DYING, tmp_path, how], check=False, env=environment)
    assert dead.returncode == -9
    store = open_telemetry(settings)
    try:
        left = {"before": 0, "half": 50, "after": 100}[how]
        assert spans_everywhere(store) == all_equal(40 + left), "it is there for real before it is taken back"
        asyncio.run(_recover(store, settings))
        assert spans_everywhere(store) == all_equal(140)
        assert rollups_agree(store)
    finally:
        store.close()


async def _recover(store: TelemetryStore, settings: Settings) -> None:
    intake = TelemetryIntake(store, settings)
    intake.start()
    await until_long(lambda: intake.counts["taken back"] == 1)
    assert spans_everywhere(store) == all_equal(40)
    assert rollups_agree(store)
    await submit(intake, "traces", 1, 40)
    assert intake.counts["repeated"] == 1, "what was done is known to the next hub"
    await submit(intake, "traces", 2, 100)
    await intake.stop()


@in_a_loop
async def test_bad_rows_fail_their_request_and_not_its_neighbours(store: TelemetryStore, settings: Settings) -> None:
    intake = TelemetryIntake(store, settings)
    intake.start()
    await submit(intake, "traces", 0, 1)
    bad = span_columns(99, 5) | {"duration_ns": [1, 2, -3, 4, 5]}
    good = [submit(intake, "traces", number, 20) for number in range(1, 9)]
    sending = [*good[:4], intake.submit("traces", "default", identity("traces", 99), bad), *good[4:]]
    outcomes = await asyncio.gather(*sending, return_exceptions=True)
    assert [type(one) for one in outcomes if one is not None] == [InternalError]
    await until(lambda: intake.counts["taken back"] >= 1)
    await intake.stop()
    assert spans_everywhere(store) == all_equal(161)
    assert rollups_agree(store)
    assert (Path(settings.data_dir) / "telemetry" / FILE).exists()


def test_names_of_metrics_are_learned_from_the_table(store: TelemetryStore) -> None:
    for number in range(4):
        store.insert("otel.metrics", point_columns(number, 3) | {"namespace": "default"}, number + 1)
    store.insert("otel.metrics", point_columns(6, 1) | {"namespace": "other"}, 9)
    names = MetricNames(store, most=5)
    assert names.admit("default", ["metric 0", "metric 3", "new 1", "new 2", "new 3"]) == {"new 2", "new 3"}
    assert names.admit("default", ["new 1", "new 4"]) == {"new 4"}
    assert names.admit("other", ["metric 6", *(f"n{number}" for number in range(5))]) == {"n4"}
