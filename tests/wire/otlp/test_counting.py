"""A body that would take a hundred times its size in memory is refused before it does."""

from __future__ import annotations

import json
from typing import Any

import pytest
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.metrics.v1.metrics_pb2 import HistogramDataPoint, Metric, NumberDataPoint
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from lineage_hub.errors import BodyTooLarge, InvalidRequest
from lineage_hub.wire.otlp import read_logs, read_metrics, read_traces
from lineage_hub.wire.otlp.counting import MOST_PARTS, UNCOUNTED_BYTES
from tests.wire.otlp.messages import T0, gauge, logs, metrics, span, traces

MANY = MOST_PARTS + 1


def framed(tags: bytes, inner: bytes) -> bytes:
    """As the only part of messages around it, the outermost first."""
    for tag in reversed(tags):
        size, length = len(inner), b""
        while size > 0x7F:
            length += bytes([size & 0x7F | 0x80])
            size >>= 7
        inner = bytes([tag]) + length + bytes([size]) + inner
    return inner


@pytest.mark.parametrize(
    ("read", "tags", "part"),
    [
        (read_traces, b"", b"\x0a\x00"),
        (read_traces, b"\x0a", b"\x12\x00"),
        (read_traces, b"\x0a\x12", b"\x12\x00"),
        (read_traces, b"\x0a\x12\x12", b"\x5a\x00"),
        (read_traces, b"\x0a\x12\x12", b"\x6a\x00"),
        (read_metrics, b"\x0a\x12", b"\x12\x00"),
        (read_metrics, b"\x0a\x12\x12\x2a", b"\x0a\x00"),
        (read_metrics, b"\x0a\x12\x12\x2a\x0a", b"\x2a\x00"),
        (read_logs, b"\x0a\x12", b"\x12\x00"),
    ],
    ids=["groups", "scopes", "spans", "events", "links", "metrics", "points", "exemplars", "records"],
)
def test_more_parts_than_may_be_are_refused_at_every_level(read: Any, tags: bytes, part: bytes) -> None:
    with pytest.raises(BodyTooLarge, match="more than 262144 items"):
        read(framed(tags, part * MANY))


def test_json_with_more_items_than_may_be_is_refused() -> None:
    body = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [None] * MANY}]}]}).encode()
    with pytest.raises(BodyTooLarge):
        read_traces(body, "json")


def test_many_attributes_cost_their_span_alone() -> None:
    body = framed(b"\x0a\x12\x12", b"\x4a\x00" * MANY)
    found = read_traces(body)
    assert (found.count, found.rejected) == (0, 1)


def test_a_large_body_with_few_parts_is_taken() -> None:
    text = "x" * 2000
    spans = [span({"text": text}, events=[Span.Event(time_unix_nano=T0, name=text)]) for _ in range(200)]
    body = traces(*spans).SerializeToString()
    assert len(body) > UNCOUNTED_BYTES
    assert read_traces(body).count == 200
    points = [NumberDataPoint(time_unix_nano=T0, as_int=n) for n in range(50_000)]
    histogram = Metric(name="h", histogram={"data_points": [HistogramDataPoint(time_unix_nano=T0)]})
    assert read_metrics(metrics(gauge(*points), histogram).SerializeToString()).count == 50_001
    with pytest.raises(InvalidRequest):
        read_traces(body[:-1])


def test_a_large_body_of_records_is_taken() -> None:
    records = [LogRecord(time_unix_nano=T0, severity_text="x" * 100) for _ in range(6000)]
    assert read_logs(logs(*records).SerializeToString()).count == 6000
