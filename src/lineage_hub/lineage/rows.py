"""Facts as the store keeps them: one row an event, one row a cut."""

from __future__ import annotations

from typing import NamedTuple

Ord = tuple[int, bytes]
# Tenant, job, run id.
RunKey = tuple[int, int, bytes]


def event_reference(event_at: int, event_id: bytes) -> str:
    """The public id of an event: its time leads, so that it is found by the index on time."""
    return f"{event_at + 2**63:016x}{event_id.hex()}"


class EventRow(NamedTuple):
    subject: int
    event_at: int
    event_id: bytes
    seq: int
    known_at: int
    tenant: int
    type: int
    flags: int
    shape: int
    run: bytes | None
    parent: int | None
    parent_run: bytes | None

    @property
    def ord(self) -> Ord:
        return self.event_at, self.event_id

    @property
    def reference(self) -> str:
        return event_reference(self.event_at, self.event_id)

    @property
    def run_key(self) -> RunKey:
        assert self.run is not None
        return self.tenant, self.subject, self.run


class CutRow(NamedTuple):
    dataset: int
    ord: Ord
    continues_as: int | None
