"""Rows of the tables enter; spans leave, and attributes with the types that they were sent with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from lineage_hub.model.span import TYPE_OF_PART, Span, SpanEvent, SpanLink
from lineage_hub.query.telemetry.asking import Row

SPAN_COLUMNS = """
    trace_id, span_id, parent_span_id, operation_name, service_name, duration_ns, span_kind, status_code,
    status_message, run_id, pipeline_run_id, attributes, attribute_types, resource_attributes, resource_attribute_types,
    toUnixTimestamp64Nano(timestamp) AS started_at,
    arrayMap(one -> (toUnixTimestamp64Nano(one.1), one.2, one.3), events) AS happened,
    arrayMap(one -> (one.1, one.2, one.3, one.4), links) AS linked,
    trace_state, scope_name, scope_version, dropped_attributes, dropped_events, dropped_links
"""


def span_of(row: Row) -> Span:
    types = row["attribute_types"]
    return Span(
        row["trace_id"],
        row["span_id"],
        row["parent_span_id"],
        row["operation_name"],
        row["service_name"],
        row["started_at"],
        row["duration_ns"],
        row["span_kind"],
        row["status_code"],
        row["status_message"],
        row["run_id"],
        row["pipeline_run_id"],
        typed(row["attributes"], types),
        typed(row["resource_attributes"], row["resource_attribute_types"]),
        tuple(
            SpanEvent(at, name, _typed_part(texts, types, "events", number))
            for number, (at, name, texts) in enumerate(row["happened"])
        ),
        tuple(
            SpanLink(trace_id, span_id, _typed_part(texts, types, "links", number), state)
            for number, (trace_id, span_id, state, texts) in enumerate(row["linked"])
        ),
        row["trace_state"],
        (row["scope_name"], row["scope_version"]),
        (row["dropped_attributes"], row["dropped_events"], row["dropped_links"]),
    )


def _typed_part(texts: Mapping[str, str], types: Mapping[str, str], what: str, number: int) -> dict[str, Any]:
    """Attributes of an event or a link: their types stand among those of the span's own."""
    places = {name: TYPE_OF_PART.format(what, number, name) for name in texts}
    return typed(texts, {name: types[place] for name, place in places.items() if place in types})


def typed(texts: Mapping[str, str], types: Mapping[str, str]) -> dict[str, Any]:
    """Text unless `types` says otherwise; in the order of the names."""
    return {name: typed_value(text, types.get(name, "string")) for name, text in sorted(texts.items())}


def typed_value(text: str, kind: str) -> Any:
    """What JSON has no word for, bytes and numbers that are none, stays text."""
    try:
        if kind == "int":
            return int(text)
        if kind == "double":
            number = float(text)
            return number if abs(number) < float("inf") else text
        if kind == "bool":
            return text == "true"
        if kind in ("array", "map"):
            return _plain(json.loads(text))
    except (ValueError, TypeError, AttributeError, RecursionError):
        # Written by a version that spells it otherwise: to be seen as it is.
        return text
    return None if kind == "empty" else text


def _plain(value: Mapping[str, Any]) -> Any:
    """OTLP's AnyValue in JSON, without the words for its types."""
    for kind, content in value.items():
        if kind == "arrayValue":
            return [_plain(one) for one in content.get("values", ())]
        if kind == "kvlistValue":
            return {one["key"]: _plain(one.get("value", {})) for one in content.get("values", ())}
        return int(content) if kind == "intValue" else content
    return None
