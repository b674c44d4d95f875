"""A job's name in any of its spellings enters, the job leaves: its own, or with its parents' before it as in Marquez.

A job that really has the name wins over one that is only called so.
"""

from __future__ import annotations

from lineage_hub.query.facts import job_facts
from lineage_hub.query.nodes import parents
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.store import tables

# Parents of parents; a circle of them must end somewhere.
MOST_PARENTS = 10


def named_job(snapshot: Snapshot, namespace: str, name: str) -> int | None:
    job = snapshot.reader.find(tables.JOB, namespace, name)
    if job is not None and _is_there(snapshot, job):
        return job
    return job_of_alias(snapshot, namespace, name)


def job_of_alias(snapshot: Snapshot, namespace: str, name: str) -> int | None:
    """The job that `{parent}.{name}` stands for; of several the one with the longest name of its own."""
    for at, char in enumerate(name):
        if char == ".":
            job = snapshot.reader.find(tables.JOB, namespace, name[at + 1 :])
            if job is not None and _is_there(snapshot, job) and name[:at] in _prefixes(snapshot, job):
                return job
    return None


def _is_there(snapshot: Snapshot, job: int) -> bool:
    return job not in snapshot.hidden and job in job_facts(snapshot, [job])


def _prefixes(snapshot: Snapshot, job: int) -> set[str]:
    """What Marquez may show before the job's own name: its parent's name, with that one's parents before it or not."""
    found: set[str] = set()
    tails = {""}
    for _ in range(MOST_PARENTS):
        above = parents(snapshot, snapshot.latest_runs([job])).get(job)
        if above is None:
            break
        name = snapshot.name(above)[1]
        tails = {f"{name}.{tail}" if tail else name for tail in tails}
        found |= tails
        job = above
    return found
