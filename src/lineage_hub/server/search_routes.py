"""Words enter as a GET request; the jobs and datasets that match leave, in Marquez's shape and with what matched."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from lineage_hub.errors import InvalidRequest
from lineage_hub.query.search import search as search_query
from lineage_hub.server.hub import hub_of
from lineage_hub.server.read_routes import STATES, At, ask, bound

router = APIRouter(prefix="/api/v1")
SEARCH: list[str | Enum] = ["Search"]
LONGEST_QUESTION = 1_000
MOST_RESULTS = 1_000
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
SEARCH_STATES = (*STATES, search_query.ACTIVE, search_query.DELETED)


@router.get("/search", summary="Find jobs and datasets", tags=SEARCH)
async def search(
    request: Request,
    at: At,
    q: Annotated[str | None, Query(description="Words, parts of words, or a whole name; may have mistakes.")] = None,
    kind: Annotated[str | None, Query(alias="filter", description="dataset or job.")] = None,
    sort: Annotated[str | None, Query(description="name or updated_at; the best match first without it.")] = None,
    limit: Annotated[int, Query(ge=0, le=MOST_RESULTS, description="Most results.")] = 10,
    namespace: Annotated[str | None, Query(description="Only in this namespace.")] = None,
    tag: Annotated[list[str] | None, Query(description="Only with this tag; several must all be there.")] = None,
    owner: Annotated[list[str] | None, Query(description="Only of this owner.")] = None,
    state: Annotated[
        list[str] | None, Query(description="Jobs whose last run is in this state; datasets ACTIVE or DELETED.")
    ] = None,
    after: Annotated[str | None, Query(description="Last heard of then or later: a day, or RFC 3339.")] = None,
    before: Annotated[str | None, Query(description="Last heard of before then.")] = None,
) -> Response:
    """Over names, columns, descriptions, tags and owners."""
    question = search_query.Question(
        _text(q, bool(tag or owner)),
        limit,
        _one_of(kind, "filter", ("dataset", "job")),
        namespace,
        _given(tag, "tag"),
        _given(owner, "owner"),
        _states(state),
        _time(after, "after"),
        _time(before, "before"),
        _one_of(sort, "sort", (search_query.BY_NAME, search_query.BY_TIME)),
    )
    indexing = hub_of(request.scope).queries.indexing
    return await ask(request, at, lambda snapshot: search_query.search(indexing, snapshot, question))


def _text(given: str | None, filtered: bool) -> str:
    text = (given or "").strip()
    if not text and not filtered:
        raise InvalidRequest(
            "there is nothing to search for", subject="q", action="give words as q=, or a tag or an owner"
        )
    if len(text) > LONGEST_QUESTION:
        raise InvalidRequest(
            f"q has {len(text):,} characters, at most {LONGEST_QUESTION:,} are searched for",
            subject="q",
            action="give a few words",
        )
    return text


def _one_of(given: str | None, name: str, known: tuple[str, ...]) -> str | None:
    if given is None or given == "":
        return None
    if given.lower() not in known:
        raise InvalidRequest(f"{name}={given[:40]!r} is unknown", subject=name, action="use " + " or ".join(known))
    return given.lower()


def _given(texts: Iterable[str] | None, name: str) -> tuple[str, ...]:
    given = tuple([text for text in texts or () if text])
    if len(given) > 20:
        raise InvalidRequest(f"more than 20 of {name}", subject=name, action="give fewer")
    return given


def _states(given: Iterable[str] | None) -> tuple[str, ...]:
    wanted = tuple([one.upper() for text in given or () for one in text.split(",") if one])
    unknown = [one for one in wanted if one not in SEARCH_STATES]
    if unknown:
        raise InvalidRequest(
            f"state={unknown[0][:40]!r} is unknown", subject="state", action="use " + ", ".join(SEARCH_STATES)
        )
    return wanted


def _time(text: str | None, name: str) -> int | None:
    if not text:
        return None
    return bound(f"{text}T00:00:00Z" if _DAY.fullmatch(text) else text, name, 0)
