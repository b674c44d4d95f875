"""A job's name or a page of jobs enters; jobs with their current datasets, latest runs, facets and versions leave."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

from msgspec import Raw

from lineage_hub.errors import NotFound
from lineage_hub.lineage.intervals import Batch
from lineage_hub.lineage.rows import Ord
from lineage_hub.lineage.runs import RunFacts
from lineage_hub.lineage.shapes import JOB
from lineage_hub.query.facts import Facts, facet_texts, job_facts
from lineage_hub.query.history import Edges
from lineage_hub.query.identity import job_version
from lineage_hub.query.nodes import io_names, job_summary, parents, tag_text
from lineage_hub.query.runs import latest_runs_of_job, run_answer
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.query.versions import Versions
from lineage_hub.store import tables
from lineage_hub.wire import facets as read
from lineage_hub.wire import instant_text
from lineage_hub.wire.described import Ownership, Tags, lenient

Answer = dict[str, Any]
LATEST_RUNS = 10


def find_job(snapshot: Snapshot, namespace: str, name: str) -> int:
    """A job by its name; failing that by `{parent}.{name}`, the spelling that Marquez shows."""
    job = snapshot.reader.find(tables.JOB, namespace, name)
    if job is not None and (snapshot.sees_all or job in job_facts(snapshot, [job])):
        return job
    for at, char in enumerate(name):
        if char != ".":
            continue
        alias = snapshot.reader.find(tables.JOB, namespace, name[at + 1 :])
        if alias is not None and alias in job_facts(snapshot, [alias]):
            above = parents(snapshot, snapshot.latest_runs([alias])).get(alias)
            if above is not None and snapshot.name(above)[1] == name[:at]:
                return alias
    raise NotFound(
        f"Job '{name}' not found.", subject=f"{namespace}:{name}", action="check namespace, name and the moment"
    )


def job(snapshot: Snapshot, namespace: str, name: str) -> Answer:
    found = find_job(snapshot, namespace, name)
    return job_answers(snapshot, [found])[0]


def jobs(snapshot: Snapshot, namespace: str | None, limit: int, offset: int, states: Collection[str] = ()) -> Answer:
    found = visible_jobs(snapshot, namespace)
    if states:
        latest = snapshot.latest_runs(found)
        found = [job for job in found if job in latest and snapshot.shown(latest[job]).state in states]
    return {"totalCount": len(found), "jobs": job_answers(snapshot, found[offset : offset + limit])}


def visible_jobs(snapshot: Snapshot, namespace: str | None) -> list[int]:
    entities = snapshot.reader.entities(tables.JOB, namespace)
    if not snapshot.sees_all:
        entities = list(job_facts(snapshot, entities))
    names = snapshot.names(entities)
    return sorted(entities, key=names.__getitem__)


def job_answers(snapshot: Snapshot, found: list[int]) -> list[Answer]:
    facts = job_facts(snapshot, found)
    edges = snapshot.edges(found)
    heads = snapshot.heads(found)
    latest = snapshot.latest_runs(found)
    above = parents(snapshot, latest)
    versions = Versions(snapshot)
    return [
        _answer(snapshot, one, facts[one], edges[one], heads[one], above.get(one), versions)
        for one in found
        if one in facts
    ]


def _answer(
    snapshot: Snapshot,
    found: int,
    facts: Facts,
    edges: Edges,
    head: RunFacts | None,
    parent: int | None,
    versions: Versions,
) -> Answer:
    texts = facet_texts(snapshot, facts)
    above = snapshot.name(parent) if parent else None
    answer = job_summary(
        snapshot.name(found), above, instant_text(facts.created_at), instant_text(facts.updated_at), texts
    )
    answer["inputs"], answer["outputs"] = io_names(snapshot.names(edges.datasets), edges)
    latest = latest_runs_of_job(snapshot, found, LATEST_RUNS, versions)
    answer["latestRun"] = latest[0] if latest else None
    answer["latestRuns"] = latest
    answer["facets"] = {name: Raw(text) for name, text in texts.items()}
    answer["currentVersion"] = job_version(snapshot, found, head) if head else None
    kind = read.job_type(texts["jobType"]) if "jobType" in texts else ("", "", "")
    answer["labels"] = [label for label in (kind[2], kind[1]) if label]
    answer["owners"] = lenient(texts.get("ownership"), Ownership).owners
    answer["tags"] = [tag_text(tag.key, tag.value) for tag in lenient(texts.get("tags"), Tags).tags]
    if not facts.mentioned:
        answer["namedOnly"] = True
    return answer


def job_versions(snapshot: Snapshot, namespace: str, name: str, limit: int, offset: int) -> Answer:
    """One for each distinct set of inputs, outputs and code location; the one used last first."""
    found = find_job(snapshot, namespace, name)
    namespace, name = snapshot.name(found)
    groups: dict[str, list[Alike]] = {}
    for alike in _with_datasets(snapshot, found):
        groups.setdefault(job_version(snapshot, found, alike.newest), []).append(alike)
    ordered = sorted(groups.items(), key=lambda item: max(alike.newest.start for alike in item[1]), reverse=True)
    versions = Versions(snapshot)
    answers = []
    for version, members in ordered[offset : offset + limit]:
        newest = max((alike.newest for alike in members), key=lambda facts: facts.start)
        runs = [alike.newest for alike in members if alike.newest.key[2]]
        latest = max(runs, key=lambda facts: facts.start, default=None)
        names = snapshot.names(newest.inputs | newest.outputs)
        location = (newest.location or "").partition("\0")[0]
        answers.append(
            {
                "id": {"namespace": namespace, "name": name, "version": version},
                "name": name,
                "createdAt": instant_text(min(alike.first for alike in members)[0]),
                "version": version,
                "namespace": namespace,
                "location": location or None,
                "inputs": [_ref(names[d]) for d in sorted(newest.inputs, key=names.__getitem__)],
                "outputs": [_ref(names[d]) for d in sorted(newest.outputs, key=names.__getitem__)],
                "latestRun": run_answer(snapshot, latest, versions) if latest else None,
            }
        )
    return {"versions": answers, "totalCount": len(groups)}


def job_version_answer(snapshot: Snapshot, namespace: str, name: str, version: str) -> Answer:
    for answer in job_versions(snapshot, namespace, name, 2**31, 0)["versions"]:
        if answer["version"] == version:
            return dict(answer)
    raise NotFound(f"Job version '{version}' not found.", subject=version, action="list the versions of the job")


class Alike(NamedTuple):
    """Runs whose events say the same of datasets and code, so that they are of one version."""

    first: Ord
    newest: RunFacts


def _with_datasets(snapshot: Snapshot, found: int) -> list[Alike]:
    """Of a hundred thousand runs that are alike one is read."""
    starts: dict[Batch, Ord] = {}
    # The shapes of each run's events in the order of their last: which datasets there are, and whose code counts.
    said: dict[Batch, dict[int, None]] = {}
    for row in snapshot.reader.batches(found):
        event_at, event_id, tenant, _, _, shape, run, _, _ = row
        batch = (tenant, run)
        starts.setdefault(batch, (event_at, event_id))
        shapes = said.setdefault(batch, {})
        shapes.pop(shape, None)
        shapes[shape] = None
    first: dict[tuple[int, ...], Ord] = {}
    newest: dict[tuple[int, ...], Batch] = {}
    for batch, start in starts.items():
        same = tuple(said[batch])
        first.setdefault(same, start)
        newest[same] = batch
    runs = snapshot.runs_by_id([run for _, run in newest.values()])
    alike = [Alike(first[same], runs[tenant, found, run]) for same, (tenant, run) in newest.items()]
    static = [snapshot.facts_of(row) for row in snapshot.reader.typed(found, (JOB,))]
    alike += [Alike(facts.start, facts) for facts in static]
    return [one for one in alike if one.newest.has_datasets]


def _ref(name: tuple[str, str]) -> dict[str, str]:
    return {"namespace": name[0], "name": name[1]}
