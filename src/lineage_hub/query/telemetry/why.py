"""A run enters; why it was late or failed leaves: causes in order, each with the runs, datasets, spans and figures.

Lineage says what lies upstream and how runs went; spans say what they did meanwhile, where there are any.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from lineage_hub.errors import NotFound, Transient
from lineage_hub.lineage.causes import Cause, Explanation, Facts, Name, Run, Stage, explain
from lineage_hub.lineage.rows import RunKey
from lineage_hub.lineage.runs import RunFacts
from lineage_hub.model import Scope
from lineage_hub.query.runs import find_run
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.query.telemetry.asking import Answer, Telemetry
from lineage_hub.query.telemetry.run_history import (
    children_of,
    datasets_read,
    described,
    runs_until,
    with_children,
    writers_of,
)
from lineage_hub.query.telemetry.run_stages import stages_of_runs
from lineage_hub.wire import instant_text

EARLIER_RUNS = 40
MOST_JOBS = 60
SECOND_NS = 1_000_000_000


@dataclass(slots=True)
class _Gathered:
    """The run that is asked about and its job's runs, then those of jobs upstream, the nearest first."""

    asked: RunFacts
    runs: dict[int, list[RunFacts]] = field(default_factory=dict)
    children: dict[RunKey, list[RunFacts]] = field(default_factory=dict)
    """Of those that name no dataset themselves."""
    left_out: int = 0


def why(store: Telemetry | None, scope: Scope, snapshot: Snapshot, run_id: str, now: int) -> Answer:
    """Without telemetry it answers from lineage alone."""
    asked, _ = find_run(snapshot, run_id)
    if asked is None:
        raise NotFound(f"Run '{run_id}' not found.", subject=run_id, action="check the run id and the moment")
    gathered = _gather(snapshot, asked)
    told = _told(snapshot, gathered)
    facts = _facts(gathered, told, now)
    found = explain(facts)
    telemetry: Answer = {"state": "none", "runs": 0, "inferred": 0}
    if store is not None:
        # Lineage says which runs went otherwise than usual; only what they did meanwhile matters.
        jobs = facts.jobs_looked_into() | {facts.run.job}
        runs = [run for runs in gathered.runs.values() for run in runs if told[run.key].job in jobs]
        stages, telemetry = _stages(store, scope, snapshot, runs, now)
        told |= {key: replace(told[key], stages=parts) for key, parts in stages.items() if parts}
        found = explain(_facts(gathered, told, now))
    return {
        **_answer(told[asked.key], found, {run.id: run for run in told.values()}),
        "telemetry": telemetry,
        "jobsLookedAt": len(gathered.runs),
        "truncated": gathered.left_out > 0,
    }


def _gather(snapshot: Snapshot, asked: RunFacts) -> _Gathered:
    gathered = _Gathered(asked)
    until = asked.start[0]
    frontier = {asked.key[1]}
    while frontier:
        names = snapshot.names(frontier)
        for job in sorted(frontier, key=names.__getitem__):
            if len(gathered.runs) >= MOST_JOBS:
                gathered.left_out += 1
                continue
            runs = gathered.runs[job] = runs_until(snapshot, job, until, EARLIER_RUNS + 1)
            if not any(run.has_datasets for run in runs):
                gathered.children |= children_of(snapshot, job, runs)
        # What the parts of a run hand to each other doesn't come from upstream.
        inside = {child.key[1] for found in gathered.children.values() for child in found}
        fresh = [run for job in frontier for run in gathered.runs.get(job, ())]
        fresh += [child for run in fresh for child in gathered.children.get(run.key, ())]
        frontier = writers_of(snapshot, datasets_read(snapshot, fresh)) - gathered.runs.keys() - inside
        if gathered.left_out:
            break
    own = gathered.runs[asked.key[1]]
    if asked not in own:
        own.append(asked)
    return gathered


def _stages(
    store: Telemetry, scope: Scope, snapshot: Snapshot, runs: list[RunFacts], now: int
) -> tuple[dict[RunKey, tuple[Stage, ...]], Answer]:
    try:
        stages, guessed = stages_of_runs(store, scope, snapshot, runs, now)
    except Transient as error:
        # What lineage knows is worth an answer, if that says what it lacks.
        return {}, {"state": "unavailable", "runs": 0, "inferred": 0, "message": str(error)}
    return stages, {"state": "used", "runs": len(stages), "inferred": len(guessed)}


def _told(snapshot: Snapshot, gathered: _Gathered) -> dict[RunKey, Run]:
    inner = {child.key: child for found in gathered.children.values() for child in found}
    told = described(snapshot, [*inner.values(), *(run for found in gathered.runs.values() for run in found)])
    for key, children in gathered.children.items():
        told[key] = with_children(told[key], [told[child.key] for child in children])
    return told


def _facts(gathered: _Gathered, told: dict[RunKey, Run], now: int) -> Facts:
    runs: dict[Name, list[Run]] = {}
    for found in gathered.runs.values():
        for run in found:
            runs.setdefault(told[run.key].job, []).append(told[run.key])
    for ordered in runs.values():
        ordered.sort(key=lambda run: run.started_at)
    return Facts(told[gathered.asked.key], runs, now / SECOND_NS)


def _answer(run: Run, found: Explanation, by_id: dict[str, Run]) -> Answer:
    return {
        "run": _run(run),
        "verdict": found.verdict,
        "sentence": found.sentence,
        "delaySeconds": found.delay_s,
        "earlierRuns": found.earlier_runs,
        "causes": [_cause(one, by_id) for one in found.causes],
    }


def _cause(cause: Cause, by_id: dict[str, Run]) -> Answer:
    evidence = cause.evidence
    return {
        "kind": cause.kind,
        "score": round(cause.score, 3),
        "subject": cause.subject,
        "sentence": cause.sentence,
        "delaySeconds": cause.delay_s,
        "evidence": {
            "runs": [_run(by_id[one]) for one in dict.fromkeys(evidence.runs) if one in by_id],
            "datasets": [{"namespace": namespace, "name": name} for namespace, name in evidence.datasets],
            "spans": list(evidence.spans),
            "figures": [
                {"name": one.name, "usual": one.usual, "now": one.now, "unit": one.unit} for one in evidence.figures
            ],
            "messages": list(evidence.messages),
        },
        "because": [_cause(one, by_id) for one in cause.because],
    }


def _run(run: Run) -> Answer:
    return {
        "id": run.id,
        "job": {"namespace": run.job[0], "name": run.job[1]},
        "state": run.state,
        "startedAt": instant_text(round(run.started_at * 1e6) * 1000),
        "endedAt": instant_text(round(run.ended_at * 1e6) * 1000) if run.ended_at is not None else None,
    }
