"""A run enters; the runs that name it as their parent leave, and those that name these, in the order of their starts.

A run has one parent: the one that the last of its events names which names any.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from lineage_hub.lineage.rows import RunKey
from lineage_hub.lineage.runs import RunFacts
from lineage_hub.lineage.shapes import run_id as run_text
from lineage_hub.lineage.shapes import run_key
from lineage_hub.query.horizon import begins_at
from lineage_hub.query.nodes import named
from lineage_hub.query.runs import only_named
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.wire import instant_text

Answer = dict[str, Any]
# Runs that one answer reads, of all levels.
MOST_RUNS = 10_000
_MS = 1_000_000


class Below(NamedTuple):
    by_parent: dict[RunKey, list[RunFacts]]
    truncated: bool
    """Whether there are more than one answer reads."""


def children_of_run(snapshot: Snapshot, run_id: str, depth: int, limit: int, offset: int) -> Answer:
    """A page of them; a run comes before those that are parts of it."""
    asked = snapshot.runs_by_id([run_key(run_id)]).keys() or only_named(snapshot, run_id).keys()
    below = _below(snapshot, asked, depth)
    every = [one for key in sorted(asked) for one in _in_turn(snapshot, below.by_parent, key, 1)]
    return {
        "runId": run_id,
        "children": [_answer(snapshot, *one) for one in every[offset : offset + limit]],
        "totalCount": len(every),
        "truncated": below.truncated,
        **begins_at(snapshot),
    }


def _below(snapshot: Snapshot, asked: Collection[RunKey], depth: int) -> Below:
    by_parent: dict[RunKey, list[RunFacts]] = {}
    met = set(asked)
    level = set(asked)
    left, truncated = MOST_RUNS, False
    shown_as: dict[RunKey, RunKey] = {}
    for _ in range(depth):
        ids = sorted(snapshot.reader.child_runs([(job, run) for _, job, run in level]))
        truncated = truncated or len(ids) > left
        found = snapshot.runs_by_id(ids[:left]) if ids else {}
        fresh = {key: run for key, run in found.items() if key not in met and _parent_of(run) in level}
        shown_as |= _halves(snapshot, fresh)
        for key, run in fresh.items():
            parent = _parent_of(run)
            if parent is not None and key not in shown_as:
                by_parent.setdefault(shown_as.get(parent, parent), []).append(snapshot.whole_run(run))
        left -= min(len(ids), left)
        met |= fresh.keys()
        level = set(fresh)
        if not level:
            break
    return Below(by_parent, truncated)


def _parent_of(run: RunFacts) -> RunKey | None:
    for row in reversed(run.events):
        if row.parent and row.parent_run is not None:
            return row.tenant, row.parent, row.parent_run
    return None


def _halves(snapshot: Snapshot, runs: dict[RunKey, RunFacts]) -> dict[RunKey, RunKey]:
    """A run whose job was renamed meanwhile is told in two halves: the first is shown as the one that tells its end."""
    halves = {key: snapshot.other_half(run) for key, run in runs.items() if run.is_open}
    return {key: half.key for key, half in halves.items() if half is not None and half.key in runs}


def _in_turn(
    snapshot: Snapshot, by_parent: dict[RunKey, list[RunFacts]], parent: RunKey, depth: int
) -> Iterator[tuple[RunFacts, RunKey, int]]:
    """With the parent of each, and how deep it stands."""
    runs = by_parent.get(parent, [])
    names = snapshot.names({run.key[1] for run in runs})
    for run in sorted(runs, key=lambda run: (run.start[0], names[run.key[1]], run.key)):
        yield run, parent, depth
        yield from _in_turn(snapshot, by_parent, run.key, depth + 1)


def _answer(snapshot: Snapshot, run: RunFacts, parent: RunKey, depth: int) -> Answer:
    began, end = run.began_at, run.end[0] if run.end is not None else None
    return {
        "id": run_text(run.key[2]),
        "parent": run_text(parent[2]),
        "depth": depth,
        "job": named(snapshot.name(run.key[1])),
        "state": run.state,
        "createdAt": instant_text(run.start[0]),
        "startedAt": instant_text(began) if began is not None else None,
        "endedAt": instant_text(end) if end is not None else None,
        "durationMs": (end - began) // _MS if end is not None and began is not None else None,
    }
