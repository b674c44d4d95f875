"""A scope and a moment enter; up to where its events were removed leaves, and a moment before that is refused."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from lineage_hub.errors import Gone
from lineage_hub.lineage.habits import WRITES_KEPT
from lineage_hub.model import Moment, Scope
from lineage_hub.wire import instant_text

if TYPE_CHECKING:
    from lineage_hub.lineage.rows import EventRow
    from lineage_hub.query.snapshot import Snapshot


def horizon_of(scope: Scope, horizons: Mapping[str, int]) -> int | None:
    """The latest of its tenants: one of them is enough to make an answer about a time before it incomplete."""
    return max(
        (at for tenant, at in horizons.items() if scope.tenants is None or tenant in scope.tenants), default=None
    )


def refuse_before(horizon_at: int, moment: Moment) -> None:
    for name, asked in (("as_of", moment.as_of), ("known_at", moment.known_at)):
        if asked < horizon_at:
            shown = instant_text(horizon_at)
            raise Gone(
                f"{name} lies before {shown}; what had happened by then is no longer kept",
                subject=shown,
                action="ask for that moment or a later one",
            )


def late_warning(snapshot: Snapshot, row: EventRow) -> list[dict[str, str]]:
    """Of an event from before the horizon that became known after it."""
    if snapshot.horizon_at is None or not row.event_at <= snapshot.horizon_at < row.known_at:
        return []
    return [{"where": "eventTime", "warning": "is before the horizon: it meets only what is left of its time"}]


def unbroken(snapshot: Snapshot, written_at: Iterable[int]) -> list[int]:
    """Of the times at which a dataset was written, those between which there was no other: what a habit shows in.

    Before the horizon the last few stay. Others may be there for another reason, with a gap that is none after them.
    """
    times = sorted(written_at)
    if snapshot.horizon_at is None:
        return times
    begin = bisect_right(times, snapshot.horizon_at)
    return times[max(0, begin - WRITES_KEPT) :]


def begins_at(snapshot: Snapshot) -> dict[str, Any]:
    """For answers that list what happened: before the horizon only what the present rests on is left."""
    return {} if snapshot.horizon_at is None else {"horizon": instant_text(snapshot.horizon_at)}
