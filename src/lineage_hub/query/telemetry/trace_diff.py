"""Two traces, or the parts of them that two runs are, enter; what was added, removed, slower and faster leaves."""

from __future__ import annotations

from lineage_hub.lineage.trace_changes import SAME, Measured, SpanChange, compare_traces, path_of
from lineage_hub.lineage.traces import SpanTree, span_tree
from lineage_hub.query.telemetry.asking import Answer
from lineage_hub.query.telemetry.run_trace import Joined
from lineage_hub.query.telemetry.traces import Trace


def part_of_run(found: Trace, joined: Joined) -> SpanTree:
    """The run's span and all inside of it; the whole trace if nothing of that has arrived."""
    return inside_of_run(found, joined) or found.tree


def inside_of_run(found: Trace, joined: Joined) -> SpanTree | None:
    """What is surely the run's: others may share its trace. A span arrives when it ends, those inside of it before."""
    tree = found.tree
    if not joined.span_id:
        return tree
    tops = [at for at, one in enumerate(tree.spans) if one.span_id == joined.span_id]
    tops = tops or [at for at in sorted(tree.orphans) if tree.spans[at].parent_span_id == joined.span_id]
    return span_tree(tree.spans[one] for top in tops for one in tree.beneath(top)) if tops else None


def trace_diff(before: tuple[str, SpanTree], after: tuple[str, SpanTree]) -> Answer:
    changes = compare_traces(before[1], after[1])
    # What a span did itself tells a cause from all that waited for it.
    order = sorted(range(len(changes)), key=lambda at: (-abs(changes[at].self_difference_ns), at))
    counts: dict[str, int] = {}
    for one in changes:
        counts[one.kind] = counts.get(one.kind, 0) + 1
    durations = [_lasted(tree) for _, tree in (before, after)]
    return {
        "from": {"traceId": before[0], "durationNs": durations[0]},
        "to": {"traceId": after[0], "durationNs": durations[1]},
        "differenceNs": durations[1] - durations[0],
        "counts": counts,
        "changes": [_change(changes, at) for at in order if changes[at].kind != SAME],
    }


def _lasted(tree: SpanTree) -> int:
    roots = [tree.spans[at] for at in tree.roots]
    return max(one.ended_at for one in roots) - min(one.started_at for one in roots)


def _change(changes: list[SpanChange], at: int) -> Answer:
    one = changes[at]
    return {
        "kind": one.kind,
        "path": path_of(changes, at),
        "service": one.span.service,
        "occurrence": one.occurrence,
        "differenceNs": one.difference_ns,
        "selfDifferenceNs": one.self_difference_ns,
        "ratio": one.ratio,
        "from": _measured(one.before),
        "to": _measured(one.after),
    }


def _measured(one: Measured | None) -> Answer | None:
    if one is None:
        return None
    span = one.span
    return {"spanId": span.span_id, "durationNs": span.duration_ns, "selfNs": one.self_ns, "status": span.status}
