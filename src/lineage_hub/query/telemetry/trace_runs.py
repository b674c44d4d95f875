"""A page of traces enters, each with the runs that its spans name; the same page leaves, with the jobs of the runs.

Runs that name a trace themselves, or that only fit its time, are told of the trace alone: to find them takes its spans.
"""

from __future__ import annotations

from lineage_hub.lineage.shapes import run_id as run_text
from lineage_hub.lineage.shapes import run_key
from lineage_hub.query.nodes import named
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.query.telemetry.asking import Answer

MOST_OF_ONE = 10


def with_jobs(snapshot: Snapshot, page: Answer) -> Answer:
    """Of each trace the first runs, and how many there are."""
    told = snapshot.reader.runs({run_key(run) for one in page["traces"] for run in one["runs"][:MOST_OF_ONE]})
    names = snapshot.names({job for _, job, _ in told})
    # Of several jobs that have a run of this id the one whose run started last, as everywhere.
    ordered = sorted(told, key=lambda key: (min(row.ord for row in told[key]), names[key[1]]))
    jobs = {run_text(run): named(names[job]) for _, job, run in ordered}
    found = [
        {
            **one,
            "runs": [{"id": run, "job": jobs.get(run)} for run in one["runs"][:MOST_OF_ONE]],
            "runCount": len(one["runs"]),
        }
        for one in page["traces"]
    ]
    return {**page, "traces": found}
