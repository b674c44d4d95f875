"""A job's name in any of its spellings enters, the job leaves: its own, or with its parents' before it as in Marquez.

A job that really has the name wins over one that is only called so.
"""

from __future__ import annotations

from lineage_hub.query.facts import job_facts
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
            if job is not None and _is_there(snapshot, job) and _is_below(snapshot, job, name[:at]):
                return job
    return None


def _is_there(snapshot: Snapshot, job: int) -> bool:
    return job not in snapshot.hidden and job in job_facts(snapshot, [job])


def _is_below(snapshot: Snapshot, job: int, prefix: str, most: int = MOST_PARENTS) -> bool:
    """Whether Marquez may show this before the job's own name: a parent's, with that one's parents before it or not.

    Every parent counts that a run of the job ever named: a task that was started by hand the last time keeps its name.
    """
    numbers = snapshot.shapes_of((job,))[job]
    shapes = snapshot.reader.shapes(numbers)
    named = {number: shapes[number].parent for number in numbers if shapes[number].subject == job}
    names = snapshot.names({parent for parent in named.values() if parent})
    fitting = {n: one for n, one in named.items() if one and f".{prefix}".endswith(f".{names[one][1]}")}
    bounds = snapshot.bounds(fitting)
    for parent in {one for number, one in fitting.items() if bounds[number] is not None}:
        above = prefix[: -len(names[parent][1])]
        if not above or (most and _is_below(snapshot, parent, above[:-1], most - 1)):
            return True
    return False
