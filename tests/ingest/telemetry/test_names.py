"""A namespace has as many names of metrics as it may; those it has go on being taken."""

from collections.abc import Mapping
from typing import Any

from lineage_hub.ingest.telemetry.names import MetricNames


class StoredNames:
    """What the table has, by namespace; it counts how often it is asked."""

    def __init__(self, **names: list[str]) -> None:
        self._names, self.asked = names, 0

    def ask(self, sql: str, parameters: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        self.asked += 1
        return [{"metric_name": name} for name in self._names.get((parameters or {})["namespace"], [])]


def test_names_beyond_the_bound_are_refused_and_known_ones_are_not() -> None:
    names = MetricNames(StoredNames(team=["a", "b"]), most=3)
    assert names.admit("team", ["a", "c", "d", "d", "b"]) == {"d"}
    assert names.admit("team", ["a", "b", "c"]) == set()
    assert names.admit("team", ["d", "e"]) == {"d", "e"}
    assert names.admit("other", ["d", "e"]) == set()


def test_the_store_is_asked_once_a_namespace() -> None:
    stored = StoredNames(team=["a"])
    names = MetricNames(stored, most=3)
    assert not names.are_known("team", ["a"])
    for name in "abc":
        names.admit("team", [name])
    assert names.are_known("team", ["a", "b", "c"])
    assert stored.asked == 1


def test_a_bound_that_was_lowered_leaves_what_is_there() -> None:
    names = MetricNames(StoredNames(team=["a", "b", "c"]), most=2)
    assert names.admit("team", ["a", "b", "c", "d"]) == {"d"}


def test_of_many_namespaces_the_names_are_asked_for_again() -> None:
    stored = StoredNames()
    names = MetricNames(stored, most=1)
    for number in range(300):
        names.admit(f"team-{number}", ["a"])
    assert names.are_known("team-299", ["a"])
    assert not names.are_known("team-0", ["a"])
    names.admit("team-0", ["a"])
    assert stored.asked == 301
