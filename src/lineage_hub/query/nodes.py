"""Jobs and datasets enter, their lineage nodes leave as JSON text that only lacks the edges, for many at a time.

The text about the present is remembered, so a large graph is mostly put together from pieces that exist already.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from typing import Any

import msgspec

from lineage_hub.lineage.rows import EventRow, RunKey
from lineage_hub.lineage.runs import RunFacts
from lineage_hub.lineage.shapes import IN_RAW
from lineage_hub.lineage.shapes import run_id as run_text
from lineage_hub.query.facts import Facts, dataset_facts, job_facts
from lineage_hub.query.history import Edges, Nominal, Silent
from lineage_hub.query.identity import job_uuid
from lineage_hub.query.said import NOTHING, SaidTags, merged
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.wire import facets as read
from lineage_hub.wire import instant_text
from lineage_hub.wire.described import (
    DECLARED_FACET,
    NO_TAGS,
    DatasetType,
    DataSource,
    Declared,
    Documentation,
    Field,
    Lifecycle,
    NominalTime,
    Schema,
    Tags,
    lenient,
    tag_text,
)
from lineage_hub.wire.raw import decode_run

encode = msgspec.json.Encoder().encode
Name = tuple[str, str]
Time = str | msgspec.Raw
Texts = tuple[tuple[str, bytes], ...]
# Its id, its text without the edges and the last bracket, and what of it no event tells: tags, or edges as shown.
Node = tuple[str, bytes, object]
TagsByField = dict[str | None, list[str]]
# The text before, between and after the two times of a node, without its last brackets.
Frame = tuple[bytes, bytes, bytes]
NODE_FACETS = frozenset(
    ("schema", "tags", "documentation", "dataSource", "lifecycleStateChange", "datasetType", DECLARED_FACET)
)
JOB_FACETS = frozenset(("jobType", "sourceCodeLocation", "documentation", "tags"))
# Marquez's word for it.
JOB_TYPES = {"STREAMING": "STREAM"}
# Where a time will stand: a byte that no JSON text has.
HOLE = msgspec.Raw(b"\0")
FRAMES, LONG = 20_000, 8_192


def present_texts(bodies: dict[int, bytes], facts: Facts) -> Texts:
    return tuple(
        [
            (name, bodies[holder.blob])
            for name, holder in facts.facets.items()
            if holder.blob != IN_RAW and not read.is_tombstone(bodies[holder.blob])
        ]
    )


def _bodies(snapshot: Snapshot, facts: Collection[Facts]) -> dict[int, bytes]:
    return snapshot.reader.blobs({holder.blob for one in facts for holder in one.facets.values()} - {IN_RAW})


@lru_cache(maxsize=16_384)
def _time(nanos: int) -> bytes:
    return encode(instant_text(nanos))


def named(name: Name) -> dict[str, str]:
    return {"namespace": name[0], "name": name[1]}


def _frame(made_once: Any, *of: Any) -> Frame:
    """Long texts are made anew each time: thousands of them would fill the memory."""
    texts: Texts = of[-1]
    frame: Frame = (made_once if sum([len(text) for _, text in texts]) < LONG else made_once.__wrapped__)(*of)
    return frame


def _filled(frame: Frame, facts: Facts, more: dict[str, Any]) -> bytes:
    before, between, after = frame
    end = b"," + encode(more)[1:] if more else b"}"
    return b"".join((before, _time(facts.created_at), between, _time(facts.updated_at), after, end))


def _node(kind: str, name: Name, data: dict[str, Any]) -> Frame:
    node = {"id": f"{kind}:{name[0]}:{name[1]}", "type": kind.upper(), "data": data}
    before, _, rest = encode(node)[:-2].partition(b"\0")
    between, _, after = rest.partition(b"\0")
    return before, between, after


def dataset_summary(
    name: Name, created: Time, updated: Time, texts: Mapping[str, bytes], said: SaidTags = NOTHING
) -> dict[str, Any]:
    """The fields that a dataset has wherever it is shown; `said` are the tags that users put on or took off."""
    source = lenient(texts.get("dataSource"), DataSource)
    tags = _tags(texts["tags"]) if "tags" in texts else {}
    if said:
        tags = {field: merged(tags.get(field, []), said, field) for field in {*tags, *(one[0] for one in said)}}
    return {
        "id": named(name),
        "type": lenient(texts.get("datasetType"), DatasetType).datasetType or "DB_TABLE",
        "name": name[1],
        "physicalName": lenient(texts.get(DECLARED_FACET), Declared).physicalName or name[1],
        "createdAt": created,
        "updatedAt": updated,
        "namespace": name[0],
        "sourceName": source.name or "default",
        "fields": _fields(texts.get("schema"), tags),
        "tags": tags.get(None, []),
        "lastModifiedAt": None,
        "description": lenient(texts.get("documentation"), Documentation).description,
        "lastLifecycleState": lenient(texts.get("lifecycleStateChange"), Lifecycle).lifecycleStateChange,
    }


@lru_cache(maxsize=FRAMES)
def _dataset_frame(name: Name, said: SaidTags, texts: Texts) -> Frame:
    """The text around the two times: at one moment and the next mostly nothing else differs."""
    return _node("dataset", name, dataset_summary(name, HOLE, HOLE, dict(texts), said))


def _fields(schema: bytes | None, tags: TagsByField) -> list[Field]:
    fields = lenient(schema, Schema).fields
    # A key that isn't spelled plainly may be one as well.
    if tags or (schema is not None and (b'"tags"' in schema or b"\\" in schema)):
        for field in fields:
            field.tags = msgspec.Raw(encode(tags[field.name])) if field.name in tags else NO_TAGS
    return fields


def _tags(text: bytes) -> TagsByField:
    """Those of the dataset itself under None."""
    by_field: TagsByField = {}
    for tag in lenient(text, Tags).tags:
        by_field.setdefault(tag.field or None, []).append(tag_text(tag.key, tag.value))
    return by_field


def dataset_nodes(snapshot: Snapshot, datasets: Collection[int]) -> dict[int, Node]:
    found: dict[int, Node] = snapshot.recall("dataset node", datasets)
    said = {dataset: snapshot.tags_said_of(dataset) for dataset in datasets} if snapshot.said.dataset_tags else {}
    missing = [one for one in datasets if one not in found or found[one][2] != said.get(one, NOTHING)]
    if missing:
        names = snapshot.names(missing)
        facts = dataset_facts(snapshot, missing, NODE_FACETS)
        bodies = _bodies(snapshot, facts.values())
        made: dict[int, Node] = {}
        for dataset, known in facts.items():
            name = names[dataset]
            tags = said.get(dataset, NOTHING)
            frame = _frame(_dataset_frame, name, tags, present_texts(bodies, known))
            text = _filled(frame, known, marks(snapshot, dataset, known))
            made[dataset] = f"dataset:{name[0]}:{name[1]}", text, tags
        if snapshot.sees_all:
            snapshot.keep("dataset node", made, snapshot.bearing_on)
        found.update(made)
    return found


def marks(snapshot: Snapshot, dataset: int, facts: Facts) -> dict[str, Any]:
    """What Marquez doesn't know of: names that are only named, ended, joined or in conflict."""
    found: dict[str, Any] = {}
    if not facts.mentioned:
        found["namedOnly"] = True
    elif not facts.alive:
        found["deleted"] = True
    if snapshot.is_plain:
        return found
    joined = snapshot.joined((dataset,))
    members = joined.all_of(dataset)
    if len(members) > 1:
        names = snapshot.names(members)
        others = sorted(members - {dataset}, key=names.__getitem__)
        found["aliases"] = [named(names[member]) for member in others]
    if not members.isdisjoint(joined.conflicts):
        found["symlinkConflict"] = True
    return found


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
    name: Name, above: Name | None, created: Time, updated: Time, texts: Mapping[str, bytes]
) -> dict[str, Any]:
    """The fields that a job has wherever it is shown; `above` is the name of its parent."""
    simple = name[1]
    if above is not None and simple.startswith(above[1] + "."):
        simple = simple[len(above[1]) + 1 :]
    processing = read.job_type(texts["jobType"])[0] if "jobType" in texts else ""
    location = read.code_location(texts["sourceCodeLocation"])[0] if "sourceCodeLocation" in texts else ""
    return {
        "id": named(name),
        "type": JOB_TYPES.get(processing.upper(), processing.upper() or "BATCH"),
        "name": name[1],
        "simpleName": simple,
        "parentJobName": above[1] if above else None,
        "parentJobUuid": job_uuid(*above) if above else None,
        "createdAt": created,
        "updatedAt": updated,
        "namespace": name[0],
        "location": location or None,
        "description": lenient(texts.get("documentation"), Documentation).description,
    }


@lru_cache(maxsize=FRAMES)
def _job_frame(name: Name, above: Name | None, texts: Texts) -> Frame:
    return _node("job", name, job_summary(name, above, HOLE, HOLE, dict(texts)))


def job_nodes(snapshot: Snapshot, jobs: Collection[int], edges: dict[int, Edges]) -> dict[int, Node]:
    found: dict[int, Node] = snapshot.recall("job node", jobs)
    # Edges change without an event of the job when a dataset is hidden or comes back.
    missing = [job for job in jobs if job not in found or found[job][2] is not edges.get(job)]
    if not missing:
        return found
    facts = job_facts(snapshot, missing, JOB_FACETS)
    latest = snapshot.latest_runs(missing)
    above = parents(snapshot, latest)
    nominal = nominal_times(snapshot, latest.values())
    names = snapshot.names(
        {*missing, *above.values(), *(d for job in missing if job in edges for d in edges[job].datasets)}
    )
    bodies = _bodies(snapshot, facts.values())
    made: dict[int, Node] = {}
    for job, known in facts.items():
        parent = above.get(job)
        name = names[job]
        texts = present_texts(bodies, known)
        frame = _frame(_job_frame, name, names[parent] if parent else None, texts)
        run = latest.get(job)
        inputs, outputs = io_names(names, edges.get(job))
        more: dict[str, Any] = {
            "currentRunUuid": run_text(run.key[2]) if run else None,
            "inputs": inputs,
            "outputs": outputs,
            "latestRun": run_summary(run, nominal.get(run.key, (None, None))) if run else None,
        }
        if not known.mentioned:
            more["namedOnly"] = True
        made[job] = f"job:{name[0]}:{name[1]}", _filled(frame, known, more), edges.get(job)
    if snapshot.sees_all:
        linked = snapshot.links.keys()
        snapshot.keep(
            "job node",
            made,
            lambda job: {job, *snapshot.neighbourhood(edges[job].datasets & linked if job in edges else ())},
        )
    found.update(made)
    return found


def io_names(names: Mapping[int, Name], edges: Edges | None) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    if edges is None:
        return [], []
    return (
        [named(name) for name in sorted([names[dataset] for dataset in edges.inputs])],
        [named(name) for name in sorted([names[dataset] for dataset in edges.outputs])],
    )


def nominal_times(snapshot: Snapshot, runs: Collection[RunFacts]) -> dict[RunKey, Nominal]:
    """The newest nominalTime facet of each run; usually the last event has it, so the others are read only if not."""
    found: dict[RunKey, Nominal] = {}
    open_runs = list(runs)
    back = 1
    while open_runs:
        rows = {run.events[-back].seq: run.events[-back] for run in open_runs}

        def load(missing: list[int], rows: dict[int, EventRow] = rows) -> Iterator[tuple[int, Nominal | Silent]]:
            for seq, text in snapshot.reader.texts(rows[seq] for seq in missing).items():
                yield seq, _nominal_time(text)

        told = snapshot.history.nominal.fetch(rows, load)
        still = []
        for run in open_runs:
            time = told[run.events[-back].seq]
            if time:
                found[run.key] = time
            elif len(run.events) > back:
                still.append(run)
        open_runs = still
        back += 1
    return found


def _nominal_time(text: bytes) -> Nominal | Silent:
    event = decode_run(text)
    facet = ((event.run.facets if event.run else None) or {}).get("nominalTime")
    if facet is None:
        return ()
    time = NominalTime() if read.is_tombstone(bytes(facet)) else lenient(bytes(facet), NominalTime)
    return time.nominalStartTime, time.nominalEndTime


def run_summary(run: RunFacts, nominal: Nominal) -> dict[str, Any]:
    began = run.began_at
    duration = None if run.end is None or began is None else (run.end[0] - began) // 1_000_000
    data: dict[str, Any] = {
        "id": run_text(run.key[2]),
        "createdAt": instant_text(run.start[0]),
        "updatedAt": instant_text(run.events[-1].event_at),
        "nominalStartTime": nominal[0],
        "nominalEndTime": nominal[1],
        "state": run.state,
        "startedAt": None if began is None else instant_text(began),
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
