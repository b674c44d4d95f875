"""A store and a horizon enter; a sweep up to it, by the sweeper of the hub, leaves; and what answers may lose by it."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from lineage_hub.ingest.intake import Intake
from lineage_hub.lineage.habits import WRITES_KEPT
from lineage_hub.server.sweeping import DAY_NS, Progress, Sweeper
from lineage_hub.settings import load_settings
from lineage_hub.store.open import LineageStore
from tests.oracle.identity import time_ns

Json = Any
# Lists of what happened, and what is said of an event that came late.
HISTORY = ("latestRuns", "interval", "horizon", "warnings")


def sweep(
    store: LineageStore,
    horizon_at: int,
    *,
    slice_events: int = 10,
    writes_kept: int = WRITES_KEPT,
    tenants: str = "default",
) -> Progress:
    """Of each of these tenants, one day after the horizon. So few writes leave more to go in a short history."""
    ages = ",".join(f"{tenant}=1" for tenant in tenants.split(","))
    settings = load_settings({"lineage_retention": ages, "log_level": "error"}, environ={})

    async def work() -> Progress:
        intake = Intake(store, settings, lambda: horizon_at + DAY_NS)
        intake.start()
        try:
            sweeper = Sweeper(store, intake, settings, lambda: horizon_at + DAY_NS)
            sweeper.slice_events, sweeper.step_events, sweeper.writes_kept = slice_events, 3, writes_kept
            await sweeper.begin()
            return sweeper.progress
        finally:
            await intake.stop()

    progress = asyncio.run(work())
    assert progress.error is None, progress
    return progress


class Loss:
    """Compares answers before and after a sweep: what is about the present may not differ in anything."""

    def __init__(self, horizon_at: int) -> None:
        self._horizon_at = horizon_at
        self.found: list[str] = []

    def compare(self, before: dict[str, bytes], after: dict[str, bytes]) -> None:
        for question, text in before.items():
            was, now = json.loads(text), json.loads(after[question])
            problem = self._differs(question, was, now)
            if problem:
                self.found.append(
                    f"{question}: {problem}"[:1500] + f"\n  before {was}"[:1500] + f"\n  after  {now}"[:1500]
                )

    def _differs(self, question: str, was: Json, now: Json) -> str | None:
        kind = question.split(" ")[0]
        if kind == "producers":
            was, now = ({one["producer"]: one["lastEventAt"] for one in each["producers"]} for each in (was, now))
            return None if was == now else "who was heard last"
        if kind == "overview":
            return self._overview(was, now)
        if kind == "badges":
            return self._badges(was["badges"], now["badges"])
        if kind in ("timeline", "schemas", "quality", "statistics"):
            return None if self._young(was) == self._young(now) else "young ones went"
        if (
            kind in ("event", "run", "events", "comparison")
            or "facets of run" in question
            or "lineage of run" in question
        ):
            return self._may_be_gone(kind, was, now)
        if was is None or now is None:
            return None if was == now else "there before or after only"
        if now.get("horizon") if isinstance(now, dict) else False:
            now = {key: value for key, value in now.items() if key != "horizon"}
        if question.startswith(("runs of", "versions of")):
            return self._list(was, now, *(("runs", "id") if question.startswith("runs") else ("versions", "version")))
        if question.startswith("evidence"):
            kept = ("id", "origin", "destination", "firstSeen", "lastSeen")
            return None if all(was[key] == now[key] for key in kept) else "first and last seen"
        if question.startswith(("ever", "30d")):
            return self._window(was, now)
        return None if self._present(was) == self._present(now) else "the present differs"

    def _overview(self, was: Json, now: Json) -> str | None:
        """What there is, and how checks stand, stays; what happened may go, unless it is from after the horizon."""
        for part in ("counts", "failingChecks"):
            if was[part] != now[part]:
                return f"{part}: {was[part]}, {now[part]}"
        late, still = ([one for one in each["lateDatasets"]["items"] if not one["learned"]] for each in (was, now))
        if late != still:
            return "what is late by what was set"
        changes, known = (each["schemaChanges"]["items"] for each in (was, now))
        if known != [one for one in changes if time_ns(one["at"]) > self._horizon_at]:
            return "young changes of schemas"
        if any(now["runs"][state] > was["runs"][state] for state in was["runs"]):
            return "more runs than before"
        failed, left = ([(one["run"], one["failedAt"]) for one in each["failedRuns"]["items"]] for each in (was, now))
        if any(one not in left for one in failed if time_ns(one[1]) > self._horizon_at):
            return "young runs that failed went"
        hours, after = (
            [one for one in each["events"]["perHour"] if time_ns(one["from"]) > self._horizon_at] for each in (was, now)
        )
        return None if hours == after else "young events went"

    def _badges(self, was: Json, now: Json) -> str | None:
        """Only a habit may be another: it is learned from what is left."""
        if [one["id"] for one in was] != [one["id"] for one in now]:
            return "nodes"
        for one, after in zip(was, now, strict=True):
            habitual = one.get("learned") or after.get("learned")
            if one != (after | {key: one[key] for key in ("freshness", "learned")} if habitual else after):
                return f"{one['id']}: {one}, {after}"
        return None

    def _may_be_gone(self, kind: str, was: Json, now: Json) -> str | None:
        if now is None:
            return None
        if kind == "events":
            lost = [event for event in now["events"] if event not in was["events"]]
            young = [event for event in was["events"] if time_ns(event["eventTime"]) > self._horizon_at]
            return "new ones" if lost else "young ones went" if any(e not in now["events"] for e in young) else None
        return None if self._present(was) == self._present(now) else "differs"

    def _list(self, was: Json, now: Json, items: str, key: str) -> str | None:
        """Those that are left are as they were, in their order; those from after the horizon are left."""
        if was is None or now is None:
            return None if was == now else "gone as a whole"
        # Two tenants may use one run id.
        before = {(one[key], one["createdAt"]): self._present(one) for one in was[items]}
        left = [(one[key], one["createdAt"]) for one in now[items]]
        for name, one in zip(left, now[items], strict=True):
            if name not in before:
                return f"{name} is new"
            old_version = items == "versions" and "facets" in one and time_ns(one["createdAt"]) <= self._horizon_at
            if not old_version and self._present(one) != before[name]:
                return f"{name} is not what it was: {one}, {before[name]}"
        if left != [name for name in before if name in set(left)]:
            return "the order"
        young = {name for name in before if time_ns(name[1]) > self._horizon_at}
        return None if young <= set(left) else "young ones went"

    def _young(self, value: Json) -> Json:
        """What of a history is from after the horizon, by its times."""
        if isinstance(value, list):
            return sorted(time for one in value for time in self._young(one))
        if not isinstance(value, dict):
            return []
        times = [value[key] for key in ("at", "startedAt") if value.get(key) and time_ns(value[key]) > self._horizon_at]
        return sorted([*times, *(time for one in value.values() for time in self._young(one))])

    def _window(self, was: Json, now: Json) -> str | None:
        nodes = {node["id"] for node in was["graph"]}
        return None if {node["id"] for node in now["graph"]} <= nodes else "nodes that weren't there"

    def _present(self, value: Json) -> Json:
        """Without the lists of what happened, and without versions that a run read before the horizon."""
        if isinstance(value, list):
            return [self._present(one) for one in value]
        if not isinstance(value, dict):
            return value
        value = {key: self._present(one) for key, one in value.items() if key not in HISTORY}
        if value.get("startedAt") and time_ns(value["startedAt"]) <= self._horizon_at:
            value["inputDatasetVersions"] = [
                {**one, "datasetVersionId": {**one["datasetVersionId"], "version": None}}
                for one in value.get("inputDatasetVersions", ())
            ]
        return value
