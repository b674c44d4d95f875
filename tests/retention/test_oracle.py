"""What a hub says of the present after a sweep is what the oracle makes of all events, the removed ones included."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from lineage_hub.server.sweeping import DAY_NS
from tests.oracle.events import Name, distinct
from tests.oracle.identity import time_ns
from tests.oracle.view import Dataset, Job, dataset_node, view
from tests.properties.agreement import Agreement, Difference, differ, told_columns
from tests.properties.hubs import Hub, ask_for, fresh_hub
from tests.properties.questions import DEPTH
from tests.properties.sizes import SOAK, TIMEOUT_S
from tests.retention.routines import Routine

pytestmark = [pytest.mark.slow, pytest.mark.timeout(TIMEOUT_S)]


@dataclass
class Present(Agreement):
    """Without the lists of what happened."""

    def _events(self) -> Iterator[Difference]:
        yield from ()

    def _job(self, name: Name, job: Job) -> Iterator[Difference]:
        told = self._ask(ask_for("namespaces", name[0], "jobs", name[1]))
        for what in ("inputs", "outputs"):
            listed = Counter((one["namespace"], one["name"]) for one in told[what])
            yield from differ(f"{name} {what}", listed, Counter(getattr(job, what)))
        yield from differ(f"{name} facets", told["facets"], job.facets)
        times = time_ns(told["createdAt"]), time_ns(told["updatedAt"])
        yield from differ(f"{name} times", times, (job.created_at, job.updated_at))
        runs = [run for run in self.view.runs.values() if run.job == name]
        if runs:
            latest = max(runs, key=lambda run: run.started_at).started_at
            yield from differ(f"{name} latest run", time_ns(told["latestRun"]["startedAt"]), latest)

    def _dataset(self, name: Name, dataset: Dataset) -> Iterator[Difference]:
        told = self._ask(ask_for("namespaces", name[0], "datasets", name[1]))
        yield from differ(f"{name} deleted", bool(told.get("deleted")), dataset.deleted)
        yield from differ(f"{name} facets", told["facets"], dataset.facets)
        times = time_ns(told["createdAt"]), time_ns(told["updatedAt"])
        yield from differ(f"{name} times", times, (dataset.created_at, dataset.updated_at))
        if dataset.versions:
            versions = self._ask(ask_for("namespaces", *_path(name), "versions", told["currentVersion"]))
            created = dataset.version_created[dataset.versions[-1]][0]
            yield from differ(f"{name} current version", time_ns(versions["createdAt"]), created)

    def _columns(self, name: Name) -> Iterator[Difference]:
        answer = self._ask(ask_for("column-lineage", nodeId=dataset_node(name), depth=DEPTH, withDownstream="true"))
        own = {edge for edge in told_columns(answer) if name in (edge[0][:2], edge[1][:2])}
        yield from differ(f"columns of {name}", own, {e for e in self.view.columns if name in (e[0][:2], e[1][:2])})

    def _graphs(self, kind: str, edges: set[tuple[str, str, str | None]]) -> Iterator[Difference]:
        if kind == "current":
            yield from super()._graphs(kind, edges)


def _path(name: Name) -> tuple[str, str, str]:
    return name[0], "datasets", name[1]


def swept(hub: Hub, horizon_at: int) -> int:
    hub.clock.now = horizon_at + DAY_NS
    for tenant in ("default", "team-b"):
        assert hub.client.put(f"/api/v1/retention/{tenant}", b'{"days": 1}')[0] == 200
    assert hub.post("/retention/sweep", b"")[0] == 202
    while (found := hub.ask(ask_for("retention"))[1])["sweep"]["running"]:
        pass
    assert found["sweep"]["error"] is None, found
    return int(found["sweep"]["eventsRemoved"])


@pytest.mark.parametrize("seed", range(200 if SOAK else 4))
def test_the_hub_and_the_oracle_agree_on_the_present_after_a_sweep(seed: int) -> None:
    taken = Routine(1_000 + seed).taken(80)
    times = sorted(event.at for event in distinct(taken))
    horizon_at = times[len(times) * 3 // 4]
    with fresh_hub(taken) as hub:
        removed = swept(hub, horizon_at)
        assert len(times) > 60
        assert removed > 0
        for t in (None, horizon_at):
            found = Present(hub, view(taken, t), t).differences()
            assert not found, f"{removed} removed, as of {t}: {len(found)} differences\n" + "\n".join(found[:10])
