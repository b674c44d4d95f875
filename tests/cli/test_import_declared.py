"""What users declared, described and tagged at another server comes with `import marquez`, though no event tells it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from tests.cli.conftest import Cli
from tests.hub_process import HubProcess
from tests.transports.recorder import Recorder, Reply, Request

pytestmark = pytest.mark.slow
NO_EVENTS: Reply = (200, {}, b'{"totalCount": 0, "events": []}')
LAKE = "s3://lake/ü"
RUN = "6d5e9c1c-6fb6-4f0e-9d4b-0d7a54c1f001"


@pytest.fixture(autouse=True)
def state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def call(hub: HubProcess, method: str, *parts: str, body: Any = None, **params: str) -> Any:
    path = "/".join(quote(part, safe="") for part in parts)
    answer = httpx.request(method, f"{hub.url}/api/v1/{path}", json=body, params=params)
    assert answer.is_success, answer.text
    return answer.json()


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HubProcess]:
    """A hub on which everything was declared by hand."""
    with HubProcess(tmp_path_factory.mktemp("old") / "data") as hub:
        call(hub, "PUT", "namespaces", "team", body={"ownerName": "ann", "description": "Our tables."})
        call(hub, "PUT", "namespaces", LAKE, body={"ownerName": "bob"})
        pg = {"type": "POSTGRESQL", "connectionUrl": "postgres://me:secret@db/x", "description": "Orders."}
        call(hub, "PUT", "sources", "pg", body=pg)
        call(hub, "PUT", "sources", "spare/one", body={"type": "MYSQL", "connectionUrl": "mysql://spare"})
        call(hub, "PUT", "tags", "PII", body={"description": "Personal."})
        call(hub, "PUT", "tags", "unused")
        fields = [{"name": "id", "type": "INTEGER", "tags": ["key"]}, {"name": "mail", "description": "Of a buyer."}]
        table = {"type": "DB_TABLE", "physicalName": "public.t", "sourceName": "pg", "fields": fields}
        call(hub, "PUT", "namespaces", "team", "datasets", "t", body={**table, "tags": ["PII"], "description": "T."})
        stream = {"type": "STREAM", "physicalName": "s", "sourceName": "pg", "schemaLocation": "http://registry/1"}
        call(hub, "PUT", "namespaces", LAKE, "datasets", "a/b c", body=stream)
        io = {
            "inputs": [{"namespace": "team", "name": "t"}],
            "outputs": [{"namespace": LAKE, "name": "a/b c"}],
        }
        job = {"type": "STREAM", **io, "location": "https://git/copy.py", "description": "Copies.", "tags": ["hot"]}
        call(hub, "PUT", "namespaces", "team", "jobs", "copy", body=job)
        made = {"id": RUN, "nominalStartTime": "2026-01-01T00:00:00Z", "args": {"retries": 1}}
        call(hub, "POST", "namespaces", "team", "jobs", "copy", "runs", body=made)
        call(hub, "POST", "jobs", "runs", RUN, "start", at="2026-01-01T00:00:05Z")
        call(hub, "POST", "jobs", "runs", RUN, "complete", at="2026-01-01T00:01:05Z")
        failed = call(hub, "POST", "namespaces", "team", "jobs", "copy", "runs")["id"]
        call(hub, "POST", "jobs", "runs", failed, "start", at="2026-01-02T00:00:00Z")
        call(hub, "POST", "jobs", "runs", failed, "fail", at="2026-01-02T00:00:01Z")
        yield hub


@pytest.fixture
def new(tmp_path: Path) -> Iterator[HubProcess]:
    with HubProcess(tmp_path / "new") as hub:
        yield hub


def without_events(old: HubProcess, fault: Callable[[str], Reply | None] = lambda _: None) -> Recorder:
    """The old server as Marquez would be: what is declared there is no event."""

    def reply(request: Request) -> Reply:
        if request.path.startswith("/api/v1/events/lineage"):
            return NO_EVENTS
        if (fails := fault(request.path)) is not None:
            return fails
        answer = httpx.get(old.url + request.path)
        return answer.status_code, {}, answer.content

    return Recorder(reply)


def shown(hub: HubProcess) -> dict[str, Any]:
    """All that a reader sees of what was declared, but for what differs because it came another way."""
    table = call(hub, "GET", "namespaces", "team", "datasets", "t")
    stream = call(hub, "GET", "namespaces", LAKE, "datasets", "a/b c")
    job = call(hub, "GET", "namespaces", "team", "jobs", "copy")
    runs = call(hub, "GET", "namespaces", "team", "jobs", "copy", "runs")["runs"]
    of_dataset = ("type", "physicalName", "sourceName", "fields", "tags", "description", "schemaLocation")
    of_job = ("type", "inputs", "outputs", "location", "description", "tags")
    of_run = ("id", "state", "startedAt", "endedAt", "nominalStartTime", "args")
    return {
        "namespaces": [
            (one["name"], one["ownerName"], one["description"]) for one in call(hub, "GET", "namespaces")["namespaces"]
        ],
        "sources": [
            (one["name"], one["type"], one["connectionUrl"], one["description"])
            for one in call(hub, "GET", "sources")["sources"]
        ],
        "tags": call(hub, "GET", "tags")["tags"],
        "datasets": [{name: one.get(name) for name in of_dataset} for one in (table, stream)],
        "versions": [one["currentVersion"] is not None for one in (table, stream)],
        "job": {name: job[name] for name in of_job},
        "runs": [{name: one[name] for name in of_run} for one in runs],
    }


def test_all_that_users_declared_comes_and_comes_once(cli: Cli, old: HubProcess, new: HubProcess) -> None:
    with without_events(old) as server:
        done = cli("import", "marquez", server.url, "--url", new.url, "--json")
        assert done.code == 0, done.err
        assert done.json()["brought"] == {
            "descriptions": 0, "datasets": 2, "jobs": 1, "runs": 2, "tagged": 3,
            "namespaces": 2, "sources": 2, "tags": 2,
        }  # fmt: skip
        assert (done.json()["differing"], done.json()["left_out"]) == ([], {})
        assert shown(new) == shown(old)
        before = call(new, "GET", "events", "lineage")["totalCount"]
        for again in ((), ("--restart",)):
            done = cli("import", "marquez", server.url, "--url", new.url, "--json", *again)
            assert not any(done.json()["brought"].values())
        assert call(new, "GET", "events", "lineage")["totalCount"] == before
        assert shown(new) == shown(old)


def test_what_comes_as_events_is_not_declared_a_second_time(cli: Cli, old: HubProcess, new: HubProcess) -> None:
    done = cli("import", "marquez", old.url, "--url", new.url, "--json")
    assert done.code == 0, done.err
    brought = {name: count for name, count in done.json()["brought"].items() if count}
    assert brought == {"tagged": 3, "namespaces": 2, "sources": 2, "tags": 2}
    assert shown(new) == shown(old)


def test_what_somebody_told_the_hub_stands(cli: Cli, old: HubProcess, new: HubProcess) -> None:
    with without_events(old) as server:
        assert cli("import", "marquez", server.url, "--url", new.url).code == 0
        call(new, "PUT", "namespaces", "team", body={"ownerName": "eve"})
        call(new, "PUT", "sources", "pg", body={"type": "POSTGRESQL", "connectionUrl": "postgres://moved/x"})
        call(new, "PUT", "tags", "PII", body={"description": "About people."})
        call(new, "DELETE", "namespaces", "team", "datasets", "t", "tags", "PII")
        again = cli("import", "marquez", server.url, "--url", new.url)
    assert again.code == 0, again.err
    for what in ("owner of namespace team", "address of source pg", "description of tag PII"):
        assert f"left as it is: {what}" in again.err
    seen = shown(new)
    assert ("team", "eve", "Our tables.") in seen["namespaces"]
    assert ("pg", "POSTGRESQL", "postgres://moved/x", "Orders.") in seen["sources"]
    assert {"name": "PII", "description": "About people."} in seen["tags"]
    assert seen["datasets"][0]["tags"] == []


def test_a_tag_of_a_user_outlives_the_next_event_that_tells_of_tags(cli: Cli, old: HubProcess, new: HubProcess) -> None:
    with without_events(old) as server:
        assert cli("import", "marquez", server.url, "--url", new.url).code == 0
    told = {"tags": [{"key": "gold", "value": "true"}], "_producer": "p", "_schemaURL": "s"}
    event = {
        "eventTime": "2030-01-01T00:00:00Z", "producer": "p", "schemaURL": "s",
        "dataset": {"namespace": "team", "name": "t", "facets": {"tags": told}},
    }  # fmt: skip
    call(new, "POST", "lineage", body=event)
    assert call(new, "GET", "namespaces", "team", "datasets", "t")["tags"] == ["gold", "PII"]


FAILS = [(404, {}, b"<html>not found</html>"), (405, {}, b"no"), (500, {}, b'{"code": 500}'), (200, {}, b"[]")]


@pytest.mark.parametrize("reply", FAILS)
def test_a_route_that_the_server_lacks_stops_nothing_and_is_said(
    cli: Cli, old: HubProcess, new: HubProcess, reply: Reply
) -> None:
    def fault(path: str) -> Reply | None:
        return reply if path.split("?")[0] in ("/api/v1/sources", "/api/v1/tags") else None

    with without_events(old, fault) as server:
        done = cli("import", "marquez", server.url, "--url", new.url)
    assert done.code == 0, done.err
    assert "could not tell: /sources" in done.err
    assert "could not tell: /tags" in done.err
    seen, there = shown(new), shown(old)
    # A source that datasets have is asked for by its name; the spare one is not known.
    assert seen["sources"] == there["sources"][:1]
    assert {one["description"] for one in seen["tags"]} == {None}
    assert all(seen[what] == there[what] for what in ("namespaces", "datasets", "job", "runs"))


def test_only_what_belongs_to_the_chosen_namespaces_and_times_comes(cli: Cli, old: HubProcess, new: HubProcess) -> None:
    with without_events(old) as server:
        before = cli("import", "marquez", server.url, "--url", new.url, "--to", "2026-01-01T12:00:00Z", "--json").json()
        assert {name: count for name, count in before["brought"].items() if count} == {
            "namespaces": 2, "sources": 2, "tags": 4,
        }  # fmt: skip
        done = cli("import", "marquez", server.url, "--url", new.url, "--namespace", LAKE, "--json").json()
        assert {name: count for name, count in done["brought"].items() if count} == {"datasets": 1}
        assert call(new, "GET", "namespaces", "team", "datasets")["totalCount"] == 0


def test_what_was_broken_off_in_the_middle_is_continued(cli: Cli, old: HubProcess, new: HubProcess) -> None:
    away = [True]

    def fault(path: str) -> Reply | None:
        return (503, {}, b"away") if away[0] and "/jobs" in path else None

    with without_events(old, fault) as server:
        command = ("import", "marquez", server.url, "--url", new.url, "--json")
        broken = cli(*command, "--give-up-after", "0.3")
        assert broken.code == 3
        assert call(new, "GET", "namespaces", LAKE, "datasets")["totalCount"] == 1
        away[0] = False
        done = cli(*command)
    assert done.code == 0, done.err
    assert done.json()["brought"]["datasets"] == 1  # the other one had come
    assert shown(new) == shown(old)


def test_runs_that_the_server_calls_by_another_id_are_not_taken_for_new_ones(cli: Cli, new: HubProcess) -> None:
    event = {
        "eventType": "COMPLETE", "eventTime": "2026-01-01T00:00:00Z", "producer": "p", "schemaURL": "s",
        "run": {"runId": "manual__2026"}, "job": {"namespace": "team", "name": "j"},
    }  # fmt: skip
    run = {"id": RUN, "createdAt": event["eventTime"], "state": "COMPLETED", "endedAt": event["eventTime"]}
    job = {"namespace": "team", "name": "j", "updatedAt": event["eventTime"], "latestRun": run}
    answers: dict[str, Any] = {
        "/events/lineage": {"totalCount": 1, "events": [event]},
        "/namespaces": {"namespaces": [{"name": "team", "ownerName": "anonymous", "description": None}]},
        "/namespaces/team/datasets": {"datasets": []},
        "/namespaces/team/jobs": {"jobs": [job]},
        "/namespaces/team/jobs/j/runs": {"runs": [run]},
        "/sources": {"sources": [{"name": "default", "type": "POSTGRESQL", "connectionUrl": ""}]},
        "/tags": {"tags": []},
    }  # fmt: skip

    def reply(request: Request) -> Reply:
        return 200, {}, json.dumps(answers[request.path.removeprefix("/api/v1").partition("?")[0]]).encode()

    with Recorder(reply) as server:
        done = cli("import", "marquez", server.url, "--url", new.url, "--json")
    assert done.code == 0, done.err
    assert not any(done.json()["brought"].values())
    assert call(new, "GET", "namespaces", "team", "jobs", "j", "runs")["totalCount"] == 1


def test_a_list_of_a_server_that_knows_no_pages_is_read_once(cli: Cli, new: HubProcess) -> None:
    tags = {"tags": [{"name": f"t{number:03}", "description": None} for number in range(100)]}

    def reply(request: Request) -> Reply:
        path = request.path.removeprefix("/api/v1").partition("?")[0]
        body = {"/events/lineage": {"events": []}, "/tags": tags}.get(path, {"namespaces": [], "sources": []})
        return 200, {}, json.dumps(body).encode()

    with Recorder(reply) as server:
        done = cli("import", "marquez", server.url, "--url", new.url, "--json")
    assert done.json()["brought"]["tags"] == 100
    assert len([one for one in server.requests if one.path.startswith("/api/v1/tags")]) == 2
