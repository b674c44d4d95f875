"""The run or span that a program is in enters; the header that carries its trace to other programs leaves."""

from __future__ import annotations

from lineage_hub.sdk.runs import current_run
from lineage_hub.sdk.trace_context import TraceContext, ambient, from_environment


def current_traceparent() -> str | None:
    """For a request's `traceparent` header or a child's TRACEPARENT; None outside of every span, run and trace.

    A run that is in no trace begins one with this, and tells of it in its next event.
    """
    found = current_context()
    return found.traceparent if found is not None else None


def current_context() -> TraceContext | None:
    found = ambient()
    if found is not None:
        return found
    run = current_run()
    return run.begin_trace() if run is not None else from_environment()


def trace_headers() -> dict[str, str]:
    """`traceparent`, and `tracestate` if there is one: to be added to a request's headers."""
    found = current_context()
    if found is None:
        return {}
    return {"traceparent": found.traceparent} | ({"tracestate": found.state} if found.state else {})
