"""Rows of several requests make one batch that says what each of them says, and leaves them as they were."""

import copy
import itertools
from concurrent.futures import Future
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from lineage_hub.ingest.telemetry.batches import HOUR_NS, Request, batches_of, hours_of, rows_of, size_of
from lineage_hub.wire.otlp.columns import MapColumn

maps = st.lists(st.dictionaries(st.text(max_size=3), st.text(max_size=3), max_size=3), min_size=1, max_size=5)


def column_of(each: list[dict[str, str]], shared: bool) -> MapColumn:
    """With `shared`, rows point to maps that stand in another order."""
    column = MapColumn()
    for one in reversed(each) if shared else each:
        column.keys += one
        column.values += one.values()
        column.offsets.append(len(column.keys))
    column.rows = list(reversed(range(len(each)))) if shared else None
    return column


def request(kind: Any, namespace: str, columns: dict[str, Any], key: bytes = b"k") -> Request:
    return Request(kind, namespace, key, columns, rows_of(columns), hours_of(kind, columns), 0, Future())


@given(st.lists(st.tuples(maps, st.booleans(), st.sampled_from(["default", "team-a"])), min_size=1, max_size=4))
def test_a_batch_has_the_rows_of_its_requests_in_order(
    given_ones: list[tuple[list[dict[str, str]], bool, str]],
) -> None:
    requests = []
    for number, (each, shared, namespace) in enumerate(given_ones):
        columns = {
            "timestamp": [number * HOUR_NS + row for row in range(len(each))],
            "attributes": column_of(each, shared),
        }
        requests.append(request("traces", namespace, columns, bytes([number])))
    before = copy.deepcopy([one.columns for one in requests])
    (batch,) = batches_of(requests, itertools.count(7).__next__)
    assert list(batch.columns["attributes"]) == [one for each, _, _ in given_ones for one in each]
    assert batch.columns["timestamp"] == [at for one in before for at in one["timestamp"]]
    namespaces = [namespace for each, _, namespace in given_ones for _ in each]
    assert batch.columns["namespace"] in (namespaces, namespaces[0])
    assert isinstance(batch.columns["namespace"], list) or len(set(namespaces)) == 1
    assert (batch.intent.batch, batch.intent.table, batch.rows) == (7, "otel.traces", len(namespaces))
    assert batch.intent.requests == tuple(bytes([number]) for number in range(len(requests)))
    assert batch.intent.hours == tuple(range(len(requests)))
    assert [one.columns for one in requests] == before


def test_requests_of_other_kinds_and_columns_are_batches_of_their_own() -> None:
    requests = [
        request("traces", "default", {"timestamp": [1], "span_id": ["a"]}),
        request("logs", "default", {"timestamp": [1], "body": ["b"]}),
        request("traces", "default", {"timestamp": [2], "span_id": ["c"], "flags": [1]}),
        request("traces", "default", {"timestamp": [3], "span_id": ["d"]}),
    ]
    batches = batches_of(requests, itertools.count().__next__)
    assert [(one.kind, one.columns["timestamp"], one.intent.hours) for one in batches] == [
        ("traces", [1, 3], (0,)),
        ("logs", [1], ()),
        ("traces", [2], (0,)),
    ]


def test_the_size_of_columns_is_about_that_of_their_texts() -> None:
    assert size_of({"timestamp": [1] * 100}) == 800
    assert 10_000 <= size_of({"body": ["x" * 100] * 100}) <= 12_000
    nested = {"events": [[(1, "x" * 1000, {"key": "y" * 1000})]] * 10}
    assert 20_000 <= size_of(nested) <= 22_000
    assert 50_000 <= size_of({"attributes": column_of([{"key": "x" * 500}] * 100, shared=False)}) <= 53_000
    assert size_of({"attributes": MapColumn(), "body": []}) == 0
