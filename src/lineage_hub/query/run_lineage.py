"""A run enters; the runs that made what it read, and those that made what they read, leave.

A step goes from a run to the versions of its inputs and on to the runs that wrote them.
"""

from __future__ import annotations

from typing import Any

from lineage_hub.errors import NotFound
from lineage_hub.lineage.rows import RunKey
from lineage_hub.lineage.runs import RunFacts
from lineage_hub.lineage.shapes import run_id as run_text
from lineage_hub.query.identity import job_version
from lineage_hub.query.run_answers import datasets_of_run
from lineage_hub.query.runs import find_run
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.query.versions import Versions
from lineage_hub.wire import instant_text

Answer = dict[str, Any]


def upstream_runs(snapshot: Snapshot, run_id: str, depth: int, limit: int) -> Answer:
    first, _ = find_run(snapshot, run_id)
    if first is None:
        raise NotFound(f"Run '{run_id}' not found.", subject=run_id, action="check the run id and the moment")
    versions = Versions(snapshot)
    answers: list[Answer] = []
    seen: set[RunKey] = {first.key}
    frontier = [first]
    hidden = 0
    for step in range(depth + 1):
        fresh: dict[RunKey, RunFacts] = {}
        for run in frontier:
            if len(answers) == limit:
                hidden += 1
                continue
            answer, origins = _upstream_run(snapshot, run, versions)
            answers.append(answer)
            fresh.update({one.key: one for one in origins if one.key not in seen})
        if step == depth:
            break
        seen |= fresh.keys()
        names = snapshot.names({key[1] for key in fresh})
        frontier = sorted(fresh.values(), key=lambda run: (names[run.key[1]], run_text(run.key[2])))
    return {"runs": answers, "truncated": hidden > 0, "hidden_runs": hidden}


def _upstream_run(snapshot: Snapshot, run: RunFacts, versions: Versions) -> tuple[Answer, list[RunFacts]]:
    _, alive = datasets_of_run(snapshot, run, written=False)
    names = snapshot.names({*alive, run.key[1]})
    inputs, origins = [], []
    for dataset in sorted(alive, key=names.__getitem__):
        version = versions.read_by(dataset, alive[dataset], run)
        origin = version.run if version else None
        if origin is not None:
            origins.append(origin)
        inputs.append(
            {
                "namespace": names[dataset][0],
                "name": names[dataset][1],
                "version": version.id if version else None,
                "producedByRunId": run_text(origin.key[2]) if origin else None,
            }
        )
    job = names[run.key[1]]
    answer = {
        "job": {
            "namespace": job[0],
            "name": job[1],
            "version": job_version(snapshot, run.key[1], run) if run.has_datasets else None,
        },
        "run": {
            "id": run_text(run.key[2]),
            "start": None if run.began_at is None else instant_text(run.began_at),
            "end": None if run.end is None else instant_text(run.end[0]),
            "status": run.state,
        },
        "inputs": inputs,
    }
    return answer, origins
