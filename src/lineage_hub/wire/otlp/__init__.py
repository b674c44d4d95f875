"""Bytes of OTLP enter, protobuf or JSON; columns of the tables of telemetry leave, and what was refused and why.

Nothing of OpenTelemetry is imported before the first body is read.
"""

from lineage_hub.wire.otlp.columns import (
    Columns,
    Encoding,
    Kind,
    LogColumns,
    MapColumn,
    PointColumns,
    SpanColumns,
    TelemetryTaker,
)
from lineage_hub.wire.otlp.logs import read_logs
from lineage_hub.wire.otlp.points import read_metrics
from lineage_hub.wire.otlp.spans import read_traces

__all__ = [
    "Columns",
    "Encoding",
    "Kind",
    "LogColumns",
    "MapColumn",
    "PointColumns",
    "SpanColumns",
    "TelemetryTaker",
    "read_logs",
    "read_metrics",
    "read_traces",
]
