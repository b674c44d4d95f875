"""Names of jobs and datasets enter, the names that the rules make of them leave, with the rules that did.

Each rule counts once, in order, on what the rules before it left: a to b and b to a end where they began.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from lineage_hub.lineage.rules.model import NameRule
from lineage_hub.lineage.rules.patterns import Replace, Test, matching, replacing
from lineage_hub.wire.facets import Key, is_name

JOB, DATASET = "job", "dataset"
# What a rule may make of a name; a longer one is left as it was, so that no rule can refuse an event.
MAX_NAME_BYTES = 65_536
_REMEMBERED = 200_000


class Renamed(NamedTuple):
    key: Key
    rules: tuple[str, ...]


class _Step(NamedTuple):
    id: str
    targets: frozenset[str]
    replace: Replace
    in_namespace: Test | None
    by_producer: Test | None


class Renaming:
    """The rules of one tenant; remembers what it made of names."""

    def __init__(self, rules: Iterable[NameRule]) -> None:
        self._steps = [
            _Step(
                rule.id,
                frozenset(rule.on),
                replacing(rule.match, rule.pattern, rule.replacement, rule.id),
                matching(rule.namespace, rule.id) if rule.namespace is not None else None,
                matching(rule.producer, rule.id) if rule.producer is not None else None,
            )
            for rule in rules
        ]
        self._by_producer = any(step.by_producer is not None for step in self._steps)
        self._known: dict[tuple[str, Key, str], Renamed] = {}

    def __bool__(self) -> bool:
        return bool(self._steps)

    def of(self, kind: str, key: Key, producer: str) -> Key:
        return self.explained(kind, key, producer).key

    def explained(self, kind: str, key: Key, producer: str) -> Renamed:
        asked = (kind, key, producer if self._by_producer else "")
        known = self._known.get(asked)
        if known is None:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            known = self._known[asked] = self._rename(kind, key, producer)
        return known

    def _rename(self, kind: str, key: Key, producer: str) -> Renamed:
        namespace, name = key
        rules = []
        for step in self._steps:
            if step.in_namespace is not None and not step.in_namespace(namespace):
                continue
            if step.by_producer is not None and not step.by_producer(producer):
                continue
            before = namespace, name
            if f"{kind}.namespace" in step.targets:
                namespace = _replaced(step.replace, namespace)
            if f"{kind}.name" in step.targets:
                name = _replaced(step.replace, name)
            if (namespace, name) != before:
                rules.append(step.id)
        return Renamed((namespace, name), tuple(rules))

    def may_rename(self, kind: str, key: Key) -> bool:
        """Whether any rule fits the name as it was sent, whoever sent it: the first to change it must."""
        return any(
            (f"{kind}.namespace" in step.targets and _replaced(step.replace, key[0]) != key[0])
            or (f"{kind}.name" in step.targets and _replaced(step.replace, key[1]) != key[1])
            for step in self._steps
        )


def _replaced(replace: Replace, text: str) -> str:
    """What is no name, or too long for one, takes no one's place."""
    made = replace(text)
    if made is None or not is_name(made) or len(made.encode()) > MAX_NAME_BYTES:
        return text
    return made
