"""The visible events of one run enter; its state, times, datasets and version leave.

The rules are those of docs/fold.md, sections "Values" and "The current version of a job".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lineage_hub.lineage.rows import EventRow, Ord, RunKey
from lineage_hub.lineage.shapes import (
    ABORT,
    COMPLETE,
    FAIL,
    IN,
    INFERRED,
    RUNNING,
    START,
    STATIC_IN,
    STATIC_OUT,
    STREAM,
    UNSAID,
    Shape,
)

ENDS = (FAIL, ABORT, COMPLETE)
STATES = {COMPLETE: "COMPLETED", FAIL: "FAILED", ABORT: "ABORTED"}
END_NAMES = {COMPLETE: "COMPLETE", FAIL: "FAIL", ABORT: "ABORT"}
Shapes = Mapping[int, Shape]


@dataclass(frozen=True, slots=True)
class RunFacts:
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
    events = sorted(rows, key=_by_ord)
    ends = [row for row in events if row.type in ENDS]
    deciding = [row for row in ends if not row.flags & INFERRED] or ends
    types = {row.type for row in deciding}
    winner = next((kind for kind in ENDS if kind in types), None)
    if winner is not None:
        state = STATES[winner]
    else:
        state = "RUNNING" if any(row.type in (START, RUNNING) for row in events) else "NEW"
    inputs: set[int] = set()
    outputs: set[int] = set()
    processing, location = UNSAID, None
    for number in dict.fromkeys(row.shape for row in events):
        for mention in shapes[number].mentions:
            (inputs if mention.side in (IN, STATIC_IN) else outputs).add(mention.dataset)
    for row in events:
        shape = shapes[row.shape]
        processing = shape.processing or processing
        location = shape.location if shape.location is not None else location
    return RunFacts(
        key,
        tuple(events),
        state,
        events[0].ord,
        max((row.ord for row in deciding if row.type == winner), default=None),
        tuple(sorted(END_NAMES[kind] for kind in types)) if len(types) > 1 else (),
        frozenset(inputs),
        frozenset(outputs),
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


def _by_ord(row: EventRow) -> Ord:
    return row.event_at, row.event_id
