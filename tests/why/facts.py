"""Runs as plain dictionaries enter; the facts that the search for causes takes leave."""

from __future__ import annotations

from typing import Any

from lineage_hub.lineage.causes import Facts, Run, Stage, Use
from tests.why.incidents import Incident

NAMESPACE = "shop"


def facts_of(incident: Incident) -> Facts:
    runs: dict[tuple[str, str], list[Run]] = {}
    for told in sorted(incident.runs, key=lambda one: one["start"]):
        run = run_of(told)
        runs.setdefault(run.job, []).append(run)
    asked = next(run for found in runs.values() for run in found if run.id == incident.asked)
    return Facts(asked, runs, max(run["end"] for run in incident.runs) + 60)


def run_of(told: dict[str, Any]) -> Run:
    return Run(
        id=told["id"],
        job=(NAMESPACE, told["job"]),
        state=told["state"],
        started_at=told["start"],
        ended_at=told["end"],
        expected_at=told["nominal"],
        inputs=tuple(map(_use, told["inputs"])),
        outputs=tuple(map(_use, told["outputs"])),
        code=told["code"],
        error=told["error"],
        stages=tuple(
            Stage(
                one["name"], one["span"], one["start"], one["duration"], one["skew"], one["spilled"], one["gc"],
                error=one["error"],
            )
            for one in told["stages"]
        ),
    )  # fmt: skip


def _use(told: dict[str, Any]) -> Use:
    columns = told.get("columns")
    return Use(
        (NAMESPACE, told["dataset"]), told["rows"], told["schema"], None if columns is None else frozenset(columns)
    )
