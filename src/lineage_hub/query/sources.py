"""A source or a page of them enters; its kind, its address and when it was first heard of leave.

Users declare sources; the dataSource facets of events name others, and a dataset without one belongs to `default`.
"""

from __future__ import annotations

from typing import Any

import msgspec

from lineage_hub.errors import NotFound
from lineage_hub.query.datasets import visible_datasets
from lineage_hub.query.facts import dataset_facts, facet_texts
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.settings import mask_url
from lineage_hub.wire import instant_text
from lineage_hub.wire.declared import SourceBody
from lineage_hub.wire.described import DataSource, lenient

Answer = dict[str, Any]
DEFAULT = "default"
UNKNOWN = "UNKNOWN"
# Where the scheme of an address isn't the name of the system.
SYSTEMS = {"POSTGRES": "POSTGRESQL", "S3A": "S3", "S3N": "S3", "HTTP": UNKNOWN, "HTTPS": UNKNOWN, "FILE": "FILE"}
_body = msgspec.json.Decoder(SourceBody).decode
# Name, address, and when events first and last told of it.
Told = tuple[str, str, int, int]


def sources(snapshot: Snapshot, limit: int, offset: int) -> Answer:
    told = told_sources(snapshot)
    names = sorted(told.keys() | snapshot.said.sources.keys())
    page = [_answer(snapshot, name, told.get(name)) for name in names[offset : offset + limit]]
    return {"sources": page, "totalCount": len(names)}


def source(snapshot: Snapshot, name: str) -> Answer:
    told = told_sources(snapshot).get(name)
    if told is None and name not in snapshot.said.sources:
        raise NotFound(f"Source '{name}' not found.", subject=name, action="declare it with PUT, or list the sources")
    return _answer(snapshot, name, told)


def told_sources(snapshot: Snapshot) -> dict[str, Told]:
    """Those that events name, of datasets that are there."""
    datasets = visible_datasets(snapshot, None)
    known: dict[int, Told] = snapshot.recall("source", datasets)
    missing = [dataset for dataset in datasets if dataset not in known]
    if missing:
        fresh = {}
        for dataset, facts in dataset_facts(snapshot, missing, ("dataSource",)).items():
            facet = lenient(facet_texts(snapshot, facts).get("dataSource"), DataSource)
            fresh[dataset] = (facet.name or DEFAULT, facet.uri or "", facts.created_at, facts.updated_at)
        snapshot.keep("source", fresh, snapshot.bearing_on)
        known.update(fresh)
    found: dict[str, Told] = {}
    for one in known.values():
        before = found.get(one[0], one)
        # The address that was told last counts, of equally late ones the least.
        uri = min(before[1], one[1]) if one[3] == before[3] else one[1] if one[3] > before[3] else before[1]
        found[one[0]] = (one[0], uri, min(before[2], one[2]), max(before[3], one[3]))
    return found


def address_of(snapshot: Snapshot, name: str) -> str:
    """What a dataset's facet says of its source; a source that nobody knows is an error."""
    if name == DEFAULT and name not in snapshot.said.sources:
        return ""
    return str(source(snapshot, name)["connectionUrl"])


def _answer(snapshot: Snapshot, name: str, told: Told | None) -> Answer:
    said = snapshot.said.sources.get(name)
    if said is not None and said.body:
        body = _body(said.body)
        first, last = said.first_at, said.stated_at
        if told is not None:
            first = min(first, told[2])
    else:
        assert told is not None
        body = SourceBody(_system(told[1]), mask_url(told[1]))
        first, last = told[2], told[3]
    return {
        "type": body.type,
        "name": name,
        "createdAt": instant_text(first),
        "updatedAt": instant_text(last),
        "connectionUrl": body.connectionUrl,
        "description": body.description,
    }


def _system(uri: str) -> str:
    scheme = uri.removeprefix("jdbc:").partition("://")[0] if "://" in uri else ""
    return SYSTEMS.get(scheme.upper(), scheme.upper() or UNKNOWN)
