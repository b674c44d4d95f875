"""A lineage read takes statements by its depth, and neither by the size of the graph nor by the number of runs."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from benchmarks.generator import EventStream
from benchmarks.landscape import NAMESPACES, Landscape, Table, Task, layered_landscape
from tests.counters.counting import Work, ask, counted_work, hub_in, send

# Names and mentions of datasets and of jobs, shapes, the jobs' candidates and the runs of those.
STATEMENTS_OF_A_STEP = 7
STATEMENTS_OF_A_READ = 16
# BEGIN, whether another process wrote, the node, whether it is visible.
STATEMENTS_OF_A_WARM_READ = 5
COLUMNS = tuple((f"c{number}", "BIGINT") for number in range(8))


def chain(length: int, width: int = 1) -> Landscape:
    """`width` tables in a row of `length` jobs; each job reads all tables of its step and writes those of the next."""
    tables = tuple(
        Table(NAMESPACES[1], f"step_{step:03d}.tab_{place}", COLUMNS)
        for step in range(length + 1)
        for place in range(width)
    )
    tasks = tuple(
        Task(
            "chain",
            f"flow.step_{step:03d}_{place}",
            "flow",
            tuple(range(step * width, (step + 1) * width)),
            ((step + 1) * width + place,),
        )
        for step in range(length)
        for place in range(width)
    )
    return Landscape(tables, tasks, {})


@pytest.fixture
def filled(tmp_path: Path) -> Iterator[Callable[..., TestClient]]:
    """Hubs with a landscape each."""
    opened = []

    def fill(landscape: Landscape, runs_per_job: int = 2) -> TestClient:
        hub = hub_in(tmp_path / str(len(opened)))
        opened.append(hub)
        client = hub.__enter__()
        send(client, EventStream(landscape, runs_per_job=runs_per_job))
        return client

    yield fill
    for hub in opened:
        hub.__exit__(None, None, None)


def read(client: TestClient, depth: int, nodes: int | None = None, **moment: str) -> Work:
    start = f"dataset:{NAMESPACES[1]}:step_000.tab_0"
    with counted_work() as work:
        found = ask(client, "/lineage", nodeId=start, depth=depth, **moment)
    if nodes is not None:
        assert len(found["graph"]) == nodes
    return work


MOMENTS = pytest.mark.parametrize("moment", [{}, {"as_of": "2026-03-09T00:00:00Z"}], ids=["now", "as of"])


@MOMENTS
def test_statements_grow_with_the_depth_alone(filled: Callable[..., TestClient], moment: dict[str, str]) -> None:
    landscape = chain(25)
    counts = {}
    for depth in (5, 10, 20):
        # A hub of its own each: what one read has met, the next one remembers.
        work = read(filled(landscape), depth, 2 * (depth + 1) + 1, **moment)
        counts[depth] = len(work)
        assert len(work) <= STATEMENTS_OF_A_READ + STATEMENTS_OF_A_STEP * (depth + 1), work.described()
    assert (counts[20] - counts[10]) <= 2 * (counts[10] - counts[5]), counts


@MOMENTS
def test_statements_do_not_grow_with_the_width_of_the_graph(
    filled: Callable[..., TestClient], moment: dict[str, str]
) -> None:
    narrow, wide = (read(filled(chain(6, width)), 5, **moment) for width in (2, 20))
    assert len(wide) <= len(narrow) + 2, f"{narrow.described()}\n\n{wide.described()}"


@MOMENTS
def test_neither_statements_nor_steps_grow_with_the_runs_of_a_job(
    filled: Callable[..., TestClient], moment: dict[str, str]
) -> None:
    few, many = (read(filled(chain(10), runs), 20, **moment) for runs in (3, 150))
    assert len(many) <= len(few), f"{few.described()}\n\n{many.described()}"
    assert many.steps <= 1.5 * few.steps


def test_the_middle_of_a_long_history_costs_what_its_end_costs(filled: Callable[..., TestClient]) -> None:
    landscape = chain(10)
    client, stream = filled(landscape, 150), EventStream(landscape, runs_per_job=150)
    counts = []
    for share in (0.1, 0.5, 0.999):
        work = read(client, 20, as_of=stream.moment(share))
        counts.append((len(work), work.steps))
    # The first read meets names and shapes that the others find in memory.
    (statements, steps), (later_statements, later_steps) = counts[1:]
    assert abs(statements - later_statements) <= 1
    assert steps <= 1.1 * later_steps


def test_a_read_about_the_present_is_remembered(filled: Callable[..., TestClient]) -> None:
    client = filled(layered_landscape(40))
    landscape = layered_landscape(40)
    for table in landscape.tables[60:64]:
        for depth in (5, 20):
            ask(client, "/lineage", nodeId=table.node_id, depth=depth)
            with counted_work() as work:
                ask(client, "/lineage", nodeId=table.node_id, depth=depth)
            assert len(work) <= STATEMENTS_OF_A_WARM_READ, work.described()


def test_after_a_write_only_what_it_touched_is_read_again(filled: Callable[..., TestClient]) -> None:
    landscape = chain(25)
    client = filled(landscape, 2)
    cold = read(client, 20)
    more = EventStream(landscape, runs_per_job=3)
    send(client, more.events(2 * 2 * 25, 2))
    again = read(client, 20)
    assert len(again) <= STATEMENTS_OF_A_WARM_READ + 2 * STATEMENTS_OF_A_STEP, again.described()
    assert again.steps <= cold.steps / 5
