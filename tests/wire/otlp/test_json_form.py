"""JSON is read by OTLP's rules: ids in hexadecimal, integers as texts or numbers, enums as numbers or names."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lineage_hub.errors import InvalidRequest
from lineage_hub.wire.otlp import read_metrics, read_traces
from tests.wire.otlp.messages import SPAN_ID, T0, TRACE_ID, rows_of

USUAL: dict[str, Any] = {
    "traceId": TRACE_ID.hex(), "spanId": SPAN_ID.hex(), "name": "load",
    "startTimeUnixNano": str(T0), "endTimeUnixNano": str(T0 + 5),
}  # fmt: skip


def body(*spans: Any) -> bytes:
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}).encode()


def read(*spans: Any) -> Any:
    return read_traces(body(*spans), "json")


def only(**changes: Any) -> dict[str, Any]:
    found = read({**USUAL, **changes})
    assert (found.count, found.reasons) == (1, [])
    return rows_of(found.columns)[0]


def value(**given: Any) -> dict[str, Any]:
    return only(attributes=[{"key": "k", "value": given}])


def test_integers_of_64_bits_are_texts_or_numbers() -> None:
    row = only(startTimeUnixNano=T0, endTimeUnixNano=str(T0 + 7))
    assert (row["timestamp"], row["duration_ns"]) == (T0, 7)
    assert value(intValue="-9223372036854775808")["attributes"] == {"k": "-9223372036854775808"}
    assert value(intValue=12)["attributes"] == {"k": "12"}
    assert value(intValue=12.0)["attributes"] == {"k": "12"}


@pytest.mark.parametrize("kind", [2, "2", "SPAN_KIND_SERVER"])
def test_enums_are_numbers_or_names(kind: Any) -> None:
    row = only(kind=kind, status={"code": "STATUS_CODE_ERROR"})
    assert (row["span_kind"], row["status_code"]) == ("SERVER", "ERROR")


def test_ids_are_hexadecimal_in_either_case() -> None:
    assert only(traceId="AB" * 16)["trace_id"] == "ab" * 16


def test_unknown_fields_and_nulls_are_passed_over() -> None:
    row = only(newField={"a": [1]}, kind=None, events=None, attributes=[{"key": "k", "value": None, "x": 1}])
    assert (row["span_kind"], row["attributes"], row["attribute_types"]) == ("UNSPECIFIED", {"k": ""}, {"k": "empty"})


def test_names_in_snake_case_are_read_too() -> None:
    spelled = {
        "trace_id": TRACE_ID.hex(), "span_id": SPAN_ID.hex(), "start_time_unix_nano": T0, "end_time_unix_nano": T0,
        "attributes": [{"key": "k", "value": {"string_value": "v"}}],
    }  # fmt: skip
    found = read_traces(json.dumps({"resource_spans": [{"scope_spans": [{"spans": [spelled]}]}]}).encode(), "json")
    assert (found.count, found.columns["attributes"][0]) == (1, {"k": "v"})


@pytest.mark.parametrize(
    ("given", "text", "kind"),
    [
        ({"doubleValue": "NaN"}, "NaN", "double"),
        ({"doubleValue": "-Infinity"}, "-Infinity", "double"),
        ({"doubleValue": 3}, "3.0", "double"),
        ({"boolValue": False}, "false", "bool"),
        ({"bytesValue": "-_8"}, "+/8=", "bytes"),
        ({}, "", "empty"),
        ({"arrayValue": {}}, '{"arrayValue":{"values":[]}}', "array"),
    ],
)
def test_values_keep_their_types(given: dict[str, Any], text: str, kind: str) -> None:
    row = value(**given)
    assert (row["attributes"], row["attribute_types"]) == ({"k": text}, {"k": kind})


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"traceId": "xyz"}, "traceId: 'xyz' is not hexadecimal"),
        ({"traceId": " " + "ab" * 16}, "is not hexadecimal"),
        ({"traceId": "ab " * 16}, "is not hexadecimal"),
        ({"traceId": 5}, "traceId: int in the place of str"),
        ({"startTimeUnixNano": "soon"}, "startTimeUnixNano: 'soon'"),
        ({"startTimeUnixNano": -1}, "startTimeUnixNano: '-1'"),
        ({"startTimeUnixNano": 2**64}, "startTimeUnixNano"),
        ({"startTimeUnixNano": 1.5}, "startTimeUnixNano: '1.5'"),
        ({"startTimeUnixNano": True}, "bool in the place of a whole number"),
        ({"kind": "SPAN_KIND_OTHER"}, "kind: 'SPAN_KIND_OTHER'"),
        ({"name": 7}, "name: int in the place of str"),
        ({"attributes": {"a": 1}}, "attributes: dict in the place of a list"),
        ({"attributes": ["a"]}, "attributes: str in the place of an object"),
        ({"attributes": [{"key": "k", "value": {"bytesValue": "*"}}]}, "'*' is not base64"),
        ({"attributes": [{"key": "k", "value": {"boolValue": "yes"}}]}, "str in the place of bool"),
        ({"traceId": "ab" * 8}, "trace id has 8 bytes"),
    ],
)
def test_a_span_that_can_not_be_read_is_refused_alone(changes: dict[str, Any], reason: str) -> None:
    found = read(USUAL, {**USUAL, **changes}, USUAL)
    assert (found.count, found.rejected) == (2, 1)
    assert reason in found.reasons[0]


def test_what_is_nested_too_deeply_is_refused_alone() -> None:
    deep: dict[str, Any] = {"stringValue": "end"}
    for _ in range(60):
        deep = {"arrayValue": {"values": [deep]}}
    found = read(USUAL, {**USUAL, "attributes": [{"key": "k", "value": deep}]})
    assert (found.count, found.rejected) == (1, 1)
    assert "nested too deeply" in found.reasons[0]


@pytest.mark.parametrize(
    "text",
    [
        b"", b"[]", b"7", b"{", b'{"resourceSpans": {}}', b'{"resourceSpans": [7]}', b"\xff", b'{"a": "\\ud800"',
        b"[" * 100_000, b'{"resourceSpans": [{"scopeSpans": [{"spans": "all"}]}]}',
        b'{"resourceSpans": "' + b"x" * 1000,
    ],
)  # fmt: skip
def test_what_is_no_request_is_refused_as_a_whole(text: bytes) -> None:
    with pytest.raises(InvalidRequest) as refused:
        read_traces(text, "json")
    assert refused.value.subject == "body"
    assert refused.value.action


def test_a_data_point_that_can_not_be_read_is_refused_alone() -> None:
    points = [
        {"timeUnixNano": T0, "asInt": "1"},
        {"timeUnixNano": T0, "asInt": "one"},
        {"timeUnixNano": T0, "asDouble": 2},
    ]
    metric = {"name": "n", "sum": {"dataPoints": points, "aggregationTemporality": "AGGREGATION_TEMPORALITY_DELTA"}}
    text = json.dumps({"resourceMetrics": [{"scopeMetrics": [{"metrics": [metric]}]}]}).encode()
    found = read_metrics(text, "json")
    assert (found.count, found.rejected, found.columns["value"]) == (2, 1, [1.0, 2.0])
    assert found.columns["temporality"] == ["DELTA"] * 2
    assert found.reasons == ["data point 1 of its group: asInt: 'one' is no value for it"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("cut in \\ud83d", "cut in \ufffd"),
        ("\\udca5 whole \\ud83d\\udca5", "\ufffd whole \U0001f4a5"),
        ("\\ud83d\\ud83d\\udca5", "\ufffd\U0001f4a5"),
        ("a path: C:\\\\ud800 \\ud800", "a path: C:\\ud800 \ufffd"),
    ],
)
def test_half_a_character_is_marked_and_the_rest_is_taken(text: str, name: str) -> None:
    found = read_traces(body({**USUAL, "name": "NAME"}).replace(b"NAME", text.encode()), "json")
    assert found.columns["operation_name"] == [name]
