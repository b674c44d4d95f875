"""A run id or a job enters, runs with their facets and dataset versions leave.

What belongs to one run alone is read from the raw text of its events.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from msgspec import Raw

from lineage_hub.errors import InvalidRequest, NotFound
from lineage_hub.lineage.intervals import Interval
from lineage_hub.lineage.rows import EventRow
from lineage_hub.lineage.runs import RunFacts, made_whole
from lineage_hub.lineage.shapes import IN, OUT, run_key
from lineage_hub.lineage.shapes import run_id as run_text
from lineage_hub.query.facts import facet_texts, job_facts
from lineage_hub.query.horizon import begins_at
from lineage_hub.query.identity import job_version
from lineage_hub.query.intervals import (
    interval_answer,
    is_stream,
    latest_intervals,
    newest_intervals,
    runs_of_intervals,
)
from lineage_hub.query.nodes import run_summary
from lineage_hub.query.raw import of_side, raw_events, shown_facets
from lineage_hub.query.snapshot import WRITTEN, Snapshot
from lineage_hub.query.versions import Spoken, Versions
from lineage_hub.wire import facets as read
from lineage_hub.wire import instant_text
from lineage_hub.wire.described import (
    ARGUMENTS_FACET,
    Arguments,
    ErrorMessage,
    ExtractionError,
    NominalTime,
    QualityAssertions,
    QualityMetrics,
    Statistics,
    lenient,
)
from lineage_hub.wire.raw import RawDataset, RawEvent

Answer = dict[str, Any]


def find_run(snapshot: Snapshot, run_id: str) -> tuple[RunFacts | None, list[RunFacts]]:
    """The run with that id that started last, and the others that share the id."""
    runs = sorted(
        snapshot.runs_by_id([run_key(run_id)]).values(),
        key=lambda run: (run.start, snapshot.name(run.key[1])),
        reverse=True,
    )
    return (runs[0], runs[1:]) if runs else (None, [])


def run(snapshot: Snapshot, run_id: str) -> Answer:
    found, others = find_run(snapshot, run_id)
    if found is None:
        raise NotFound(f"Run '{run_id}' not found.", subject=run_id, action="check the run id and the moment")
    answer = run_answer(snapshot, found, Versions(snapshot))
    answer["job"] = _job_ref(snapshot, found.key[1])
    if others:
        answer["sharedWith"] = [_job_ref(snapshot, other.key[1]) for other in others]
    return answer


def _job_ref(snapshot: Snapshot, job: int) -> dict[str, str]:
    namespace, name = snapshot.name(job)
    return {"namespace": namespace, "name": name}


def run_facets(snapshot: Snapshot, run_id: str, kind: str) -> Answer:
    found, _ = find_run(snapshot, run_id)
    if found is None:
        raise NotFound(f"Run '{run_id}' not found.", subject=run_id, action="check the run id and the moment")
    if kind == "run":
        events = raw_events(snapshot, found.events)
        facets = _shown(snapshot, found, events, newest_run_facets(events))
    elif kind == "job":
        facts = job_facts(snapshot, [found.key[1]])[found.key[1]]
        facets = {name: Raw(text) for name, text in facet_texts(snapshot, facts).items()}
    else:
        raise InvalidRequest(f"type={kind[:40]!r} is unknown", subject="type", action="use run or job")
    return {"runId": run_id, "facets": facets}


def runs_of_job(snapshot: Snapshot, job: int, limit: int, offset: int, *, expand: bool = False) -> Answer:
    if is_stream(snapshot, job) and not expand:
        intervals = newest_intervals(snapshot, job)
        total = len(intervals)
        page = [(one, False) for one in intervals[offset : offset + limit]]
        answers = _interval_answers(snapshot, job, page, Versions(snapshot))
    else:
        total = snapshot.reader.count_runs(job)
        rows = snapshot.reader.starts(job, limit, offset)
        runs = snapshot.runs_of(rows)
        answers = run_answers(snapshot, [runs[row.run_key] for row in rows], Versions(snapshot))
    named = named_runs(snapshot, job)
    if len(answers) < limit and named:
        skip = max(offset - total, 0)
        answers += named[skip : skip + limit - len(answers)]
    return {"runs": answers, "totalCount": total + len(named), **begins_at(snapshot)}


def latest_runs_of_job(snapshot: Snapshot, job: int, limit: int, versions: Versions) -> list[Answer]:
    if is_stream(snapshot, job):
        answers = _interval_answers(snapshot, job, latest_intervals(snapshot, job, limit), versions)
    else:
        rows = snapshot.reader.starts(job, limit)
        runs = snapshot.runs_of(rows)
        answers = run_answers(snapshot, [runs[row.run_key] for row in rows], versions)
    if len(answers) < limit:
        answers += named_runs(snapshot, job)[: limit - len(answers)]
    return answers


def _interval_answers(
    snapshot: Snapshot, job: int, shown: Sequence[tuple[Interval, bool]], versions: Versions
) -> list[Answer]:
    last = runs_of_intervals(snapshot, job, [one for one, _ in shown])
    answers = run_answers(snapshot, last, versions)
    for (one, more), run, answer in zip(shown, last, answers, strict=True):
        if one.runs > 1 or more:
            answer["interval"] = interval_answer(snapshot, job, one, run, more=more)
    return answers


def named_runs(snapshot: Snapshot, job: int) -> list[Answer]:
    """Runs that only their children tell of, the one named last first."""
    named = snapshot.reader.named_runs(job)
    if not named:
        return []
    own = snapshot.reader.own_runs(job, named)
    found = [(first, run_text(key), last) for key, (first, last) in named.items() if key not in own]
    return [_named_run(first, name, last) for first, name, last in sorted(found, reverse=True)]


def _named_run(first: int, name: str, last: int) -> Answer:
    return {
        "id": name,
        "createdAt": instant_text(first),
        "updatedAt": instant_text(last),
        "nominalStartTime": None,
        "nominalEndTime": None,
        "state": "NEW",
        "startedAt": None,
        "endedAt": None,
        "durationMs": None,
        "args": {},
        "jobVersion": None,
        "inputDatasetVersions": [],
        "outputDatasetVersions": [],
        "facets": {},
        "namedOnly": True,
    }


def run_answer(snapshot: Snapshot, found: RunFacts, versions: Versions) -> Answer:
    return run_answers(snapshot, [found], versions)[0]


def run_answers(snapshot: Snapshot, found: Collection[RunFacts], versions: Versions) -> list[Answer]:
    """For many runs at once: their texts and what their datasets need are read together."""
    events = iter(raw_events(snapshot, [row for run in found for row in run.events]))
    snapshot.load_shapes({dataset for run in found for dataset in run.inputs | run.outputs})
    return [_run_answer(snapshot, run, [next(events) for _ in run.events], versions) for run in found]


def _run_answer(snapshot: Snapshot, found: RunFacts, events: list[tuple[Any, RawEvent]], versions: Versions) -> Answer:
    facets = newest_run_facets(events)
    nominal = lenient(bytes(facets["nominalTime"]) if "nominalTime" in facets else None, NominalTime)
    half = snapshot.other_half(found)
    answer = run_summary(made_whole(found, half), (nominal.nominalStartTime, nominal.nominalEndTime))
    if half is not None:
        answer["endedAs" if found.is_open else "startedAs"] = _job_ref(snapshot, half.key[1])
    job = found.key[1]
    namespace, name = snapshot.name(job)
    answer["args"] = _arguments(facets)
    if found.has_datasets:
        version = job_version(snapshot, job, found)
        answer["jobVersion"] = {"namespace": namespace, "name": name, "version": version}
    answer["inputDatasetVersions"] = _datasets(snapshot, found, events, versions, written=False)
    if found.state == "COMPLETED" or found.outputs:
        answer["outputDatasetVersions"] = _datasets(snapshot, found, events, versions, written=True)
    if "errorMessage" in facets:
        answer["error"] = lenient(bytes(facets["errorMessage"]), ErrorMessage)
    if "extractionError" in facets:
        answer["extractionError"] = lenient(bytes(facets["extractionError"]), ExtractionError)
    answer["facets"] = _shown(snapshot, found, events, facets)
    return answer


def _shown(
    snapshot: Snapshot, found: RunFacts, events: list[tuple[EventRow, RawEvent]], facets: dict[str, Raw]
) -> dict[str, Raw]:
    if not snapshot.rules:
        return facets
    holders = [(row, _observed((event.run.facets if event.run else None) or {})) for row, event in events]
    return shown_facets(snapshot, found.key[0], "run", facets, holders)


def newest_run_facets(events: list[tuple[Any, RawEvent]]) -> dict[str, Raw]:
    newest: dict[str, Raw] = {}
    for _, event in events:
        newest.update(_observed((event.run.facets if event.run else None) or {}))
    return {name: newest[name] for name in sorted(newest) if not read.is_tombstone(bytes(newest[name]))}


def _observed(facets: dict[str, Raw]) -> dict[str, Raw]:
    return {name: facet for name, facet in facets.items() if bytes(facet)[:1] == b"{"}


def _arguments(facets: dict[str, Raw]) -> dict[str, str]:
    """What Marquez makes of the nominal time and the parent, and those that were given when the run was declared."""
    arguments: dict[str, str] = {}
    if "nominalTime" in facets:
        start = lenient(bytes(facets["nominalTime"]), NominalTime).nominalStartTime
        if start:
            arguments["nominal_start_time"] = start
    above = read.parent_facet({name: bytes(facet) for name, facet in facets.items()})
    parent = read.parent(above) if above is not None else None
    if parent is not None:
        arguments.update(run_id=parent[1], name=parent[0][1], namespace=parent[0][0])
    if ARGUMENTS_FACET in facets:
        arguments.update(lenient(bytes(facets[ARGUMENTS_FACET]), Arguments).arguments)
    return arguments


def _datasets(
    snapshot: Snapshot, found: RunFacts, events: list[tuple[Any, RawEvent]], versions: Versions, *, written: bool
) -> list[Answer]:
    """Under present names; a dataset that is gone since then shows the name it had, and no version."""
    groups, alive = datasets_of_run(snapshot, found, written=written)
    names = snapshot.names({*groups, *(name for group in groups.values() for name in group)})
    sides = [of_side(event, OUT if written else IN) for _, event in events]
    answers = []
    for dataset in sorted(groups, key=names.__getitem__):
        namespace, name = names[dataset]
        version = versions.of_run(dataset, alive[dataset], found, written=written) if dataset in alive else None
        own = _own_facets(sides, {names[one] for one in groups[dataset]}, written)
        answer: Answer = {
            "datasetVersionId": {"namespace": namespace, "name": name, "version": version},
            "facets": shown_facets(snapshot, found.key[0], "output" if written else "input", own),
        }
        counted = own.get("outputStatistics" if written else "inputStatistics")
        if counted is not None:
            answer["statistics"] = lenient(bytes(counted), Statistics)
        if "dataQualityMetrics" in own:
            answer["quality"] = lenient(bytes(own["dataQualityMetrics"]), QualityMetrics)
        if "dataQualityAssertions" in own:
            answer["assertions"] = lenient(bytes(own["dataQualityAssertions"]), QualityAssertions).assertions
        answers.append(answer)
    return answers


def datasets_of_run(
    snapshot: Snapshot, found: RunFacts, *, written: bool
) -> tuple[dict[int, set[int]], dict[int, list[Spoken]]]:
    """By dataset, the names that the run has for it; and what of that lies on it at present, if anything does."""
    shapes = snapshot.reader.shapes({row.shape for row in found.events})
    alive: dict[int, list[Spoken]] = {}
    groups: dict[int, set[int]] = {}
    for row in found.events:
        for mention in shapes[row.shape].mentions:
            if (mention.side in WRITTEN) == written:
                lies_on = snapshot.place_mention(row, shapes[row.shape], mention, found)
                named = mention.dataset if lies_on is None else lies_on
                dataset = snapshot.joined((named,)).of(named)
                groups.setdefault(dataset, set()).add(mention.dataset)
                if lies_on is not None:
                    alive.setdefault(dataset, []).append((row, mention))
    return groups, alive


def _own_facets(
    sides: list[dict[tuple[str, str], RawDataset]], names: Collection[tuple[str, str]], written: bool
) -> dict[str, Raw]:
    newest: dict[str, Raw] = {}
    for side in sides:
        # Several names of one dataset speak in the order of the event; to go through all for each costs a square.
        present = [name for name in names if name in side] if len(names) == 1 else [n for n in side if n in names]
        for name in present:
            dataset = side[name]
            newest.update(_observed((dataset.outputFacets if written else dataset.inputFacets) or {}))
    return {name: newest[name] for name in sorted(newest) if not read.is_tombstone(bytes(newest[name]))}
