"""A seed enters; jobs that feed each other leave, and what each of their runs does on one day, drawn from that seed.

Days differ by noise, growth and weekday. Nothing here knows how causes are looked for: runs are plain dictionaries.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field
from statistics import median
from typing import Any

DAY_S = 86_400.0
# A Thursday, midnight UTC.
FIRST_DAY = 1_767_830_400.0
TYPES = ("string", "bigint", "int", "double", "date", "timestamp", "decimal(10,2)")
WORDS = ("orders", "items", "users", "stock", "prices", "visits", "clicks", "refunds", "parcels", "invoices", "ratings")
VERBS = ("extract", "clean", "join", "rank", "load", "merge", "score", "daily")


@dataclass
class StagePlan:
    name: str
    base_s: float
    noise: float
    skew: float
    beside: bool
    """Runs beside the stage before it rather than after it."""
    by_data: float


@dataclass
class JobPlan:
    name: str
    feeds: list[str]
    stages: list[StagePlan]
    clock_s: float
    lag_s: float
    noise: float
    weekday: dict[int, float]
    growth: float
    rows: float
    schema: dict[str, str]
    external: bool
    reads: dict[str, set[str] | None] = field(default_factory=dict)
    code_changes: float = 0.03


@dataclass
class Change:
    """What is different on the day of the incident, for one job."""

    stage: int | None = None
    times: float = 1.0
    all_times: float = 1.0
    gap_s: float = 0.0
    skew: float | None = None
    spilled: float = 0.0
    gc_share: float = 0.0
    rows: float = 1.0
    start_s: float = 0.0
    fails: str | None = None
    error: str | None = None
    absent: bool = False
    retry_after_s: float = 0.0
    code: str | None = None
    schema: dict[str, str] | None = None
    external_schema: dict[str, str] | None = None


class World:
    def __init__(self, seed: int) -> None:
        self.rng = rng = random.Random(seed)
        self.days = rng.randint(14, 40)
        # Most run once a day, some once an hour and are as much shorter.
        self.period_s = rng.choice((DAY_S, DAY_S, DAY_S, 3_600.0))
        self.pace = self.period_s / DAY_S
        self.tells_spans = rng.random() < 0.9
        self.tells_nominal = rng.random() < 0.4
        self.tells_code = rng.random() < 0.85
        self.jobs: dict[str, JobPlan] = {}
        self.runs: list[dict[str, Any]] = []
        self.code = {}
        self.base_work: dict[str, float] = {}
        self.today_schema: dict[str, dict[str, str]] = {}
        self._number = 0
        words = rng.sample(WORDS, len(WORDS))
        shape = rng.choice(("chain", "fan", "diamond", "mixed"))
        for number, feeds in enumerate(self._edges(shape)):
            self._plan(f"{rng.choice(VERBS)}_{words[number]}", [list(self.jobs)[one] for one in feeds])
        self.asked = list(self.jobs)[-1]
        # A job beside the others, which nothing here reads from.
        self._plan(f"{rng.choice(VERBS)}_elsewhere", [])
        self.elsewhere = list(self.jobs)[-1]

    def _edges(self, shape: str) -> list[list[int]]:
        rng = self.rng
        if shape == "chain":
            return [[n - 1] if n else [] for n in range(rng.randint(2, 5))]
        if shape == "fan":
            width = rng.randint(2, 4)
            return [[] for _ in range(width)] + [list(range(width))]
        if shape == "diamond":
            tail = [[3]] if rng.random() < 0.5 else []
            return [[], [0], [0], [1, 2], *tail]
        return [[], [], [0], [0, 1], [2, 3], *([[4]] if rng.random() < 0.5 else [])]

    def _plan(self, name: str, feeds: list[str]) -> None:
        rng = self.rng
        stages = []
        for number in range(rng.randint(2, 6)):
            stages.append(
                StagePlan(
                    f"{rng.choice(('scan', 'exchange', 'join', 'aggregate', 'write', 'sort'))} at step {number}",
                    math.exp(rng.uniform(math.log(60), math.log(2_400))) * self.pace,
                    rng.uniform(0.03, 0.12),
                    rng.uniform(1.1, 2.5),
                    number > 0 and not stages[-1].beside and rng.random() < 0.25,
                    rng.choice((0.0, 0.6, 0.9, 1.0)),
                )
            )
        stages[0].by_data = 0.9
        columns = rng.sample(
            ["id", "at", "amount", "country", "status", "email", "total", "code", "price", "sku", "city"],
            rng.randint(4, 9),
        )
        weekday = {}
        if rng.random() < 0.4:
            weekday = {day: rng.uniform(0.4, 0.8) for day in (5, 6)}
        elif rng.random() < 0.3:
            weekday = {rng.randrange(7): rng.uniform(1.3, 1.8)}
        job = JobPlan(
            name,
            feeds,
            stages,
            rng.uniform(0, 6) * 3_600 * self.pace if not feeds else 0.0,
            rng.uniform(5, 120) * self.pace,
            rng.uniform(0.02, 0.16),
            weekday,
            rng.uniform(-0.002, 0.012),
            math.exp(rng.uniform(math.log(5_000), math.log(5_000_000))),
            {one: rng.choice(TYPES) for one in columns},
            not feeds or rng.random() < 0.3,
            code_changes=rng.choice((0.0, 0.02, 0.05, 0.1, 0.4)),
        )
        for feed in feeds:
            known = rng.random() < 0.6
            offered = list(self.jobs[feed].schema)
            job.reads[feed] = set(rng.sample(offered, rng.randint(2, len(offered)))) if known else None
        if feeds and rng.random() < 0.35:
            # By a clock of its own, but never before its feeds are there.
            job.clock_s = -1.0
        self.code[name] = f"v{rng.randint(1, 9)}.0"
        self.jobs[name] = job

    def ancestors(self, name: str) -> list[str]:
        found: list[str] = []
        for feed in self.jobs[name].feeds:
            found += [one for one in (feed, *self.ancestors(feed)) if one not in found]
        return found

    def way_down(self, origin: str, name: str) -> list[str]:
        """Every job between them."""
        return [one for one in self.jobs if origin in self.ancestors(one) and one in self.ancestors(name)]

    # Days

    def pass_days(self) -> None:
        # Those who wait by a clock of their own have it set after a few days, which are forgotten.
        for day in range(-3, 0):
            self.pass_day(day, {}, self.rng)
        self._set_clocks()
        self.runs.clear()
        for day in range(self.days):
            self.pass_day(day, {}, self.rng)

    def _set_clocks(self) -> None:
        for job in self.jobs.values():
            if job.clock_s == -1.0:
                starts = [(run["start"] - FIRST_DAY) % self.period_s for run in self.runs if run["job"] == job.name]
                job.clock_s = max(starts) + self.rng.uniform(0, 1_800) * self.pace

    def pass_day(self, day: int, changes: dict[str, Change], rng: random.Random) -> list[dict[str, Any]]:
        today = changes is not None and bool(changes)
        told: list[dict[str, Any]] = []
        ends: dict[str, float | None] = {}
        rows_out: dict[str, float] = {}
        for name, job in self.jobs.items():
            change = changes.get(name, Change())
            # Draws are the same whatever the changes, so that two passes of one day differ by these alone.
            dice = random.Random(rng.random())
            run = self._run(day, job, change, dice, ends, rows_out, today)
            told += run
        self.runs += told
        return told

    def _run(self, day, job, change, dice, ends, rows_out, today) -> list[dict[str, Any]]:  # type: ignore[no-untyped-def]
        midnight = FIRST_DAY + day * self.period_s
        weekday = int(midnight // DAY_S) % 7 if self.period_s == DAY_S else -1
        amount = job.rows * (1 + job.growth) ** day * job.weekday.get(weekday, 1.0) * math.exp(dice.gauss(0, 0.06))
        amount = amount * change.rows if job.external else 0.0
        # In days of history a flaky run fails now and then and is tried again, and some days are bad without a reason.
        flaky = dice.random() < 0.015 and not today
        bad = dice.uniform(1.5, 3) if dice.random() < 0.02 and not today else 1.0
        durations = []
        work = amount + sum(rows_out.get(feed, 0.0) for feed in job.feeds)
        scale = work / self.base_work.setdefault(job.name, work) if work else 1.0
        own = math.exp(dice.gauss(0, job.noise)) * bad
        for number, stage in enumerate(job.stages):
            took = stage.base_s * own * scale**stage.by_data * math.exp(dice.gauss(0, stage.noise)) * change.all_times
            skew = max(1.0, stage.skew * math.exp(dice.gauss(0, 0.1)))
            spilled, gc = 0.0, took * dice.uniform(0.01, 0.04)
            if change.stage == number:
                took *= change.times
                skew = change.skew or skew
                spilled = change.spilled
                gc += took * change.gc_share
            durations.append((stage, took, skew, spilled, gc))
        if dice.random() < job.code_changes and not (today and job.code_changes < 0.4):
            self.code[job.name] = f"v{int(self.code[job.name][1:].split('.')[0]) + 1}.0"
        if change.absent:
            ends[job.name] = None
            return []
        waits = [ends[feed] for feed in job.feeds]
        jitter = abs(dice.gauss(0, 30)) * self.pace
        if any(end is None for end in waits):
            # It doesn't wait for ever: at its usual time it begins all the same.
            began = [(run["start"] - FIRST_DAY) % self.period_s for run in self.runs if run["job"] == job.name]
            start = max([midnight + median(began or [0.0]), *(end for end in waits if end is not None)]) + job.lag_s
        else:
            clock = midnight + job.clock_s if job.clock_s > 0 else 0.0
            start = max(clock, *(end + job.lag_s for end in waits), 0.0) + jitter
        start += change.start_s
        nominal = midnight + max(job.clock_s, 0.0)
        inputs = [
            {"dataset": f"tables.{feed}", "rows": int(rows_out[feed]), "schema": dict(self.schema(feed)),
             "columns": sorted(job.reads[feed]) if job.reads[feed] is not None else None}
            for feed in job.feeds if feed in rows_out
        ]  # fmt: skip
        if job.external:
            schema = change.external_schema or job.schema
            inputs.append({"dataset": f"landing.{job.name}", "rows": int(amount), "schema": schema, "columns": None})
        told = []
        if flaky or change.retry_after_s:
            failed_after = dice.uniform(5, 60) * self.pace
            told.append(
                self._told(job, start, start + failed_after, "FAILED", nominal, inputs, [], [], "IOError: reset")
            )
            start += failed_after + (change.retry_after_s or dice.uniform(120, 600) * self.pace)
        stages, end = self._lay_out(start, durations, change.gap_s, job)
        output = {"dataset": f"tables.{job.name}", "rows": int(work * 0.8), "schema": dict(self.schema(job.name))}
        if change.schema is not None:
            output["schema"] = change.schema
        state = "COMPLETED"
        if change.fails is not None:
            state, end = "FAILED", start + (end - start) * dice.uniform(0.02, 0.6)
            stages = [one for one in stages if one["start"] + one["duration"] <= end]
        ends[job.name] = end if state == "COMPLETED" else None
        if state == "COMPLETED":
            rows_out[job.name] = work * 0.8
            if change.schema is not None:
                self.today_schema[job.name] = change.schema
        code = change.code or self.code[job.name]
        outputs = [output] if state == "COMPLETED" else []
        told.append(self._told(job, start, end, state, nominal, inputs, outputs, stages, change.error, code))
        return told

    def schema(self, name: str) -> dict[str, str]:
        return self.today_schema.get(name) or self.jobs[name].schema

    def _lay_out(self, start, durations, gap_s, job) -> tuple[list[dict[str, Any]], float]:  # type: ignore[no-untyped-def]
        stages: list[dict[str, Any]] = []
        at = start + 2.0 * self.pace
        began = at
        for stage, took, skew, spilled, gc in durations:
            begin = began if stage.beside else at
            self._number += 1
            stages.append(
                {"name": stage.name, "span": f"{self._number:016x}", "start": begin, "duration": took, "skew": skew,
                 "spilled": spilled, "gc": gc, "error": None}
            )  # fmt: skip
            began = begin
            at = max(at, begin + took)
        return stages, at + 1.0 * self.pace + gap_s

    def _told(self, job, start, end, state, nominal, inputs, outputs, stages, error, code=None) -> dict[str, Any]:  # type: ignore[no-untyped-def]
        self._number += 1
        return {
            "id": f"018f0000-0000-7000-8000-{self._number:012d}",
            "job": job.name,
            "start": start,
            "end": end,
            "state": state,
            "nominal": nominal if self.tells_nominal else None,
            "inputs": inputs,
            "outputs": outputs,
            "stages": stages if self.tells_spans else [],
            "error": error,
            "code": (code or self.code[job.name]) if self.tells_code else None,
        }
