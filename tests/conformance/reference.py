"""A hub enters; Marquez's API on it leaves, with the few words that the tests of it need."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from httpx import Response

from tests.conformance.databases import Hub
from tests.oracle.build import Body, ns

Json = Any
RECORDED = Path(__file__).parents[1] / "fixtures" / "reference" / "answers.json"
DAY = 86_400


def path(*parts: str) -> str:
    return "".join("/" + quote(part, safe="") for part in parts)


@dataclass(frozen=True)
class Api:
    hub: Hub

    def call(self, method: str, *parts: str, body: Json = None, **parameters: object) -> Response:
        content = {} if body is None else {"json": body}
        return self.hub.call(method, path(*parts), params={k: str(v) for k, v in parameters.items()}, **content)

    def ok(self, method: str, *parts: str, body: Json = None, status: int = 200, **parameters: object) -> Json:
        answer = self.call(method, *parts, body=body, **parameters)
        assert answer.status_code == status, f"{method} {parts}: {answer.text}"
        return answer.json()

    def get(self, *parts: str, **parameters: object) -> Json:
        return self.ok("GET", *parts, **parameters)

    def refused(self, status: int, method: str, *parts: str, body: Json = None, **parameters: object) -> Json:
        """The error, which has the one shape of all errors."""
        answer = self.call(method, *parts, body=body, **parameters)
        assert answer.status_code == status, f"{method} {parts}: {answer.status_code} {answer.text}"
        error = answer.json()
        assert error.keys() == {"code", "message", "error", "subject", "action"}, error
        assert error["code"] == status
        assert error["message"]
        return error

    def send(self, *events: Body) -> None:
        for event in events:
            assert self.hub.call("POST", "/lineage", content=json.dumps(event)).status_code == 201

    def now(self, seconds: float) -> None:
        """Let the hub's clock stand at so many seconds after the zero of the histories."""
        self.hub.clock.now = ns(seconds)

    def nodes(self, node: str, **parameters: object) -> set[str]:
        return {one["id"] for one in self.get("lineage", nodeId=node, **parameters)["graph"]}

    def names(self, *parts: str, **parameters: object) -> list[str]:
        """Of a list, whichever it is."""
        answer = self.get(*parts, **parameters)
        (items,) = [value for value in answer.values() if isinstance(value, list)]
        assert answer["totalCount"] >= len(items)
        return [one["name"] for one in items]


def members(value: Json, of: str = "") -> set[str]:
    """The members that an answer has, as the recorded ones are written; facets and events are the producers' own."""
    found: set[str] = set()
    if isinstance(value, dict):
        for key, one in value.items():
            name = f"{of}.{key}" if of else key
            found.add(name)
            if key not in ("facets", "events", "args"):
                found |= members(one, name)
    elif isinstance(value, list):
        for one in value:
            found |= members(one, of + "[]")
    return found
