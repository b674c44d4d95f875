"""Texts that are no UTF-8 are marked where they are wrong; nothing else of their request changes, or is refused."""

from __future__ import annotations

from typing import Any

import pytest
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord

from lineage_hub.errors import InvalidRequest
from lineage_hub.wire.otlp import read_logs, read_metrics, read_traces
from lineage_hub.wire.otlp.counting import UNCOUNTED_BYTES
from tests.wire.otlp.messages import T0, any_value, key_values, logs, rows_of, span, traces

# As long as what it stands for, so that no length changes.
LATIN, MARKED = "Größe".encode("latin-1"), "Gr\ufffd\ufffde"
PLACE = b"?!?!?"


def spoiled(message: Any) -> bytes:
    whole: bytes = message.SerializeToString()
    assert PLACE in whole
    return whole.replace(PLACE, LATIN)


@pytest.mark.parametrize(
    ("changes", "column", "value"),
    [
        ({"name": PLACE.decode()}, "operation_name", MARKED),
        ({"trace_state": PLACE.decode()}, "trace_state", MARKED),
        ({"status": {"code": 2, "message": PLACE.decode()}}, "status_message", MARKED),
        ({"events": [{"time_unix_nano": T0, "name": PLACE.decode()}]}, "events", [(T0, MARKED, {})]),
        ({"attributes": key_values({"k": PLACE.decode()})}, "attributes", {"k": MARKED}),
        ({"attributes": key_values({PLACE.decode(): 5})}, "attributes", {MARKED: "5"}),
        (
            {"attributes": key_values({"k": [PLACE.decode(), 1]})},
            "attributes",
            {"k": '{"arrayValue":{"values":[{"stringValue":"' + MARKED + '"},{"intValue":"1"}]}}'},
        ),
    ],
)
def test_a_span_is_taken_with_what_can_be_read_of_its_texts(changes: dict[str, Any], column: str, value: Any) -> None:
    good = span({"fine": "ü"}, name="fine")
    found = read_traces(spoiled(traces(good, span(**changes))))
    assert (found.count, found.rejected) == (2, 0)
    rows = rows_of(found.columns)
    assert rows[1][column] == value
    assert rows[0] == rows_of(read_traces(traces(good).SerializeToString()).columns)[0]


def test_resources_and_bodies_are_taken_too() -> None:
    record = LogRecord(time_unix_nano=T0, body=any_value({"said": PLACE.decode()}))
    found = read_logs(spoiled(logs(record, resource={"service.name": PLACE.decode()})))
    assert found.columns["service_name"] == [MARKED]
    assert found.columns["body"] == [
        '{"kvlistValue":{"values":[{"key":"said","value":{"stringValue":"' + MARKED + '"}}]}}'
    ]


def test_a_large_body_is_counted_and_taken() -> None:
    long = span({"k": "x" * UNCOUNTED_BYTES}, name=PLACE.decode())
    assert read_traces(spoiled(traces(long))).columns["operation_name"] == [MARKED]


@pytest.mark.parametrize("read", [read_traces, read_metrics, read_logs])
def test_what_is_broken_otherwise_is_refused(read: Any) -> None:
    with pytest.raises(InvalidRequest):
        read(spoiled(traces(span(name=PLACE.decode())))[:-3])
