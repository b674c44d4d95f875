"""A seed enters; the runs of some weeks leave, of which the last day has one incident, and what its cause truly is.

Decoys stand beside it: things that changed too, but can't have been the cause.
"""

from __future__ import annotations

import copy
import random
from dataclasses import dataclass
from statistics import median
from typing import Any

from tests.why.worlds import FIRST_DAY, Change, World

KINDS = (
    "slow_stage",
    "skew",
    "late_upstream",
    "failed_dependency",
    "schema_change",
    "more_data",
    "code_change",
    "resources",
    "own_error",
    "unknown",
)


@dataclass(frozen=True)
class Incident:
    seed: int
    runs: list[dict[str, Any]]
    """Of all jobs, those that aren't upstream too."""
    asked: str
    """The id of the run that was late or failed."""
    kind: str
    subject: str
    """The job, dataset or stage at fault."""
    flavour: str
    decoys: tuple[str, ...]


def incident(seed: int, kind: str | None = None) -> Incident:
    dice = random.Random(seed * 7_919 + 13)
    kind = kind or dice.choice(KINDS)
    for attempt in range(200):
        world = World(seed * 1_000 + attempt)
        found = _try(world, kind, dice, seed)
        if found is not None:
            return found
    raise AssertionError(f"no incident for seed {seed}, {kind}")


def _try(world: World, kind: str, dice: random.Random, seed: int) -> Incident | None:
    world.pass_days()
    drawn = MAKERS[kind](world, dice)
    if drawn is None:
        return None
    changes, subject, flavour = drawn
    at_fault = list(changes.values())
    decoys = _decoys(world, changes, dice, kind)
    luck = dice.random()
    for _ in range(6):
        world.today_schema = {}
        before = len(world.runs)
        code = dict(world.code)
        plain = copy.deepcopy(_pass(world, {world.elsewhere: Change()}, luck))
        del world.runs[before:]
        world.code = dict(code)
        world.today_schema = {}
        told = _pass(world, changes, luck)
        asked = [run for run in told if run["job"] == world.asked]
        usual = [run for run in plain if run["job"] == world.asked]
        if not asked or not usual:
            return None
        fails = asked[-1]["state"] == "FAILED"
        if fails or _is_noticed(world, asked[-1], usual[-1]):
            return Incident(seed, world.runs, asked[-1]["id"], kind, subject, flavour, tuple(decoys))
        del world.runs[before:]
        for change in at_fault:
            _worsen(change)
    return None


def _pass(world: World, changes: dict[str, Change], luck: float) -> list[dict[str, Any]]:
    return world.pass_day(world.days, changes, random.Random(luck))


def _is_noticed(world: World, run: dict[str, Any], plain: dict[str, Any]) -> bool:
    """So late that someone asks: far beyond what the days before differ by."""
    earlier = [one for one in world.runs if one["job"] == world.asked and one["state"] == "COMPLETED"]
    earlier = [one for one in earlier if one["start"] < FIRST_DAY + world.days * world.period_s]
    ends = [(one["end"] - FIRST_DAY) % world.period_s for one in earlier]
    middle = median(ends)
    spread = 1.48 * median(abs(end - middle) for end in ends)
    # Against the same day without the incident, and against the days before.
    late = min(run["end"] - plain["end"], (run["end"] - FIRST_DAY) - world.days * world.period_s - middle)
    lasted = median(one["end"] - one["start"] for one in earlier)
    return late > 3.5 * spread and late > 0.25 * lasted and late < 0.6 * world.period_s


def _worsen(change: Change) -> None:
    change.times = 1 + (change.times - 1) * 1.8
    change.all_times = 1 + (change.all_times - 1) * 1.8
    change.rows = 1 + (change.rows - 1) * 1.8
    change.gap_s *= 1.8
    change.start_s *= 1.8
    change.retry_after_s *= 1.8
    if change.skew is not None:
        change.skew *= 1.8


Drawn = tuple[dict[str, Change], str, str] | None


def _critical_stage(world: World, job: str, dice: random.Random) -> int | None:
    """One that nothing runs beside."""
    stages = world.jobs[job].stages
    alone = [
        number
        for number, stage in enumerate(stages)
        if not stage.beside and not (number + 1 < len(stages) and stages[number + 1].beside)
    ]
    return dice.choice(alone) if alone else None


def _slow_stage(world: World, dice: random.Random) -> Drawn:
    stage = _critical_stage(world, world.asked, dice)
    if not world.tells_spans or stage is None:
        return None
    subject = world.jobs[world.asked].stages[stage].name
    return {world.asked: Change(stage=stage, times=dice.uniform(2, 6))}, subject, "slow"


def _skew(world: World, dice: random.Random) -> Drawn:
    stage = _critical_stage(world, world.asked, dice)
    if not world.tells_spans or stage is None:
        return None
    plan = world.jobs[world.asked].stages[stage]
    times = dice.uniform(2.5, 6)
    return {world.asked: Change(stage=stage, times=times, skew=plan.skew * times)}, plan.name, "skew"


def _late_upstream(world: World, dice: random.Random) -> Drawn:
    above = world.ancestors(world.asked)
    if not above:
        return None
    origin = dice.choice(above)
    flavour = dice.choice(("slow stage", "late start", "slow altogether"))
    change = Change(all_times=dice.uniform(1.8, 4))
    if flavour == "late start":
        change = Change(start_s=dice.uniform(1_800, 14_400) * world.pace)
    elif flavour == "slow stage":
        stage = _critical_stage(world, origin, dice)
        if stage is None:
            return None
        change = Change(stage=stage, times=dice.uniform(2, 8))
    return {origin: change}, origin, flavour


def _failed_dependency(world: World, dice: random.Random) -> Drawn:
    above = world.ancestors(world.asked)
    if not above:
        return None
    origin = dice.choice(above)
    flavour = dice.choice(("failed", "did not run", "tried again"))
    if flavour == "tried again":
        return {origin: Change(retry_after_s=dice.uniform(3_600, 14_400) * world.pace)}, origin, flavour
    changes = {origin: Change(absent=True)}
    if flavour == "failed":
        error = dice.choice(("ConnectionError: refused", "ValueError: bad row 17", None))
        changes = {origin: Change(fails="", error=error)}
    for between in world.way_down(origin, world.asked):
        changes[between] = Change(absent=True) if dice.random() < 0.5 else Change(fails="", error="Path does not exist")
    error = dice.choice(("Path does not exist", "FileNotFoundError: no partition of today", None))
    changes[world.asked] = Change(fails="", error=error)
    return changes, origin, flavour


def _schema_change(world: World, dice: random.Random) -> Drawn:
    asked = world.jobs[world.asked]
    if not asked.feeds:
        return None
    feed = dice.choice(asked.feeds)
    read = asked.reads[feed]
    column = dice.choice(sorted(read if read is not None else world.jobs[feed].schema))
    how = dice.choice(("gone", "narrowed", "renamed"))
    changes = {}
    subject = feed
    for one in (feed, *world.ancestors(feed)):
        if one != feed and (dice.random() < 0.5 or one not in world.jobs[subject].feeds):
            continue
        if column in world.jobs[one].schema:
            changes[one] = Change(schema=_changed(world.jobs[one].schema, column, how))
            subject = one
    named = (
        f"AnalysisException: cannot resolve column {column}" if how != "narrowed" else f"cannot cast {column} to int"
    )
    error = dice.choice((named, named, "AnalysisException: the query can't be analysed", None))
    changes[world.asked] = Change(fails="", error=error)
    return changes, f"tables.{subject}", how


def _changed(schema: dict[str, str], column: str, how: str) -> dict[str, str]:
    if how == "narrowed":
        return {
            name: ("date" if kind == "string" else "string") if name == column else kind
            for name, kind in schema.items()
        }
    kept = {name: kind for name, kind in schema.items() if name != column}
    return kept if how == "gone" else {**kept, f"{column}_v2": schema[column]}


def _more_data(world: World, dice: random.Random) -> Drawn:
    """Of a job that reads from outside most of what it reads, and works on it rather than waits."""
    job = world.jobs[world.asked]
    outside = [run["inputs"][-1]["rows"] / max(1, sum(use["rows"] for use in run["inputs"])) for run in world.runs
               if run["job"] == world.asked and run["state"] == "COMPLETED"]  # fmt: skip
    by_data = sum(stage.base_s for stage in job.stages if stage.by_data >= 0.6)
    if not job.external or median(outside) < 0.5 or by_data < 0.8 * sum(stage.base_s for stage in job.stages):
        return None
    return {world.asked: Change(rows=dice.uniform(2, 5))}, world.asked, "rows"


def _code_change(world: World, dice: random.Random) -> Drawn:
    if not world.tells_code or world.jobs[world.asked].code_changes > 0.1:
        return None
    flavour = dice.choice(("slow stage", "slow altogether", "fails"))
    change = Change(code="v99.0", all_times=dice.uniform(1.6, 3))
    if flavour == "fails":
        change = Change(code="v99.0", fails="", error=dice.choice(("KeyError: 'x'", "TypeError: NoneType", None)))
    elif flavour == "slow stage":
        stage = _critical_stage(world, world.asked, dice)
        if stage is None:
            return None
        change = Change(code="v99.0", stage=stage, times=dice.uniform(2, 6))
    return {world.asked: change}, world.asked, flavour


def _resources(world: World, dice: random.Random) -> Drawn:
    stage = _critical_stage(world, world.asked, dice)
    if not world.tells_spans or stage is None:
        return None
    subject = world.jobs[world.asked].stages[stage].name
    times = dice.uniform(2, 6)
    if dice.random() < 0.5:
        return {world.asked: Change(stage=stage, times=times, spilled=dice.uniform(1, 50) * 2**30)}, subject, "spill"
    return {world.asked: Change(stage=stage, times=times, gc_share=dice.uniform(0.5, 0.8))}, subject, "garbage"


def _own_error(world: World, dice: random.Random) -> Drawn:
    error = dice.choice(("ZeroDivisionError: division by zero", "KeyError: 'sku'", "ValueError: bad date in row 4711"))
    return {world.asked: Change(fails="", error=error)}, world.asked, "exception"


def _unknown(world: World, dice: random.Random) -> Drawn:
    flavour = dice.choice(("fails silently", "starts late", "idles", "slow altogether"))
    change = Change(fails="")
    if flavour == "starts late":
        change = Change(start_s=dice.uniform(1_800, 14_400) * world.pace)
    elif flavour == "idles":
        change = Change(gap_s=dice.uniform(600, 7_200) * world.pace)
    elif flavour == "slow altogether":
        if len(world.jobs[world.asked].stages) < 3:
            return None
        change = Change(all_times=dice.uniform(1.6, 3))
    return {world.asked: change}, world.asked, flavour


MAKERS = {
    "slow_stage": _slow_stage,
    "skew": _skew,
    "late_upstream": _late_upstream,
    "failed_dependency": _failed_dependency,
    "schema_change": _schema_change,
    "more_data": _more_data,
    "code_change": _code_change,
    "resources": _resources,
    "own_error": _own_error,
    "unknown": _unknown,
}


def _decoys(world: World, changes: dict[str, Change], dice: random.Random, kind: str) -> list[str]:
    found = []
    free = [one for one in world.ancestors(world.asked) if one not in changes]
    dice.shuffle(free)
    if dice.random() < 0.5:
        changes[world.elsewhere] = Change(fails="", error="boom")
        found.append("a job that isn't upstream failed")
    for feed in world.jobs[world.asked].feeds:
        offered = world.jobs[feed].schema
        read = world.jobs[world.asked].reads[feed]
        unread = sorted(set(offered) - read) if read is not None else []
        if feed not in free or dice.random() < 0.5:
            continue
        free.remove(feed)
        if unread and dice.random() < 0.6:
            changes[feed] = Change(schema=_changed(offered, unread[0], "gone"))
            found.append("a column that isn't read is gone")
        else:
            changes[feed] = Change(schema={**offered, "remark": "string"})
            found.append("a column was added")
    if free and dice.random() < 0.4:
        one = free.pop()
        changes[one] = Change(all_times=1 + world.jobs[one].noise)
        found.append("an upstream run was a little slower")
    if free and dice.random() < 0.4:
        changes[free.pop()] = Change(code="v77.0")
        found.append("the code of an upstream job changed without effect")
    if free and dice.random() < 0.4 and changes.get(world.asked, Change()).fails is not None:
        changes[free.pop()] = Change(retry_after_s=dice.uniform(60, 300) * world.pace)
        found.append("an upstream run failed and was well again in time")
    if free and len(world.jobs[world.asked].feeds) > 1 and changes.get(world.asked, Change()).fails is None:
        one = free.pop()
        before = _start_of_asked(world, {world.elsewhere: Change()})
        slower = Change(all_times=dice.uniform(1.3, 2))
        if abs(_start_of_asked(world, {one: slower}) - before) < 1:
            changes[one] = slower
            found.append("an upstream run was slow, but another was waited for longer")
    own = changes.get(world.asked)
    stages = world.jobs[world.asked].stages
    if own is not None and own.stage is None and own.fails is None and kind in ("unknown", "more_data"):
        for number, stage in enumerate(stages):
            if stage.beside and stage.base_s * 2.2 < stages[number - 1].base_s:
                own.stage, own.times = number, 1.6
                found.append("a stage beside a longer one was slower")
                break
    return found


def _start_of_asked(world: World, changes: dict[str, Change]) -> float:
    """On a day like that of the incident, which leaves no trace."""
    before, code = len(world.runs), dict(world.code)
    told = _pass(world, changes, 0.5)
    del world.runs[before:]
    world.code, world.today_schema = code, {}
    return next((float(run["start"]) for run in told if run["job"] == world.asked), 0.0)
