"""The visible events of one run enter; its state, times, datasets and version leave.

The rules are those of docs/fold.md, sections "Values" and "The current version of a job".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

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


class RunFacts(Struct, frozen=True, gc=False):
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
    begun_elsewhere: int | None = None
    """When it began under another name of its job, if it did and is shown as one with that."""

    @property
    def has_datasets(self) -> bool:
        return bool(self.inputs or self.outputs)

    @property
    def began_at(self) -> int | None:
        """When it was first said to run or to have ended; an OTHER before that only tells of it."""
        own = next((row.event_at for row in self.events if row.type != OTHER), None)
        if self.begun_elsewhere is None:
            return own
        return self.begun_elsewhere if own is None else min(own, self.begun_elsewhere)

    @property
    def is_open(self) -> bool:
        """It was started and nobody said that it ended."""
        if self.events[-1].type in ENDS:
            return False  # as most have
        types = {row.type for row in self.events}
        return types.isdisjoint(ENDS) and not types.isdisjoint((START, RUNNING))

    @property
    def is_headless(self) -> bool:
        """It ended and nobody said that it started."""
        if self.events[0].type in (START, RUNNING):
            return False
        types = {row.type for row in self.events}
        return types.isdisjoint((START, RUNNING)) and not types.isdisjoint(ENDS)

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


class Outcome(NamedTuple):
    """`types` are those of the ends that decide."""

    state: str
    end: Ord | None
    types: set[int]


def outcome(events: list[EventRow]) -> Outcome:
    """How a run stands; its events are in order."""
    last = events[-1]
    if last.type in ENDS and all(row.type not in ENDS for row in events[:-1]):
        return Outcome(STATES[last.type], last.ord, {last.type})  # as nearly all do
    attempt = last_attempt(events)
    ends = [row for row in attempt if row.type in ENDS]
    deciding = [row for row in ends if not row.flags & INFERRED] or ends
    types = {row.type for row in deciding}
    winner = next((kind for kind in ENDS if kind in types), None)
    if winner is not None:
        state = STATES[winner]
    else:
        state = "RUNNING" if any(row.type in (START, RUNNING) for row in attempt) else "NEW"
    return Outcome(state, next((row.ord for row in reversed(deciding) if row.type == winner), None), types)


class Said(NamedTuple):
    """What the shapes of a run's events say of it."""

    inputs: frozenset[int]
    outputs: frozenset[int]
    streaming: bool
    location: str | None


def said_by(numbers: tuple[int, ...], shapes: Shapes) -> Said:
    """In the order of the events."""
    mentions = [mention for number in set(numbers) for mention in shapes[number].mentions]
    processing, location = UNSAID, None
    for number in numbers:
        shape = shapes[number]
        processing = shape.processing or processing
        location = shape.location if shape.location is not None else location
    return Said(
        frozenset([mention.dataset for mention in mentions if mention.side in READ]),
        frozenset([mention.dataset for mention in mentions if mention.side not in READ]),
        processing == STREAM,
        location,
    )


def run_facts(
    key: RunKey, rows: Iterable[EventRow], shapes: Shapes, alike: dict[tuple[int, ...], Said] | None = None
) -> RunFacts:
    """`alike` holds what runs before it said: those of one job mostly say the same."""
    events = sorted(rows)  # by ord: all of them have one subject, which comes first
    state, end, types = outcome(events)
    numbers = tuple([row.shape for row in events])
    said = alike.get(numbers) if alike is not None else None
    if said is None:
        said = said_by(numbers, shapes)
        if alike is not None:
            alike[numbers] = said
    conflict = tuple(sorted(END_NAMES[kind] for kind in types)) if len(types) > 1 else ()
    return RunFacts(key, tuple(events), state, events[0].ord, end, conflict, *said)


def other_half(run: RunFacts, sharing: Iterable[RunFacts]) -> RunFacts | None:
    """Of the runs that share its id: the one that tells how it ended, or began, if its job was renamed meanwhile."""
    ours = [one for one in sharing if one.key[0] == run.key[0]]
    opened, headless = [one for one in ours if one.is_open], [one for one in ours if one.is_headless]
    if len(opened) != 1 or len(headless) != 1 or run.key not in (opened[0].key, headless[0].key):
        return None
    return headless[0] if run.key == opened[0].key else opened[0]


def made_whole(run: RunFacts, half: RunFacts | None) -> RunFacts:
    """As it is shown: the half that began with the end of the other, and the other with its beginning."""
    if half is None:
        return run
    if run.is_open:
        return replace(run, state=half.state, end=half.end, conflict=half.conflict)
    return replace(run, start=min(run.start, half.start), begun_elsewhere=half.began_at)


def last_attempt(events: list[EventRow]) -> list[EventRow]:
    """From the last START on that came after an end; an end before any START may be a matter of clocks."""
    begun, started, ended = 0, False, False
    for at, row in enumerate(events):
        if row.type == START:
            begun = at if ended else begun
            started, ended = True, False
        elif row.type in ENDS:
            ended = started
    return events[begun:]


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
