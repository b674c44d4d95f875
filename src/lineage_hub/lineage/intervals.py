"""The events of a job's runs enter; its runs leave as lists show them, the micro-batches of a stream as one interval.

The rules are those of docs/fold.md, section "Intervals". What was folded once can be brought up to date run by run.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from msgspec import Struct

from lineage_hub.lineage.rows import Ord
from lineage_hub.lineage.shapes import ABORT, COMPLETE, FAIL, INFERRED, OTHER, RUNNING, START, STREAM, STREAMING, UNSAID

PAUSE_NS = 3_600 * 1_000_000_000

# Tenant and run id; the job is the same for all.
Batch = tuple[int, bytes]
# Tenant, and the parent's job and run id; 0 and nothing where none is named.
Stream = tuple[int, int, bytes]

_BITS = {FAIL: 1, ABORT: 2, COMPLETE: 4, START: 64, RUNNING: 64, OTHER: 0}
# An inferred end stands three bits higher.
_ENDS, _HIGHER = 7, 3
_INFERRED_BITS = {kind: bit << _HIGHER if bit & _ENDS else bit for kind, bit in _BITS.items()}


def _state(seen: int) -> str:
    ends = seen & _ENDS or seen >> _HIGHER & _ENDS
    for bit, name in ((1, "FAILED"), (2, "ABORTED"), (4, "COMPLETED")):
        if ends & bit:
            return name
    return "RUNNING" if seen & 64 else "NEW"


_STATES = [_state(seen) for seen in range(128)]
# A START was seen, and an end after it.
_ANY_END, _STARTED, _TRIED = 63, 128, 384


class BatchRow(NamedTuple):
    """As much of an event as decides where its run stands in a list."""

    event_at: int
    event_id: bytes
    tenant: int
    type: int
    flags: int
    shape: int
    run: bytes
    parent: int | None
    parent_run: bytes | None


class BatchFacts(Struct, gc=False):
    """A run: `seen` holds what kinds of events it has; `stream` is told by the last event that names a parent."""

    start: Ord
    updated_at: int
    seen: int = 0
    processing: int = UNSAID
    parent: int = 0
    parent_run: bytes = b""

    @property
    def state(self) -> str:
        return _STATES[self.seen & 127]

    def stream(self, tenant: int) -> Stream | None:
        return (tenant, self.parent, self.parent_run) if self.processing == STREAM else None


class Interval(Struct, frozen=True):
    """Runs of one stream that followed each other; of a run that isn't streaming, itself alone."""

    tenant: int
    streaming: bool
    first: Ord
    first_run: bytes
    last: Ord
    last_run: bytes
    updated_at: int
    runs: int
    states: dict[str, int]


def read_batches(rows: Iterable[BatchRow], processing: Callable[[int], int]) -> dict[Batch, BatchFacts]:
    """In order of their starts, since rows are in order; `processing` tells what the jobType facet of a shape says.

    It is only asked where a streaming run has an event that isn't marked so: a stream may have a shape for each run.
    """
    found: dict[Batch, BatchFacts] = {}
    for event_at, event_id, tenant, kind, flags, shape, run, parent, parent_run in rows:
        batch = (tenant, run)
        facts = found.get(batch)
        bit = _BITS[kind] if not flags & INFERRED else _INFERRED_BITS[kind]
        if facts is None:
            bit |= _STARTED if kind == START else 0
            found[batch] = BatchFacts(
                (event_at, event_id),
                event_at,
                bit,
                STREAM if flags & STREAMING else UNSAID,
                parent or 0,
                parent_run or b"",
            )
            continue
        facts.updated_at = event_at
        if kind == START and facts.seen & _TRIED == _TRIED:
            facts.seen = 0  # a new attempt
        if bit & _ANY_END and facts.seen & _STARTED:
            bit |= _TRIED
        elif kind == START:
            bit |= _STARTED
        facts.seen |= bit
        if flags & STREAMING:
            facts.processing = STREAM
        elif facts.processing == STREAM:
            facts.processing = processing(shape) or STREAM
        if parent:
            facts.parent, facts.parent_run = parent, parent_run or b""
    return found


class Intervals(Struct, frozen=True):
    """All that a list of a job's runs shows: intervals by their stream, in order, and other runs by their start."""

    streams: dict[Stream, list[Interval]]
    others: dict[Ord, Interval]

    def newest_first(self) -> list[Interval]:
        every = [one for each in self.streams.values() for one in each]
        every += self.others.values()
        return sorted(every, key=lambda one: one.last, reverse=True)

    def with_runs(self, before: dict[Batch, BatchFacts], after: dict[Batch, BatchFacts]) -> Intervals | None:
        """With these runs as they are now; None if one of them came late or moved, so that all must be folded again."""
        changed = Intervals({stream: list(each) for stream, each in self.streams.items()}, dict(self.others))
        for batch, now in sorted(after.items(), key=lambda one: one[1].start):
            then = before.get(batch)
            if then is not None:
                same = (then.start, then.stream(batch[0])) == (now.start, now.stream(batch[0]))
                if not same:
                    return None
                changed._replace(batch, then, now)
            elif not changed._append(batch, now):
                return None
        return changed

    def _append(self, batch: Batch, facts: BatchFacts) -> bool:
        stream = facts.stream(batch[0])
        if stream is None:
            self.others[facts.start] = alone(batch, facts)
            return True
        intervals = self.streams.setdefault(stream, [])
        if intervals and facts.start < intervals[-1].last:
            return False
        _continue(intervals, batch, facts)
        return True

    def _replace(self, batch: Batch, then: BatchFacts, now: BatchFacts) -> None:
        stream = now.stream(batch[0])
        if stream is None:
            self.others[now.start] = alone(batch, now)
            return
        intervals = self.streams[stream]
        at = bisect_right(intervals, now.start, key=lambda one: one.first) - 1
        old = intervals[at]
        states = dict(old.states)
        states[then.state] -= 1
        states[now.state] = states.get(now.state, 0) + 1
        intervals[at] = Interval(
            old.tenant, True, old.first, old.first_run, old.last, old.last_run,
            max(old.updated_at, now.updated_at), old.runs, {state: count for state, count in states.items() if count},
        )  # fmt: skip


class Folded(Struct, frozen=True):
    """What all events up to a number say of a job's runs."""

    seq: int
    intervals: Intervals
    newest_first: list[Interval]

    @classmethod
    def of(cls, intervals: Intervals, seq: int) -> Folded:
        return cls(seq, intervals, intervals.newest_first())


def fold_intervals(batches: Mapping[Batch, BatchFacts]) -> Intervals:
    """Of runs in the order of their starts."""
    found = Intervals({}, {})
    ends: dict[Stream, int] = {}
    groups: dict[Stream, list[list[tuple[Batch, BatchFacts]]]] = {}
    for batch, facts in batches.items():
        if facts.processing != STREAM:
            found.others[facts.start] = alone(batch, facts)
            continue
        stream = (batch[0], facts.parent, facts.parent_run)
        started_at = facts.start[0]
        if stream not in groups:
            groups[stream] = [[]]
        elif started_at - ends[stream] > PAUSE_NS:
            groups[stream].append([])
        groups[stream][-1].append((batch, facts))
        ends[stream] = started_at
    for stream, of_stream in groups.items():
        found.streams[stream] = [_together(group) for group in of_stream]
    return found


def _together(group: list[tuple[Batch, BatchFacts]]) -> Interval:
    (tenant, first_run), first = group[0]
    (_, last_run), last = group[-1]
    updated_at = max([facts.updated_at for _, facts in group])
    states: dict[str, int] = {}
    for seen, count in Counter([facts.seen & 127 for _, facts in group]).items():
        states[_STATES[seen]] = states.get(_STATES[seen], 0) + count
    return Interval(tenant, True, first.start, first_run, last.start, last_run, updated_at, len(group), states)


def alone(batch: Batch, facts: BatchFacts) -> Interval:
    tenant, run = batch
    streaming = facts.processing == STREAM
    return Interval(tenant, streaming, facts.start, run, facts.start, run, facts.updated_at, 1, {facts.state: 1})


def _continue(intervals: list[Interval], batch: Batch, facts: BatchFacts) -> None:
    """A run that started later than all others of its stream."""
    last = intervals[-1] if intervals else None
    if last is None or facts.start[0] - last.last[0] > PAUSE_NS:
        intervals.append(alone(batch, facts))
        return
    # A new one each time: who holds the intervals as they were keeps them so.
    states = dict(last.states)
    states[facts.state] = states.get(facts.state, 0) + 1
    intervals[-1] = Interval(
        last.tenant, True, last.first, last.first_run, facts.start, batch[1], max(last.updated_at, facts.updated_at),
        last.runs + 1, states,
    )  # fmt: skip
