"""A run id or a job enters, runs with their facets and dataset versions leave.

What belongs to one run alone is read from the raw text of its events.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from msgspec import Raw

from lineage_hub.errors import InvalidRequest, NotFound
from lineage_hub.lineage.intervals import Interval
from lineage_hub.lineage.rows import RunKey
from lineage_hub.lineage.runs import RunFacts
from lineage_hub.lineage.shapes import run_id as run_text
from lineage_hub.lineage.shapes import run_key
from lineage_hub.query.facts import facet_texts, job_facts
from lineage_hub.query.horizon import begins_at
from lineage_hub.query.intervals import (
    interval_answer,
    is_stream,
    latest_intervals,
    newest_intervals,
    runs_of_intervals,
)
from lineage_hub.query.latest import SHOWN, load_latest
from lineage_hub.query.raw import raw_events
from lineage_hub.query.run_answers import (
    RunAnswers,
    job_ref,
    newest_run_facets,
    run_answer,
    run_answers,
    shown_run_facets,
)
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.query.versions import Versions
from lineage_hub.store.tables import JOB
from lineage_hub.wire import instant_text

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
    if found is not None:
        answer = run_answer(snapshot, found, Versions(snapshot))
        jobs = [one.key[1] for one in (found, *others)]
    else:
        named = only_named(snapshot, run_id)
        first, last = next(iter(named.values()))
        answer, jobs = _named_run(first, run_id, last), list(dict.fromkeys(key[1] for key in named))
    answer["job"] = job_ref(snapshot, jobs[0])
    if len(jobs) > 1:
        answer["sharedWith"] = [job_ref(snapshot, job) for job in jobs[1:]]
    return answer


def only_named(snapshot: Snapshot, run_id: str) -> dict[RunKey, tuple[int, int]]:
    """Runs with that id that only their children tell of, with the first and last time they do; the last one first."""
    found = snapshot.reader.naming_run(run_key(run_id), snapshot.ordered(JOB, None))
    if not found:
        raise NotFound(f"Run '{run_id}' not found.", subject=run_id, action="check the run id and the moment")
    return dict(sorted(found.items(), key=lambda one: (*one[1], snapshot.name(one[0][1])), reverse=True))


def run_facets(snapshot: Snapshot, run_id: str, kind: str) -> Answer:
    found, _ = find_run(snapshot, run_id)
    job = found.key[1] if found is not None else next(iter(only_named(snapshot, run_id)))[1]
    facets: dict[str, Raw] = {}
    if kind == "run":
        if found is not None:
            events = raw_events(snapshot, found.events)
            facets = shown_run_facets(snapshot, found, events, newest_run_facets(events))
    elif kind == "job":
        facts = job_facts(snapshot, [job])[job]
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


def latest_runs_of_jobs(
    snapshot: Snapshot, jobs: Collection[int], versions: Versions
) -> dict[int, tuple[list[Answer], set[int]]]:
    """With the datasets whose versions those of each job show."""
    load_latest(snapshot, jobs)
    streams = {job for job in jobs if is_stream(snapshot, job)}
    shown = {job: [] if job in streams else snapshot.latest[job].runs[:SHOWN] for job in jobs}
    described = RunAnswers(snapshot, [run for runs in shown.values() for run in runs], versions)
    few = [job for job in jobs if len(shown[job]) < SHOWN]
    named = _named_runs(snapshot, few) if few else {}
    found: dict[int, tuple[list[Answer], set[int]]] = {}
    for job in jobs:
        versions.asked = set()
        if job in streams:
            answers = _interval_answers(snapshot, job, latest_intervals(snapshot, job, SHOWN), versions)
        else:
            answers = described.of(shown[job])
        if len(answers) < SHOWN:
            answers += named[job][: SHOWN - len(answers)]
        found[job] = answers, versions.asked
    return found


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
    return _named_runs(snapshot, [job])[job]


def _named_runs(snapshot: Snapshot, jobs: Collection[int]) -> dict[int, list[Answer]]:
    answers: dict[int, list[Answer]] = {}
    for job, named in snapshot.reader.named_runs(jobs).items():
        own = snapshot.reader.own_runs(job, named) if named else set()
        found = [(first, run_text(key), last) for key, (first, last) in named.items() if key not in own]
        answers[job] = [_named_run(first, name, last) for first, name, last in sorted(found, reverse=True)]
    return answers


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
