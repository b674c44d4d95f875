"""Facts enter; the verdict on a run and its causes leave, weighed against each other and against what is unknown."""

from __future__ import annotations

from dataclasses import replace

from lineage_hub.lineage.causes.delay import delay_causes
from lineage_hub.lineage.causes.facts import RUNNING, Facts, Run
from lineage_hub.lineage.causes.failure import failure_causes
from lineage_hub.lineage.causes.findings import UNKNOWN, Cause, Evidence, Explanation, run_node, shown_s
from lineage_hub.lineage.causes.schedule import Lateness, lateness

LEAST_SCORE = 0.1


def explain(facts: Facts) -> Explanation:
    run = facts.run
    late = lateness(facts, run)
    earlier = len(facts.completed_before(run))
    if run.failed:
        causes = _ranked(failure_causes(facts, run))
        rest = 1 - max((cause.score for cause in causes), default=0.0)
        nothing = "nothing in the facts says why it failed" if not causes else "or something that the facts don't show"
        causes = _with_unknown(causes, run, rest, nothing)
        return Explanation("failed", _sentence(f"{run.job[1]} failed", causes), causes, None, earlier)
    if late is None:
        runs = "1 earlier completed run" if earlier == 1 else f"{earlier or 'no'} earlier completed runs"
        said = f"{run.job[1]} has {runs}: too few to tell what is usual"
        verdict = "running" if run.state == RUNNING else "unknown"
        return Explanation(verdict, said, _with_unknown((), run, 1.0, said), None, earlier)
    if late.delay_s <= 0 or late.delay_certainty <= 0:
        took, usually = shown_s(facts.duration_s(run)), shown_s(late.duration.value)
        said = f"{run.job[1]} was not late: it took {took}, usually {usually}"
        return Explanation("running" if run.state == RUNNING else "as_usual", said, (), late.delay_s, earlier)
    causes = _late(facts, run, late)
    so_far = " so far" if run.state == RUNNING else ""
    said = _sentence(f"{run.job[1]} was {shown_s(late.delay_s)} late{so_far}", causes)
    return Explanation("late", said, causes, late.delay_s, earlier)


def _late(facts: Facts, run: Run, late: Lateness) -> tuple[Cause, ...]:
    # What lies within the usual spread needs no cause.
    start = late.start_s if late.start_certainty > 0 else 0.0
    excess = late.excess_s if late.excess_certainty > 0 else 0.0
    delay = max(start, 0.0) + max(excess, 0.0) or late.delay_s
    weighed = [
        replace(cause, score=cause.score * min(1.0, (cause.delay_s or 0.0) / delay))
        for cause in delay_causes(facts, run)
    ]
    rest = max(0.0, 1 - sum(cause.score for cause in weighed))
    where = "its start" if late.start_s > late.excess_s else "its duration"
    unexplained = f"{shown_s(rest * delay)} of the delay, most of it in {where}, has no cause in the facts"
    return _with_unknown(_ranked(weighed), run, rest, unexplained)


def _ranked(causes: list[Cause]) -> tuple[Cause, ...]:
    shown = [cause for cause in causes if cause.score >= LEAST_SCORE]
    return tuple(sorted(shown, key=lambda cause: cause.score, reverse=True))


def _with_unknown(causes: tuple[Cause, ...], run: Run, score: float, sentence: str) -> tuple[Cause, ...]:
    if score < LEAST_SCORE and causes:
        return causes
    unknown = Cause(UNKNOWN, score, run_node(run.id), sentence, Evidence((run.id,)))
    # Of two that are as likely the one that says something comes first.
    return tuple(sorted((*causes, unknown), key=lambda cause: cause.score, reverse=True))


def _sentence(what: str, causes: tuple[Cause, ...]) -> str:
    first = causes[0]
    if first.kind == UNKNOWN:
        return f"{what}; why is unknown"
    return f"{what}, most likely because {first.sentence}"
