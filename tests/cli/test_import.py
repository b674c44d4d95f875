"""`lineage-hub import marquez` moves a team over: every event, in spite of faults, once; `import file` sends files."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.cli.conftest import Cli
from tests.cli.test_send_events import event
from tests.hub_process import HubProcess
from tests.transports.recorder import Recorder, Reply, Request

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HubProcess]:
    """The server to leave: sixty events, of which thirteen happened at one moment, on two namespaces."""
    with HubProcess(tmp_path_factory.mktemp("old") / "data") as hub:
        events = [event(number, f"job-{number % 4}") for number in range(60)]
        for one in events[20:33]:
            one["eventTime"] = "2026-11-01T00:00:20Z"
        for one in events[::5]:
            one["job"]["namespace"] = "other"
        sent = httpx.post(f"{hub.url}/api/v1/lineage/batch", json=events)
        assert sent.status_code == 204, sent.text
        yield hub


@pytest.fixture
def new(tmp_path: Path) -> Iterator[HubProcess]:
    with HubProcess(tmp_path / "new") as hub:
        yield hub


class Proxy:
    """Stands before a server; `fault` may answer in its place."""

    def __init__(self, server: HubProcess) -> None:
        self.asked: list[str] = []
        self.fault: Callable[[int], Reply | None] = lambda _: None
        self._server = server
        self.recorder = Recorder(self._reply)

    def _reply(self, request: Request) -> Reply:
        self.asked.append(request.path)
        reply = self.fault(len(self.asked))
        if reply is not None:
            return reply
        answer = httpx.get(self._server.url + request.path)
        return answer.status_code, {}, answer.content


@pytest.fixture
def proxy(old: HubProcess) -> Iterator[Proxy]:
    proxy = Proxy(old)
    with proxy.recorder:
        yield proxy


def numbers(hub: HubProcess) -> list[int]:
    answer = httpx.get(f"{hub.url}/api/v1/events/lineage", params={"limit": 1000}).json()
    return sorted(one["number"] for one in answer["events"])


def test_every_event_arrives_once_whatever_the_size_of_pages(cli: Cli, proxy: Proxy, new: HubProcess) -> None:
    url = proxy.recorder.url
    # Thirteen events have one time, so no page of four gets past them.
    done = cli("import", "marquez", url, "--page", "4", "--url", new.url, "--json")
    assert done.code == 0, done.err
    found = done.json()
    assert {name: found[name] for name in ("sent", "rejected", "read", "total_at_source")} == {
        "sent": 60, "rejected": 0, "read": 60, "total_at_source": 60,
    }  # fmt: skip
    assert numbers(new) == list(range(60))
    again = cli("import", "marquez", url, "--url", new.url, "--restart")
    assert again.code == 0
    assert numbers(new) == list(range(60))
    later = cli("import", "marquez", url, "--url", new.url, "--json")
    assert later.json()["sent_before"] == 60
    assert later.json()["read"] <= 1


def test_errors_slow_pages_and_connections_that_break_are_waited_out(cli: Cli, proxy: Proxy, new: HubProcess) -> None:
    faults: dict[int, Reply] = {
        2: (500, {}, b'{"code": 500, "message": "a defect"}'),
        3: (503, {"Retry-After": "0"}, b"busy"),
        # Less than it says: the connection ends in the middle of a page.
        5: (200, {"Content-Length": "100000", "Connection": "close"}, b'{"totalCount": 60, "events": [{'),
        7: (502, {}, b"<html>bad gateway</html>"),
    }

    def fail(number: int) -> Reply | None:
        if number == 4:
            time.sleep(0.5)  # a slow page
        return faults.get(number)

    proxy.fault = fail
    done = cli("import", "marquez", proxy.recorder.url, "--page", "10", "--url", new.url, "--events-only")
    assert done.code == 0, done.err
    assert done.out.startswith("60 events sent, 0 rejected, in ")
    assert "waiting for" in done.err
    assert numbers(new) == list(range(60))


def test_what_was_broken_off_is_continued(cli: Cli, proxy: Proxy, new: HubProcess) -> None:
    command = ("import", "marquez", proxy.recorder.url, "--page", "10", "--url", new.url, "--events-only", "--json")
    proxy.fault = lambda number: (503, {}, b"away") if number > 4 else None
    broken = cli(*command, "--give-up-after", "0.5")
    assert broken.code == 3
    assert "events were sent before that; the same command goes on" in broken.err
    before = len(numbers(new))
    assert 0 < before < 60
    proxy.fault = lambda _: None
    done = cli(*command)
    assert done.code == 0, done.err
    assert done.json()["sent_before"] == before
    assert done.json()["read"] < 60
    assert numbers(new) == list(range(60))


def test_events_that_arrive_while_it_is_read_are_read_too(cli: Cli, new: HubProcess, tmp_path: Path) -> None:
    with HubProcess(tmp_path / "growing") as growing:
        post = f"{growing.url}/api/v1/lineage/batch"
        httpx.post(post, json=[event(number) for number in range(30)])
        proxy = Proxy(growing)

        def grow(number: int) -> Reply | None:
            if number == 4:
                httpx.post(post, json=[event(number) for number in range(30, 50)])
            return None

        proxy.fault = grow
        with proxy.recorder:
            done = cli("import", "marquez", proxy.recorder.url, "--page", "7", "--url", new.url, "--events-only")
    assert done.code == 0, done.err
    assert numbers(new) == list(range(50))


def test_a_window_and_a_namespace_can_be_chosen(cli: Cli, old: HubProcess, new: HubProcess) -> None:
    window = ("--from", "2026-11-01T00:00:10Z", "--to", "2026-11-01T00:00:40Z", "--namespace", "other")
    tried = cli("import", "marquez", old.url, *window, "--dry-run", "--json")
    assert (tried.json()["sent"], tried.json()["passed_over"], tried.json()["dry_run"]) == (6, 24, True)
    done = cli("import", "marquez", f"{old.url}/api/v1/", *window, "--url", new.url)
    assert done.code == 0, done.err
    assert numbers(new) == [10, 15, 20, 25, 30, 35]


def test_a_rejected_event_is_told_and_kept_as_a_dead_letter(cli: Cli, new: HubProcess, tmp_path: Path) -> None:
    bad = {"eventTime": "2026-11-01T00:00:01Z", "job": {"namespace": "shop"}}
    pages = {"totalCount": 2, "events": [event(0), bad]}
    rejects = tmp_path / "rejected.ndjson"
    with Recorder(lambda _: (200, {}, json.dumps(pages).encode())) as server:
        done = cli("import", "marquez", server.url, "--url", new.url, "--events-only", "--rejects", rejects)
    assert done.code == 1
    assert done.out.startswith("1 events sent, 1 rejected")
    assert "dead-letters" in done.err
    [letter] = httpx.get(f"{new.url}/api/v1/dead-letters").json()["deadLetters"]
    assert letter["error"] == "invalid_event"
    [written] = [json.loads(line) for line in rejects.read_text().splitlines()]
    assert (written["event"], written["file"]) == (bad, server.url)


def test_descriptions_and_tags_that_no_event_has_come_too_and_only_once(cli: Cli, new: HubProcess) -> None:
    changed = {"updatedAt": "2026-11-02T00:00:00Z"}
    tagged = {"tags": [{"key": "key", "value": "true", "field": "id"}], "_producer": "p", "_schemaURL": "s"}
    schema = {"fields": [{"name": "id"}, {"name": "mail"}], "_producer": "p", "_schemaURL": "s"}
    orders = {"namespace": "db", "name": "orders", "facets": {"schema": schema, "tags": tagged}}
    above = {"job": {"namespace": "shop", "name": "dag"}, "run": {"runId": "r"}, "_producer": "p", "_schemaURL": "s"}
    told = {**event(1), "outputs": [orders]}
    told["run"] = {**told["run"], "facets": {"parent": above}}
    fields = [{"name": "id", "tags": ["key"]}, {"name": "mail", "tags": ["PII"]}]
    answers: dict[str, Any] = {
        "/events/lineage": {"totalCount": 1, "events": [told]},
        "/namespaces": {"namespaces": [{"name": "db"}, {"name": "shop"}]},
        "/namespaces/db/datasets": {
            "datasets": [
                {"namespace": "db", "name": "orders", **changed, "description": "All.", "tags": ["PII", "tier:gold"],
                 "fields": fields},
                {"namespace": "db", "name": "plain", **changed, "description": None},
            ]
        },
        "/namespaces/shop/datasets": {"datasets": []},
        "/namespaces/db/jobs": {"jobs": []},
        "/namespaces/shop/jobs": {
            "jobs": [{"namespace": "shop", "name": "dag.load", **changed, "description": "Loads."}],
        },
    }  # fmt: skip

    def reply(request: Request) -> Reply:
        path = request.path.removeprefix("/api/v1").partition("?")[0]
        known = path in answers
        return 200 if known else 404, {}, json.dumps(answers.get(path, {"code": 404, "message": "none"})).encode()

    with Recorder(reply) as server:
        done = cli("import", "marquez", server.url, "--url", new.url, "--json")
        assert done.code == 0, done.err
        brought = done.json()["brought"]
        assert (brought["descriptions"], brought["datasets"], brought["tagged"]) == (2, 1, 3)
        assert done.json()["left_out"].keys() == {"/sources", "/tags"}
        dataset = httpx.get(f"{new.url}/api/v1/namespaces/db/datasets/orders").json()
        assert (dataset["description"], sorted(dataset["tags"])) == ("All.", ["PII", "tier:gold"])
        assert [(one["name"], one["tags"]) for one in dataset["fields"]] == [("id", ["key"]), ("mail", ["PII"])]
        listed = httpx.get(f"{new.url}/api/v1/namespaces/shop/jobs").json()["jobs"]
        assert [one["name"] for one in listed] == ["dag", "load"]  # Marquez's dag.load is load
        job = httpx.get(f"{new.url}/api/v1/namespaces/shop/jobs/load").json()
        assert (job["description"], job["outputs"]) == ("Loads.", [{"namespace": "db", "name": "orders"}])
        again = cli("import", "marquez", server.url, "--url", new.url, "--json")
        assert not any(again.json()["brought"].values())


def test_the_key_is_sent_to_the_old_server_and_not_the_hubs(cli: Cli, new: HubProcess) -> None:
    with Recorder(lambda _: (200, {}, b'{"totalCount": 0, "events": []}')) as server:
        keys = ("--source-api-key", "old-secret", "--api-key", "new-secret")
        done = cli("import", "marquez", server.url, "--url", new.url, "--events-only", *keys)
    assert done.code == 0, done.err
    assert {request.headers["authorization"] for request in server.requests} == {"Bearer old-secret"}


STRANGE = [(404, {}, b'{"code": 404, "message": "Not Found"}'), (200, {}, b"<html>hello</html>"), (200, {}, b"[]")]


@pytest.mark.parametrize("reply", STRANGE)
def test_what_is_no_marquez_is_told(cli: Cli, reply: Reply) -> None:
    with Recorder(lambda _: reply) as server:
        done = cli("import", "marquez", server.url, "--dry-run")
    assert done.code == 2
    assert "does not speak Marquez's API" in done.err
    assert "/api/v1" in done.err


def test_a_server_that_is_not_there_is_told(cli: Cli) -> None:
    began = time.monotonic()
    done = cli("import", "marquez", "http://127.0.0.1:9", "--dry-run", "--give-up-after", "0.3")
    assert (done.code, time.monotonic() - began < 20) == (3, True)
    assert "http://127.0.0.1:9" in done.err


def test_files_are_imported_as_they_are_sent(cli: Cli, new: HubProcess, tmp_path: Path) -> None:
    (tmp_path / "some.ndjson").write_text("".join(json.dumps(event(number)) + "\n" for number in range(5)))
    done = cli("import", "file", tmp_path / "some.ndjson", "--url", new.url)
    assert done.code == 0, done.err
    assert done.out.startswith("5 events sent")
    # What one of them has sent, the other knows.
    assert "5 sent before" in cli("send-events", tmp_path / "some.ndjson", "--url", new.url).out
