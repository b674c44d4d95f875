"""A stretch of work that a program measured, as OpenTelemetry tells of it: when, inside what, and how it ended.

Times are nanoseconds since 1970 UTC, exact; attributes are plain values of JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

ERROR = "ERROR"
# The name of the type of an attribute of an event or a link, among those of its span: events[0].name.
TYPE_OF_PART = "{}[{}].{}"
Attributes = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SpanEvent:
    """Something that happened inside a span, such as an exception."""

    at: int
    name: str
    attributes: Attributes = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SpanLink:
    """Another span that this one has to do with, in any trace."""

    trace_id: str
    span_id: str
    attributes: Attributes = field(default_factory=dict)
    trace_state: str = ""


@dataclass(frozen=True, slots=True)
class Span:
    trace_id: str
    span_id: str
    parent_span_id: str
    name: str
    service: str
    started_at: int
    duration_ns: int
    kind: str = "INTERNAL"
    status: str = "UNSET"
    status_message: str = ""
    run_id: str = ""
    pipeline_run_id: str = ""
    attributes: Attributes = field(default_factory=dict)
    resource: Attributes = field(default_factory=dict)
    events: tuple[SpanEvent, ...] = ()
    links: tuple[SpanLink, ...] = ()
    trace_state: str = ""
    scope: tuple[str, str] = ("", "")
    """Name and version of the library that measured it."""
    dropped: tuple[int, int, int] = (0, 0, 0)
    """How many attributes, events and links its program left out."""

    @property
    def ended_at(self) -> int:
        return self.started_at + self.duration_ns

    @property
    def failed(self) -> bool:
        return self.status == ERROR
