"""A call made in a thread or an executor is the child of the run that started it, and of no other."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.pool import ThreadPool
from typing import Any

import pytest

from lineage_hub.sdk.runs import current_run
from lineage_hub.sdk.tracking import lineage_track, track

Sent = list[dict[str, Any]]


@lineage_track("child")
def child(number: int = 0) -> int:
    return number


def parents(sent: Sent) -> list[str | None]:
    """Of each child, the job that it names as its parent."""
    starts = [one for one in sent if one["job"]["name"] == "child" and one["eventType"] == "START"]
    facets = [one["run"].get("facets", {}).get("parent") for one in starts]
    return [one and one["job"]["name"] for one in facets]


def in_thread(thread: threading.Thread) -> None:
    thread.start()
    thread.join(10)
    assert not thread.is_alive()


class Loader(threading.Thread):
    """A thread of a program, with a way of its own to run."""

    def run(self) -> None:
        child()


@pytest.mark.parametrize(
    "make", [lambda: threading.Thread(target=child), lambda: threading.Timer(0, child), lambda: Loader(name="loader")]
)
def test_a_thread_is_inside_the_run_that_starts_it(sent: Sent, make: Any) -> None:
    with track("load"):
        in_thread(make())
    in_thread(make())
    assert parents(sent) == ["load", None]


def test_a_thread_of_a_thread_is_a_child_of_the_innermost_run(sent: Sent) -> None:
    def middle() -> None:
        with track("middle"):
            in_thread(threading.Thread(target=child))

    with track("outer"):
        in_thread(threading.Thread(target=middle))
    assert parents(sent) == ["middle"]


def test_work_of_an_executor_belongs_to_who_submitted_it(sent: Sent) -> None:
    with ThreadPoolExecutor(1) as executor:
        with track("first"):
            assert executor.submit(child, 1).result() == 1
        # The one thread was started inside the first run, and is in none now.
        assert executor.submit(child, number=2).result() == 2
        with track("second"):
            assert list(executor.map(child, [3, 4])) == [3, 4]
        assert executor.submit(current_run).result() is None
    assert parents(sent) == ["first", None, "second", "second"]


def test_asyncio_carries_a_run_into_tasks_threads_and_executors(sent: Sent) -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        with track("flow"):
            await asyncio.gather(
                asyncio.create_task(asyncio.to_thread(child)),
                loop.run_in_executor(None, child),
                asyncio.to_thread(child),
            )
        await loop.run_in_executor(None, child)

    asyncio.run(main())
    assert parents(sent) == ["flow", "flow", "flow", None]


def test_a_pool_made_inside_a_run_works_inside_it(sent: Sent) -> None:
    with track("map"), ThreadPool(2) as pool:
        assert sorted(pool.map(child, range(3))) == [0, 1, 2]
    assert parents(sent) == ["map"] * 3


def test_parallel_runs_keep_their_children_apart(sent: Sent) -> None:
    barrier = threading.Barrier(4)

    def work(name: str) -> None:
        with track(name):
            barrier.wait(10)
            thread = threading.Thread(target=child)
            thread.start()
            thread.join(10)

    threads = [threading.Thread(target=work, args=(f"job-{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert sorted(map(str, parents(sent))) == [f"job-{number}" for number in range(4)]


def test_an_error_of_submitted_work_is_its_own(sent: Sent) -> None:
    failure = ValueError("no")

    def fails() -> None:
        raise failure

    with track("load"), ThreadPoolExecutor(1) as executor:
        assert executor.submit(fails).exception(10) is failure
    assert [one["eventType"] for one in sent] == ["START", "COMPLETE"]
