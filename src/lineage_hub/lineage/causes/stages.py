"""The stages of a slow run and of the runs before it enter; those that made it slow leave, each with its seconds.

Only what lies on the critical path counts: a stage beside a longer one may take its time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lineage_hub.lineage.causes.facts import Run, Stage
from lineage_hub.lineage.causes.findings import RESOURCES, RETRIES, SKEW, SLOW_STAGE, Cause, Evidence, Figure, shown_s
from lineage_hub.lineage.causes.usual import Usual, usual_amount

_LEAST_S = 0.5
# Less than that more on disk is no trouble.
_SPILL_BYTES = 64 * 2**20


@dataclass(frozen=True, slots=True)
class _Compared:
    stage: Stage
    usual: Usual
    expected_s: float


Before = dict[str, list[tuple[float, Stage]]]


def slow_stages(run: Run, earlier: Sequence[Run], data_ratio: float) -> list[Cause]:
    """`data_ratio` is how many times the usual records there were: so much longer is no stage's own fault."""
    before: Before = {}
    for old in earlier:
        for stage in old.stages:
            before.setdefault(stage.name, []).append((old.started_at, stage))
    compared = _compare(run, before, data_ratio)
    critical = {stage.subject for stage in critical_path(run.stages)}
    found = []
    for one in compared:
        seconds = _gained_s(one, run.stages) if one.stage.subject in critical else 0.0
        certainty = one.usual.certainty(one.stage.duration_s)
        if seconds > 0 and certainty > 0:
            found.append(_cause(one, run, before[one.stage.name], seconds, certainty))
    return sorted(found, key=lambda cause: cause.delay_s or 0.0, reverse=True)


def critical_path(stages: Sequence[Stage]) -> list[Stage]:
    """From the stage that ended last backwards: each time the one that ended last before it began."""
    path: list[Stage] = []
    left = sorted(stages, key=lambda stage: stage.ended_at)
    while left:
        last = left.pop()
        path.append(last)
        # Clocks of several machines differ a little.
        left = [stage for stage in left if stage.ended_at <= last.started_at + 0.05 * last.duration_s]
    return path[::-1]


def _compare(run: Run, before: Before, data_ratio: float) -> list[_Compared]:
    found = []
    for stage in run.stages:
        samples = [(at, then.duration_s) for at, then in before.get(stage.name, ())]
        took = usual_amount(samples, run.started_at, floor=_LEAST_S)
        if took is not None:
            found.append(_Compared(stage, took, took.value * max(1.0, data_ratio)))
    if len(found) < 3:
        return found
    # What made nearly all stages slower by as much is no matter of one stage.
    ratios = sorted(one.stage.duration_s / max(one.expected_s, 1e-9) for one in found)
    together = max(1.0, ratios[len(ratios) // 4])
    return [_Compared(one.stage, one.usual, one.expected_s * together) for one in found]


def _gained_s(one: _Compared, stages: Sequence[Stage]) -> float:
    """By how much earlier what follows could have begun, had the stage taken as long as usual."""
    stage = one.stage
    beside = [other.ended_at for other in stages if other is not stage and other.ended_at <= stage.ended_at]
    return stage.ended_at - max(stage.started_at + one.expected_s, *beside, stage.started_at)


def _cause(one: _Compared, run: Run, then: Sequence[tuple[float, Stage]], seconds: float, certainty: float) -> Cause:
    stage = one.stage
    figures = [Figure("duration", round(one.usual.value, 3), round(stage.duration_s, 3), "s")]
    took = f"took {shown_s(stage.duration_s)} instead of {shown_s(one.usual.value)}"
    kind, sentence = SLOW_STAGE, f"stage {stage.name!r} {took}"
    skew = usual_amount([(at, old.skew) for at, old in then if old.skew is not None], run.started_at, floor=0.3)
    gc = usual_amount([(at, old.gc_s) for at, old in then if old.gc_s is not None], run.started_at, floor=0.5)
    spills = sorted(old.spilled_bytes for _, old in then if old.spilled_bytes is not None)
    if stage.attempts > max((old.attempts for _, old in then), default=1):
        kind, sentence = RETRIES, f"stage {stage.name!r} needed {stage.attempts} attempts and {took}"
        figures.append(Figure("attempts", 1, stage.attempts))
    elif skew is not None and stage.skew is not None and _is_skewed(stage, skew, seconds):
        kind = SKEW
        sentence = (
            f"stage {stage.name!r} {took}: its longest task took {stage.skew:.3g} times as long as the middle one, "
            f"usually {skew.value:.3g} times"
        )
        figures.append(Figure("skew", round(skew.value, 3), round(stage.skew, 3)))
    elif spills and stage.spilled_bytes is not None and stage.spilled_bytes > 3 * spills[-1] + _SPILL_BYTES:
        kind = RESOURCES
        middle = spills[len(spills) // 2]
        spilled, middle_text = _shown_bytes(stage.spilled_bytes), _shown_bytes(middle)
        sentence = f"stage {stage.name!r} {took}: it spilled {spilled} to disk, usually {middle_text}"
        figures.append(Figure("spilled", middle, stage.spilled_bytes, "By"))
    elif (
        gc is not None and stage.gc_s is not None and stage.gc_s - gc.value > 0.4 * seconds and gc.certainty(stage.gc_s)
    ):
        kind = RESOURCES
        collected, usually = shown_s(stage.gc_s), shown_s(gc.value)
        sentence = f"stage {stage.name!r} {took}: {collected} of it collected garbage, usually {usually}"
        figures.append(Figure("garbage collection", round(gc.value, 3), round(stage.gc_s, 3), "s"))
    return Cause(kind, certainty, stage.subject, sentence, evidence_of(run, (stage,), tuple(figures)), seconds)


def evidence_of(
    run: Run, stages: Sequence[Stage], figures: tuple[Figure, ...] = (), messages: tuple[str, ...] = ()
) -> Evidence:
    inner = [stage.run_id for stage in stages if stage.run_id is not None]
    spans = tuple(stage.span_id for stage in stages if stage.run_id is None)
    return Evidence((run.id, *inner), spans=spans, figures=figures, messages=messages)


def _is_skewed(stage: Stage, skew: Usual, seconds: float) -> bool:
    """Without it the longest task, which the stage waits for, would have been so much shorter."""
    assert stage.skew is not None
    saved = stage.duration_s * (1 - skew.value / max(stage.skew, skew.value))
    return skew.certainty(stage.skew) > 0 and saved > 0.5 * seconds


def _shown_bytes(amount: float) -> str:
    for unit in ("B", "KiB", "MiB", "GiB"):
        if amount < 1024:
            return f"{amount:.3g} {unit}"
        amount /= 1024
    return f"{amount:.3g} TiB"
