"""What code tells of its lineage can be asserted on, and nothing of a test is left behind."""

import asyncio
import logging
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from lineage_hub.errors import InvalidEvent
from lineage_hub.sdk import configure, get_config, lineage_track, outbox, reset_config, track
from lineage_hub.sdk.warnings import warn_once
from lineage_hub.testing import LineageEvents, RecordingTransport, recorded
from lineage_hub.transports import TransportFactory

LAKE, REPORT = "s3://lake/orders", "postgres://db/shop/public/report"


@pytest.fixture(autouse=True)
def afresh() -> Iterator[None]:
    reset_config()
    yield
    reset_config()


@lineage_track("report", inputs=LAKE, outputs=REPORT, tags={"team": "sales"})
def report(fails: bool = False) -> None:
    with track("step"):
        if fails:
            raise ValueError("no such table")


def test_runs_have_state_datasets_error_and_parent() -> None:
    with recorded(namespace="team") as events:
        report()
        with pytest.raises(ValueError, match="no such table"):
            report(fails=True)
    assert len(events.runs) == 4
    good, bad = events.runs_of("report")
    assert (good.state, good.error, good.namespace) == ("COMPLETE", None, "team")
    assert (bad.state, bad.error) == ("FAIL", "no such table")
    assert good.inputs == [("s3://lake", "orders")]
    assert good.outputs == [("postgres://db:5432", "shop.public.report")]
    assert good.parent is None
    (step,) = events.children_of(bad)
    assert (step.job, step.parent, step.state) == ("step", bad.id, "FAIL")
    assert good.job_facets["tags"]["tags"][0]["key"] == "team"
    assert [event["eventType"] for event in good.events] == ["START", "COMPLETE"]
    assert events.runs[good.id].id == good.id
    assert len(events) == len(list(events)) == 8


def test_a_run_that_has_not_ended_is_running() -> None:
    with recorded() as events, track("long"):
        assert events.only_run().state == "RUNNING"


def test_datasets_are_asserted_on_as_they_are_given_to_the_sdk() -> None:
    with recorded(namespace="team") as events, track("load", inputs="plain") as run:
        run.add_output(LAKE, columns={"id": [("plain", "id")]})
    (found,) = events.runs.values()
    found.assert_read("plain", ("team", "plain"), {"type": "dataframe", "name": "plain"})
    found.assert_wrote(LAKE)
    assert found.dataset_facets(LAKE)["columnLineage"]["fields"].keys() == {"id"}
    with pytest.raises(AssertionError) as told:
        found.assert_wrote("s3://lake/order")
    assert "never wrote 'order' in 's3://lake'" in str(told.value)
    assert "it wrote 'orders' in 's3://lake'" in str(told.value)
    assert "it read 'plain' in 'team'" in str(told.value)
    with pytest.raises(AssertionError, match="neither reads nor writes 'other'"):
        found.dataset_facets("other")


def test_the_only_run_is_given_or_what_there_is_instead_is_told() -> None:
    with recorded() as events:
        with pytest.raises(AssertionError, match="expected one run, found 0\n0 events of 0 runs were recorded"):
            events.only_run()
        report()
        assert events.only_run("step").job == "step"
        with pytest.raises(AssertionError) as told:
            events.only_run("reprot")
    assert "expected one run of the job 'reprot', found 0" in str(told.value)
    assert "of default/report (COMPLETE)" in str(told.value)
    assert "of default/step (COMPLETE)" in str(told.value)
    events.clear()
    assert not events.runs


def fails_inside() -> None:
    with recorded():
        configure(namespace="lost")
        raise ZeroDivisionError


def test_what_was_there_before_is_there_again() -> None:
    heard: list[bytes] = []
    before = outbox.replace_by(heard.append)
    config = configure(namespace="mine")
    try:
        with recorded() as outer:
            assert get_config().namespace == "default"
            with recorded(namespace="inner") as inner:
                report()
            configure(namespace="changed")
            with track("outer"):
                pass
        with pytest.raises(ZeroDivisionError):
            fails_inside()
        assert get_config() is config
        assert heard == []
        report()
        assert len(heard) == 4
    finally:
        outbox.replace_by(before)
    assert {run.namespace for run in inner.runs.values()} == {"inner"}
    assert [(run.job, run.namespace) for run in outer.runs.values()] == [("outer", "changed")]


def test_the_environment_counts_inside_and_what_is_wrong_is_told_each_time(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    get_config()
    monkeypatch.setenv("LINEAGE_HUB_NAMESPACE", "from-environment")
    for _ in range(2):
        with recorded() as events, caplog.at_level(logging.WARNING):
            report()
            warn_once("a kind", "told of")
        assert events.only_run("report").namespace == "from-environment"
    assert caplog.text.count("told of") == 2


def test_threads_and_tasks_are_recorded_with_their_parents() -> None:
    @lineage_track("work")
    def work(number: int) -> int:
        return number

    async def both() -> None:
        await asyncio.gather(*(asyncio.to_thread(work, number) for number in range(20)))

    with recorded() as events:
        with track("all"):
            asyncio.run(both())
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(work, range(200)))
    whole = events.only_run("all")
    assert len(events.children_of(whole)) == 20
    assert len(events.runs_of("work")) == 220
    assert {run.state for run in events.runs.values()} == {"COMPLETE"}


def test_runs_can_be_read_while_others_are_told_of() -> None:
    told, seen = 300, []

    def tell() -> None:
        for _ in range(told):
            report()

    with recorded() as events:
        thread = threading.Thread(target=tell)
        thread.start()
        while thread.is_alive():
            states = [run.state for run in events.runs.values()]
            assert set(states) <= {"RUNNING", "COMPLETE"}
            seen.append(len(states))
        thread.join()
        assert len(events.runs_of("report")) == told
    assert seen == sorted(seen)


def event(number: int) -> dict[str, Any]:
    return {"eventType": "COMPLETE", "run": {"runId": f"r{number}"}, "job": {"namespace": "n", "name": "j"}}


def test_the_transport_records_directly_and_by_its_name() -> None:
    made = TransportFactory().create({"type": "lineage_hub.testing.RecordingTransport"})
    for transport in (made, RecordingTransport()):
        assert isinstance(transport, RecordingTransport)
        with transport:
            transport.send(event(1))
            assert transport.send_batch([b'{"run": 7', b'{"dataset": {}}']) != []
        assert transport.events == [event(1), {"dataset": {}}]
        assert transport.recorded.only_run("j").state == "COMPLETE"
        assert transport.closed
        with pytest.raises(InvalidEvent):
            transport.send(b"[]")


def test_a_spool_can_wrap_it(tmp_path: Any) -> None:
    config = {"type": "lineage_hub.testing.RecordingTransport"}
    spool: Any = TransportFactory().create({"type": "spool", "folder": str(tmp_path), "transport": config})
    for number in range(10):
        spool.send(event(number))
    assert spool.close(20)
    assert list(spool.inner.recorded.runs) == [f"r{number}" for number in range(10)]


def test_importing_it_loads_neither_pytest_nor_the_sdk() -> None:
    heavy = ("pytest", "msgspec", "lineage_hub.sdk", "lineage_hub.transports", "openlineage", "httpx")
    program = (
        f"import sys, lineage_hub.testing as testing; print([name for name in {heavy!r} if name in sys.modules]);"
        "print('recorded' in dir(testing), testing.recorded.__name__, hasattr(testing, 'nothing'))"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines() == ["[]", "True recorded False"]


def test_it_says_what_it_holds() -> None:
    events = LineageEvents()
    events.add(b'{"eventType": "START", "run": {"runId": "r"}, "job": {"namespace": "n", "name": "j"}}')
    assert "run r of n/j (RUNNING)" in repr(events)
