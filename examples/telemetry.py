"""Spans and metrics of a small job: by a decorator, by a client, and by OTLP to any collector.

LINEAGE_HUB_URL=http://127.0.0.1:8000 python examples/telemetry.py
"""

import asyncio
import time

from lineage_hub.sdk import Metric, Span, TelemetryClient, current_traceparent, flush, telemetry_track, track


# Each call is a span. Calls inside a call are its children, and an error stands in the span as it was raised.
@telemetry_track(service_name="shop-etl", tags={"table": "orders"})
def load(rows: int) -> int:
    time.sleep(0.01)
    return rows


@telemetry_track("nightly", service_name="shop-etl")
async def nightly() -> int:
    # The header for requests to other services, so that their spans belong to this trace.
    print("traceparent:", current_traceparent())
    return load(100) + load(200)


async def send_what_was_measured(rows: int) -> None:
    now = time.time_ns()
    # protocol="otlp" speaks OTLP/HTTP to an OpenTelemetry collector instead of the hub's own envelope.
    async with TelemetryClient() as telemetry:
        counted = await telemetry.send_metric(
            Metric(name="rows.loaded", value=rows, kind="counter", unit="{row}", attributes={"table": "orders"})
        )
        span = Span(name="vacuum", start_ns=now - 5_000_000, end_ns=now, status="OK", service_name="shop-db")
        measured = await telemetry.send_span(span)
    print(f"metrics accepted {counted.metrics_accepted}, spans accepted {measured.traces_accepted}")


if __name__ == "__main__":
    # A run and the spans in it know of each other: the run has the trace's id, the spans have the run's.
    with track("nightly_load", outputs="s3://lake/orders"):
        loaded = asyncio.run(nightly())
    asyncio.run(send_what_was_measured(loaded))
    print("sent:", flush(timeout=10))
