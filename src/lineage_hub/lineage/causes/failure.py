"""A failed run enters; what can have made it fail leaves: dependencies, schemas, code, resources, its own error.

Everything is compared with the last run of the job that completed: what was as it is then can't be the reason.
"""

from __future__ import annotations

import re
from dataclasses import replace

from lineage_hub.lineage.causes.delay import delay_causes
from lineage_hub.lineage.causes.duration import likely_code, more_records
from lineage_hub.lineage.causes.facts import Facts, Name, Run
from lineage_hub.lineage.causes.findings import (
    CODE_CHANGE,
    FAILED_DEPENDENCY,
    LATE_UPSTREAM,
    OWN_ERROR,
    RESOURCES,
    Cause,
    Evidence,
    Figure,
    job_node,
    run_node,
    shown_s,
)
from lineage_hub.lineage.causes.schedule import lateness, period_s
from lineage_hub.lineage.causes.schemas import broken_by_schemas
from lineage_hub.lineage.causes.stages import evidence_of
from lineage_hub.lineage.causes.usual import usual

_OUT_OF = re.compile(
    r"out ?of ?memory|\bOOM(Killed)?\b|heap space|GC overhead|no space left|disk (is )?full"
    r"|exit(ed with)? (code|status) 137|SIGKILL|container killed|memory limit|too many open files",
    re.IGNORECASE,
)
_TIMED_OUT = re.compile(r"time[ds]?[ -]?out|deadline exceeded", re.IGNORECASE)
# Words of an error that only say that there was one.
_EMPTY = re.compile(
    r"\b(the|a|an|of|by|with|and|or|its?|run|job|task|step|stage|process|command|program|script|application|execution"
    r"|has|have|had|was|is|been|did|not|returned|raised|non-?zero|unsuccessful(ly)?|failed|failure|aborted|ended|exited"
    r"|exit|code|status|signal|error|exception|unknown|see|logs?|for|more|details?)\b|[\W\d_]+",
    re.IGNORECASE,
)
# An error by itself; and one that names what went wrong, where nothing else differs from the last success.
_ERROR, _NAMED_ERROR = 0.55, 0.85
# A change from here on may be what is behind the error.
_RIVAL = 0.3


def failure_causes(facts: Facts, run: Run) -> list[Cause]:
    if run.id not in facts.failures:
        good = next(iter(reversed(facts.completed_before(run))), None)
        found = _dependencies(facts, run, frozenset((run.job,)))
        if good is not None:
            found += broken_by_schemas(facts, run, good)
            changed = _code_change(facts, run, good)
            found += [changed] if changed is not None else []
        rivals = any(cause.score >= _RIVAL for cause in found)
        facts.failures[run.id] = found + _own(facts, run, rivals=rivals)
    return facts.failures[run.id]


def _dependencies(facts: Facts, run: Run, absent: frozenset[Name]) -> list[Cause]:
    """`absent` are the jobs on the way whose runs did not take place: they may feed each other in a circle."""
    found: dict[str, Cause] = {}
    for feed in facts.feeds(run):
        if feed.job in absent:
            continue
        ready = feed.ended_at is not None and feed.ended_at <= run.started_at + 1
        if feed.failed and (ready or _is_waited_for(facts, run, feed)):
            causes = _failed_feed(facts, run, feed, 0.9 if ready else 0.75)
        elif not ready:
            causes = _unready_feed(facts, run, feed)
        else:
            causes = _missing_feed(facts, run, feed, absent)
        for cause in causes:
            if cause.subject not in found or cause.score > found[cause.subject].score:
                found[cause.subject] = cause
    return list(found.values())


def _is_waited_for(facts: Facts, run: Run, feed: Run) -> bool:
    """Whether such a feed has nearly always ended when the job begins."""
    pairs = [(one, facts.last_of(feed.job, one.started_at)) for one in facts.completed_before(run)]
    ready = [then.ended_at is not None and then.ended_at <= one.started_at for one, then in pairs if then is not None]
    return len(ready) >= 3 and sum(ready) >= 0.8 * len(ready)


def _failed_feed(facts: Facts, run: Run, feed: Run, score: float) -> list[Cause]:
    """Where the feed failed for a failed feed of its own, that one is the origin."""
    below = failure_causes(facts, feed)
    deeper = [cause for cause in below if cause.kind in (FAILED_DEPENDENCY, LATE_UPSTREAM) and cause.score >= 0.5]
    if deeper:
        return [_led_to(run, cause) for cause in deeper]
    because = tuple(sorted(below, key=lambda cause: cause.score, reverse=True))
    why = f": {because[0].sentence}" if because else ""
    sentence = f"{feed.job[1]} upstream failed before it{why}"
    evidence = Evidence((run.id, feed.id), messages=(feed.error,) if feed.error else ())
    score *= _goes_along(facts, run, feed)
    return [Cause(FAILED_DEPENDENCY, score, run_node(feed.id), sentence, evidence, because=because)]


def _led_to(run: Run, cause: Cause) -> Cause:
    return replace(cause, evidence=replace(cause.evidence, runs=(run.id, *cause.evidence.runs)))


def _goes_along(facts: Facts, run: Run, feed: Run) -> float:
    """Less than 1 if the job used to complete though the feed had failed."""
    together = apart = 0
    for one in facts.before(run):
        then = facts.last_of(feed.job, one.started_at)
        if then is not None and then.failed:
            together, apart = (together + 1, apart) if one.failed else (together, apart + 1)
    return (together + 4) / (together + apart + 4)


def _unready_feed(facts: Facts, run: Run, feed: Run) -> list[Cause]:
    """It began before its feed had ended, which it usually doesn't."""
    late = lateness(facts, feed)
    if not _is_waited_for(facts, run, feed) or late is None or late.delay_s <= 0 or late.delay_certainty <= 0:
        return []
    below = delay_causes(facts, feed)
    deeper = [cause for cause in below if cause.kind in (FAILED_DEPENDENCY, LATE_UPSTREAM)]
    deeper = [cause for cause in deeper if (cause.delay_s or 0.0) > 0.5 * late.delay_s]
    if deeper:
        return [_led_to(run, replace(cause, score=0.8 * cause.score)) for cause in deeper]
    sentence = f"{feed.job[1]} upstream was {shown_s(late.delay_s)} late and hadn't ended when it began"
    figures = (Figure("end after its usual time", 0.0, round(late.delay_s, 3), "s"),)
    score = 0.8 * late.delay_certainty
    evidence = Evidence((run.id, feed.id), figures=figures)
    return [Cause(LATE_UPSTREAM, score, run_node(feed.id), sentence, evidence, because=tuple(below))]


def _missing_feed(facts: Facts, run: Run, feed: Run, absent: frozenset[Name]) -> list[Cause]:
    """The last run of the feed is older than it ever is: the one that was due didn't take place."""
    assert feed.ended_at is not None
    ages = []
    for one in facts.completed_before(run):
        then = facts.last_of(feed.job, one.started_at)
        if then is not None and then.ended_at is not None:
            ages.append((one.started_at, one.started_at - then.ended_at))
    period = period_s(facts.before(feed))
    age = run.started_at - feed.ended_at
    found = usual(ages, run.started_at, floor=(period or 3_600.0) / 20)
    if found is None or period is None or age - found.value < 0.5 * period or found.certainty(age) <= 0:
        return []
    # It may not have run because what feeds it failed or didn't run either.
    due_at = min(feed.started_at + period, run.started_at)
    due = replace(feed, id=f"due after {feed.id}", started_at=due_at, ended_at=None)
    deeper = [cause for cause in _dependencies(facts, due, absent | {feed.job}) if cause.score >= 0.5]
    if deeper:
        # The run that was due has no id of its own; the last one that took place stands for its job.
        return [
            replace(one, evidence=replace(one.evidence, runs=(run.id, feed.id, *one.evidence.runs[1:])))
            for one in deeper
        ]
    sentence = (
        f"{feed.job[1]} upstream did not run: its last run ended {shown_s(age)} before, usually {shown_s(found.value)}"
    )
    figures = (Figure("age of its last run", round(found.value, 3), round(age, 3), "s"),)
    score = 0.88 * found.certainty(age)
    return [Cause(FAILED_DEPENDENCY, score, job_node(feed.job), sentence, Evidence((run.id, feed.id), figures=figures))]


def _code_change(facts: Facts, run: Run, good: Run) -> Cause | None:
    if run.code is None or good.code is None or run.code == good.code:
        return None
    codes = [one.code for one in facts.completed_before(run) if one.code is not None]
    score = 0.85 * likely_code(codes)
    sentence = f"its code changed from {good.code} to {run.code} since the last good run"
    evidence = Evidence((run.id, good.id), figures=(Figure("code", good.code, run.code),))
    return Cause(CODE_CHANGE, score, job_node(run.job), sentence, evidence)


def _own(facts: Facts, run: Run, *, rivals: bool) -> list[Cause]:
    broken = [stage for stage in run.stages if stage.error]
    own = run.error if run.error and run.error.strip() else None
    said = own or next((stage.error for stage in broken if stage.error and stage.error.strip()), None)
    subject = broken[0].subject if broken else run_node(run.id)
    if not said:
        return []
    first = said.strip().splitlines()[0][:200]
    if broken and own is None:
        first = f"stage {broken[0].name!r} failed: {first}"
    evidence = evidence_of(run, broken, messages=(said,))
    if _OUT_OF.search(said):
        found = [Cause(RESOURCES, 0.7, subject, f"it ran out of resources: {first}", evidence)]
        more = more_records(run, facts.completed_before(run))
        if more is not None and more[1] > 1.3:
            found.append(replace(more[0], score=0.85 * more[0].score))
        return found
    timed_out = _TIMED_OUT.search(said) is not None
    score = _ERROR if rivals or timed_out or not _EMPTY.sub("", said) else _NAMED_ERROR
    found = [Cause(OWN_ERROR, score, subject, f"it raised an error of its own: {first}", evidence)]
    late = lateness(facts, run)
    if timed_out and late is not None and late.excess_s > 0:
        slow = [cause for cause in delay_causes(facts, run) if cause.kind != CODE_CHANGE]
        # Only what took most of the time too much can have exhausted it.
        found += [replace(one, score=0.8 * one.score) for one in slow if (one.delay_s or 0.0) > 0.5 * late.excess_s]
    return found
