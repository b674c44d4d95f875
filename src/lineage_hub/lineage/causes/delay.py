"""A late run enters; what made it late leaves: seconds for each cause, followed upstream to where the lateness began.

A run ends late because it began late, which comes from upstream, or because it took longer, which it explains itself.
"""

from __future__ import annotations

from dataclasses import replace

from lineage_hub.lineage.causes.duration import longer_causes
from lineage_hub.lineage.causes.facts import COMPLETED, Facts, Run
from lineage_hub.lineage.causes.findings import (
    FAILED_DEPENDENCY,
    LATE_UPSTREAM,
    RETRIES,
    Cause,
    Evidence,
    Figure,
    run_node,
    shown_s,
)
from lineage_hub.lineage.causes.schedule import Lateness, lateness, period_s

_UPSTREAM = (LATE_UPSTREAM, FAILED_DEPENDENCY)


def delay_causes(facts: Facts, run: Run) -> list[Cause]:
    """Each with the seconds that it explains and how certain it is, not yet weighed against the others."""
    found = facts.delays.get(run.id)
    if found is None:
        late = lateness(facts, run)
        found = []
        if late is not None and late.start_s > 0 and late.start_certainty > 0:
            found += _late_starts(facts, run, late)
        if late is not None and late.excess_s > 0 and late.excess_certainty > 0:
            found += longer_causes(facts, run, late)
        facts.delays[run.id] = found
    return found


def _late_starts(facts: Facts, run: Run, late: Lateness) -> list[Cause]:
    before = _failed_attempt(facts, run)
    if before is not None:
        took = min(late.start_s, run.started_at - before.started_at)
        sentence = f"an earlier attempt failed{_said(before)}, so it began again {shown_s(took)} later"
        evidence = Evidence(runs=(run.id, before.id), messages=_messages(before))
        return [Cause(RETRIES, late.start_certainty, run_node(before.id), sentence, evidence, took)]
    assert late.usual_start_at is not None
    found: dict[tuple[str, str], Cause] = {}
    binding = True
    for feed, ready_at in _late_feeds(facts, run, late):
        held = min(ready_at, run.started_at) - late.usual_start_at
        for cause in _upstream_causes(facts, run, feed, min(held, late.start_s)):
            # Another feed that was late too, but wasn't waited for longest, explains less.
            weighed = cause if binding else replace(cause, score=cause.score / 2)
            key = (cause.kind, cause.subject)
            if (
                key not in found
                or (weighed.delay_s or 0) * weighed.score > (found[key].delay_s or 0) * found[key].score
            ):
                found[key] = weighed
        binding = False
    return list(found.values())


def _late_feeds(facts: Facts, run: Run, late: Lateness) -> list[tuple[Run, float]]:
    """Runs upstream that ended after this one usually begins; the one that was waited for longest first."""
    assert late.usual_start_at is not None
    found = []
    for feed in facts.feeds(run):
        if feed.ended_at is None or feed.ended_at > run.started_at + 1:
            continue
        ready_at = feed.ended_at + _least_lag(facts, run, feed)
        # A run that began long after its feed was ready didn't wait for that.
        if ready_at > late.usual_start_at and ready_at >= run.started_at - 0.5 * late.start_s:
            found.append((feed, ready_at))
    return sorted(found, key=lambda one: one[1], reverse=True)


def _least_lag(facts: Facts, run: Run, feed: Run) -> float:
    """How long after the end of such a feed the job begins, when it begins soonest."""
    lags = []
    for earlier in facts.completed_before(run):
        then = facts.last_of(feed.job, earlier.started_at)
        if then is not None and then.ended_at is not None and then.ended_at <= earlier.started_at:
            lags.append(earlier.started_at - then.ended_at)
    lags.sort()
    return lags[len(lags) // 10] if lags else 0.0


def _upstream_causes(facts: Facts, run: Run, feed: Run, held_s: float) -> list[Cause]:
    feed_late = lateness(facts, feed)
    if feed_late is None or feed_late.delay_s <= 0 or feed_late.delay_certainty <= 0:
        return []
    # When it began late is known less well than how much longer it took, so the greater of the two counts.
    lost_s = max(feed_late.delay_s, feed_late.excess_s if feed_late.excess_certainty > 0 else 0.0)
    held_s = min(held_s, lost_s)
    certainty = feed_late.delay_certainty
    below = delay_causes(facts, feed)
    scale = held_s / lost_s
    passed = [_passed_on(cause, run, scale, certainty) for cause in below if cause.kind in _UPSTREAM]
    own = [cause for cause in below if cause.kind not in _UPSTREAM]
    rest = held_s - sum((cause.delay_s or 0.0) * (cause.score > 0) for cause in passed)
    explained = sum(cause.delay_s or 0.0 for cause in own) * scale
    # What a chain leaves over by chance is no origin of its own.
    if not passed or rest > 0.25 * held_s:
        passed.append(_origin(run, feed, max(rest, min(explained, held_s)), feed_late, own, certainty))
    return passed


def _passed_on(cause: Cause, run: Run, scale: float, certainty: float) -> Cause:
    evidence = replace(cause.evidence, runs=(run.id, *cause.evidence.runs))
    return replace(
        cause, evidence=evidence, delay_s=(cause.delay_s or 0.0) * min(1.0, scale), score=min(cause.score, certainty)
    )


def _origin(run: Run, feed: Run, held_s: float, late: Lateness, own: list[Cause], certainty: float) -> Cause:
    # What made a second of an hour is not why.
    own = [cause for cause in own if (cause.delay_s or 0.0) * cause.score > 0.2 * late.delay_s]
    own = sorted(own, key=lambda cause: (cause.delay_s or 0.0) * cause.score, reverse=True)
    attempt = next((cause for cause in own if cause.kind == RETRIES and cause.subject.startswith("run:")), None)
    why = f": {own[0].sentence}" if own else ""
    figures = (
        Figure("end after its usual time", 0.0, round(late.delay_s, 3), "s"),
        Figure("duration", round(late.duration.value, 3), round(late.duration.value + late.excess_s, 3), "s"),
    )
    evidence = Evidence(runs=(run.id, feed.id), figures=figures)
    if attempt is not None and (attempt.delay_s or 0.0) > 0.5 * late.delay_s:
        sentence = f"{feed.job[1]} upstream ended {shown_s(late.delay_s)} late: {attempt.sentence}"
        evidence = replace(evidence, runs=(run.id, feed.id, *attempt.evidence.runs[1:]))
        return Cause(FAILED_DEPENDENCY, certainty, run_node(feed.id), sentence, evidence, held_s, (attempt,))
    sentence = f"{feed.job[1]} upstream ended {shown_s(late.delay_s)} late{why}"
    return Cause(LATE_UPSTREAM, certainty, run_node(feed.id), sentence, evidence, held_s, tuple(own))


def _failed_attempt(facts: Facts, run: Run) -> Run | None:
    """The first of the failed runs right before it that were for the same time."""
    earlier = facts.before(run)
    period = period_s(facts.completed_before(run))
    first = None
    for one in reversed(earlier):
        same_time = (
            one.expected_at == run.expected_at
            if run.expected_at is not None and one.expected_at is not None
            else period is not None and run.started_at - one.started_at < 0.5 * period
        )
        if one.state == COMPLETED or not one.failed or not same_time:
            break
        first = one
    return first


def _messages(run: Run) -> tuple[str, ...]:
    return (run.error,) if run.error else ()


def _said(run: Run) -> str:
    said = (run.error or "").strip().splitlines()
    return f" ({said[0][:120]})" if said else ""
