"""A hub's document and its answers enter; an answer with a member that is not described fails, or one that lacks one.

Objects are closed here, so that nothing passes which nobody described; and what was described but never seen is told.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import httpx
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

Schema = dict[str, Any]
JSON = "application/json"


def closed(value: Any) -> Any:
    """Every object that names its members has no others."""
    if isinstance(value, list):
        return [closed(one) for one in value]
    if not isinstance(value, dict):
        return value
    found = {name: closed(one) for name, one in value.items()}
    if found.get("type") == "object" and "properties" in found:
        found.setdefault("additionalProperties", False)
    return found


class Description:
    def __init__(self, document: Schema) -> None:
        self.paths: dict[str, Schema] = closed(document["paths"])
        self.schemas: dict[str, Schema] = closed(document["components"]["schemas"])
        self.answered: set[tuple[str, str]] = set()
        """Method and path of what was answered well."""
        self.seen: set[str] = set()
        self._asked: dict[str, Schema] = {}
        self._validators: dict[str, Draft202012Validator] = {}

    @cached_property
    def questions(self) -> set[str]:
        return {path for path, methods in self.paths.items() if "get" in methods}

    def check(self, method: str, path: str, answer: httpx.Response) -> None:
        where = f"{method} {path} ({answer.url}) {answer.status_code}"
        responses = self.paths[path][method]["responses"]
        assert str(answer.status_code) in responses, f"{where} is not described: {answer.text[:300]}"
        described = responses[str(answer.status_code)]
        if answer.status_code < 300:
            self.answered.add((method, path))
        if "content" not in described:
            assert answer.content == b"", where
            return
        media_type = answer.headers["content-type"].partition(";")[0]
        assert media_type in described["content"], f"{where}: {media_type}"
        if media_type == JSON:
            self.check_value(described["content"][JSON]["schema"], answer.json(), where)

    def check_value(self, schema: Schema, value: Any, where: str) -> None:
        problem = best_match(self._validator(schema).iter_errors(value))
        assert problem is None, f"{where} at {problem.json_path}: {problem.message[:400]}"
        label = _name(schema) or where
        self._asked[label] = schema
        self._see(schema, value, label)

    def unseen(self) -> set[str]:
        """Members of answers that were asked for and that no answer had."""
        return {member for label, schema in self._asked.items() for member in self._members(schema, label, set())} - (
            self.seen
        )

    def _validator(self, schema: Schema) -> Draft202012Validator:
        key = repr(schema)
        if key not in self._validators:
            self._validators[key] = Draft202012Validator({**schema, "components": {"schemas": self.schemas}})
        return self._validators[key]

    def _see(self, schema: Schema, value: Any, label: str) -> None:
        name = _name(schema)
        if name:
            self._see(self.schemas[name], value, name)
        elif "anyOf" in schema:
            branches = [one for one in schema["anyOf"] if one != {"type": "null"} and value is not None]
            for one in branches if len(branches) < 2 else [b for b in branches if self._validator(b).is_valid(value)]:
                self._see(one, value, label)
        elif isinstance(value, list):
            for one in value:
                self._see(schema.get("items", {}), one, label)
        elif isinstance(value, dict):
            for member, one in value.items():
                if member in schema.get("properties", ()):
                    self.seen.add(f"{label}.{member}")
                    self._see(schema["properties"][member], one, f"{label}.{member}")
                elif isinstance(schema.get("additionalProperties"), dict):
                    self._see(schema["additionalProperties"], one, label)

    def _members(self, schema: Schema, label: str, known: set[str]) -> Iterator[str]:
        name = _name(schema)
        if name:
            if name not in known:
                known.add(name)
                yield from self._members(self.schemas[name], name, known)
            return
        for one in schema.get("anyOf", ()):
            yield from self._members(one, label, known)
        for inner in (schema.get("items"), schema.get("additionalProperties")):
            if isinstance(inner, dict):
                yield from self._members(inner, label, known)
        for member, one in schema.get("properties", {}).items():
            yield f"{label}.{member}"
            yield from self._members(one, f"{label}.{member}", known)


def _name(schema: Schema) -> str:
    return str(schema.get("$ref", "")).rpartition("/")[2]
