"""Events enter; what rules made of their names and facets leaves, so that each can be traced to what was sent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lineage_hub.lineage.rows import EventRow
from lineage_hub.lineage.rules.explaining import explained_names, treatments
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.wire import Decoder

Answer = dict[str, Any]


def rewritten_names(snapshot: Snapshot, rows: Iterable[EventRow]) -> dict[int, list[Answer]]:
    """By the event's number; events that no rule renamed anything in are left out."""
    if not snapshot.rules:
        return {}
    rows = list(rows)
    told = snapshot.reader.told(rows)
    decoder = Decoder(recent=1_000, max_name_bytes=2**31)
    found: dict[int, list[Answer]] = {}
    for row in rows:
        text, rules = told[row.seq]
        if rules is not None:
            names = snapshot.reader.rewriting(rules, row.tenant).names
            explained = explained_names(decoder.decode(text, ""), names)
            if explained:
                found[row.seq] = explained
    return found


def rewritten(snapshot: Snapshot, row: EventRow, text: bytes) -> Answer:
    """What an event's answer says of it; nothing, where no rule was met."""
    if not snapshot.rules:
        return {}
    found: Answer = {}
    names = rewritten_names(snapshot, [row]).get(row.seq)
    if names:
        found["names"] = names
    facets = treatments(text, snapshot.reader.rewriting(snapshot.rules, row.tenant).facets)
    if facets:
        found["facets"] = [
            {"place": one.place, "facet": one.facet, "action": one.action, "rule": one.rule, "bytes": one.size}
            for one in facets
        ]
    return {"rewritten": found} if found else {}
