"""A tracked function does what it did before, exactly once, and each of its calls is a run."""

import asyncio
import inspect
import pickle
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from lineage_hub.sdk import outbox, warnings
from lineage_hub.sdk.tracking import lineage_track, track

Sent = list[dict[str, Any]]


def kinds(sent: Sent) -> list[tuple[str, str]]:
    return [(one["job"]["name"], one["eventType"]) for one in sent]


@lineage_track
def doubled(number: int) -> int:
    """Twice as much."""
    return 2 * number


def test_a_function_is_itself_and_each_call_a_run(sent: Sent) -> None:
    assert [doubled(1), doubled(number=2)] == [2, 4]
    assert kinds(sent) == [("doubled", "START"), ("doubled", "COMPLETE")] * 2
    assert len({one["run"]["runId"] for one in sent}) == 2
    assert sent[0]["job"]["namespace"] == "team"
    assert (doubled.__name__, doubled.__doc__) == ("doubled", "Twice as much.")
    assert list(inspect.signature(doubled).parameters) == ["number"]
    assert pickle.loads(pickle.dumps(doubled)) is doubled


def test_an_error_is_the_functions_own(sent: Sent) -> None:
    failure = ValueError("no such table")

    @lineage_track("broken")
    def fails() -> None:
        raise failure

    with pytest.raises(ValueError, match="no such table") as raised:
        fails()
    assert raised.value is failure
    assert kinds(sent) == [("broken", "START"), ("broken", "FAIL")]
    assert sent[1]["run"]["facets"]["errorMessage"]["message"] == "no such table"


def test_an_async_function_with_defaults_runs(sent: Sent) -> None:
    @lineage_track()
    async def waits(seconds: float = 0.0) -> str:
        await asyncio.sleep(seconds)
        return "done"

    assert inspect.iscoroutinefunction(waits)
    assert asyncio.run(waits()) == "done"
    assert [kind for _, kind in kinds(sent)] == ["START", "COMPLETE"]


def test_a_plain_function_runs_inside_a_running_loop(sent: Sent) -> None:
    async def main() -> int:
        return doubled(3)

    assert asyncio.run(main()) == 6
    assert len(sent) == 2


def test_a_generator_gives_takes_and_returns_the_same(sent: Sent) -> None:
    @lineage_track("steps")
    def steps(count: int) -> Iterator[Any]:
        heard = []
        for number in range(count):
            try:
                heard.append((yield number))
            except KeyError as error:
                heard.append(error)
                yield "caught"
        return heard

    assert inspect.isgeneratorfunction(steps)
    running: Any = steps(3)
    assert sent == []
    assert next(running) == 0
    assert running.send("a") == 1
    assert running.throw(KeyError("k")) == "caught"
    assert next(running) == 2
    with pytest.raises(StopIteration) as end:
        running.send("z")
    assert (end.value.value[0], end.value.value[-1]) == ("a", "z")
    assert [kind for _, kind in kinds(sent)] == ["START", "COMPLETE"]


def test_a_generator_that_is_left_early_was_aborted(sent: Sent) -> None:
    closed = []

    @lineage_track("steps")
    def steps() -> Iterator[int]:
        try:
            yield 1
            yield 2
        finally:
            closed.append(True)

    for _ in steps():
        break
    assert closed == [True]
    assert [kind for _, kind in kinds(sent)] == ["START", "ABORT"]


def test_an_async_generator_gives_the_same(sent: Sent) -> None:
    @lineage_track("steps")
    async def steps() -> AsyncIterator[int]:
        yield 1
        yield 2

    async def main() -> list[int]:
        return [number async for number in steps()]

    assert inspect.isasyncgenfunction(steps)
    assert asyncio.run(main()) == [1, 2]
    assert [kind for _, kind in kinds(sent)] == ["START", "COMPLETE"]


def test_methods_of_all_kinds(sent: Sent) -> None:
    class Loader:
        @lineage_track
        def one(self, number: int) -> int:
            return number + 1

        @lineage_track
        @classmethod
        def two(cls, number: int) -> tuple[type, int]:
            return cls, number

        @classmethod
        @lineage_track
        def three(cls) -> type:
            return cls

        @lineage_track("four")
        @staticmethod
        def four(number: int) -> int:
            return number

    assert Loader().one(1) == 2
    assert Loader.two(2) == (Loader, 2)
    assert Loader.three() is Loader
    assert Loader.four(4) == Loader().four(4) == 4
    assert len(sent) == 10
    assert sent[0]["job"]["name"].endswith("Loader.one")


def test_calls_inside_a_call_are_its_children(sent: Sent) -> None:
    @lineage_track("outer")
    def outer() -> None:
        with track("middle"):
            doubled(1)

    outer()
    by_name = {one["job"]["name"]: one for one in sent if one["eventType"] == "START"}
    assert "parent" not in by_name["outer"]["run"]["facets"]
    assert by_name["middle"]["run"]["facets"]["parent"]["run"]["runId"] == by_name["outer"]["run"]["runId"]
    parent = by_name["doubled"]["run"]["facets"]["parent"]
    assert parent["run"]["runId"] == by_name["middle"]["run"]["runId"]
    assert parent["root"]["job"]["name"] == "outer"


def test_tasks_have_the_parent_that_started_them(sent: Sent) -> None:
    @lineage_track("task")
    async def task() -> None:
        await asyncio.sleep(0)

    @lineage_track("all")
    async def everything() -> None:
        await asyncio.gather(*[asyncio.create_task(task()) for _ in range(5)])

    asyncio.run(everything())
    starts = [one for one in sent if one["eventType"] == "START"]
    (whole,) = [one for one in starts if one["job"]["name"] == "all"]
    parents = {one["run"]["facets"]["parent"]["run"]["runId"] for one in starts if one["job"]["name"] == "task"}
    assert parents == {whole["run"]["runId"]}


def test_whoever_iterates_is_not_inside_the_generator(sent: Sent) -> None:
    @lineage_track("steps")
    def steps() -> Iterator[int]:
        yield 1
        yield 2

    for number in steps():
        doubled(number)
    assert all("parent" not in one["run"]["facets"] for one in sent if one["job"]["name"] == "doubled")


def test_datasets_are_specs_addresses_or_functions_of_arguments_and_result(sent: Sent) -> None:
    @lineage_track(
        inputs=lambda day, **_: [f"s3://lake/orders/{day}", {"type": "mysql", "name": "shop.customers"}],
        outputs=lambda result: {"type": "file", "name": result},
        tags=["daily"],
        description="reports",
    )
    def report(day: str, *, dry: bool = False) -> str:
        return f"/tmp/{day}.csv"

    report("monday", dry=True)
    start, complete = sent
    assert [one["name"] for one in start["inputs"]] == ["orders/monday", "shop.customers"]
    assert start["outputs"] == []
    assert [(one["namespace"], one["name"]) for one in complete["outputs"]] == [("file", "/tmp/monday.csv")]
    assert complete["job"]["facets"]["tags"]["tags"][0]["key"] == "daily"


@pytest.mark.parametrize("where", ["inputs", "outputs"])
@pytest.mark.parametrize("bad", [7, {"nmae": "x"}, lambda *_: 1 / 0, [object()]])
def test_a_bad_description_costs_the_function_nothing(sent: Sent, where: str, bad: Any) -> None:
    ran = []
    arguments: Any = {where: bad}
    tracked = lineage_track("job", **arguments)(lambda: ran.append(1) or "result")
    assert tracked() == "result"
    assert ran == [1]
    assert kinds(sent)[-1] == ("job", "COMPLETE")


def test_an_unknown_adapter_has_a_sane_name_and_a_warning(sent: Sent, caplog: pytest.LogCaptureFixture) -> None:
    tracked = lineage_track("job", inputs={"type": "oracel", "name": "shop.orders"})(lambda: None)
    tracked()
    tracked()
    assert [(one["namespace"], one["name"]) for one in sent[0]["inputs"]] == [("oracel", "shop.orders")]
    assert caplog.text.count("oracel") == 1
    assert "mysql" in caplog.text or "known" in caplog.text or "unknown" in caplog.text


def test_troubles_of_ours_are_told_once_and_never_raised(caplog: pytest.LogCaptureFixture) -> None:
    def broken(_: bytes) -> None:
        raise OSError("disk on fire")

    warnings.forget_warnings()
    before = outbox.replace_by(broken)
    try:
        assert [doubled(number) for number in range(50)] == [2 * number for number in range(50)]
    finally:
        outbox.replace_by(before)
    assert caplog.text.count("disk on fire") == 1


def test_a_block_adds_what_it_finds_out(sent: Sent) -> None:
    def block() -> None:
        with track("block", inputs="s3://lake/a") as run:
            run.add_output("s3://lake/b")
            run.add_input(7)
            raise KeyError("x")

    with pytest.raises(KeyError):
        block()
    assert [one["eventType"] for one in sent] == ["START", "FAIL"]
    assert sent[1]["outputs"][0]["name"] == "b"
