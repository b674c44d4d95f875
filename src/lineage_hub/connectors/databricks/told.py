"""Jobs enter; the events to send leave, each with a time that stays the same until what it says changes.

The time is that of the newest source. A change that no source shows, such as another value in a configuration, is told
with the time of the scan that found it; what was told before is in the cache.
"""

from __future__ import annotations

import time
from collections.abc import Iterable

import msgspec

from lineage_hub.connectors.databricks.cache import Cache
from lineage_hub.connectors.databricks.connection import Json
from lineage_hub.connectors.databricks.lineage import ToldJob, iso, job_event

_KIND = "told"


def events_of(jobs: Iterable[ToldJob], cache: Cache, now_ms: int | None = None) -> list[Json]:
    now = int(time.time() * 1000) if now_ms is None else now_ms
    found = list(jobs)
    ledgers = {namespace: _ledger(cache, namespace) for namespace in {one.namespace for one in found}}
    events = []
    for job in found:
        ledger = ledgers[job.namespace]
        members = job.members()
        digest = job.digest()
        before, at = ledger.get(job.name, ("", 0))
        if before != digest:
            # Newer than what it replaces, or it would not count.
            at = job.modified_at if job.modified_at and job.modified_at > at else max(now, at + 1)
            ledger[job.name] = (digest, at)
        events.append(job_event(iso(at), members))
    for namespace, ledger in ledgers.items():
        cache.keep_blob(_KIND, namespace, msgspec.msgpack.encode(ledger))
    return events


def _ledger(cache: Cache, namespace: str) -> dict[str, tuple[str, int]]:
    kept = cache.blob(_KIND, namespace)
    if kept is None:
        return {}
    try:
        return msgspec.msgpack.decode(kept, type=dict[str, tuple[str, int]])
    except msgspec.MsgspecError:
        return {}
