"""A store, a scope and a moment enter; the bytes of every answer about the names of a history leave."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import pairwise
from typing import Any

import msgspec

from lineage_hub.errors import NotFound
from lineage_hub.model import FOREVER, Moment, Scope
from lineage_hub.query import column_lineage as columns
from lineage_hub.query import (
    datasets,
    diff,
    events,
    evidence,
    impact,
    jobs,
    lineage,
    namespaces,
    producers,
    quality,
    run_comparison,
    runs,
    schema_history,
    statistics,
    timeline,
)
from lineage_hub.query.badges import badges
from lineage_hub.query.identity import half_of_edge_id
from lineage_hub.query.overview.overview import overview
from lineage_hub.query.queries import Queries
from lineage_hub.query.search.indexing import Indexing
from lineage_hub.query.search.search import Question, search
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.store.naming import entity_hash
from lineage_hub.store.tables import DATASET, JOB
from tests.oracle.events import Event, named_datasets, named_jobs
from tests.oracle.view import dataset_node, job_node

MANY = 1_000
ALWAYS = (-(2**63), FOREVER)
Ask = Callable[[Snapshot], Any]
encode = msgspec.json.Encoder().encode


def answers(queries: Queries, scope: Scope, moment: Moment, told: Iterable[Event]) -> dict[str, bytes]:
    """The same questions for every scope, so that what a scope must not see is asked for too."""
    found: dict[str, bytes] = {}
    for question, ask in _questions(list(told), queries.indexing):
        with queries.at(scope, moment) as snapshot:
            try:
                answer = ask(snapshot)
            except NotFound:
                answer = None
        found[question] = answer if isinstance(answer, bytes) else encode(answer)
    return found


def differing(one: dict[str, bytes], other: dict[str, bytes]) -> list[str]:
    return [f"{ask}\n  {one[ask]!r}\n  {other[ask]!r}" for ask in one if one[ask] != other[ask]]


def assert_equal(one: dict[str, bytes], other: dict[str, bytes]) -> None:
    found = differing(one, other)
    assert not found, f"{len(found)} of {len(one)} answers differ:\n" + "\n".join(found[:5])


def _questions(told: list[Event], indexing: Indexing) -> Iterator[tuple[str, Ask]]:
    job_names = sorted({e.job for e in told if e.job is not None}.union(*map(named_jobs, told)))
    dataset_names = sorted({m.name for e in told for m in e.mentions}.union(*map(named_datasets, told)))
    yield "namespaces", lambda s: namespaces.namespaces(s, MANY, 0)
    yield "jobs", lambda s: jobs.jobs(s, None, MANY, 0)
    yield "failed jobs", lambda s: jobs.jobs(s, None, MANY, 0, ["FAILED"])
    yield "datasets", lambda s: datasets.datasets(s, None, MANY, 0)
    for down in (True, False):
        yield f"events {down}", partial(_events, down=down)
    for event in told:
        reference = f"{event.at + 2**63:016x}{event.id}"
        yield f"event {reference}", partial(_call, events.event, reference)
    yield "producers", lambda s: producers.all_producers(s, told[-1].at, None, MANY, 0)
    for hours in (1, 168):
        yield f"overview of {hours} hours", partial(_overview, at=told[-1].at, hours=hours)
    nodes = [*map(job_node, job_names), *map(dataset_node, dataset_names)]
    yield "badges", lambda s: badges(s, nodes, told[-1].at)
    named_runs = sorted({e.run[3] for e in told if e.run is not None})
    for one, other in pairwise(named_runs):
        yield f"comparison of {one} and {other}", partial(_call, run_comparison.compare_runs, one, other)
    for run in named_runs:
        yield f"run {run}", partial(_call, runs.run, run)
        for kind in ("run", "job"):
            yield f"{kind} facets of run {run}", partial(_call, runs.run_facets, run, kind)
        yield f"lineage of run {run}", partial(_lineage, node=f"run:{run}")
    for namespace in sorted({name[0] for name in job_names + dataset_names}):
        yield f"namespace {namespace}", partial(_call, namespaces.namespace, namespace)
        yield f"jobs of {namespace}", partial(_call, jobs.jobs, namespace, MANY, 0)
        yield f"datasets of {namespace}", partial(_call, datasets.datasets, namespace, MANY, 0)
    for name in job_names:
        yield f"job {name}", partial(_call, jobs.job, *name)
        yield f"versions of job {name}", partial(_call, jobs.job_versions, *name, MANY, 0)
        yield f"runs of job {name}", partial(_runs, name=name)
        yield f"timeline of job {name}", partial(_call, timeline.timeline, *name, *ALWAYS, MANY, 0)
    for name in dataset_names:
        yield f"dataset {name}", partial(_call, datasets.dataset, *name)
        yield f"versions of dataset {name}", partial(_call, datasets.dataset_versions, *name, MANY, 0)
        yield f"schemas of dataset {name}", partial(_call, schema_history.schema_history, *name, MANY, 0)
        for history in (quality.quality, statistics.statistics):
            yield f"{history.__name__} of dataset {name}", partial(_call, history, *name, *ALWAYS, MANY)
        for mode in ("current", "ever"):
            yield f"{mode} columns of {name}", partial(_columns, node=dataset_node(name), mode=mode)
    for node in (*map(job_node, job_names), *map(dataset_node, dataset_names)):
        for mode in ("current", "ever", "30d"):
            yield f"{mode} lineage of {node}", partial(_lineage, node=node, mode=mode)
        yield f"picture of {node}", partial(_picture, node=node)
        yield f"impact of {node}", partial(_call, impact.impact, node, MANY, MANY)
    for text in sorted({part for _, name in job_names + dataset_names for part in (name, name[:2])}):
        yield f"search for {text}", partial(search, indexing, question=Question(text, MANY))
    dropped = Question("a", MANY, states=("DELETED", "FAILED"))
    yield "search for what was dropped", partial(search, indexing, question=dropped)
    for job in job_names[:4]:
        for dataset in dataset_names:
            ends = [half_of_edge_id(key).decode() for key in (entity_hash(JOB, *job), entity_hash(DATASET, *dataset))]
            for edge in ("".join(ends), "".join(reversed(ends))):
                yield f"evidence of {job}, {dataset}: {edge}", partial(_call, evidence.evidence, edge, MANY, 0)


def _call(ask: Callable[..., Any], *arguments: Any) -> Any:
    *parameters, snapshot = arguments
    return ask(snapshot, *parameters)


def _overview(snapshot: Snapshot, *, at: int, hours: int) -> Any:
    """Dead letters are no events, and which there are depends on who sent what to this hub."""
    return {**overview(snapshot, at, hours), "deadLetters": None}


def _events(snapshot: Snapshot, *, down: bool) -> Any:
    return events.events(snapshot, -(2**63), FOREVER, down, MANY, 0)


def _runs(snapshot: Snapshot, *, name: tuple[str, str]) -> Any:
    return runs.runs_of_job(snapshot, jobs.find_job(snapshot, *name), MANY, 0)


def _lineage(snapshot: Snapshot, *, node: str, mode: str = "current") -> Any:
    return lineage.lineage(snapshot, lineage.Question(node, edges=mode))


def _picture(snapshot: Snapshot, *, node: str) -> Any:
    picture = diff.picture(snapshot, lineage.Question(node))
    return diff.diff(picture, picture, "then", "now"), sorted(picture.nodes)


def _columns(snapshot: Snapshot, *, node: str, mode: str) -> Any:
    found = lineage.find_node(snapshot, node)
    return columns.column_lineage(snapshot, found.entity, None, 20, True, mode, MANY)
