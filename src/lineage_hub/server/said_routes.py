"""What users say of namespaces, sources, tags and names enters; it is kept with its history, and what holds now leaves.

The routes are Marquez's; docs/reference-api.md compares them one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any

import msgspec
from fastapi import APIRouter, Request, Response

from lineage_hub.errors import NotFound
from lineage_hub.query import datasets as datasets_query
from lineage_hub.query import jobs as jobs_query
from lineage_hub.query import namespaces as namespaces_query
from lineage_hub.query import sources as sources_query
from lineage_hub.query import tags as tags_query
from lineage_hub.query.said import Said
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.server import openapi_writes as openapi
from lineage_hub.server.hub import hub_of
from lineage_hub.server.names import DATASET, FIELD, JOB, NAMESPACE, SOURCE, TAG
from lineage_hub.server.read_routes import DATASETS, JOBS, NAMESPACES, At, Limit, Name, Offset, ask
from lineage_hub.server.writing import Written, body_of, look, show, state
from lineage_hub.settings import mask_url
from lineage_hub.store import statements as kept
from lineage_hub.store.statements import Saying
from lineage_hub.wire.declared import NamespaceBody, SourceBody, TagBody, read_body

router = APIRouter(prefix="/api/v1")
SOURCES: list[str | Enum] = ["Sources and tags"]
encode = msgspec.json.Encoder().encode
# Each of the bodies has a description.
_described = msgspec.json.Decoder(TagBody).decode
PUT_ON = b"{}"
_DATASET = f"/namespaces/{NAMESPACE}/datasets/{DATASET}"
_JOB = f"/namespaces/{NAMESPACE}/jobs/{JOB}"


@router.get("/sources", summary="List sources", tags=SOURCES)
async def list_sources(request: Request, at: At, limit: Limit = 100, offset: Offset = 0) -> Response:
    """Those that users declare, and those that the dataSource facets of events name."""
    return await ask(request, at, lambda snapshot: sources_query.sources(snapshot, limit, offset))


@router.get(f"/sources/{SOURCE}", summary="Show a source", tags=SOURCES)
async def get_source(request: Request, source: Name, at: At) -> Response:
    return await ask(request, at, lambda snapshot: sources_query.source(snapshot, source))


@router.put(f"/sources/{SOURCE}", summary="Declare a source", tags=SOURCES, **openapi.SOURCE)
async def put_source(request: Request, source: Written) -> Response:
    """A password in the URL is masked before it is kept."""
    body = read_body(await body_of(request), SourceBody, openapi.SOURCE_ACTION)
    body.connectionUrl = mask_url(body.connectionUrl)
    kept_body = await look(request, lambda s: _with_description(body, s.said.sources.get(source)))
    await state(hub_of(request.scope), [Saying(kept.SOURCE, (source,), kept_body)])
    return await show(request, lambda snapshot: sources_query.source(snapshot, source))


@router.get("/tags", summary="List tags", tags=SOURCES)
async def list_tags(request: Request, at: At, limit: Limit = 100, offset: Offset = 0) -> Response:
    """Those that users describe or put on something, and those that the tags facets of events name."""
    return await ask(request, at, lambda snapshot: tags_query.tags(snapshot, limit, offset))


@router.put(f"/tags/{TAG}", summary="Describe a tag", tags=SOURCES, **openapi.TAG)
async def put_tag(request: Request, tag: Written) -> Response:
    body = read_body(await body_of(request) or b"{}", TagBody, openapi.TAG_ACTION)
    kept_body = await look(request, lambda s: _with_description(body, s.said.tags.get(tag)))
    await state(hub_of(request.scope), [Saying(kept.TAG, (tag,), kept_body)])
    return await show(request, lambda snapshot: tags_query.tag_answer(snapshot, tag))


@router.post(f"{_DATASET}/fields/{FIELD}/tags/{TAG}", summary="Tag a field", tags=DATASETS, **openapi.DATASET_ANSWER)
async def tag_field(request: Request, namespace: Name, dataset: Name, field: Name, tag: Written) -> Response:
    return await _tag_dataset(request, (namespace, dataset), field, tag, PUT_ON)


@router.delete(
    f"{_DATASET}/fields/{FIELD}/tags/{TAG}", summary="Take a tag off a field", tags=DATASETS, **openapi.DATASET_ANSWER
)
async def untag_field(request: Request, namespace: Name, dataset: Name, field: Name, tag: Written) -> Response:
    """Stays off, whatever events say, until somebody puts it on again."""
    return await _tag_dataset(request, (namespace, dataset), field, tag, None)


@router.post(f"{_DATASET}/tags/{TAG}", summary="Tag a dataset", tags=DATASETS, **openapi.DATASET_ANSWER)
async def tag_dataset(request: Request, namespace: Name, dataset: Name, tag: Written) -> Response:
    return await _tag_dataset(request, (namespace, dataset), None, tag, PUT_ON)


@router.delete(f"{_DATASET}/tags/{TAG}", summary="Take a tag off a dataset", tags=DATASETS, **openapi.DATASET_ANSWER)
async def untag_dataset(request: Request, namespace: Name, dataset: Name, tag: Written) -> Response:
    """Stays off, whatever events say, until somebody puts it on again."""
    return await _tag_dataset(request, (namespace, dataset), None, tag, None)


@router.post(f"{_JOB}/tags/{TAG}", summary="Tag a job", tags=JOBS, **openapi.JOB_ANSWER)
async def tag_job(request: Request, namespace: Name, job: Name, tag: Written) -> Response:
    return await _tag_job(request, (namespace, job), tag, PUT_ON)


@router.delete(f"{_JOB}/tags/{TAG}", summary="Take a tag off a job", tags=JOBS, **openapi.JOB_ANSWER)
async def untag_job(request: Request, namespace: Name, job: Name, tag: Written) -> Response:
    """Stays off, whatever events say, until somebody puts it on again."""
    return await _tag_job(request, (namespace, job), tag, None)


@router.delete(_DATASET, summary="Hide a dataset", tags=DATASETS, **openapi.DATASET_ANSWER)
async def delete_dataset(request: Request, namespace: Name, dataset: Name) -> Response:
    """Until the next event that mentions it. Answers with the dataset as it was."""

    def find(snapshot: Snapshot) -> int:
        return datasets_query.find_dataset(snapshot, namespace, dataset)

    return await _hide(request, kept.HIDDEN_DATASET, find, lambda s, one: datasets_query.dataset_answers(s, [one])[0])


@router.delete(_JOB, summary="Hide a job", tags=JOBS, **openapi.JOB_ANSWER)
async def delete_job(request: Request, namespace: Name, job: Name) -> Response:
    """Until the next event that mentions it. Answers with the job as it was."""

    def find(snapshot: Snapshot) -> int:
        return jobs_query.find_job(snapshot, namespace, job)

    return await _hide(request, kept.HIDDEN_JOB, find, lambda s, one: jobs_query.job_answers(s, [one])[0])


@router.put(f"/namespaces/{NAMESPACE}", summary="Declare a namespace", tags=NAMESPACES, **openapi.NAMESPACE)
async def put_namespace(request: Request, namespace: Written) -> Response:
    body = read_body(await body_of(request), NamespaceBody, openapi.NAMESPACE_ACTION)
    kept_body = await look(request, lambda s: _with_description(body, s.said.namespaces.get(namespace)))
    await state(hub_of(request.scope), [Saying(kept.NAMESPACE, (namespace,), kept_body)])
    return await show(request, lambda snapshot: namespaces_query.namespace(snapshot, namespace))


@router.delete(
    f"/namespaces/{NAMESPACE}", summary="Hide a namespace with all that is in it", tags=NAMESPACES,
    **openapi.NAMESPACE_ANSWER,
)  # fmt: skip
async def delete_namespace(request: Request, namespace: Name) -> Response:
    """Each job and dataset until the next event that mentions it. Answers with the namespace as it was."""
    response = await show(request, lambda snapshot: namespaces_query.namespace(snapshot, namespace))
    await state(hub_of(request.scope), [Saying(kept.HIDDEN_NAMESPACE, (namespace,), b"{}")])
    return response


async def _hide(
    request: Request, kind: int, find: Callable[[Snapshot], int], tell: Callable[[Snapshot, int], Any]
) -> Response:
    def prepare(snapshot: Snapshot) -> tuple[tuple[str, str], bytes]:
        found = find(snapshot)
        return snapshot.name(found), encode(tell(snapshot, found))

    name, answer = await look(request, prepare)
    await state(hub_of(request.scope), [Saying(kind, name, b"{}")])
    return Response(answer, media_type="application/json")


async def _tag_dataset(
    request: Request, name: tuple[str, str], field: str | None, tag: str, body: bytes | None
) -> Response:
    def find(snapshot: Snapshot) -> tuple[str, str]:
        found = datasets_query.find_dataset(snapshot, *name)
        if field is not None:
            known = datasets_query.dataset_answers(snapshot, [found])[0]["fields"]
            if field not in {one.name for one in known}:
                raise NotFound(
                    f"Field '{field[:200]}' not found in dataset '{name[1]}'.",
                    subject=field[:200],
                    action="check the field's name",
                )
        return snapshot.name(found)

    own = await look(request, find)
    saying = Saying(kept.DATASET_TAG, (*own, tag), body)
    if field is not None:
        saying = Saying(kept.FIELD_TAG, (*own, field, tag), body)
    await state(hub_of(request.scope), [saying])
    return await show(request, lambda snapshot: datasets_query.dataset(snapshot, *own))


async def _tag_job(request: Request, name: tuple[str, str], tag: str, body: bytes | None) -> Response:
    own = await look(request, lambda snapshot: snapshot.name(jobs_query.find_job(snapshot, *name)))
    await state(hub_of(request.scope), [Saying(kept.JOB_TAG, (*own, tag), body)])
    return await show(request, lambda snapshot: jobs_query.job(snapshot, *own))


def _with_description(body: NamespaceBody | SourceBody | TagBody, said: Said | None) -> bytes:
    """A description that is left out stays as it was."""
    if body.description is None and said is not None and said.body:
        body.description = _described(said.body).description
    return encode(body)
