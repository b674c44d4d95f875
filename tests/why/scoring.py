"""An incident and an explanation enter; whether the first cause is the true one leaves."""

from __future__ import annotations

from lineage_hub.lineage.causes import UNKNOWN, Explanation, Facts
from tests.why.facts import NAMESPACE
from tests.why.incidents import Incident


def is_found(incident: Incident, facts: Facts, answer: Explanation) -> bool:
    """The kind alone isn't enough: the subject must be the right one too."""
    if not answer.causes or answer.verdict == "as_usual":
        return False
    first = answer.causes[0]
    if first.kind != incident.kind:
        return False
    if incident.kind == UNKNOWN:
        return True
    by_id = {run.id: run.job[1] for runs in facts.runs.values() for run in runs}
    stages = {stage.span_id: stage.name for stage in facts.run.stages}
    kind, _, rest = first.subject.partition(":")
    if kind == "run":
        return by_id[rest] == incident.subject
    if kind == "span":
        return stages[rest] == incident.subject
    return rest == f"{NAMESPACE}:{incident.subject}"
