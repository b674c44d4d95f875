"""Runs of three weeks, written shortly: one a day for each job, at the same time and as long but for some noise."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

from lineage_hub.lineage.causes import Explanation, Facts, Run, Stage, Use, explain

DAY = 86_400.0
# A Monday, midnight UTC.
FIRST = 1_767_571_200.0
HOUR, MINUTE = 3_600.0, 60.0


def use(name: str, rows: int | None = None, columns: str = "", **schema: str) -> Use:
    return Use(("shop", name), rows, schema or None, frozenset(columns.split()) if columns else None)


def daily(
    job: str, at: float, took: float, feeds: tuple[str, ...] = (), days: int = 21, noise: float = 10.0, **more: Any
) -> list[Run]:
    """`at` is the time of the day in seconds; each writes the dataset of its own name."""
    dice = random.Random(job)
    found = []
    for day in range(days):
        start = FIRST + day * DAY + at + dice.gauss(0, noise)
        inputs = more.get("inputs") or tuple(use(feed) for feed in feeds)
        found.append(
            Run(
                f"{job}-{day}", ("shop", job), "COMPLETED", start, start + took + dice.gauss(0, noise),
                inputs=inputs, outputs=more.get("outputs") or (use(job),),
                stages=stages(start, more["stages"], dice) if "stages" in more else (),
                **{name: value for name, value in more.items() if name not in ("inputs", "outputs", "stages")},
            )
        )  # fmt: skip
    return found


def stages(start: float, parts: dict[str, tuple[float, float]], dice: random.Random | None = None) -> tuple[Stage, ...]:
    """Of each name when it begins, counted from the start of the run, and how long it takes."""
    return tuple(
        Stage(name, f"{name}@{start:.0f}", start + begin, took + (dice.gauss(0, 1) if dice else 0), 1.5, 0.0, 1.0)
        for name, (begin, took) in parts.items()
    )


def late(run: Run, begins: float = 0.0, lasts: float = 0.0, **more: Any) -> Run:
    """The same, but so many seconds later and longer."""
    assert run.ended_at is not None
    return replace(run, started_at=run.started_at + begins, ended_at=run.ended_at + begins + lasts, **more)


def asked(*jobs: list[Run], now: float | None = None) -> Explanation:
    """Of the last run of the last job."""
    facts = facts_of(*jobs, now=now)
    return explain(facts)


def facts_of(*jobs: list[Run], now: float | None = None) -> Facts:
    last = jobs[-1][-1]
    end = max(run.ended_at or run.started_at for runs in jobs for run in runs)
    ordered = {runs[0].job: sorted(runs, key=lambda run: run.started_at) for runs in jobs}
    return Facts(last, ordered, now or end + 60)


def kinds(answer: Explanation) -> list[str]:
    return [cause.kind for cause in answer.causes]
