"""OpenLineage's transports behind this package's contract, and this package's transports in OpenLineage's client."""

import json
from pathlib import Path
from typing import Any

import pytest
from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import Job, Run, RunEvent, RunState
from openlineage.client.facet_v2 import parent_run
from openlineage.client.serde import Serde
from openlineage.client.transport.kafka import KafkaTransport
from openlineage.client.uuid import generate_new_uuid

from lineage_hub.errors import LineageHubError, Refusal, Transient
from lineage_hub.transports import TransportFactory
from lineage_hub.transports.openlineage import _key_of
from tests.transports.recorder import TAKEN, Recorder

RUN = "0193d6a1-0000-7000-8000-000000000001"


def run_event() -> RunEvent:
    return RunEvent(
        eventType=RunState.COMPLETE,
        eventTime="2026-11-01T09:30:00Z",
        producer="https://example.com/tests",
        run=Run(str(generate_new_uuid())),
        job=Job("shop", "load"),
        inputs=[],
        outputs=[],
    )


@pytest.mark.parametrize("kind", ["http", "async_http"])
def test_an_event_has_been_answered_when_send_returns(kind: str) -> None:
    with Recorder() as server:
        transport = TransportFactory().create({"type": kind, "url": server.url, "api_key": "k"})
        for event in (run_event(), {"eventTime": "2026-11-01T09:30:00Z", "job": {"namespace": "a", "name": "b"}}):
            before = len(server.taken)
            transport.send(event)
            assert len(server.taken) == before + 1
        assert server.requests[0].headers["authorization"] == "Bearer k"
        assert transport.close(5)


@pytest.mark.parametrize("kind", ["http", "async_http"])
@pytest.mark.parametrize(("status", "error"), [(400, LineageHubError), (503, Transient)])
def test_what_goes_wrong_is_one_of_two_kinds(kind: str, status: int, error: type[LineageHubError]) -> None:
    quick = {"retry": {"total": 0}, "timeout": 2}
    with Recorder(lambda _: (status, {}, b"no")) as server:
        transport = TransportFactory().create({"type": kind, "url": server.url, **quick})
        with pytest.raises(error):
            transport.send(run_event())
        if kind == "http":
            with pytest.raises(LineageHubError) as told:
                transport.send(run_event())
            assert isinstance(told.value, Refusal) == (status == 400)


def test_a_server_that_is_gone_is_a_transient_error_of_ours() -> None:
    with Recorder() as server:
        url = server.url
    transport = TransportFactory().create({"type": "http", "url": url, "retry": {"total": 0}})
    with pytest.raises(Transient):
        transport.send(run_event())


def test_a_file_is_on_disk_when_send_returns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    monkeypatch.setattr("lineage_hub.transports.openlineage.os.fsync", synced.append)
    path = tmp_path / "events.ndjson"
    transport = TransportFactory().create({"type": "file", "log_file_path": str(path), "append": True})
    transport.send(run_event())
    assert len(synced) == 1
    assert json.loads(path.read_text())["job"]["name"] == "load"


def test_a_file_that_cannot_be_written_is_an_error_of_ours(tmp_path: Path) -> None:
    path = tmp_path / "no" / "such" / "folder" / "events"
    with pytest.raises(LineageHubError):
        TransportFactory().create({"type": "file", "log_file_path": str(path), "append": True}).send(run_event())


@pytest.mark.parametrize(
    "wanted",
    [
        {"type": "lineage_hub.transports.openlineage.BatchTransport"},
        {"type": "lineage_hub.transports.openlineage.HubTransport"},
        {"type": "lineage_hub.transports.openlineage.SpoolTransport"},
        {"type": "batch"},
        {"type": "spool"},
    ],
    ids=lambda wanted: str(wanted["type"]),
)
def test_their_client_sends_by_these_transports(wanted: dict[str, Any], tmp_path: Path) -> None:
    with Recorder(lambda _: TAKEN) as server:
        more = {"url": server.url}
        if "pool" in wanted["type"]:
            more = {"folder": str(tmp_path), "transport": {"type": "batch", **more}}  # type: ignore[dict-item]
        client = OpenLineageClient(config={"transport": {**wanted, **more}})
        client.emit(run_event())
        assert client.close(10)
        assert [event["job"]["name"] for event in server.taken] == ["load"]


def kafka(**config: Any) -> Any:
    """librdkafka brings brokers of its own for tests; without `test.mock.num.brokers` nobody is there."""
    return TransportFactory().create({"type": "kafka", "topic": "lineage", "config": config, "flush": False})


def test_kafka_has_confirmed_an_event_when_send_returns() -> None:
    transport = kafka(**{"bootstrap.servers": "unused", "test.mock.num.brokers": 1})
    assert transport.send_batch([json.dumps({"job": {"namespace": "a", "name": "b"}}).encode()]) == []
    transport.send(run_event())
    assert transport.theirs.producer.flush(0) == 0
    assert transport.close(10)


def test_a_delivery_that_kafka_reports_as_failed_is_an_error() -> None:
    transport = kafka(**{"bootstrap.servers": "127.0.0.1:9", "message.timeout.ms": 500, "log_level": 0})
    with pytest.raises(Transient, match="could not deliver"):
        transport.send(run_event())


@pytest.mark.parametrize(
    "above",
    [
        None,
        parent_run.ParentRunFacet(parent_run.Run(RUN), parent_run.Job("shop", "dag")),
        parent_run.ParentRunFacet(
            parent_run.Run(RUN),
            parent_run.Job("shop", "dag"),
            root=parent_run.Root(parent_run.RootRun(RUN), parent_run.RootJob("shop", "all")),
        ),
    ],
)
def test_plain_json_has_the_kafka_key_of_the_same_event_as_an_object(above: Any) -> None:
    event = run_event()
    event.run.facets = {"parent": above} if above is not None else {}
    theirs = KafkaTransport._get_message_key(
        kafka(**{"bootstrap.servers": "127.0.0.1:9", "log_level": 0}).theirs, event
    )
    assert theirs is not None
    assert _key_of(Serde.to_json(event).encode()) == theirs
