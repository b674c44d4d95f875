"""A run that took longer than usual enters; what made it so leaves: more records, its stages, new code.

Each has the seconds that it explains: what more records explain is no stage's fault, and new code explains stages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from lineage_hub.lineage.causes.facts import Facts, Run
from lineage_hub.lineage.causes.findings import (
    CODE_CHANGE,
    MORE_DATA,
    SLOW_STAGE,
    Cause,
    Evidence,
    Figure,
    job_node,
    run_node,
)
from lineage_hub.lineage.causes.schedule import Lateness
from lineage_hub.lineage.causes.stages import slow_stages
from lineage_hub.lineage.causes.usual import usual_amount

# How often new code is the reason, before anything is known of how often it changes.
_CODE_TO_BLAME = 0.25


def longer_causes(facts: Facts, run: Run, late: Lateness) -> list[Cause]:
    earlier = facts.completed_before(run)
    found: list[Cause] = []
    more = _more_data(run, earlier, late)
    ratio = 1.0
    if more is not None:
        found.append(more[0])
        ratio = more[1]
    stages = slow_stages(run, earlier, ratio)
    found += stages
    left = late.excess_s - sum(cause.delay_s or 0.0 for cause in found if cause.kind != SLOW_STAGE)
    changed = _code_change(facts, run, late, left)
    if changed is not None:
        # A stage says where, new code says why.
        slow = tuple(cause for cause in stages if cause.kind == SLOW_STAGE)
        found = [replace(one, score=one.score * (1 - changed.score / 2)) if one in slow else one for one in found]
        found.append(replace(changed, because=tuple(one for one in slow if (one.delay_s or 0.0) > 0.2 * left)))
    return found


def _more_data(run: Run, earlier: list[Run], late: Lateness) -> tuple[Cause, float] | None:
    found = more_records(run, earlier)
    if found is None:
        return None
    cause, ratio = found
    return replace(cause, delay_s=min(late.excess_s, late.duration.value * (ratio - 1))), ratio


def more_records(run: Run, earlier: Sequence[Run]) -> tuple[Cause, float] | None:
    """That it had more to work on than usual, and how many times as much."""
    if run.records is None:
        return None
    samples = [(one.started_at, float(one.records)) for one in earlier if one.records is not None]
    found = usual_amount(samples, run.started_at, floor=1.0)
    certainty = found.certainty(run.records) if found is not None else 0.0
    if found is None or certainty <= 0:
        return None
    ratio = run.records / found.value
    datasets = tuple(use.dataset for use in (run.inputs or run.outputs) if use.rows is not None)
    sentence = f"it had {run.records:,} records to work on instead of {found.value:,.0f} ({ratio:.3g} times as many)"
    evidence = Evidence((run.id,), datasets, figures=(Figure("records", round(found.value), run.records),))
    return Cause(MORE_DATA, certainty, run_node(run.id), sentence, evidence), ratio


def _code_change(facts: Facts, run: Run, late: Lateness, left_s: float) -> Cause | None:
    """New code of this run, or of few runs before it that were as slow."""
    told = [one for one in facts.completed_before(run) if one.code is not None]
    if run.code is None or not told or left_s < 0.1 * late.excess_s:
        return None
    since = len(told)
    while since and told[since - 1].code == run.code:
        since -= 1
    old, new = told[:since], told[since:]
    slow_at = late.duration.value + 0.5 * late.excess_s
    if not old or (new and (len(new) > 5 or min(facts.duration_s(one) for one in new) < slow_at)):
        return None
    first = new[0] if new else run
    sentence = f"its code changed from {old[-1].code} to {run.code}"
    if new:
        sentence += f" {len(new) + 1} runs ago, and it has been slow since"
    evidence = Evidence((run.id, first.id) if new else (run.id,), figures=(Figure("code", old[-1].code, run.code),))
    certainty = likely_code([one.code for one in old])
    return Cause(CODE_CHANGE, certainty, job_node(run.job), sentence, evidence, left_s)


def likely_code(codes: Sequence[str | None]) -> float:
    """That new code is to blame for what nothing else explains: the less, the more often it changes without harm."""
    changes = sum(one != two for one, two in pairwise(codes))
    rate = (changes + 0.5) / (len(codes) + 1)
    return _CODE_TO_BLAME / (_CODE_TO_BLAME + (1 - _CODE_TO_BLAME) * rate)
