"""What became of a request enters; the bodies that OTLP answers with leave, in the encoding of the request.

https://opentelemetry.io/docs/specs/otlp/#otlphttp-response: an Export…ServiceResponse, or a google.rpc.Status.
"""

from __future__ import annotations

from typing import Any

import msgspec

from lineage_hub.errors import (
    BodyTooLarge,
    ExtraMissing,
    InvalidRequest,
    LineageHubError,
    MethodNotAllowed,
    NotFound,
    Transient,
    UnsupportedEncoding,
)
from lineage_hub.wire.otlp import schema
from lineage_hub.wire.otlp.columns import Columns, Encoding, Kind

# Of google.rpc.Code.
INVALID_ARGUMENT, NOT_FOUND, RESOURCE_EXHAUSTED, UNIMPLEMENTED, INTERNAL, UNAVAILABLE = 3, 5, 8, 12, 13, 14
_CODES: tuple[tuple[type[LineageHubError], int], ...] = (
    (Transient, UNAVAILABLE),
    (BodyTooLarge, RESOURCE_EXHAUSTED),
    (InvalidRequest, INVALID_ARGUMENT),
    (UnsupportedEncoding, INVALID_ARGUMENT),
    (NotFound, NOT_FOUND),
    (MethodNotAllowed, UNIMPLEMENTED),
    (ExtraMissing, UNIMPLEMENTED),
)
_REJECTED: dict[Kind, str] = {
    "traces": "rejected_spans",
    "metrics": "rejected_data_points",
    "logs": "rejected_log_records",
}
_encode = msgspec.json.Encoder().encode


def response(kind: Kind, columns: Columns, encoding: Encoding) -> bytes:
    """Empty for a whole success; else how many items were rejected, and why."""
    message = schema.response_class(kind)()
    if columns.rejected:
        setattr(message.partial_success, _REJECTED[kind], columns.rejected)
        message.partial_success.error_message = why(columns)
    if encoding == "protobuf":
        return _serialized(message)
    if not columns.rejected:
        return b"{}"
    name = {field.name: field.json_name for field in message.partial_success.DESCRIPTOR.fields}[_REJECTED[kind]]
    return _encode({"partialSuccess": {name: str(columns.rejected), "errorMessage": why(columns)}})


def why(columns: Columns) -> str:
    more = columns.rejected - len(columns.reasons)
    return "; ".join([*columns.reasons, f"and {more} more"] if more > 0 else columns.reasons)


def code_of(error: LineageHubError) -> int:
    return next((code for kind, code in _CODES if isinstance(error, kind)), INTERNAL)


def message_of(error: LineageHubError) -> str:
    return f"{error.message}; {error.action}" if error.action else error.message


def status(error: LineageHubError, encoding: Encoding, *, retry_info: bool = False) -> bytes:
    """`retry_info` tells a client of gRPC that it may try again, and when; HTTP has a header for that."""
    if encoding == "json":
        return _encode({"code": code_of(error), "message": _sayable(message_of(error))})
    made = schema.module("google.rpc.status_pb2").Status(code=code_of(error), message=_sayable(message_of(error)))
    if retry_info and isinstance(error, Transient):
        delay = schema.module("google.rpc.error_details_pb2").RetryInfo()
        delay.retry_delay.seconds = max(1, error.retry_after_s)
        made.details.add().Pack(delay)
    return _serialized(made)


def _sayable(text: str) -> str:
    """Messages quote what was sent, which may be no Unicode."""
    return text.encode(errors="backslashreplace").decode()


def _serialized(message: Any) -> bytes:
    whole: bytes = message.SerializeToString()
    return whole
