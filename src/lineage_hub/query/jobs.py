"""A job's name or a page of jobs enters; jobs with their current datasets, latest runs, facets and versions leave."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

import msgspec
from msgspec import Raw

from lineage_hub.errors import NotFound
from lineage_hub.lineage.intervals import Batch
from lineage_hub.lineage.rows import Ord
from lineage_hub.lineage.runs import RunFacts
from lineage_hub.lineage.shapes import JOB
from lineage_hub.query.facts import Facts, facet_texts, job_facts, load_facets
from lineage_hub.query.history import Edges
from lineage_hub.query.horizon import begins_at
from lineage_hub.query.identity import job_version
from lineage_hub.query.job_names import named_job
from lineage_hub.query.latest import load_latest
from lineage_hub.query.nodes import io_names, job_summary, parents
from lineage_hub.query.packing import unpacked
from lineage_hub.query.run_answers import run_answer
from lineage_hub.query.runs import latest_runs_of_jobs
from lineage_hub.query.said import NOTHING, SaidTags, merged
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.query.versions import Versions, told_of
from lineage_hub.store import tables
from lineage_hub.wire import facets as read
from lineage_hub.wire import instant_text
from lineage_hub.wire.described import Ownership, Tags, lenient, tag_text

Answer = dict[str, Any]
encode = msgspec.json.Encoder().encode


class Text(NamedTuple):
    """An answer as JSON, with what of it the events of the job and of the writers of its inputs don't tell."""

    body: bytes
    edges: Edges
    tags: SaidTags
    told: dict[int, int]
    """How much was said of each dataset whose versions it shows."""
    halves: frozenset[bytes]
    """Runs that another job may tell the rest of, as long as none does."""


def find_job(snapshot: Snapshot, namespace: str, name: str) -> int:
    """A job by its name; failing that by `{parent}.{name}`, the spelling that Marquez shows."""
    job = named_job(snapshot, namespace, name)
    if job is None:
        raise NotFound(
            f"Job '{name}' not found.", subject=f"{namespace}:{name}", action="check namespace, name and the moment"
        )
    return job


def job(snapshot: Snapshot, namespace: str, name: str) -> Answer:
    found = find_job(snapshot, namespace, name)
    return job_answers(snapshot, [found])[0]


def job_text(snapshot: Snapshot, namespace: str, name: str) -> Raw:
    """The same, kept ready."""
    return _texts(snapshot, [find_job(snapshot, namespace, name)])[0]


def jobs(snapshot: Snapshot, namespace: str | None, limit: int, offset: int, states: Collection[str] = ()) -> Answer:
    found = visible_jobs(snapshot, namespace)
    if states:
        last = last_states(snapshot, found)
        found = [job for job in found if last[job] in states]
    return {"totalCount": len(found), "jobs": _texts(snapshot, found[offset : offset + limit])}


def visible_jobs(snapshot: Snapshot, namespace: str | None) -> list[int]:
    found = snapshot.spoken_of(snapshot.ordered(tables.JOB, namespace))
    if not snapshot.sees_all:
        facts = job_facts(snapshot, found)
        found = [job for job in found if job in facts]
    return [job for job in found if job not in snapshot.hidden] if snapshot.hidden else found


def last_states(snapshot: Snapshot, found: Collection[int]) -> dict[int, str | None]:
    """Of the run of each job that started last."""
    known: dict[int, str | None] = snapshot.recall("last state", found)
    missing = [job for job in found if job not in known]
    if missing:
        latest = snapshot.latest_runs(missing)
        fresh = {job: snapshot.whole_run(latest[job]).state if job in latest else None for job in missing}
        # How a run ended may be told under another name of its job.
        lasting = {job: state for job, state in fresh.items() if job not in latest or not latest[job].is_open}
        snapshot.keep("last state", lasting)
        known.update(fresh)
    return known


def job_answers(snapshot: Snapshot, found: Collection[int]) -> list[Answer]:
    edges = snapshot.edges(found)
    return [answer for answer, _ in _answers(snapshot, found, edges).values()]


def _texts(snapshot: Snapshot, found: list[int]) -> list[Raw]:
    """The same as JSON, remembered as long as neither events nor users say anything else."""
    known: dict[int, Text] = snapshot.recall("job answer", found)
    # What makes an answer is mostly among the events of these runs, so that they are read once for all of it.
    load_latest(snapshot, [job for job in found if job not in known])
    edges = snapshot.edges(found)
    names = snapshot.names(found)
    said = {job: snapshot.said.job_tags.get(names[job], NOTHING) for job in found}
    told = told_of(snapshot, {dataset for text in known.values() for dataset in text.told})
    shared = snapshot.reader.shared_runs({run for text in known.values() for run in text.halves})
    missing = [
        job
        for job in found
        if job not in known
        or known[job].edges is not edges[job]
        or known[job].tags != said[job]
        or any(told[dataset] != count for dataset, count in known[job].told.items())
        or not shared.isdisjoint(known[job].halves)
    ]
    if missing:
        made = _answers(snapshot, missing, edges)
        halves = snapshot.halves(missing)
        told.update(told_of(snapshot, {dataset for _, asked in made.values() for dataset in asked}))
        fresh = {
            job: Text(
                snapshot.text_to_keep(encode(answer)),
                edges[job],
                said[job],
                {dataset: told[dataset] for dataset in asked},
                halves[job],
            )
            for job, (answer, asked) in made.items()
        }
        versions = Versions(snapshot)
        shared = snapshot.reader.shared_runs({run for group in halves.values() for run in group})
        lasting = {job: text for job, text in fresh.items() if shared.isdisjoint(text.halves)}
        snapshot.keep(
            "job answer", lasting, lambda job: {job}.union(*[versions.bearing_on(one) for one in fresh[job].told])
        )
        known.update(fresh)
    return [Raw(unpacked(known[job].body)) for job in found if job in known]


def _answers(
    snapshot: Snapshot, found: Collection[int], edges: dict[int, Edges]
) -> dict[int, tuple[Answer, Collection[int]]]:
    """With the datasets whose versions each shows."""
    facts = job_facts(snapshot, found)
    heads = snapshot.heads(found)
    told = [one for one in found if one in facts]
    runs = latest_runs_of_jobs(snapshot, told, Versions(snapshot))
    above = parents(snapshot, snapshot.latest_runs(told))
    snapshot.names({*told, *above.values(), *[dataset for one in told for dataset in edges[one].datasets]})
    load_facets(snapshot, facts.values())
    made: dict[int, tuple[Answer, Collection[int]]] = {}
    for one in told:
        latest, asked = runs[one]
        answer = _answer(snapshot, one, facts[one], edges[one], heads[one], above.get(one), latest)
        made[one] = answer, asked
    return made


def _answer(
    snapshot: Snapshot,
    found: int,
    facts: Facts,
    edges: Edges,
    head: RunFacts | None,
    parent: int | None,
    latest: list[Answer],
) -> Answer:
    texts = facet_texts(snapshot, facts)
    above = snapshot.name(parent) if parent else None
    answer = job_summary(
        snapshot.name(found), above, instant_text(facts.created_at), instant_text(facts.updated_at), texts
    )
    answer["inputs"], answer["outputs"] = io_names(snapshot.names(edges.datasets), edges)
    answer["latestRun"] = latest[0] if latest else None
    answer["latestRuns"] = latest
    answer["facets"] = {name: Raw(text) for name, text in texts.items()}
    answer["currentVersion"] = job_version(snapshot, found, head) if head else None
    kind = read.job_type(texts["jobType"]) if "jobType" in texts else ("", "", "")
    answer["labels"] = [label for label in (kind[2], kind[1]) if label]
    answer["owners"] = lenient(texts.get("ownership"), Ownership).owners
    told = [tag_text(tag.key, tag.value) for tag in lenient(texts.get("tags"), Tags).tags]
    answer["tags"] = merged(told, snapshot.said.job_tags.get(snapshot.name(found), NOTHING))
    if not facts.mentioned:
        answer["namedOnly"] = True
    return answer


def job_versions(snapshot: Snapshot, namespace: str, name: str, limit: int, offset: int) -> Answer:
    """One for each distinct set of inputs, outputs and code location; the one used last first."""
    found = find_job(snapshot, namespace, name)
    namespace, name = snapshot.name(found)
    groups: dict[str, list[Alike]] = {}
    for alike in versions_of_job(snapshot, found):
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
    return {"versions": answers, "totalCount": len(groups), **begins_at(snapshot)}


def job_version_answer(snapshot: Snapshot, namespace: str, name: str, version: str) -> Answer:
    for answer in job_versions(snapshot, namespace, name, 2**31, 0)["versions"]:
        if answer["version"] == version:
            return dict(answer)
    raise NotFound(f"Job version '{version}' not found.", subject=version, action="list the versions of the job")


class Alike(NamedTuple):
    """Runs whose events say the same of datasets and code, so that they are of one version."""

    first: Ord
    newest: RunFacts


def versions_of_job(snapshot: Snapshot, found: int) -> list[Alike]:
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
