"""A moment and a number of hours enter; one answer leaves that says whether everything is all right.

The stretch is the hour of the moment and those before it, so that an hour is the same one in every answer.
"""

from __future__ import annotations

from typing import Any

from lineage_hub.model import FOREVER
from lineage_hub.query.horizon import begins_at
from lineage_hub.query.overview import failing, late, runs, schemas, silence
from lineage_hub.query.overview.lately import HOUR
from lineage_hub.query.overview.patience import ENDLESS, Patience
from lineage_hub.query.overview.standings import Standings
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.store import dead_letters, lately
from lineage_hub.wire import instant_text

Answer = dict[str, Any]
MINUTE = HOUR // 60
# The present rate is that of so many minutes.
RATE_MINUTES = 5
FIRST_TIME = -(2**63)


def overview(snapshot: Snapshot, now: int, hours: int, patience: Patience = ENDLESS) -> Answer:
    """What there is more of than patience for is read by the next answers, and by whoever goes on meanwhile."""
    at = moment_of(snapshot, now)
    begin = runs.begin_of(at, hours)
    seen = snapshot.lately.everything.seen(snapshot)
    datasets = seen.datasets
    standings = Standings(snapshot)
    found = runs.runs_lately(snapshot, standings, at, hours, patience.share(0.35))
    failed, failed_shown = runs.failed_runs(snapshot, found.failed)
    lateness = late.lateness(snapshot, standings, datasets, at, patience.share(0.45), late_only=True)
    late_count, late_shown = late.answer(snapshot, lateness, at)
    quality = failing.checked(snapshot, datasets, patience.share(0.5))
    failing_count, failing_shown = failing.answer(snapshot, quality)
    # When a schema was said first may be gone with what is before the horizon.
    known_from = begin if snapshot.horizon_at is None else max(begin, snapshot.horizon_at + 1)
    changes, schemas_left = schemas.changes_lately(snapshot, datasets, known_from, patience)
    silent, silent_shown, silent_left = silence.silent_producers(snapshot, now, at, patience)
    parts: Answer = {
        "runs": {**runs.states(found.states), "truncated": found.truncated},
        "failedRuns": _part(failed, failed_shown, found.truncated),
        "lateDatasets": _part(late_count, late_shown, lateness.left > 0),
        "failingChecks": {
            **_part(failing_count, failing_shown, quality.truncated),
            "passing": sum(one.passing for one in quality.by_dataset.values()),
        },
        "schemaChanges": _part(len(changes), schemas.answer(snapshot, changes), schemas_left > 0),
        "silentProducers": _part(silent, silent_shown, silent_left),
    }
    return {
        "at": instant_text(at),
        "from": instant_text(begin),
        "hours": hours,
        "counts": {"jobs": seen.jobs, "datasets": len(datasets), "namespaces": seen.namespaces},
        **parts,
        "events": _events(snapshot, begin, hours, at),
        # What waited at another time is not kept.
        "deadLetters": dead_letters.count(snapshot.reader.connection, snapshot.scope)
        if snapshot.moment.is_now
        else None,
        "truncated": any(part["truncated"] for part in parts.values()),
        **begins_at(snapshot),
    }


def moment_of(snapshot: Snapshot, now: int) -> int:
    moment = snapshot.moment
    return min(now, moment.known_at) if moment.as_of == FOREVER else moment.as_of


def _part(count: int, items: list[Answer], truncated: bool) -> Answer:
    return {"count": count, "items": items, "truncated": truncated}


def _events(snapshot: Snapshot, begin: int, hours: int, at: int) -> Answer:
    """By the time at which they happened."""
    where = (snapshot.reader.connection, snapshot.scope, snapshot.moment)
    if snapshot.sees_all:
        counts = snapshot.lately.hours.count(snapshot.reader, snapshot.slices, begin, hours)
    else:
        found = lately.count_by_step(*where, begin, min(begin + hours * HOUR, FOREVER), HOUR)
        counts = [found.get(number, 0) for number in range(hours)]
    since, until = max(at - RATE_MINUTES * MINUTE + 1, FIRST_TIME), min(at + 1, FOREVER)
    recent = lately.count_by_step(*where, since, until, RATE_MINUTES * MINUTE)
    return {
        "total": sum(counts),
        "perMinute": recent.get(0, 0) / RATE_MINUTES,
        "perHour": [
            {"from": instant_text(min(begin + number * HOUR, FOREVER)), "events": count}
            for number, count in enumerate(counts)
        ],
    }
