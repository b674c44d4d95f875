"""The four ways in, and a client that checks what every bad request must be answered with."""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass, field
from typing import Any

import httpx

BODY_LIMIT = 4 << 20
KEPT = 64 << 10
ERROR_FIELDS = {"code", "message", "error", "subject", "action"}
TENANT = "input-tests"
_number = itertools.count(1)

Body = dict[str, Any]


def event(**changes: Any) -> Body:
    """A good RunEvent of a run of its own; a change to None leaves the member out."""
    made: Body = {
        "eventType": "COMPLETE",
        "eventTime": "2026-03-01T09:30:00Z",
        "producer": "https://example.com/input",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": f"run-{next(_number)}"},
        "job": {"namespace": "input", "name": "load"},
    }
    return {key: value for key, value in {**made, **changes}.items() if value is not None}


def text_of(body: object) -> bytes:
    return json.dumps(body, ensure_ascii=False).encode()


@dataclass(frozen=True)
class Way:
    """One of the ways in, with how a single event's text is wrapped for it."""

    path: str

    def wrap(self, raw: bytes) -> bytes:
        if self.path == "lineage":
            return raw
        if self.path == "lineage/ingest":
            return b'{"namespace": "%s", "events": [%s]}' % (TENANT.encode(), raw)
        return b"[" + raw + b"]"


WAYS = [Way("lineage"), Way("lineage/batch"), Way("lineage/ingest"), Way("webhook/lineage")]


@dataclass
class Client:
    """Speaks to a hub; checks that errors have their one shape, and that nothing ever is a 500."""

    http: httpx.Client
    headers: dict[str, str] = field(default_factory=dict)

    def call(self, method: str, path: str, **options: Any) -> httpx.Response:
        answer = self.http.request(method, path, **options)
        assert answer.status_code < 500, f"{method} {path}: {answer.status_code} {answer.text[:500]}"
        if answer.status_code >= 400:
            check_error(answer)
        return answer

    def get(self, path: str, **parameters: Any) -> httpx.Response:
        return self.call("GET", path, params=parameters)

    def post(self, way: Way, body: bytes, **headers: str) -> httpx.Response:
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.call("POST", way.path, content=body, headers={"content-type": "application/json", **names})

    def letters(self) -> list[Body]:
        found: list[Body] = self.get("dead-letters", limit=1000).json()["deadLetters"]
        return found

    def drop_letters(self) -> None:
        for letter in self.letters():
            assert self.call("DELETE", f"dead-letters/{letter['id']}").status_code == 204

    def sends(self, raw: bytes, way: Way = WAYS[0]) -> str | None:
        """Whether one event is taken by this way, and if not why; the reason is checked to be a dead letter's."""
        answer = self.post(way, way.wrap(raw))
        if answer.status_code >= 400:
            reason = str(answer.json()["message"])
        elif answer.status_code in (201, 204):
            return None
        else:
            told = answer.json()
            if way.path == "lineage/batch":
                assert told["summary"]["failed"] == 1
                reason = told["failed_events"][0]["reason"]
            elif told["accepted"] == 1:
                assert told["errors"] == []
                return None
            else:
                assert told["rejected"] == 1
                reason = told["errors"][0].removeprefix("event 0: ")
        assert self.letters()[0]["reason"] == reason
        return reason

    def takes(self, raw: bytes, way: Way = WAYS[0]) -> None:
        assert self.sends(raw, way) is None

    def still_works(self) -> None:
        """The next event is taken and read back."""
        raw = text_of(event(job={"namespace": "input", "name": "next"}))
        taken = self.post(WAYS[0], raw)
        assert taken.status_code == 201, taken.text
        assert self.raw(taken.json()["eventId"]) == raw

    def raw(self, event_id: str) -> bytes:
        """The text of an event as it was kept: the last member of its answer, byte for byte."""
        answer = self.get(f"events/{event_id}")
        assert answer.status_code == 200
        _, _, rest = answer.content.partition(b'"event":')
        return rest[:-1]


def check_error(answer: httpx.Response) -> None:
    assert answer.headers["content-type"] == "application/json", answer.text[:500]
    body = answer.json()
    assert body.keys() == ERROR_FIELDS
    assert body["code"] == answer.status_code
    assert isinstance(body["message"], str)
    assert body["message"]
    assert isinstance(body["error"], str)
    assert body["error"]
