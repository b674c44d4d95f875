"""A thread that reads the store ends before the store is closed, also when whoever started it is cancelled."""

from __future__ import annotations

import asyncio
import threading

import pytest

from lineage_hub.ingest.threads import in_thread


def test_what_the_call_returns_or_raises_is_told() -> None:
    def divide(one: int, *, by: int) -> float:
        return one / by

    assert asyncio.run(in_thread(divide, 6, by=3)) == 2
    with pytest.raises(ZeroDivisionError):
        asyncio.run(in_thread(divide, 6, by=0))


@pytest.mark.parametrize("fails", [False, True])
def test_a_cancelled_one_waits_until_the_call_has_ended(fails: bool) -> None:
    begun, may_end, ended = threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        may_end.wait(30)
        ended.set()
        if fails:
            raise ValueError

    async def cancel() -> bool:
        task = asyncio.create_task(in_thread(work))
        await asyncio.to_thread(begun.wait, 30)
        task.cancel()
        waits, _ = await asyncio.wait([task], timeout=0.05)
        assert not waits
        may_end.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        return ended.is_set()

    assert asyncio.run(cancel())
