"""Questions about traces and logs enter as GET requests; answers leave, joined to runs, jobs and datasets.

Each route reads its parameters and asks `query/telemetry` in a worker thread.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from enum import Enum
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response

from lineage_hub.errors import InvalidRequest, StoreUnavailable
from lineage_hub.lineage.traces import SpanTree
from lineage_hub.model import EVERYTHING, NOW, Moment
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.query.telemetry import logs as logs_query
from lineage_hub.query.telemetry import operations as operations_query
from lineage_hub.query.telemetry import services as services_query
from lineage_hub.query.telemetry import trace_list, traces
from lineage_hub.query.telemetry.asking import DAY_NS, Answer, Telemetry
from lineage_hub.query.telemetry.dataset_telemetry import dataset_telemetry
from lineage_hub.query.telemetry.run_logs import logs_of_run
from lineage_hub.query.telemetry.run_trace import trace_of_run
from lineage_hub.query.telemetry.touched import run_answer, touched_answer, touched_by
from lineage_hub.query.telemetry.trace_diff import part_of_run, trace_diff
from lineage_hub.query.telemetry.trace_runs import with_jobs
from lineage_hub.server.hub import Hub, hub_of
from lineage_hub.server.names import DATASET, NAMESPACE, RUN, TRACE
from lineage_hub.server.read_routes import At, Limit, Name, Offset, bound, encode

router = APIRouter(prefix="/api/v1")
TELEMETRY: list[str | Enum] = ["Telemetry"]
_TRACE_ID = re.compile(r"[0-9a-fA-F]{32}")

Service = Annotated[str | None, Query(description="Name of the service.")]
Operation = Annotated[str | None, Query(description="Name of the operation: of a span.")]
Having = Annotated[
    list[str] | None, Query(alias="attribute", description="name=value, of a span, log or its resource; repeatable.")
]


async def window(
    request: Request,
    start: Annotated[str | None, Query(alias="from", description="From then on; a day back without it.")] = None,
    end: Annotated[str | None, Query(alias="to", description="Before then; the present without it.")] = None,
) -> tuple[int, int]:
    until = bound(end, "to", hub_of(request.scope).clock())
    return in_order(bound(start, "from", until - DAY_NS), until)


def in_order(since: int, until: int) -> tuple[int, int]:
    if since >= until:
        raise InvalidRequest("`from` lies not before `to`", subject="from", action="give an earlier `from`")
    return max(since, 0), max(until, 0)


Window = Annotated[tuple[int, int], Depends(window)]


def store_of(hub: Hub) -> Telemetry:
    if not hub.telemetry.is_installed:
        raise StoreUnavailable(
            "this hub keeps no telemetry",
            subject="telemetry",
            action="install it with pip install 'lineage-hub[telemetry]' and start the hub again",
        )
    return hub.telemetry.store if hub.tracing is None else hub.tracing.asking(hub.telemetry.store)


async def ask(request: Request, question: Callable[[Telemetry], Any]) -> Response:
    store = store_of(hub_of(request.scope))
    return Response(await asyncio.to_thread(lambda: encode(question(store))), media_type="application/json")


async def ask_both(request: Request, at: Moment, question: Callable[[Telemetry, Snapshot, int], Any]) -> Response:
    """Of a question about telemetry and lineage; the third argument is the present."""
    hub = hub_of(request.scope)

    def answer(store: Telemetry) -> Any:
        with hub.queries.at(EVERYTHING, at) as snapshot:
            return question(store, snapshot, hub.clock())

    return await ask(request, answer)


def pairs(texts: list[str] | None) -> tuple[tuple[str, str], ...]:
    found = []
    for text in texts or ():
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise InvalidRequest(
                f"attribute={text[:80]!r} has no value", subject="attribute", action="write attribute=name=value"
            )
        found.append((name, value))
    return tuple(found)


@router.get("/traces", summary="List traces, the latest first", tags=TELEMETRY)
async def list_traces(
    request: Request,
    within: Window,
    service: Service = None,
    operation: Operation = None,
    least_ms: Annotated[float, Query(alias="minDurationMs", ge=0, le=1e12, description="Of the span.")] = 0,
    error: Annotated[bool, Query(description="Only with a span that failed.")] = False,
    attribute: Having = None,
    limit: Limit = 100,
    offset: Offset = 0,
) -> Response:
    """Traces that have a span which meets all conditions, each with the runs that its spans name."""
    asked = trace_list.TraceQuestion(
        *within, service, operation, int(least_ms * 1e6), error, pairs(attribute), limit, offset
    )

    def question(store: Telemetry, snapshot: Snapshot, _now: int) -> Answer:
        return with_jobs(snapshot, trace_list.traces(store, EVERYTHING, asked))

    return await ask_both(request, NOW, question)


@router.get(f"/traces/{TRACE}/diff", summary="Compare two traces span by span", tags=TELEMETRY)
async def get_trace_diff(
    request: Request,
    trace_id: Name,
    other: Annotated[str, Query(alias="to", description="The other trace, or a run.")],
    at: At,
) -> Response:
    """Either may be the id of a run: then its span and all inside of it are compared."""

    def question(store: Telemetry, snapshot: Snapshot, now: int) -> Answer:
        def tree_of(text: str) -> tuple[str, SpanTree]:
            if _TRACE_ID.fullmatch(text):
                found = traces.trace(store, EVERYTHING, text)
                return found.trace_id, found.tree
            _, joined, found = trace_of_run(store, EVERYTHING, snapshot, text, now)
            return found.trace_id, part_of_run(found, joined)

        return trace_diff(tree_of(trace_id), tree_of(other))

    return await ask_both(request, at, question)


@router.get(f"/traces/{TRACE}", summary="Show a trace, and the lineage that it touched", tags=TELEMETRY)
async def get_trace(request: Request, trace_id: Name, at: At) -> Response:
    def question(store: Telemetry, snapshot: Snapshot, now: int) -> Answer:
        found = traces.trace(store, EVERYTHING, trace_id)
        return {**traces.trace_answer(found), **touched_answer(snapshot, touched_by(snapshot, found, now))}

    return await ask_both(request, at, question)


@router.get(f"/runs/{RUN}/trace", summary="Show the trace of a run", tags=TELEMETRY)
async def get_run_trace(request: Request, run_id: Name, at: At) -> Response:
    def question(store: Telemetry, snapshot: Snapshot, now: int) -> Answer:
        run, joined, found = trace_of_run(store, EVERYTHING, snapshot, run_id, now)
        return {
            "run": run_answer(snapshot, run, joined.joined_by),
            "joinedBy": joined.joined_by,
            "inferred": joined.inferred,
            "spanId": joined.span_id or None,
            **traces.trace_answer(found),
            **touched_answer(snapshot, touched_by(snapshot, found, now)),
        }

    return await ask_both(request, at, question)


@router.get(
    f"/namespaces/{NAMESPACE}/datasets/{DATASET}/telemetry",
    summary="List the runs that wrote and read a dataset, with their traces",
    tags=TELEMETRY,
)
async def get_dataset_telemetry(
    request: Request, namespace: Name, dataset: Name, at: At, limit: Limit = 100
) -> Response:
    return await ask_both(
        request,
        at,
        lambda store, snapshot, now: dataset_telemetry(store, EVERYTHING, snapshot, namespace, dataset, limit, now),
    )


@router.get("/logs", summary="List logs", tags=TELEMETRY)
async def list_logs(
    request: Request,
    at: At,
    start: Annotated[str | None, Query(alias="from", description="From then on.")] = None,
    end: Annotated[str | None, Query(alias="to", description="Before then.")] = None,
    trace: Annotated[str | None, Query(description="Id of a trace.")] = None,
    span: Annotated[str | None, Query(description="Id of a span.")] = None,
    run: Annotated[str | None, Query(description="Id of a run.")] = None,
    service: Service = None,
    words: Annotated[str | None, Query(description="Words that the body has, in any order.")] = None,
    severity: Annotated[str | None, Query(description="At least TRACE, DEBUG, INFO, WARN, ERROR or FATAL.")] = None,
    attribute: Having = None,
    direction: Annotated[str, Query(alias="sortDirection", description="desc or asc, by time.")] = "desc",
    limit: Limit = 100,
    offset: Offset = 0,
) -> Response:
    """Without `from` those of the trace or run that is named, else of the last day."""
    if direction.lower() not in ("asc", "desc"):
        raise InvalidRequest("sortDirection must be asc or desc", subject="sortDirection", action="use asc or desc")
    trace_id = traces.trace_id_of(trace) if trace is not None else None
    span_id = traces.span_id_of(span) if span is not None else None
    given = [bound(text, name, -1) if text is not None else None for text, name in ((start, "from"), (end, "to"))]
    having = pairs(attribute)

    def question(store: Telemetry, snapshot: Snapshot, now: int) -> Answer:
        of_run, around = logs_of_run(store, EVERYTHING, snapshot, run, now) if run is not None else (None, None)
        if trace_id is not None and around is None:
            around = traces.range_of(store, trace_id)
        until = given[1] if given[1] is not None else now if around is None else around[1] + DAY_NS
        since = given[0] if given[0] is not None else (until if around is None else min(around[0], until)) - DAY_NS
        asked = logs_query.LogQuestion(
            *in_order(since, until),
            trace_id,
            span_id,
            of_run,
            service,
            words,
            severity,
            having,
            direction.lower() == "desc",
            limit,
            offset,
        )
        return logs_query.logs(store, EVERYTHING, asked)

    return await ask_both(request, at, question)


@router.get("/telemetry/services", summary="Show which services call which", tags=TELEMETRY)
async def get_services(request: Request, within: Window) -> Response:
    return await ask(request, lambda store: services_query.service_map(store, EVERYTHING, *within))


@router.get("/telemetry/operations", summary="List operations with rates, errors and durations", tags=TELEMETRY)
async def list_operations(
    request: Request,
    within: Window,
    service: Service = None,
    operation: Operation = None,
    step: Annotated[int, Query(ge=0, le=31_536_000, description="Seconds; each operation over time.")] = 0,
    exact: Annotated[
        bool | None, Query(description="Quantiles of every span, or of the rollups; else their number decides.")
    ] = None,
    sort: Annotated[str, Query(description="p50, p95, p99, max, total, spans, errors or name.")] = "p95",
    limit: Limit = 100,
    offset: Offset = 0,
) -> Response:
    asked = operations_query.OperationsQuestion(*within, service, operation, step, exact, sort, limit, offset)
    return await ask(request, lambda store: operations_query.operations(store, EVERYTHING, asked))
