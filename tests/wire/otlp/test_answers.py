"""Answers are OTLP's, in the encoding of the request."""

from __future__ import annotations

import json

import pytest
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceResponse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from lineage_hub.errors import BodyTooLarge, ExtraMissing, InternalError, InvalidRequest, LineageHubError, Overloaded
from lineage_hub.wire.otlp import answers
from lineage_hub.wire.otlp.columns import Columns, Kind

PARTLY = Columns({}, 5, 300, ["span 'a': it is odd", "span 'b': it is even"])


@pytest.mark.parametrize("kind", ["traces", "metrics", "logs"])
def test_a_whole_success_says_nothing(kind: Kind) -> None:
    assert answers.response(kind, Columns({}, 5), "protobuf") == b""
    assert answers.response(kind, Columns({}, 5), "json") == b"{}"


def test_a_partial_success_counts_and_explains() -> None:
    why = "span 'a': it is odd; span 'b': it is even; and 298 more"
    spans = ExportTraceServiceResponse.FromString(answers.response("traces", PARTLY, "protobuf")).partial_success
    assert (spans.rejected_spans, spans.error_message) == (300, why)
    points = ExportMetricsServiceResponse.FromString(answers.response("metrics", PARTLY, "protobuf")).partial_success
    assert points.rejected_data_points == 300
    records = ExportLogsServiceResponse.FromString(answers.response("logs", PARTLY, "protobuf")).partial_success
    assert records.rejected_log_records == 300


@pytest.mark.parametrize(
    ("kind", "name"),
    [("traces", "rejectedSpans"), ("metrics", "rejectedDataPoints"), ("logs", "rejectedLogRecords")],
)
def test_in_json_a_count_is_a_text(kind: Kind, name: str) -> None:
    found = json.loads(answers.response(kind, PARTLY, "json"))["partialSuccess"]
    assert found[name] == "300"
    assert found["errorMessage"].startswith("span 'a'")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (InvalidRequest("no", action="do"), 3),
        (BodyTooLarge("no", action="do"), 8),
        (ExtraMissing("no", action="do"), 12),
        (Overloaded("no", action="do"), 14),
        (InternalError("no", action="do"), 13),
    ],
)
def test_an_error_is_a_status(error: LineageHubError, code: int) -> None:
    status = Status.FromString(answers.status(error, "protobuf"))
    assert (status.code, status.message) == (code, "no; do")
    assert json.loads(answers.status(error, "json")) == {"code": code, "message": "no; do"}


def test_what_may_be_tried_again_says_when() -> None:
    status = Status.FromString(answers.status(Overloaded("full", retry_after_s=7), "protobuf", retry_info=True))
    found = RetryInfo()
    assert status.details[0].Unpack(found)
    assert found.retry_delay.seconds == 7
    assert not Status.FromString(answers.status(InvalidRequest("no"), "protobuf", retry_info=True)).details


def test_a_message_that_is_no_unicode_can_be_said() -> None:
    for encoding in ("protobuf", "json"):
        assert answers.status(InvalidRequest("odd \ud800"), encoding)
