"""A namespace or a page of them enters; when each was first heard of, whose it is and what it is for leave.

A namespace exists as soon as an event names a job or dataset in it, or a user says whose it is.
"""

from __future__ import annotations

from collections.abc import Collection, Set
from typing import Any

import msgspec

from lineage_hub.errors import NotFound
from lineage_hub.query.mentions import first_mentions
from lineage_hub.query.said import Said
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.store import tables
from lineage_hub.wire import instant_text
from lineage_hub.wire.declared import NamespaceBody

Answer = dict[str, Any]
NEVER = 2**63 - 1
_body = msgspec.json.Decoder(NamespaceBody).decode


def namespaces(snapshot: Snapshot, limit: int, offset: int) -> Answer:
    if snapshot.sees_all and not snapshot.said.hides:
        entities: list[int] = []
        firsts = snapshot.first_mentions.of(snapshot.reader)
    else:
        entities = [*snapshot.ordered(tables.JOB, None), *snapshot.ordered(tables.DATASET, None)]
        firsts = _firsts(snapshot, entities)
    found = firsts.keys() | snapshot.said.namespaces.keys()
    hidden = _hidden(snapshot, found, entities)
    page = sorted(found - hidden)[offset : offset + limit]
    return {"namespaces": [_answer(snapshot, name, firsts) for name in page], "totalCount": len(found - hidden)}


def namespace(snapshot: Snapshot, name: str) -> Answer:
    """Also one that is hidden, as in Marquez: it says so."""
    entities = [*snapshot.ordered(tables.JOB, name), *snapshot.ordered(tables.DATASET, name)]
    firsts = _firsts(snapshot, entities)
    if name not in firsts and name not in snapshot.said.namespaces:
        raise _not_found(name)
    return {**_answer(snapshot, name, firsts), "isHidden": name in _hidden(snapshot, {name}, entities)}


def require_namespace(snapshot: Snapshot, name: str) -> None:
    if name not in snapshot.said.namespaces and not snapshot.reader.has_space(name):
        raise _not_found(name)


def _not_found(name: str) -> NotFound:
    return NotFound(f"Namespace '{name}' not found.", subject=name, action="check the spelling and the moment")


def _firsts(snapshot: Snapshot, entities: Collection[int]) -> dict[str, int]:
    names = snapshot.names(entities)
    found: dict[str, int] = {}
    for entity, first in first_mentions(snapshot, entities).items():
        space = names[entity][0]
        if first < found.get(space, NEVER):
            found[space] = first
    return found


def _hidden(snapshot: Snapshot, found: Set[str], entities: Collection[int]) -> set[str]:
    """Unless something in it is back, or a user has spoken of it since."""
    said = snapshot.said
    hidden = {
        name
        for name in found & said.hidden_namespaces.keys()
        if name not in said.namespaces or said.namespaces[name].stated_at < said.hidden_namespaces[name]
    }
    if not hidden:
        return hidden
    names = snapshot.names(entities)
    here = [one for one in entities if names[one][0] in hidden and one not in snapshot.hidden]
    return hidden - _firsts(snapshot, here).keys()


def _answer(snapshot: Snapshot, name: str, firsts: dict[str, int]) -> Answer:
    said: Said | None = snapshot.said.namespaces.get(name)
    created_at = min(firsts.get(name, NEVER), said.first_at if said else NEVER)
    body = _body(said.body) if said and said.body else NamespaceBody("anonymous")
    return {
        "name": name,
        "createdAt": instant_text(created_at),
        "updatedAt": instant_text(max(created_at, said.stated_at) if said else created_at),
        "ownerName": body.ownerName,
        "description": body.description,
        "isHidden": False,
    }
