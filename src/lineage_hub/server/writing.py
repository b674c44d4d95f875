"""Bodies, events and statements of routes that write enter; once they are durable, what holds at present leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated, Any, TypeVar

from fastapi import Path, Request, Response
from starlette.concurrency import run_in_threadpool

from lineage_hub.model import EVERYTHING, NOW, Scope
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.server.bodies import RefusedBody, read_body
from lineage_hub.server.hub import Hub, hub_of
from lineage_hub.server.read_routes import ask
from lineage_hub.server.schemas import NAME_PATTERN
from lineage_hub.store import statements
from lineage_hub.store.statements import Saying

T = TypeVar("T")
# How dead letters and logs call events that a user's request has made.
FROM_API = "api"
# As a name that is to be kept.
Written = Annotated[
    str,
    Path(min_length=1, max_length=16_000, pattern=NAME_PATTERN, description="May hold slashes and colons; escape it."),
]


async def body_of(request: Request) -> bytes:
    limit = hub_of(request.scope).settings.ingest_max_body_bytes
    try:
        return await read_body(request.scope, request.receive, limit=limit, keep=0)
    except RefusedBody as refused:
        raise refused.error from None


async def look(request: Request, question: Callable[[Snapshot], T]) -> T:
    """What must be known before something is written."""
    hub = hub_of(request.scope)

    def answer() -> T:
        with hub.queries.at(EVERYTHING, NOW) as snapshot:
            return question(snapshot)

    return await run_in_threadpool(answer)


async def take(hub: Hub, events: list[bytes], tenant: str | None = None) -> None:
    scope: Scope = EVERYTHING if tenant is None else EVERYTHING.writing_to(tenant)
    for outcome in await hub.intake.submit(scope, events, FROM_API):
        if outcome.error is not None:
            raise outcome.error


async def state(hub: Hub, sayings: Iterable[Saying]) -> None:
    said = list(sayings)
    if said:
        now = hub.clock()
        await hub.intake.write(lambda connection: statements.put(connection, EVERYTHING, said, now))
        # What is remembered and no longer holds is forgotten here, so that the next question can be remembered.
        await run_in_threadpool(hub.queries.listen)


async def show(request: Request, question: Callable[[Snapshot], Any], status: int = 200) -> Response:
    response = await ask(request, NOW, question)
    response.status_code = status
    return response
