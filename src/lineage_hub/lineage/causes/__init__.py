"""The facts of a run and of the runs upstream enter; why it was late or failed leaves, the likeliest cause first.

Scores are comparable: how much of the delay, or of the failure, a cause explains, times how certain that is.
"""

from lineage_hub.lineage.causes.explain import explain
from lineage_hub.lineage.causes.facts import Facts, Name, Run, Stage, Use
from lineage_hub.lineage.causes.findings import KINDS, UNKNOWN, Cause, Evidence, Explanation, Figure

__all__ = [
    "KINDS",
    "UNKNOWN",
    "Cause",
    "Evidence",
    "Explanation",
    "Facts",
    "Figure",
    "Name",
    "Run",
    "Stage",
    "Use",
    "explain",
]
