"""The visible events of one run enter; its state, times, datasets and version leave.

The rules are those of docs/fold.md, sections "Values" and "The current version of a job".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from lineage_hub.lineage.rows import EventRow, Ord, RunKey
from lineage_hub.lineage.shapes import (
    ABORT,
    COMPLETE,
    FAIL,
    IN,
    INFERRED,
    OTHER,
    RUNNING,
    START,
    STATIC_IN,
    STATIC_OUT,
    STREAM,
    UNSAID,
    Shape,
)

READ = (IN, STATIC_IN)
ENDS = (FAIL, ABORT, COMPLETE)
STATES = {COMPLETE: "COMPLETED", FAIL: "FAILED", ABORT: "ABORTED"}
END_NAMES = {COMPLETE: "COMPLETE", FAIL: "FAIL", ABORT: "ABORT"}
Shapes = Mapping[int, Shape]


class RunFacts(Struct, frozen=True):
    """`events` are in order; datasets stand as named, before any joining or renaming."""

    key: RunKey
    events: tuple[EventRow, ...]
    state: str
    start: Ord
    end: Ord | None
    conflict: tuple[str, ...]
    inputs: frozenset[int]
    outputs: frozenset[int]
    streaming: bool
    location: str | None

    @property
    def has_datasets(self) -> bool:
        return bool(self.inputs or self.outputs)

    @property
    def began_at(self) -> int | None:
        """When it was first said to run or to have ended; an OTHER before that only tells of it."""
        return next((row.event_at for row in self.events if row.type != OTHER), None)

    @property
    def candidate(self) -> Ord | None:
        """The ord at which the run counts as its job's current version, if it does."""
        if not self.has_datasets:
            return None
        if self.state == "COMPLETED":
            return self.end
        if not self.streaming:
            return None
        return max((row.ord for row in self.events if row.type == RUNNING), default=None)


def run_facts(key: RunKey, rows: Iterable[EventRow], shapes: Shapes) -> RunFacts:
    events = sorted(rows)  # by ord: all of them have one subject, which comes first
    ends = [row for row in events if row.type in ENDS]
    deciding = [row for row in ends if not row.flags & INFERRED] or ends
    types = {row.type for row in deciding}
    winner = next((kind for kind in ENDS if kind in types), None)
    if winner is not None:
        state = STATES[winner]
    else:
        state = "RUNNING" if any(row.type in (START, RUNNING) for row in events) else "NEW"
    mentions = [mention for number in {row.shape for row in events} for mention in shapes[number].mentions]
    processing, location = UNSAID, None
    for row in events:
        shape = shapes[row.shape]
        processing = shape.processing or processing
        location = shape.location if shape.location is not None else location
    return RunFacts(
        key,
        tuple(events),
        state,
        events[0].ord,
        next((row.ord for row in reversed(deciding) if row.type == winner), None),
        tuple(sorted(END_NAMES[kind] for kind in types)) if len(types) > 1 else (),
        frozenset([mention.dataset for mention in mentions if mention.side in READ]),
        frozenset([mention.dataset for mention in mentions if mention.side not in READ]),
        processing == STREAM,
        location,
    )


def static_facts(row: EventRow, shape: Shape) -> RunFacts:
    """A JobEvent, seen as a run of its own that has completed."""
    return RunFacts(
        (row.tenant, row.subject, b""),
        (row,),
        "COMPLETED",
        row.ord,
        row.ord,
        (),
        frozenset(m.dataset for m in shape.mentions if m.side == STATIC_IN),
        frozenset(m.dataset for m in shape.mentions if m.side == STATIC_OUT),
        False,
        shape.location,
    )
