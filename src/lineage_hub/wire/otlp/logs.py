"""A body of /v1/logs enters; the columns of the table `logs` leave, without the records that can't be kept."""

from __future__ import annotations

from typing import Any

from lineage_hub.wire.otlp import attributes, schema
from lineage_hub.wire.otlp.columns import LATEST_NS, Column, Encoding, LogColumns, MapColumn, Refusals
from lineage_hub.wire.otlp.counting import parse
from lineage_hub.wire.otlp.json_form import protobuf_of
from lineage_hub.wire.otlp.origins import PIPELINE_RUN_ID, RUN_ID, Origins, gather
from lineage_hub.wire.otlp.texts import read_message

_MOST_SEVERE = 255


def read_logs(body: bytes, encoding: Encoding = "protobuf", *, received_ns: int = 0) -> LogColumns:
    """A record that has no time has the time at which it was observed, or else received."""
    refusals = Refusals()
    if encoding == "json":
        body = protobuf_of("logs", body, refusals)
    groups = parse("logs", body).resource_logs
    records, origins = gather(groups, "scope_logs", "log_records", "log records", refusals)
    try:
        columns = _columns(records, origins, received_ns)
    except attributes.Doubtful:
        rows = [at for at, record in enumerate(records) if _is_good(at, record, refusals)]
        records, origins = [records[at] for at in rows], origins.chosen(rows)
        columns = _columns(records, origins, received_ns)
    return LogColumns(columns, len(records), refusals.count, refusals.reasons)


def _columns(records: list[Any], origins: Origins, received_ns: int) -> dict[str, Column]:
    observed = [one.observed_time_unix_nano or received_ns for one in records]
    times = [one.time_unix_nano or seen for one, seen in zip(records, observed, strict=True)]
    severities = [one.severity_number for one in records]
    if max(max(times, default=0), max(observed, default=0)) > LATEST_NS:
        raise attributes.Doubtful
    if severities and not 0 <= min(severities) <= max(severities) <= _MOST_SEVERE:
        raise attributes.Doubtful
    bodies = [read_body(one.body) for one in records]
    texts, types = attributes.map_columns([one.attributes for one in records])
    return {
        "timestamp": times,
        "observed_timestamp": observed,
        "trace_id": [_id(one.trace_id, 16) for one in records],
        "span_id": [_id(one.span_id, 8) for one in records],
        "flags": [one.flags for one in records],
        "severity_number": severities,
        "severity_text": [one.severity_text for one in records],
        "body": [text for text, _ in bodies],
        "body_type": [kind or "string" for _, kind in bodies],
        "event_name": [one.event_name for one in records],
        "run_id": _runs(texts, origins),
        "attributes": texts,
        "attribute_types": types,
        **origins.columns(),
    }


def _runs(texts: MapColumn, origins: Origins) -> list[str]:
    """That which a record or its resource names, or else that of the pipeline."""
    runs = attributes.values_of(RUN_ID, texts, origins.run_ids())
    pipelines = attributes.values_of(PIPELINE_RUN_ID, texts, origins.pipeline_run_ids())
    return [run or pipeline for run, pipeline in zip(runs, pipelines, strict=True)]


def read_body(raw: bytes) -> tuple[str, str]:
    try:
        return attributes.told(read_message(schema.any_value_class(), raw))
    except schema.decode_error():
        raise attributes.Doubtful from None


def _id(raw: bytes, length: int) -> str:
    """OTLP: a record whose ids can't be ids belongs to no trace."""
    return raw.hex() if len(raw) == length and any(raw) else ""


def _is_good(at: int, record: Any, refusals: Refusals) -> bool:
    wrong = _complaint(record)
    if wrong is not None:
        name = record.event_name or record.severity_text
        refusals.add(f"log record {at}" + (f" ({name[:80]})" if name else ""), wrong)
    return wrong is None


def _complaint(record: Any) -> str | None:
    if max(record.time_unix_nano, record.observed_time_unix_nano) > LATEST_NS:
        return "its time is after 2262-04-11, the last that can be kept"
    if not 0 <= record.severity_number <= _MOST_SEVERE:
        return f"its severity number is {record.severity_number}"
    try:
        read_body(record.body)
    except attributes.Doubtful:
        return "its body can't be read"
    return attributes.complaint(record.attributes)
