"""Log records are taken with whatever body they have, and belong to a trace if they name one."""

from __future__ import annotations

from typing import Any

import pytest
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord

from lineage_hub.wire.otlp import read_logs
from tests.wire.otlp.messages import T0, any_value, key_values, logs, rows_of


def read(*records: LogRecord, **about: Any) -> Any:
    return read_logs(logs(*records, **about).SerializeToString(), received_ns=T0 + 99)


def test_a_record_is_a_row() -> None:
    given = LogRecord(
        time_unix_nano=T0, observed_time_unix_nano=T0 + 1, severity_number=17, severity_text="ERROR", flags=1,
        body=any_value("it failed"), attributes=key_values({"openlineage.run_id": "r", "n": 1}), event_name="failure",
        trace_id=b"\x01" * 16, span_id=b"\x02" * 8,
    )  # fmt: skip
    assert rows_of(read(given).columns) == [
        {
            "timestamp": T0,
            "observed_timestamp": T0 + 1,
            "trace_id": "01" * 16,
            "span_id": "02" * 8,
            "flags": 1,
            "severity_number": 17,
            "severity_text": "ERROR",
            "body": "it failed",
            "body_type": "string",
            "event_name": "failure",
            "run_id": "r",
            "attributes": {"openlineage.run_id": "r", "n": "1"},
            "attribute_types": {"n": "int"},
            "service_name": "shop",
            "resource_attributes": {"service.name": "shop"},
            "resource_attribute_types": {},
            "scope_name": "tests",
            "scope_version": "",
        }
    ]


@pytest.mark.parametrize(
    ("body", "text", "kind"),
    [
        (None, "", "empty"),
        ("", "", "string"),
        (5, "5", "int"),
        ({"a": 1}, '{"kvlistValue":{"values":[{"key":"a","value":{"intValue":"1"}}]}}', "map"),
        ("x" * (3 << 20), "x" * (3 << 20), "string"),
    ],
)
def test_a_body_is_text_with_its_type(body: Any, text: str, kind: str) -> None:
    found = read(LogRecord(time_unix_nano=T0, body=any_value(body))).columns
    assert (found["body"], found["body_type"]) == ([text], [kind])


def test_a_record_without_a_time_has_that_of_who_saw_it() -> None:
    found = read(LogRecord(observed_time_unix_nano=T0), LogRecord(), LogRecord(time_unix_nano=T0 - 5)).columns
    assert found["timestamp"] == [T0, T0 + 99, T0 - 5]
    assert found["observed_timestamp"] == [T0, T0 + 99, T0 + 99]


@pytest.mark.parametrize("ids", [(b"", b""), (bytes(16), bytes(8)), (b"short", b"id")])
def test_ids_that_are_none_mean_that_there_is_no_trace(ids: tuple[bytes, bytes]) -> None:
    found = read(LogRecord(time_unix_nano=T0, trace_id=ids[0], span_id=ids[1])).columns
    assert (found["trace_id"], found["span_id"]) == ([""], [""])


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (LogRecord(time_unix_nano=2**63), "after 2262-04-11"),
        (LogRecord(observed_time_unix_nano=2**63), "after 2262-04-11"),
        (LogRecord(severity_number=300), "severity number is 300"),
        (LogRecord(severity_number=-1), "severity number is -1"),
        (LogRecord(attributes=key_values({"big": "x" * (2 << 20)})), "attribute 0 has"),
    ],
)
def test_a_record_that_can_not_be_kept_is_refused_alone(bad: LogRecord, reason: str) -> None:
    bad.event_name = "bad"
    found = read(LogRecord(severity_text="A"), bad, LogRecord(severity_text="B"))
    assert (found.count, found.rejected, found.columns["severity_text"]) == (2, 1, ["A", "B"])
    assert found.reasons[0].startswith("log record 1 (bad): ")
    assert reason in found.reasons[0]


@pytest.mark.parametrize(
    ("own", "resource", "run_id"),
    [
        ({"pipeline.run_id": "p"}, {}, "p"),
        ({}, {"pipeline.run_id": "p"}, "p"),
        ({"pipeline.run_id": "p"}, {"openlineage.run_id": "r"}, "r"),
        ({"openlineage.run_id": "r", "pipeline.run_id": "p"}, {"pipeline.run_id": "q"}, "r"),
        ({}, {}, ""),
    ],
)
def test_a_record_names_its_run_or_else_that_of_its_pipeline(
    own: dict[str, str], resource: dict[str, str], run_id: str
) -> None:
    given = LogRecord(time_unix_nano=T0, attributes=key_values(own))
    assert read(given, resource=resource).columns["run_id"] == [run_id]
