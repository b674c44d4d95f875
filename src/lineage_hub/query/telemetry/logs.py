"""Conditions enter; a page of log records that meet all of them leaves, with the exact count of all."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lineage_hub.errors import InvalidRequest
from lineage_hub.model import Scope
from lineage_hub.query.telemetry.asking import Answer, Row, Telemetry, Where
from lineage_hub.query.telemetry.values import typed, typed_value
from lineage_hub.wire import instant_text

# The least number of each of OpenTelemetry's names.
SEVERITIES = {"TRACE": 1, "DEBUG": 5, "INFO": 9, "WARN": 13, "ERROR": 17, "FATAL": 21}
_ALSO = {"WARNING": "WARN", "CRITICAL": "FATAL"}
_KINDS = ("stringValue", "boolValue", "intValue", "doubleValue", "bytesValue", "arrayValue", "kvlistValue")
_STRUCTURE = (*_KINDS, "key", "value", "values")
_OF_STRUCTURE = frozenset(name.lower() for name in _STRUCTURE)
# Inside of a text the quotes would be escaped.
_LOGGED = f"""if(body_type IN ('map', 'array'), replaceRegexpAll(body, '"({"|".join(_STRUCTURE)})":', ' '), body)"""
# As the engine cuts words: whatever is neither a letter nor a digit of ASCII, nor beyond ASCII, stands between them.
_WORD = re.compile(r"[A-Za-z0-9\x80-\U0010ffff]+")


@dataclass(frozen=True, slots=True)
class SpansOfRun:
    """Of whom a log is the run's too, though it doesn't say so: the spans of its trace that belong to the run."""

    run_id: str
    trace_id: str = ""
    span_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LogQuestion:
    since: int
    until: int
    trace_id: str | None = None
    span_id: str | None = None
    run: SpansOfRun | None = None
    service: str | None = None
    words: str | None = None
    severity: str | None = None
    attributes: tuple[tuple[str, str], ...] = ()
    descending: bool = True
    limit: int = 100
    offset: int = 0


def logs(store: Telemetry, scope: Scope, asked: LogQuestion) -> Answer:
    where = _conditions(scope, asked)
    order = "DESC" if asked.descending else "ASC"
    rows = store.ask(
        f"""
        SELECT toUnixTimestamp64Nano(timestamp) AS at, toUnixTimestamp64Nano(observed_timestamp) AS observed_at,
            severity_number, severity_text, service_name, body, body_type, event_name, trace_id, span_id, run_id,
            attributes, attribute_types, resource_attributes, resource_attribute_types, scope_name
        FROM logs WHERE {where}
        ORDER BY timestamp {order}, observed_timestamp {order}, trace_id, span_id, body
        LIMIT {{limit:UInt32}} OFFSET {{offset:UInt32}}
        """,
        {**where.parameters, "limit": asked.limit, "offset": asked.offset},
    )
    counted = store.ask(f"SELECT count() AS total FROM logs WHERE {where}", where.parameters)
    return {
        "from": instant_text(asked.since),
        "to": instant_text(asked.until),
        "totalCount": counted[0]["total"],
        "logs": [_log(row) for row in rows],
    }


def _conditions(scope: Scope, asked: LogQuestion) -> Where:
    where = Where(scope).starts_within(asked.since, asked.until)
    if asked.trace_id is not None:
        where.add("trace_id = {trace_id:String}", trace_id=asked.trace_id)
    if asked.span_id is not None:
        where.add("span_id = {span_id:String}", span_id=asked.span_id)
    if asked.run is not None:
        where.add(
            "(run_id = {run:String} OR (trace_id = {of_run:String} AND trace_id != ''"
            " AND span_id IN {spans_of_run:Array(String)}))",
            run=asked.run.run_id,
            of_run=asked.run.trace_id,
            spans_of_run=list(asked.run.span_ids),
        )
    if asked.service is not None:
        where.add("service_name = {service:String}", service=asked.service)
    if asked.severity is not None:
        # Of a record that has no number the text counts, if it is one of OpenTelemetry's names.
        where.add(
            "(severity_number >= {severity:UInt8}"
            " OR severity_number = 0 AND upper(severity_text) IN {severities:Array(String)})",
            severity=least_severity(asked.severity),
            severities=_names_from(least_severity(asked.severity)),
        )
    for number, word in enumerate(words_of(asked.words) if asked.words else ()):
        # As the index of words has them.
        where.add(f"hasToken(lower(body), {{word_{number}:String}})", **{f"word_{number}": word})
        if word in _OF_STRUCTURE:
            # Of a map or a list the words of OTLP's JSON are there too, which nobody logged.
            where.add(f"hasToken(lower({_LOGGED}), {{word_{number}:String}})")
    return where.with_attributes(asked.attributes)


def words_of(text: str) -> list[str]:
    """Each must be in the body, in any order; ASCII in upper or lower case."""
    found = _WORD.findall(text)
    if not found:
        raise InvalidRequest(f"{text[:80]!r} has no word", subject="words", action="give letters or digits to look for")
    # Only letters of ASCII have two cases for the engine: `str.lower` would change others too.
    return list(dict.fromkeys(word.encode().lower().decode() for word in found))


def _names_from(least: int) -> list[str]:
    """Also with the number that four of a name have: ERROR2."""
    names = {**SEVERITIES, **{other: SEVERITIES[name] for other, name in _ALSO.items()}}
    numbered = [f"{name}{number}" for name in SEVERITIES for number in (2, 3, 4) if SEVERITIES[name] >= least]
    return [name for name, number in names.items() if number >= least] + numbered


def least_severity(text: str) -> int:
    name = _ALSO.get(text.upper(), text.upper())
    if name not in SEVERITIES:
        raise InvalidRequest(
            f"severity={text[:40]!r} is unknown", subject="severity", action="use " + ", ".join(SEVERITIES)
        )
    return SEVERITIES[name]


def severity_name(number: int) -> str:
    """Of a record that only has a number."""
    return next((name for name, least in reversed(SEVERITIES.items()) if number >= least), "")


def _log(row: Row) -> Answer:
    return {
        "at": instant_text(row["at"]),
        "observedAt": instant_text(row["observed_at"]),
        "severity": row["severity_text"] or severity_name(row["severity_number"]),
        "severityNumber": row["severity_number"],
        "service": row["service_name"],
        "body": typed_value(row["body"], row["body_type"]),
        "eventName": row["event_name"] or None,
        "traceId": row["trace_id"] or None,
        "spanId": row["span_id"] or None,
        "runId": row["run_id"] or None,
        "scope": row["scope_name"],
        "attributes": typed(row["attributes"], row["attribute_types"]),
        "resourceAttributes": typed(row["resource_attributes"], row["resource_attribute_types"]),
    }
