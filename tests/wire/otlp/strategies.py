"""Hypothesis strategies: requests of OTLP, with what is usual and what is odd close together."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import InstrumentationScope, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs
from opentelemetry.proto.metrics.v1 import metrics_pb2 as m
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span, Status

from tests.wire.otlp.messages import T0, any_value

TEXTS = st.sampled_from(["", "a", "load", "ü €", "𝄞", "\x00", 'q"\\', "openlineage.run_id", "value " * 9])
INTS = st.sampled_from([0, 1, -1, 2**53 + 1, 2**63 - 1, -(2**63)])
# repr and JSON write these alike in every reading; a NaN is never equal to itself, so it has a test of its own.
DOUBLES = st.sampled_from([0.0, -0.0, 0.1, 1e300, 5e-324, float("inf"), float("-inf"), -2.5])
UINTS = st.sampled_from([0, 1, 7, 2**63, 2**64 - 1])
LEAVES = st.one_of(st.none(), st.booleans(), INTS, DOUBLES, TEXTS, st.binary(max_size=5))
# The oddest are rare: most attributes are texts.
VALUES = st.one_of(
    TEXTS,
    TEXTS,
    LEAVES,
    st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner)),
)
KEYS = st.sampled_from(["a", "b", "service.name", "openlineage.run_id", "pipeline.run_id", "ü", ""])
TIMES = st.sampled_from([0, 1, T0, T0, T0, T0 + 1, T0 + 10**9, 4_102_444_800 * 10**9, 2**63 - 1, 2**63, 2**64 - 1])
TRACE_IDS = st.sampled_from([bytes(range(16))] * 6 + [b"\xff" * 16, bytes(16), b"", b"short", bytes(range(17))])
SPAN_IDS = st.sampled_from([bytes(range(8))] * 6 + [b"\xff" * 8, bytes(8), b"", b"abc", bytes(range(9))])


@st.composite
def attributes(draw: st.DrawFn) -> list[KeyValue]:
    found = draw(st.dictionaries(KEYS, VALUES, max_size=4))
    return [KeyValue(key=key, value=any_value(value)) for key, value in found.items()]


def few(one: st.SearchStrategy[Any], most: int = 3) -> st.SearchStrategy[list[Any]]:
    return st.lists(one, max_size=most)


RESOURCES = st.builds(Resource, attributes=attributes())
SCOPES = st.builds(InstrumentationScope, name=TEXTS, version=TEXTS)
EVENTS = st.builds(Span.Event, time_unix_nano=TIMES, name=TEXTS, attributes=attributes())
LINKS = st.builds(Span.Link, trace_id=TRACE_IDS, span_id=SPAN_IDS, trace_state=TEXTS, attributes=attributes())
SPANS = st.builds(
    Span, trace_id=TRACE_IDS, span_id=SPAN_IDS, parent_span_id=SPAN_IDS, trace_state=TEXTS, name=TEXTS,
    kind=st.integers(0, 5), start_time_unix_nano=TIMES, end_time_unix_nano=TIMES, attributes=attributes(),
    status=st.builds(Status, code=st.integers(0, 2), message=TEXTS), flags=st.integers(0, 2**32 - 1),
    events=few(EVENTS, 2), links=few(LINKS, 2), dropped_attributes_count=st.integers(0, 9),
    dropped_events_count=st.integers(0, 9), dropped_links_count=st.integers(0, 9),
)  # fmt: skip
TRACES = st.builds(
    ExportTraceServiceRequest,
    resource_spans=few(
        st.builds(
            ResourceSpans,
            resource=RESOURCES,
            scope_spans=few(st.builds(ScopeSpans, scope=SCOPES, spans=few(SPANS, 4)), 2),
        )
    ),
)

RECORDS = st.builds(
    LogRecord, time_unix_nano=TIMES, observed_time_unix_nano=TIMES, trace_id=TRACE_IDS, span_id=SPAN_IDS,
    severity_number=st.integers(0, 24), severity_text=TEXTS, body=VALUES.map(any_value), attributes=attributes(),
    flags=st.integers(0, 2**32 - 1), event_name=TEXTS,
)  # fmt: skip
LOGS = st.builds(
    ExportLogsServiceRequest,
    resource_logs=few(
        st.builds(
            ResourceLogs,
            resource=RESOURCES,
            scope_logs=few(st.builds(ScopeLogs, scope=SCOPES, log_records=few(RECORDS, 4)), 2),
        )
    ),
)

NUMBER = st.one_of(
    st.builds(dict, as_int=INTS), st.builds(dict, as_int=INTS), st.builds(dict, as_double=DOUBLES), st.just({})
)


@st.composite
def exemplars(draw: st.DrawFn) -> m.Exemplar:
    return m.Exemplar(
        time_unix_nano=draw(TIMES), trace_id=draw(TRACE_IDS), span_id=draw(SPAN_IDS),
        filtered_attributes=draw(attributes()), **draw(NUMBER),
    )  # fmt: skip


@st.composite
def points(draw: st.DrawFn, kind: type) -> Any:
    found = kind(
        time_unix_nano=draw(TIMES), start_time_unix_nano=draw(TIMES), attributes=draw(attributes()),
        flags=draw(st.sampled_from([0, 0, 1])),
    )  # fmt: skip
    if kind is m.NumberDataPoint:
        found.MergeFrom(m.NumberDataPoint(**draw(NUMBER)))
    else:
        found.count, found.sum = draw(UINTS), draw(DOUBLES)
    if kind is m.SummaryDataPoint:
        pairs = draw(few(st.tuples(DOUBLES, DOUBLES)))
        found.quantile_values.extend(m.SummaryDataPoint.ValueAtQuantile(quantile=q, value=v) for q, v in pairs)
        return found
    found.exemplars.extend(draw(few(exemplars(), 2)))
    if kind is m.NumberDataPoint:
        return found
    for name in ("sum", "min", "max"):
        value = draw(st.none() | DOUBLES)
        found.ClearField(name)
        if value is not None:
            setattr(found, name, value)
    if kind is m.HistogramDataPoint:
        bounds = draw(few(DOUBLES))
        found.explicit_bounds.extend(bounds)
        odd = draw(st.sampled_from([0, 0, 0, 1]))
        found.bucket_counts.extend(
            draw(st.lists(UINTS, min_size=len(bounds) + 1 + odd, max_size=len(bounds) + 1 + odd))
        )
    else:
        found.scale, found.zero_count, found.zero_threshold = draw(st.integers(-9, 9)), draw(UINTS), draw(DOUBLES)
        for side in (found.positive, found.negative):
            side.offset = draw(st.integers(-(2**31), 2**31 - 1))
            side.bucket_counts.extend(draw(few(UINTS)))
    return found


@st.composite
def one_metric(draw: st.DrawFn) -> m.Metric:
    found = m.Metric(name=draw(TEXTS), unit=draw(TEXTS), description=draw(TEXTS))
    kind = draw(st.sampled_from(["gauge", "sum", "histogram", "exponential_histogram", "summary", None]))
    if kind is None:
        return found
    kinds = {
        "gauge": m.NumberDataPoint, "sum": m.NumberDataPoint, "histogram": m.HistogramDataPoint,
        "exponential_histogram": m.ExponentialHistogramDataPoint, "summary": m.SummaryDataPoint,
    }  # fmt: skip
    data = getattr(found, kind)
    data.SetInParent()
    data.data_points.extend(draw(few(points(kinds[kind]), 3)))
    if kind not in ("gauge", "summary"):
        data.aggregation_temporality = draw(st.integers(0, 2))
    if kind == "sum":
        data.is_monotonic = draw(st.booleans())
    return found


METRICS = st.builds(
    ExportMetricsServiceRequest,
    resource_metrics=few(
        st.builds(
            m.ResourceMetrics,
            resource=RESOURCES,
            scope_metrics=few(st.builds(m.ScopeMetrics, scope=SCOPES, metrics=few(one_metric(), 3)), 2),
        ),
        2,
    ),
)
