"""Each request is inserted once, with others where they wait together, whatever the store does meanwhile."""

import asyncio
import errno
import itertools
import os
import threading
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import wraps
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from lineage_hub.errors import InternalError, InvalidRequest, Overloaded, StorageFull, StoreUnavailable
from lineage_hub.ingest.telemetry.intake import TelemetryIntake
from lineage_hub.ingest.telemetry.journal import IntakeJournal
from lineage_hub.settings import Settings
from tests.ingest.telemetry.tables import HOUR_NS, MemoryTables

AT = 500_000 * HOUR_NS


def in_a_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    @wraps(test)
    def run(*arguments: Any, **named: Any) -> None:
        asyncio.run(test(*arguments, **named))

    return run


def spans(*names: str, hour: int = 0, bad: bool = False) -> dict[str, list[Any]]:
    return {
        "timestamp": [AT + hour * HOUR_NS + number for number in range(len(names))],
        "span_id": list(names),
        "bad": [bad] * len(names),
    }


def identity(columns: dict[str, list[Any]]) -> bytes:
    return sha256(repr(columns).encode()).digest()


async def send(intake: TelemetryIntake, columns: dict[str, list[Any]], kind: Any = "traces") -> None:
    await intake.submit(kind, "default", identity(columns), columns)


@asynccontextmanager
async def running(
    tables: MemoryTables, folder: Path, clock: Callable[[], int] | None = None, **settings: Any
) -> AsyncIterator[TelemetryIntake]:
    chosen = Settings(data_dir=folder, **settings)
    intake = TelemetryIntake(tables, chosen, clock) if clock else TelemetryIntake(tables, chosen)
    intake.start()
    try:
        yield intake
    finally:
        await intake.stop()


class Gate:
    """Inserts wait at it until it is opened."""

    def __init__(self) -> None:
        self._open, self.reached = threading.Event(), threading.Event()

    def __call__(self, table: str, rows: int) -> None:
        self.reached.set()
        assert self._open.wait(20)

    @contextmanager
    def closed(self, tables: MemoryTables) -> Iterator[None]:
        tables.before_insert = self
        try:
            yield
        finally:
            self._open.set()

    async def wait(self) -> None:
        assert await asyncio.to_thread(self.reached.wait, 20)


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not holds():  # noqa: ASYNC110 - what is waited for happens in a thread
            await asyncio.sleep(0.002)


async def outcomes(*waiting: Awaitable[None]) -> list[str]:
    found = await asyncio.gather(*waiting, return_exceptions=True)
    return [type(one).__name__ if one is not None else "taken" for one in found]


@in_a_loop
async def test_requests_that_wait_together_share_one_insert_for_each_table(tmp_path: Path) -> None:
    tables, gate = MemoryTables(), Gate()
    async with running(tables, tmp_path) as intake:
        with gate.closed(tables):
            tasks = [asyncio.create_task(send(intake, spans("first")))]
            await gate.wait()
            tasks += [asyncio.create_task(send(intake, spans(f"a{n}", f"b{n}"))) for n in range(10)]
            tasks += [asyncio.create_task(send(intake, spans(f"log{n}"), "logs")) for n in range(5)]
            await until(lambda: intake.counts["requests"] == 16)
        await asyncio.gather(*tasks)
    assert sorted(tables.inserts) == [("otel.logs", 5), ("otel.traces", 1), ("otel.traces", 20)]
    assert (intake.counts["traces accepted"], intake.counts["logs accepted"], intake.counts["batches"]) == (21, 5, 3)
    assert intake.queued_bytes() == 0


@in_a_loop
async def test_a_batch_has_no_more_rows_than_the_setting_says(tmp_path: Path) -> None:
    tables, gate = MemoryTables(), Gate()
    async with running(tables, tmp_path, telemetry_batch_rows=1000) as intake:
        with gate.closed(tables):
            tasks = [asyncio.create_task(send(intake, spans("first")))]
            await gate.wait()
            many = [spans(*(f"{n}-{m}" for m in range(400))) for n in range(6)]
            tasks += [asyncio.create_task(send(intake, one)) for one in many]
            await until(lambda: intake.counts["requests"] == 7)
        await asyncio.gather(*tasks)
    assert [rows for _, rows in tables.inserts] == [1, 1200, 1200]


@in_a_loop
async def test_a_repeat_waits_for_the_first_and_is_not_inserted(tmp_path: Path) -> None:
    tables, gate = MemoryTables(), Gate()
    async with running(tables, tmp_path) as intake:
        with gate.closed(tables):
            tasks = [asyncio.create_task(send(intake, spans("a")))]
            await gate.wait()
            tasks += [asyncio.create_task(send(intake, spans("a"))) for _ in range(3)]
            await until(lambda: intake.counts["repeated"] == 3)
            assert not any(task.done() for task in tasks)
        await asyncio.gather(*tasks)
        await send(intake, spans("a"))
        assert intake.counts["repeated"] == 4
    assert tables.values() == ["a"]


@in_a_loop
async def test_the_same_body_for_another_kind_or_namespace_is_another_request(tmp_path: Path) -> None:
    tables = MemoryTables()
    async with running(tables, tmp_path) as intake:
        columns = spans("a")
        await intake.submit("traces", "default", b"same", columns)
        await intake.submit("logs", "default", b"same", columns)
        await intake.submit("traces", "team-a", b"same", columns)
    assert [(row["table"], row["namespace"]) for row in tables.rows] == [
        ("otel.traces", "default"),
        ("otel.logs", "default"),
        ("otel.traces", "team-a"),
    ]


@in_a_loop
async def test_rows_of_several_namespaces_in_one_batch_keep_theirs(tmp_path: Path) -> None:
    tables, gate = MemoryTables(), Gate()
    async with running(tables, tmp_path) as intake:
        with gate.closed(tables):
            tasks = [asyncio.create_task(send(intake, spans("first")))]
            await gate.wait()
            for team in ("a", "b"):
                columns = spans(f"{team}1", f"{team}2")
                tasks.append(asyncio.create_task(intake.submit("traces", team, identity(columns), columns)))
            await until(lambda: intake.counts["requests"] == 3)
        await asyncio.gather(*tasks)
    assert len(tables.inserts) == 2
    assert {row["span_id"]: row["namespace"] for row in tables.rows} == {
        "first": "default", "a1": "a", "a2": "a", "b1": "b", "b2": "b",
    }  # fmt: skip


@in_a_loop
async def test_a_repeat_is_known_to_the_next_hub_for_ten_minutes(tmp_path: Path) -> None:
    tables = MemoryTables()
    now = [AT]
    async with running(tables, tmp_path, lambda: now[0]) as intake:
        await send(intake, spans("a"))
    now[0] += 599 * 10**9
    async with running(tables, tmp_path, lambda: now[0]) as intake:
        await send(intake, spans("a"))
        assert (tables.values(), intake.counts["repeated"]) == (["a"], 1)
        now[0] += 2 * 10**9
        await send(intake, spans("a"))
    assert tables.values() == ["a", "a"]


@in_a_loop
async def test_what_a_dying_store_kept_of_a_batch_is_taken_back_before_the_retry(tmp_path: Path) -> None:
    tables = MemoryTables()
    async with running(tables, tmp_path) as intake:
        await send(intake, spans("before"))
        tables.cut_after = 2
        with pytest.raises(StoreUnavailable):
            await send(intake, spans("a", "b", "c"))
        assert (tables.values(), tables.rollup) == (["before", "a", "b"], {500_000: 3})
        with pytest.raises(StoreUnavailable):
            await send(intake, spans("a", "b", "c"))
        tables.is_gone = False
        await send(intake, spans("a", "b", "c"))
        assert (tables.values(), tables.rollup) == (["before", "a", "b", "c"], {500_000: 4})
        assert (intake.counts["taken back"], intake.counts["repeated"]) == (1, 0)


@in_a_loop
async def test_half_a_batch_goes_though_nobody_sends_again(tmp_path: Path) -> None:
    tables = MemoryTables()
    async with running(tables, tmp_path) as intake:
        tables.cut_after = 1
        with pytest.raises(StoreUnavailable):
            await send(intake, spans("a", "b"))
        tables.is_gone = False
        await until(lambda: not tables.rows)
        await until(lambda: intake.counts["taken back"] == 1)
    assert tables.rollup == {500_000: 0}


@in_a_loop
async def test_the_next_hub_takes_back_what_has_no_end(tmp_path: Path) -> None:
    tables = MemoryTables()
    async with running(tables, tmp_path) as intake:
        await send(intake, spans("kept", hour=1))
        tables.cut_after = 1
        assert await outcomes(send(intake, spans("a", "b", hour=1))) == ["StoreUnavailable"]
    tables.is_gone = False
    async with running(tables, tmp_path) as intake:
        await until(lambda: intake.counts["taken back"] == 1)
        assert (tables.values(), tables.rollup) == (["kept"], {500_001: 1})


@in_a_loop
async def test_bad_rows_fail_their_own_request_alone(tmp_path: Path) -> None:
    tables, gate = MemoryTables(), Gate()
    async with running(tables, tmp_path) as intake:
        with gate.closed(tables):
            tasks = [asyncio.create_task(send(intake, spans("first")))]
            await gate.wait()
            many = [spans(f"a{n}", f"b{n}", bad=n == 3) for n in range(6)]
            tasks += [asyncio.create_task(send(intake, one)) for one in many]
            await until(lambda: intake.counts["requests"] == 7)
        found = await outcomes(*tasks)
        assert Counter(found) == {"taken": 6, "InternalError": 1}
        assert found[4] == "InternalError"
        with pytest.raises(InternalError, match="can't be inserted"):
            await send(intake, many[3])
        # A neighbour's retry is a repeat, though its first batch was taken back.
        await send(intake, many[2])
        await until(lambda: "a3" not in tables.values())
    assert sorted(tables.values()) == sorted(["first", *(f"{c}{n}" for n in range(6) if n != 3 for c in "ab")])
    assert tables.rollup == {500_000: 11}


@in_a_loop
async def test_who_was_there_when_the_store_died_comes_last_and_alone(tmp_path: Path) -> None:
    tables, gate = MemoryTables(), Gate()
    async with running(tables, tmp_path) as intake:
        tables.cut_after = 0
        with gate.closed(tables):
            tasks = [asyncio.create_task(send(intake, spans(name))) for name in "abc"]
            await until(lambda: intake.counts["requests"] == 3)
        assert "StoreUnavailable" in await outcomes(*tasks)
        tables.is_gone, tables.inserts = False, []
        # The others are on disk before the one that the store dies of is tried again.
        deadly = asyncio.Event()

        def dies(table: str, rows: int) -> None:
            if rows == 1 and deadly.is_set():
                tables.is_gone = True

        gate = Gate()
        with gate.closed(tables):
            tasks = [asyncio.create_task(send(intake, spans("first", "of", "all")))]
            await gate.wait()
            tasks += [asyncio.create_task(send(intake, spans(name))) for name in "abc"]
            tasks += [asyncio.create_task(send(intake, spans(f"{n}", f"{n}+"))) for n in range(3)]
            await until(lambda: intake.counts["requests"] == 10)
            deadly.set()
            tables.before_insert = dies
        found = await outcomes(*tasks)
        assert found[4:] == ["taken"] * 3
        assert "StoreUnavailable" in found[1:4]
        tables.is_gone, tables.before_insert = False, lambda table, rows: None
        await asyncio.gather(*(send(intake, spans(name)) for name in "abc"))
    assert sorted(tables.values()) == sorted(
        ["first", "of", "all", *"abc", *(f"{n}{c}" for n in "012" for c in ("", "+"))]
    )
    assert tables.rollup == {500_000: 12}


def went_away() -> StoreUnavailable:
    return StoreUnavailable("the store went away", subject="telemetry", midway=True)


@in_a_loop
async def test_a_request_that_always_ends_the_store_is_refused_after_some_tries(
    tmp_path: Path,
) -> None:
    tables, deadly, tries = MemoryTables(), spans("x", "y", "z"), 0

    def dies(table: str, rows: int) -> None:
        nonlocal tries
        if rows >= 3:
            tries += 1
            raise went_away()

    async with running(tables, tmp_path) as intake:
        tables.before_insert = dies
        found = []
        for number in range(12):
            found += await outcomes(send(intake, deadly), send(intake, spans(f"a{number}")))
            # Who shared the insert that failed sends again.
            await send(intake, spans(f"a{number}"))
        with pytest.raises(InvalidRequest, match="went away 5 times while it took this request") as refused:
            await send(intake, deadly)
        assert refused.value.action is not None
        # Once beside others or alone, not yet a suspect; then five times, and never again.
        assert tries <= 6
        assert found.count("InvalidRequest") >= 6
        assert intake.counts["traces accepted"] == 12
    assert sorted(tables.values()) == sorted(f"a{number}" for number in range(12))


@in_a_loop
async def test_a_store_that_was_away_before_or_says_no_is_nobodys_fault(tmp_path: Path) -> None:
    tables = MemoryTables()
    async with running(tables, tmp_path) as intake:
        tables.is_gone = True
        for _ in range(8):
            assert await outcomes(send(intake, spans("a"))) == ["StoreUnavailable"]
        tables.is_gone = False

        def says_no(table: str, rows: int) -> None:
            raise StoreUnavailable("too many parts", subject="telemetry")

        tables.before_insert = says_no
        for _ in range(8):
            assert await outcomes(send(intake, spans("a"))) == ["StoreUnavailable"]
        tables.before_insert = lambda table, rows: None
        await send(intake, spans("a"))
    assert tables.values() == ["a"]


@in_a_loop
async def test_a_batch_whose_end_finds_no_room_in_the_journal_is_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = MemoryTables()
    async with running(tables, tmp_path) as intake:
        await send(intake, spans("before"))
        with monkeypatch.context() as patch:
            real, calls = os.fsync, itertools.count()

            def full(fd: int) -> None:
                # The intent is written, then nothing more.
                if next(calls):
                    raise OSError(errno.ENOSPC, "No space left on device")
                real(fd)

            patch.setattr(os, "fsync", full)
            for _ in range(3):
                with pytest.raises(StorageFull):
                    await send(intake, spans("a", "b"))
            assert tables.values() == ["before", "a", "b"], "it can't be told whether they are done"
        await send(intake, spans("a", "b"))
        assert (tables.values(), tables.rollup) == (["before", "a", "b"], {500_000: 3})
        assert intake.counts["taken back"] == 1


@in_a_loop
async def test_an_observer_that_fails_harms_no_batch(tmp_path: Path) -> None:
    tables = MemoryTables()

    def fail(batch: object, seconds: float) -> None:
        raise ValueError("the observer's own trouble")

    async with running(tables, tmp_path) as intake:
        intake.observe_inserts(fail)
        for name in "ab":
            await send(intake, spans(name))
    assert tables.values() == ["a", "b"]
    assert (intake.counts["taken back"], intake.counts["failed"]) == (0, 0)


@in_a_loop
async def test_a_full_queue_refuses_at_once_and_takes_again_later(tmp_path: Path) -> None:
    tables, gate = MemoryTables(), Gate()
    async with running(tables, tmp_path, telemetry_queue_bytes=1 << 20) as intake:
        large = spans("x" * 400_000)
        with gate.closed(tables):
            tasks = [asyncio.create_task(send(intake, spans("first")))]
            await gate.wait()
            tasks += [asyncio.create_task(send(intake, spans(f"{n}" * 400_000))) for n in range(2)]
            await until(lambda: intake.counts["requests"] == 3)
            assert intake.queued_bytes() > 800_000
            with pytest.raises(Overloaded, match="full"):
                await send(intake, large)
        await asyncio.gather(*tasks)
        await send(intake, large)
        # Alone it is taken, though it is larger than the bound.
        await send(intake, spans("y" * (2 << 20)))
        assert intake.counts["refused"] == 1


@in_a_loop
async def test_who_waits_too_long_is_told_so_and_the_retry_counts_once(tmp_path: Path) -> None:
    tables, gate = MemoryTables(), Gate()
    async with running(tables, tmp_path, ingest_timeout_s=0.1) as intake:
        with gate.closed(tables):
            with pytest.raises(Overloaded, match="too long"):
                await send(intake, spans("a"))
            with pytest.raises(Overloaded, match="too long"):
                await send(intake, spans("a"))
        await until(lambda: intake.counts["batches"] == 1)
        await send(intake, spans("a"))
    assert tables.values() == ["a"]


@in_a_loop
async def test_stopping_writes_what_waits_and_refuses_what_comes(tmp_path: Path) -> None:
    tables, gate = MemoryTables(), Gate()
    async with running(tables, tmp_path) as intake:
        with gate.closed(tables):
            tasks = [asyncio.create_task(send(intake, spans(f"{n}"))) for n in range(5)]
            await until(lambda: intake.counts["requests"] == 5)
            stopping = asyncio.create_task(intake.stop())
            await asyncio.sleep(0)
            with pytest.raises(Overloaded, match="stopping"):
                await send(intake, spans("late"))
        await asyncio.gather(stopping, *tasks)
    assert sorted(tables.values()) == ["0", "1", "2", "3", "4"]


@in_a_loop
async def test_a_hub_waits_for_the_folder_of_another_and_goes_on_when_it_is_free(tmp_path: Path) -> None:
    tables = MemoryTables()
    other = IntakeJournal(tmp_path / "telemetry", lambda: AT)
    async with running(tables, tmp_path) as intake:
        with pytest.raises(StoreUnavailable, match="another hub"):
            await send(intake, spans("a"))
        other.close()
        await send(intake, spans("a"))
    assert tables.values() == ["a"]


@in_a_loop
async def test_columns_that_can_not_be_rows_never_reach_the_queue(tmp_path: Path) -> None:
    async with running(MemoryTables(), tmp_path) as intake:
        with pytest.raises(InternalError, match="differ in length"):
            await send(intake, spans("a") | {"span_id": ["a", "b"]})
        with pytest.raises(InternalError, match="no times"):
            await send(intake, {"timestamp": [None], "span_id": ["a"]})
        await send(intake, {"timestamp": [], "span_id": []})
        assert intake.counts["requests"] == 0
