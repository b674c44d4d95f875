"""Jobs and datasets enter, the `data` of their lineage nodes leaves as JSON text, for many at a time.

The text about the present is remembered, so a large graph is mostly put together from pieces that exist already.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from typing import Any

import msgspec

from lineage_hub.lineage.runs import RunFacts
from lineage_hub.lineage.shapes import IN_RAW
from lineage_hub.lineage.shapes import run_id as run_text
from lineage_hub.query.facts import Facts, dataset_facts, job_facts
from lineage_hub.query.identity import job_uuid
from lineage_hub.query.snapshot import Edges, Snapshot
from lineage_hub.wire import facets as read
from lineage_hub.wire import instant_text
from lineage_hub.wire.described import (
    DatasetType,
    DataSource,
    Documentation,
    Lifecycle,
    NominalTime,
    Schema,
    Tags,
    lenient,
)
from lineage_hub.wire.raw import decode_run

encode = msgspec.json.Encoder().encode
Name = tuple[str, str]
NODE_FACETS = ("schema", "tags", "documentation", "dataSource", "lifecycleStateChange", "datasetType")


def present_texts(bodies: dict[int, bytes], facts: Facts, wanted: Collection[str]) -> dict[str, bytes]:
    texts = {}
    for name in wanted:
        holder = facts.facets.get(name)
        if holder is not None and holder.blob != IN_RAW and not read.is_tombstone(bodies[holder.blob]):
            texts[name] = bodies[holder.blob]
    return texts


def dataset_summary(name: Name, facts: Facts, texts: dict[str, bytes]) -> dict[str, Any]:
    """The fields that a dataset has wherever it is shown."""
    source = lenient(texts.get("dataSource"), DataSource)
    return {
        "id": {"namespace": name[0], "name": name[1]},
        "type": lenient(texts.get("datasetType"), DatasetType).datasetType or "DB_TABLE",
        "name": name[1],
        "physicalName": name[1],
        "createdAt": instant_text(facts.created_at),
        "updatedAt": instant_text(facts.updated_at),
        "namespace": name[0],
        "sourceName": source.name or "default",
        "fields": _fields(texts.get("schema"), texts.get("tags")),
        "tags": _tags(texts.get("tags")).get(None, []),
        "lastModifiedAt": None,
        "description": lenient(texts.get("documentation"), Documentation).description,
        "lastLifecycleState": lenient(texts.get("lifecycleStateChange"), Lifecycle).lifecycleStateChange,
    }


@lru_cache(maxsize=20_000)
def _fields(schema: bytes | None, tags: bytes | None) -> msgspec.Raw:
    """As JSON text: the same schema is shown again and again, at one moment and the next."""
    by_field = _tags(tags)
    return msgspec.Raw(
        encode(
            [
                {"name": f.name, "type": f.type, "tags": by_field.get(f.name, []), "description": f.description}
                for f in lenient(schema, Schema).fields
            ]
        )
    )


def _tags(text: bytes | None) -> dict[str | None, list[str]]:
    by_field: dict[str | None, list[str]] = {}
    if text is not None:
        for tag in lenient(text, Tags).tags:
            by_field.setdefault(tag.field or None, []).append(tag_text(tag.key, tag.value))
    return by_field


def tag_text(key: str, value: str) -> str:
    return key if value in ("", "true") else f"{key}:{value}"


def dataset_nodes(snapshot: Snapshot, datasets: Collection[int]) -> dict[int, bytes]:
    found: dict[int, bytes] = {}
    for dataset in datasets:
        kept = snapshot.recall("dataset node", dataset)
        if isinstance(kept, bytes):
            found[dataset] = kept
    missing = [dataset for dataset in datasets if dataset not in found]
    if missing:
        names = snapshot.names(missing)
        facts = dataset_facts(snapshot, missing)
        wanted = {facts[d].facets[f].blob for d in facts for f in NODE_FACETS if f in facts[d].facets} - {IN_RAW}
        bodies = snapshot.reader.blobs(wanted)
        snapshot.joined(missing)
        for dataset in missing:
            if dataset not in facts:
                continue
            data = dataset_summary(names[dataset], facts[dataset], present_texts(bodies, facts[dataset], NODE_FACETS))
            mark(snapshot, data, dataset, facts[dataset])
            found[dataset] = encode(data)
            depends = snapshot.neighbourhood(snapshot.names_under(dataset))
            snapshot.keep("dataset node", dataset, depends, found[dataset])
    return found


def mark(snapshot: Snapshot, data: dict[str, Any], dataset: int, facts: Facts) -> None:
    """What Marquez doesn't know of: names that are only named, ended, joined or in conflict."""
    joined = snapshot.joined((dataset,))
    if not facts.mentioned:
        data["namedOnly"] = True
    if facts.mentioned and not facts.alive:
        data["deleted"] = True
    members = joined.all_of(dataset)
    if len(members) > 1:
        names = snapshot.names(members)
        data["aliases"] = [
            {"namespace": names[member][0], "name": names[member][1]}
            for member in sorted(members - {dataset}, key=names.__getitem__)
        ]
    if not members.isdisjoint(joined.conflicts):
        data["symlinkConflict"] = True


def parents(snapshot: Snapshot, runs: dict[int, RunFacts]) -> dict[int, int]:
    """The parent job of each job: named by the last event of its latest run that names one."""
    found: dict[int, int] = {}
    for job, run in runs.items():
        for row in reversed(run.events):
            if row.parent:
                found[job] = row.parent
                break
    return found


def job_summary(
    snapshot: Snapshot, job: int, facts: Facts, texts: dict[str, bytes], parent: int | None
) -> dict[str, Any]:
    namespace, name = snapshot.name(job)
    above = snapshot.name(parent) if parent else None
    simple = name
    if above is not None and name.startswith(above[1] + "."):
        simple = name[len(above[1]) + 1 :]
    processing = read.job_type(texts["jobType"])[0] if "jobType" in texts else ""
    location = read.code_location(texts["sourceCodeLocation"])[0] if "sourceCodeLocation" in texts else ""
    return {
        "id": {"namespace": namespace, "name": name},
        "type": processing.upper() or "BATCH",
        "name": name,
        "simpleName": simple,
        "parentJobName": above[1] if above else None,
        "parentJobUuid": job_uuid(*above) if above else None,
        "createdAt": instant_text(facts.created_at),
        "updatedAt": instant_text(facts.updated_at),
        "namespace": namespace,
        "location": location or None,
        "description": lenient(texts.get("documentation"), Documentation).description,
    }


JOB_FACETS = ("jobType", "sourceCodeLocation", "documentation", "tags")


def job_nodes(snapshot: Snapshot, jobs: Collection[int], edges: dict[int, Edges]) -> dict[int, bytes]:
    found: dict[int, bytes] = {}
    for job in jobs:
        kept = snapshot.recall("job node", job)
        if isinstance(kept, bytes):
            found[job] = kept
    missing = [job for job in jobs if job not in found]
    if not missing:
        return found
    facts = job_facts(snapshot, missing)
    latest = snapshot.latest_runs(missing)
    above = parents(snapshot, latest)
    nominal = nominal_times(snapshot, latest.values())
    snapshot.names(above.values())
    snapshot.names({d for job in missing if job in edges for d in edges[job].datasets} | set(missing))
    bodies = snapshot.reader.blobs(
        {facts[j].facets[f].blob for j in facts for f in JOB_FACETS if f in facts[j].facets} - {IN_RAW}
    )
    for job in missing:
        if job not in facts:
            continue
        texts = present_texts(bodies, facts[job], JOB_FACETS)
        data = job_summary(snapshot, job, facts[job], texts, above.get(job))
        run = latest.get(job)
        data["currentRunUuid"] = run_text(run.key[2]) if run else None
        data["inputs"], data["outputs"] = io_names(snapshot, edges.get(job))
        data["latestRun"] = run_summary(run, nominal.get(run.key, (None, None))) if run else None
        if not facts[job].mentioned:
            data["namedOnly"] = True
        found[job] = encode(data)
        linked = edges[job].datasets & snapshot.links.keys() if job in edges else frozenset()
        snapshot.keep("job node", job, {job} | snapshot.neighbourhood(linked), found[job])
    return found


def io_names(snapshot: Snapshot, edges: Edges | None) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    if edges is None:
        return [], []
    names = snapshot.names(edges.inputs | edges.outputs)
    return (
        [{"namespace": names[d][0], "name": names[d][1]} for d in sorted(edges.inputs, key=names.__getitem__)],
        [{"namespace": names[d][0], "name": names[d][1]} for d in sorted(edges.outputs, key=names.__getitem__)],
    )


def nominal_times(snapshot: Snapshot, runs: Collection[RunFacts]) -> dict[Any, tuple[str | None, str | None]]:
    """The newest nominalTime facet of each run; usually the last event has it, so the others are read only if not."""
    found: dict[Any, tuple[str | None, str | None]] = {}
    open_runs = list(runs)
    back = 1
    while open_runs:
        texts = snapshot.reader.texts(run.events[-back] for run in open_runs)
        still = []
        for run in open_runs:
            event = decode_run(texts[run.events[-back].seq])
            facets = (event.run.facets if event.run else None) or {}
            if "nominalTime" in facets:
                body = bytes(facets["nominalTime"])
                if not read.is_tombstone(body):
                    time = lenient(body, NominalTime)
                    found[run.key] = (time.nominalStartTime, time.nominalEndTime)
            elif len(run.events) > back:
                still.append(run)
        open_runs = still
        back += 1
    return found


def run_summary(run: RunFacts, nominal: tuple[str | None, str | None]) -> dict[str, Any]:
    duration = None if run.end is None else (run.end[0] - run.start[0]) // 1_000_000
    data: dict[str, Any] = {
        "id": run_text(run.key[2]),
        "createdAt": instant_text(run.start[0]),
        "updatedAt": instant_text(run.events[-1].event_at),
        "nominalStartTime": nominal[0],
        "nominalEndTime": nominal[1],
        "state": run.state,
        "startedAt": instant_text(run.start[0]),
        "endedAt": instant_text(run.end[0]) if run.end else None,
        "durationMs": duration,
        "args": {},
        "jobVersion": None,
        "inputDatasetVersions": [],
        "outputDatasetVersions": [],
        "facets": {},
    }
    if run.conflict:
        data["conflict"] = list(run.conflict)
    return data
