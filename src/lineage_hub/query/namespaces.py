"""A namespace or a page of them enters; when each was first heard of leaves.

A namespace exists as soon as an event names a job or dataset in it.
"""

from __future__ import annotations

from typing import Any

from lineage_hub.errors import NotFound
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.wire import instant_text

Answer = dict[str, Any]


def namespaces(snapshot: Snapshot, limit: int, offset: int) -> Answer:
    found = _first_mentions(snapshot)
    page = sorted(found)[offset : offset + limit]
    return {"namespaces": [_answer(name, found[name]) for name in page], "totalCount": len(found)}


def namespace(snapshot: Snapshot, name: str) -> Answer:
    found = _first_mentions(snapshot, name)
    if name not in found:
        raise _not_found(name)
    return _answer(name, found[name])


def require_namespace(snapshot: Snapshot, name: str) -> None:
    if not snapshot.reader.has_space(name):
        raise _not_found(name)


def _first_mentions(snapshot: Snapshot, name: str | None = None) -> dict[str, int]:
    return snapshot.first_mentions.of(snapshot.reader) if snapshot.sees_all else snapshot.reader.first_mentions(name)


def _not_found(name: str) -> NotFound:
    return NotFound(f"Namespace '{name}' not found.", subject=name, action="check the spelling and the moment")


def _answer(name: str, first: int) -> Answer:
    return {
        "name": name,
        "createdAt": instant_text(first),
        "updatedAt": instant_text(first),
        "ownerName": "anonymous",
        "description": None,
        "isHidden": False,
    }
