"""Jobs enter; their latest runs leave as the search for causes takes them: times, datasets, records, code, error.

All is read for many runs at once; what belongs to one run alone comes from the text of its events.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import replace

from lineage_hub.lineage.causes import Run, Stage, Use
from lineage_hub.lineage.rows import RunKey
from lineage_hub.lineage.runs import READ, RunFacts
from lineage_hub.lineage.shapes import IN, IN_RAW, OUT, RUN_EVENT, WRITTEN
from lineage_hub.lineage.shapes import run_id as run_text
from lineage_hub.query.facts import mentions_of
from lineage_hub.query.raw import of_side, raw_events
from lineage_hub.query.run_answers import newest_run_facets
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.wire import facets as read
from lineage_hub.wire import instant
from lineage_hub.wire.described import ErrorMessage, NominalTime, Schema, Statistics, lenient
from lineage_hub.wire.raw import RawEvent

SECOND_NS = 1_000_000_000
_PAGE, _MOST_PAGES = 200, 25
# Facets of a job that hold its code itself; where it lies says more, if that is told.
_CODE_FACETS = ("sourceCode", "sql")
Name = tuple[str, str]


def runs_until(snapshot: Snapshot, job: int, until: int, most: int) -> list[RunFacts]:
    """Those that had started by then, at most so many, in order of their start."""
    found: list[RunFacts] = []
    for page in range(_MOST_PAGES):
        rows = snapshot.reader.starts(job, _PAGE, page * _PAGE)
        runs = snapshot.runs_of(row for row in rows if row.event_at <= until)
        found += [runs[row.run_key] for row in rows if row.event_at <= until]
        if len(found) >= most or len(rows) < _PAGE:
            break
    return found[:most][::-1]


def writers_of(snapshot: Snapshot, datasets: Collection[int]) -> set[int]:
    """Jobs of which any run ever wrote one of them."""
    snapshot.load_shapes(datasets)
    found = set()
    for dataset in datasets:
        names = snapshot.names_under(dataset)
        by_name = snapshot.shapes_of(names)
        shapes = snapshot.reader.shapes({number for name in names for number in by_name[name]})
        found |= {
            shape.subject
            for shape in shapes.values()
            if shape.kind == RUN_EVENT and any(one.side in WRITTEN for one in mentions_of(shape, names))
        }
    return found


def children_of(snapshot: Snapshot, job: int, runs: Collection[RunFacts]) -> dict[RunKey, list[RunFacts]]:
    """Runs that name one of these as their parent, such as the stages of a pipeline."""
    found = snapshot.runs_by_id(snapshot.reader.child_runs([(job, run.key[2]) for run in runs]))
    wanted = {run.key for run in runs}
    children: dict[RunKey, list[RunFacts]] = {}
    for child in found.values():
        parents = {(row.tenant, row.parent, row.parent_run) for row in child.events if row.parent and row.parent_run}
        for parent in parents & wanted:
            children.setdefault(parent, []).append(child)
    return children


def with_children(run: Run, children: Sequence[Run]) -> Run:
    """What its children read from elsewhere it reads, and they are its stages."""
    if not children:
        return run
    children = sorted(children, key=lambda child: (child.started_at, child.id))
    inputs = {use.dataset: use for child in children for use in child.inputs}
    outputs = {use.dataset: use for child in children for use in child.outputs}
    return replace(
        run,
        inputs=run.inputs or tuple(use for name, use in inputs.items() if name not in outputs),
        outputs=run.outputs or tuple(outputs.values()),
        stages=_stages_of(children),
    )


def _stages_of(children: Sequence[Run]) -> tuple[Stage, ...]:
    """Of runs of one job those that failed are attempts of the one after them."""
    found: list[Stage] = []
    tried: dict[Name, Stage] = {}
    seen: dict[Name, int] = {}
    for child in children:
        if child.ended_at is None:
            continue
        before = tried.pop(child.job, None)
        started_at = before.started_at if before is not None else child.started_at
        number = seen[child.job] = seen.get(child.job, 0) + (before is None)
        stage = Stage(
            name=child.job[1] if number == 1 else f"{child.job[1]} ({number})",
            span_id="",
            started_at=started_at,
            duration_s=child.ended_at - started_at,
            attempts=1 + (before.attempts if before is not None else 0),
            error=(child.error or "failed") if child.failed else None,
            run_id=child.id,
        )
        if before is not None:
            found.remove(before)
        found.append(stage)
        if child.failed:
            tried[child.job] = stage
    return tuple(found)


def datasets_read(snapshot: Snapshot, runs: Collection[RunFacts]) -> set[int]:
    """Under their present representatives."""
    named = {dataset for run in runs for dataset in run.inputs}
    return {snapshot.joined((dataset,)).of(dataset) for dataset in named}


def described(snapshot: Snapshot, runs: Sequence[RunFacts]) -> dict[RunKey, Run]:
    texts = iter(raw_events(snapshot, [row for run in runs for row in run.events]))
    return {run.key: _described(snapshot, run, [next(texts) for _ in run.events]) for run in runs}


def _described(snapshot: Snapshot, run: RunFacts, events: list[tuple[object, RawEvent]]) -> Run:
    facets = newest_run_facets(events)
    nominal = lenient(bytes(facets["nominalTime"]) if "nominalTime" in facets else None, NominalTime)
    error = lenient(bytes(facets["errorMessage"]) if "errorMessage" in facets else None, ErrorMessage)
    inputs, outputs = _uses(snapshot, run, [event for _, event in events])
    return Run(
        id=run_text(run.key[2]),
        job=snapshot.name(run.key[1]),
        state=run.state,
        started_at=run.start[0] / SECOND_NS,
        ended_at=run.end[0] / SECOND_NS if run.end is not None else None,
        expected_at=_seconds(nominal.nominalStartTime),
        inputs=inputs,
        outputs=outputs,
        code=_code(snapshot, run),
        error=error.message,
    )


def _seconds(text: str | None) -> float | None:
    from lineage_hub.errors import LineageHubError

    try:
        return instant(text, "nominalStartTime") / SECOND_NS if text else None
    except LineageHubError:
        return None


def _code(snapshot: Snapshot, run: RunFacts) -> str | None:
    """Its version where a location tells one, else a digest of the code."""
    if run.location is not None:
        url, _, version = run.location.partition("\0")
        return version or url or None
    shapes = snapshot.reader.shapes({row.shape for row in run.events})
    for facet in _CODE_FACETS:
        blobs = [shapes[row.shape].job_facets.get(facet, IN_RAW) for row in run.events]
        told = [blob for blob in blobs if blob != IN_RAW]
        if told:
            return hashlib.sha256(snapshot.reader.blobs(told[-1:])[told[-1]]).hexdigest()[:12]
    return None


def _uses(snapshot: Snapshot, run: RunFacts, events: list[RawEvent]) -> tuple[tuple[Use, ...], tuple[Use, ...]]:
    shapes = snapshot.reader.shapes({row.shape for row in run.events})
    schemas: dict[tuple[bool, Name], int] = {}
    rows: dict[tuple[bool, Name], int | None] = {}
    columns: list[int] = []
    for row, event in zip(run.events, events, strict=True):
        shape = shapes[row.shape]
        sides = {False: of_side(event, IN), True: of_side(event, OUT)}
        for mention in shape.mentions:
            lies_on = snapshot.place_mention(row, shape, mention, run)
            dataset = mention.dataset if lies_on is None else snapshot.joined((lies_on,)).of(lies_on)
            written = mention.side not in READ
            use = (written, snapshot.name(dataset))
            rows.setdefault(use, None)
            if mention.facets.get("schema", IN_RAW) != IN_RAW:
                schemas[use] = mention.facets["schema"]
            if written and mention.facets.get("columnLineage", IN_RAW) != IN_RAW:
                columns.append(mention.facets["columnLineage"])
            told = sides[written].get(snapshot.name(mention.dataset))
            facets = (told.outputFacets if written else told.inputFacets) if told is not None else None
            counted = (facets or {}).get("outputStatistics" if written else "inputStatistics")
            if counted is not None:
                rows[use] = lenient(bytes(counted), Statistics).rowCount
    bodies = snapshot.reader.blobs({*schemas.values(), *columns})
    made_from = _columns_read(snapshot, [bodies[blob] for blob in columns])
    uses = [
        (written, Use(name, counted, _schema(bodies.get(schemas.get((written, name), IN_RAW))), made_from.get(name)))
        for (written, name), counted in sorted(rows.items(), key=lambda one: one[0])
    ]
    return tuple(use for written, use in uses if not written), tuple(use for written, use in uses if written)


def _schema(body: bytes | None) -> dict[str, str] | None:
    if body is None or read.is_tombstone(body):
        return None
    return {field.name: field.type or "" for field in lenient(body, Schema).fields if field.name} or None


def _columns_read(snapshot: Snapshot, bodies: Collection[bytes]) -> dict[Name, frozenset[str]]:
    """Of each input that column lineage names; of others nothing is known."""
    found: dict[Name, set[str]] = {}
    for body in bodies:
        told = read.column_lineage(body)
        for one in (*(each for field in told.fields.values() for each in field.inputFields), *told.dataset):
            found.setdefault((one.namespace, one.name), set()).add(one.field)
    return {name: frozenset(columns) for name, columns in found.items()}
