"""A job's name or a page of jobs enters; jobs with their current datasets, latest runs, facets and versions leave."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import Any

from msgspec import Raw

from lineage_hub.errors import NotFound
from lineage_hub.lineage.runs import RunFacts
from lineage_hub.lineage.shapes import JOB
from lineage_hub.query.facts import Facts, facet_texts, job_facts
from lineage_hub.query.history import Edges
from lineage_hub.query.identity import job_version
from lineage_hub.query.nodes import encode, io_names, job_summary, parents, tag_text
from lineage_hub.query.runs import named_runs, run_answer, run_answers
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.query.versions import Versions, writers_of
from lineage_hub.store import tables
from lineage_hub.wire import facets as read
from lineage_hub.wire import instant_text
from lineage_hub.wire.described import Ownership, Tags, lenient

Answer = dict[str, Any]
LATEST_RUNS = 10


def find_job(snapshot: Snapshot, namespace: str, name: str) -> int:
    """A job by its name; failing that by `{parent}.{name}`, the spelling that Marquez shows."""
    job = snapshot.reader.find(tables.JOB, namespace, name)
    if job is not None and job in job_facts(snapshot, [job]):
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
    return job_answers(snapshot, [found])[found]


def job_text(snapshot: Snapshot, namespace: str, name: str) -> Raw:
    """The same, kept ready."""
    return job_texts(snapshot, [find_job(snapshot, namespace, name)])[0]


def jobs(snapshot: Snapshot, namespace: str | None, limit: int, offset: int, states: Collection[str] = ()) -> Answer:
    if snapshot.sees_all and not states:
        total, page = snapshot.catalogue.listing(snapshot.reader, tables.JOB, namespace).page(limit, offset)
    else:
        found = visible_jobs(snapshot, namespace)
        if states:
            last = _last_states(snapshot, found)
            found = [job for job in found if last[job] in states]
        total, page = len(found), found[offset : offset + limit]
    return {"totalCount": total, "jobs": job_texts(snapshot, page)}


def visible_jobs(snapshot: Snapshot, namespace: str | None) -> list[int]:
    """In the order of their names."""
    listed = list(snapshot.catalogue.listing(snapshot.reader, tables.JOB, namespace))
    if snapshot.sees_all:
        return listed
    facts = job_facts(snapshot, listed)
    return [job for job in listed if job in facts]


def _last_states(snapshot: Snapshot, found: Collection[int]) -> dict[int, str | None]:
    """Of the run of each job that started last."""
    states: dict[int, str | None] = snapshot.recall("last state", found)
    unknown = [job for job in found if job not in states]
    if unknown:
        latest = snapshot.latest_runs(unknown)
        fresh = {job: latest[job].state if job in latest else None for job in unknown}
        snapshot.keep("last state", fresh)
        states.update(fresh)
    return states


def job_texts(snapshot: Snapshot, found: list[int]) -> list[Raw]:
    """The answers about jobs; those about the present are kept ready."""
    texts = snapshot.recall_answers("job", found)
    missing = [one for one in found if one not in texts]
    for one, answer in job_answers(snapshot, missing).items() if missing else ():
        texts[one] = encode(answer)
        snapshot.keep_answer("job", one, texts[one], partial(_bearing_on, snapshot, one))
    return [Raw(texts[one]) for one in found if one in texts]


def _bearing_on(snapshot: Snapshot, found: int) -> set[int]:
    """Entities whose events may change the answer about a job: itself, and what decides on versions of its datasets."""
    by_job = snapshot.shapes_of([found])[found]
    shapes = snapshot.reader.shapes(by_job).values()
    datasets = {dataset for shape in shapes if shape.subject == found for dataset in shape.speaks_of}
    bearing = {found}
    for dataset in datasets:
        bearing |= snapshot.bearing_on(dataset) | writers_of(snapshot, dataset)
    return bearing


def job_answers(snapshot: Snapshot, found: list[int]) -> dict[int, Answer]:
    facts = job_facts(snapshot, found)
    edges = snapshot.edges(found)
    heads = snapshot.heads(found)
    latest = snapshot.latest_runs(found)
    above = parents(snapshot, latest)
    versions = Versions(snapshot)
    return {
        one: _answer(snapshot, one, facts[one], edges[one], heads[one], above.get(one), versions)
        for one in found
        if one in facts
    }


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
    rows = snapshot.reader.starts(found, LATEST_RUNS)
    runs = snapshot.runs_of(rows)
    latest = run_answers(snapshot, [runs[row.run_key] for row in rows], versions)
    if len(latest) < LATEST_RUNS:
        latest += named_runs(snapshot, found)[: LATEST_RUNS - len(latest)]
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
    groups: dict[str, list[RunFacts]] = {}
    for facts in _with_datasets(snapshot, found):
        groups.setdefault(job_version(snapshot, found, facts), []).append(facts)
    ordered = sorted(groups.items(), key=lambda item: max(facts.start for facts in item[1]), reverse=True)
    versions = Versions(snapshot)
    answers = []
    for version, members in ordered[offset : offset + limit]:
        newest = max(members, key=lambda facts: facts.start)
        runs = [facts for facts in members if facts.key[2]]
        latest = max(runs, key=lambda facts: facts.start, default=None)
        names = snapshot.names(newest.inputs | newest.outputs)
        location = (newest.location or "").partition("\0")[0]
        answers.append(
            {
                "id": {"namespace": namespace, "name": name, "version": version},
                "name": name,
                "createdAt": instant_text(min(facts.start for facts in members)[0]),
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


def _with_datasets(snapshot: Snapshot, found: int) -> list[RunFacts]:
    runs: list[RunFacts] = []
    offset, page = 0, 1000
    while rows := snapshot.reader.starts(found, page, offset):
        runs += [facts for facts in snapshot.runs_of(rows).values() if facts.has_datasets]
        offset += page
    static = [snapshot.facts_of(row) for row in snapshot.reader.typed(found, (JOB,))]
    return runs + [facts for facts in static if facts.has_datasets]


def _ref(name: tuple[str, str]) -> dict[str, str]:
    return {"namespace": name[0], "name": name[1]}
