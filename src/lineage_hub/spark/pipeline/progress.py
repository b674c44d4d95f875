"""What Spark runs at the moment enters, again and again; how far each group of jobs is leaves."""

from __future__ import annotations

from lineage_hub.spark.jobs import JobStore, RunningJob
from lineage_hub.spark.pipeline.status import Far


class Progress:
    """A load is many jobs, one after the other: those that have ended count too."""

    def __init__(self, store: JobStore) -> None:
        self._store = store
        self._seen: dict[int, RunningJob] = {}

    def look(self) -> dict[str, Far]:
        """Of each group that was ever seen."""
        running = {job.id: job for job in self._store.running()}
        ended = {number: job.as_ended() for number, job in self._seen.items() if number not in running}
        self._seen = ended | running
        groups: dict[str, list[RunningJob]] = {}
        for job in self._seen.values():
            groups.setdefault(job.group, []).append(job)
        return {group: _far(jobs) for group, jobs in groups.items()}


def _far(jobs: list[RunningJob]) -> Far:
    """Never all of it: what comes after the jobs that Spark knows is not known."""
    tasks, done = sum(job.tasks for job in jobs), sum(job.tasks_done for job in jobs)
    return Far(min(99, 100 * done // tasks) if tasks else 0, max(job.records_in for job in jobs) or None)
