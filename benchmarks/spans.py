"""A seed enters; bodies of OTLP leave, 500 spans each: traces of a shop's services, and now and then of its pipeline.

Ten spans make a trace, 20 attributes a span: five have 10,000 values each, the others ten. To write protobuf
costs more than a hub needs to read it, so a few bodies are written once; in each copy the ids and times are put anew.
"""

import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np

SPANS, TRACES = 500, 50
FEW, MANY = 10, 10_000
SECOND_NS = 1_000_000_000
# Service, operation, kind in OTLP's numbers, and the place of the parent in the trace.
_SHOP = (
    ("gateway", "GET /basket", 2, None),
    ("gateway", "check session", 1, 0),
    ("basket", "read basket", 2, 0),
    ("basket", "SELECT basket", 3, 2),
    ("prices", "prices of basket", 2, 2),
    ("prices", "SELECT price", 3, 4),
    ("prices", "apply discounts", 1, 4),
    ("stock", "reserve", 2, 0),
    ("stock", "UPDATE stock", 3, 7),
    ("mail", "send receipt", 5, 7),
)
_PIPELINE = (
    ("pipeline", "pipeline retail", 1, None),
    ("pipeline", "stage orders", 1, 0),
    *(("pipeline", f"spark stage {number}", 1, 1) for number in range(3)),
    ("pipeline", "stage revenue", 1, 0),
    *(("pipeline", f"spark stage {number}", 1, 5) for number in range(3, 7)),
)
_PIPELINE_EVERY = 25
_USED = (
    "spark.tasks",
    "spark.executor.cpu_ns",
    "spark.executor.gc_ms",
    "spark.memory.peak_bytes",
    "spark.records.in",
    "spark.bytes.in",
)
_NAMES = tuple(f"attribute.number.{at}" for at in range(20))
_FAILING = 0.01
# Of a span in protobuf: the tags of its start and its end, each before eight bytes.
_TIMES = re.compile(rb"\x39(.{8})\x41(.{8})", re.DOTALL)
_Bytes = np.ndarray[Any, np.dtype[np.uint8]]


@dataclass(frozen=True)
class _Template:
    """Where in the body the times stand, and the ids, in pieces of eight bytes."""

    body: _Bytes
    times: np.ndarray[Any, np.dtype[np.int64]]
    ids: np.ndarray[Any, np.dtype[np.int64]]
    trace_ids: tuple[bytes, ...]


class SpanStream:
    def __init__(self, seed: int = 6, templates: int = 60) -> None:
        self._dice = random.Random(seed)
        self._templates = [self._template() for _ in range(templates)]

    def bodies(self, number: int, start_ns: int, end_ns: int, first: int = 0) -> Iterator[bytes]:
        """So many, whose traces begin evenly between the two; `first` is the number of the first."""
        for at in range(number):
            yield self._written(first + at, start_ns + (end_ns - start_ns) * at // number)

    def trace_ids(self, number: int) -> list[str]:
        """Of the body with this number."""
        template, mask = self._templates[number % len(self._templates)], np.tile(_mask(number), 2)
        return [(np.frombuffer(one, np.uint8) ^ mask).tobytes().hex() for one in template.trace_ids]

    def _written(self, number: int, at_ns: int) -> bytes:
        template = self._templates[number % len(self._templates)]
        body = template.body.copy()
        body[template.times] = (body[template.times].view("<u8") + np.uint64(at_ns)).view(np.uint8)
        body[template.ids] ^= _mask(number)
        return body.tobytes()

    def _template(self) -> _Template:
        """Its times count from 0."""
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

        request = ExportTraceServiceRequest()
        scopes: dict[str, Any] = {}
        trace_ids, span_ids, starts = [], [], set()
        for place in range(TRACES):
            trace_ids.append(trace_id := self._dice.randbytes(16))
            is_pipeline = place % _PIPELINE_EVERY == 7
            own_ids = [self._dice.randbytes(8) for _ in _SHOP]
            run_id = str(UUID(bytes=self._dice.randbytes(16)))
            at = place * 20_000_003
            for (service, name, kind, parent), span_id in zip(
                _PIPELINE if is_pipeline else _SHOP, own_ids, strict=True
            ):
                if service not in scopes:
                    scopes[service] = _scope(request, service)
                at += self._dice.randrange(1, 5_000_000)
                starts.add(at)
                span = scopes[service].spans.add(
                    trace_id=trace_id,
                    span_id=span_id,
                    parent_span_id=b"" if parent is None else own_ids[parent],
                    name=name,
                    kind=kind,
                    start_time_unix_nano=at,
                    end_time_unix_nano=at + self._dice.randrange(1_000_000, 900_000_000),
                )
                span.status.code = 2 if self._dice.random() < _FAILING else 0
                self._add_attributes(span, run_id if is_pipeline else None)
            span_ids += own_ids
        body = request.SerializeToString()
        found = [match for match in _TIMES.finditer(body) if int.from_bytes(match[1], "little") in starts]
        assert len(found) == SPANS
        return _Template(
            np.frombuffer(body, np.uint8),
            _eights(place for match in found for place in (match.start(1), match.start(2))),
            _eights(_ids(body, trace_ids, span_ids)),
            tuple(trace_ids),
        )

    def _add_attributes(self, span: Any, run_id: str | None) -> None:
        dice, names = self._dice, list(_NAMES)
        if run_id is not None:
            span.attributes.add(key="pipeline.run_id").value.string_value = run_id
            names.pop()
            if span.name.startswith("spark stage "):
                for name in _USED:
                    span.attributes.add(key=name).value.int_value = dice.randrange(MANY)
                    names.pop()
        for at, name in enumerate(names):
            value = span.attributes.add(key=name).value
            if at < 5:
                value.string_value = f"value {dice.randrange(MANY)}"
            elif at < 15:
                value.string_value = f"value {dice.randrange(FEW)}"
            elif at < 19:
                value.int_value = dice.randrange(FEW)
            else:
                value.bool_value = dice.random() < 0.5


def _scope(request: Any, service: str) -> Any:
    group = request.resource_spans.add()
    for key in ("service.version", "host.name", "telemetry.sdk.name", "telemetry.sdk.language"):
        group.resource.attributes.add(key=key).value.string_value = f"the {key}"
    group.resource.attributes.add(key="service.name").value.string_value = service
    found = group.scope_spans.add()
    found.scope.name = "benchmark"
    return found


def _mask(number: int) -> _Bytes:
    return np.frombuffer(random.Random(number).randbytes(8), np.uint8)


def _ids(body: bytes, trace_ids: list[bytes], span_ids: list[bytes]) -> Iterator[int]:
    for one in trace_ids:
        for match in re.finditer(re.escape(one), body):
            yield from (match.start(), match.start() + 8)
    for one in span_ids:
        yield from (match.start() for match in re.finditer(re.escape(one), body))


def _eights(places: Iterable[int]) -> np.ndarray[Any, np.dtype[np.int64]]:
    return np.array(sorted(places))[:, None] + np.arange(8)
