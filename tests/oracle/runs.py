"""The events of one run enter; its state, times, datasets and facets leave.

Section "Values" of docs/fold.md. Readings that the page leaves open are marked READING.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tests.oracle.events import (
    ENDS,
    Event,
    Mention,
    Name,
    Ord,
    RunKey,
    code_location,
    is_streaming,
    is_tombstone,
    named_run,
)
from tests.oracle.identity import Json

STATES = {"COMPLETE": "COMPLETED", "FAIL": "FAILED", "ABORT": "ABORTED"}
Version = tuple[Name, tuple[Name, ...], tuple[Name, ...], tuple[str, str]]


@dataclass
class Run:
    key: RunKey
    events: list[Event]  # in order
    state: str
    started_at: int | None  # None as long as nothing says that it runs or has ended
    ended_at: int | None
    conflict: list[str]
    inputs: set[Name]  # as named
    outputs: set[Name]
    facets: dict[str, Json]
    streaming: bool
    start: Ord
    end: Ord | None
    input_versions: dict[Name, tuple[object, ...] | None]  # by representative, told by the view

    @property
    def job(self) -> Name:
        return (self.key[1], self.key[2])

    @property
    def stream(self) -> tuple[object, ...] | None:
        """Tenant and parent run of a streaming run; the last event that names a parent tells."""
        if not self.streaming:
            return None
        parents = [named for named in map(named_run, self.events) if named is not None]
        return (self.key[0], parents[-1] if parents else None)

    @property
    def has_datasets(self) -> bool:
        return bool(self.inputs or self.outputs)


def run_of(key: RunKey, events: list[Event]) -> Run:
    events = sorted(events, key=lambda e: e.ord)
    attempt = last_attempt(events)
    ends = deciding_ends(attempt)
    types = {e.type for e in ends}
    winner = next((kind for kind in ENDS if kind in types), None)
    end = max((e.ord for e in ends if e.type == winner), default=None)
    return Run(
        key=key,
        events=events,
        state=state_of(winner, attempt),
        started_at=next((e.at for e in events if e.type != "OTHER"), None),
        ended_at=None if end is None else end[0],
        conflict=sorted(str(kind) for kind in types) if len(types) > 1 else [],
        inputs=names(events, "in"),
        outputs=names(events, "out"),
        facets=facet_values((e.ord, e.run_facets) for e in events),
        streaming=is_streaming(newest_job_facet(events, "jobType") or {}),
        start=events[0].ord,
        end=end,
        input_versions={},
    )


def last_attempt(events: list[Event]) -> list[Event]:
    """Those from the last START on that has an end before it which has a START before it."""
    again = [
        e
        for e in events
        if e.type == "START"
        and any(
            end.type in ENDS and end.ord < e.ord and any(s.type == "START" and s.ord < end.ord for s in events)
            for end in events
        )
    ]
    # READING: of several STARTs after the same end the first begins the attempt.
    for start in reversed(again):
        before = [e for e in events if e.ord < start.ord]
        if any(end.type in ENDS and not any(s.type == "START" and s.ord > end.ord for s in before) for end in before):
            return [e for e in events if e.ord >= start.ord]
    return events


def deciding_ends(events: Iterable[Event]) -> list[Event]:
    """The ends that a producer sent, else those that were inferred.

    READING: the end and the conflict of a run are told from these alone.
    """
    ends = [e for e in events if e.type in ENDS]
    return [e for e in ends if not e.inferred] or ends


def state_of(winner: str | None, events: Iterable[Event]) -> str:
    if winner is not None:
        return STATES[winner]
    return "RUNNING" if any(e.type in ("START", "RUNNING") for e in events) else "NEW"


def names(events: Iterable[Event], direction: str) -> set[Name]:
    return {m.name for m in mentions(events, direction)}


def mentions(events: Iterable[Event], direction: str) -> list[Mention]:
    return [m for e in events for m in e.mentions if m.direction == direction]


def facet_values(observed: Iterable[tuple[Ord, dict[str, Json]]]) -> dict[str, Json]:
    """For each name the observation of greatest ord, unless that is a tombstone."""
    newest: dict[str, Json] = {}
    for _, facets in sorted(observed, key=lambda one: one[0]):
        newest |= facets
    return {name: facet for name, facet in newest.items() if not is_tombstone(facet)}


def newest_job_facet(events: Iterable[Event], facet: str) -> Json | None:
    return facet_values((e.ord, e.job_facets) for e in events).get(facet)


def version_of(job: Name, events: list[Event]) -> Version:
    """The version of a run (all its events) or of a JobEvent (that one)."""
    location = code_location(newest_job_facet(events, "sourceCodeLocation") or {})
    return (job, tuple(sorted(names(events, "in"))), tuple(sorted(names(events, "out"))), location)
