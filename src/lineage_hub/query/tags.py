"""A page of tags enters; each tag that users describe or put on something, or that events tell of, leaves."""

from __future__ import annotations

from typing import Any

import msgspec

from lineage_hub.lineage.shapes import IN_RAW
from lineage_hub.query.datasets import visible_datasets
from lineage_hub.query.facts import Facts, dataset_facts, facet_texts, job_facts
from lineage_hub.query.jobs import visible_jobs
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.wire.declared import TagBody
from lineage_hub.wire.described import Tags, lenient, tag_text

Answer = dict[str, Any]
_body = msgspec.json.Decoder(TagBody).decode


def tags(snapshot: Snapshot, limit: int, offset: int) -> Answer:
    said = snapshot.said
    put_on = {
        tag for tagged in (said.dataset_tags, said.job_tags) for one in tagged.values() for _, tag, on in one if on
    }
    names = sorted(said.tags.keys() | put_on | _told(snapshot))
    return {"tags": [tag_answer(snapshot, name) for name in names[offset : offset + limit]], "totalCount": len(names)}


def tag_answer(snapshot: Snapshot, name: str) -> Answer:
    said = snapshot.said.tags.get(name)
    return {"name": name, "description": _body(said.body).description if said and said.body else None}


def _told(snapshot: Snapshot) -> set[str]:
    """In the tags facets of jobs and datasets."""
    datasets, jobs = visible_datasets(snapshot, None), visible_jobs(snapshot, None)
    known: dict[int, tuple[str, ...]] = snapshot.recall("tags", [*datasets, *jobs])
    new_datasets = [one for one in datasets if one not in known]
    new_jobs = [one for one in jobs if one not in known]
    if new_datasets or new_jobs:
        of_datasets = _read(snapshot, dataset_facts(snapshot, new_datasets, ("tags",)))
        of_jobs = _read(snapshot, job_facts(snapshot, new_jobs, ("tags",)))
        snapshot.keep("tags", of_datasets, snapshot.bearing_on)
        snapshot.keep("tags", of_jobs)
        known |= of_datasets | of_jobs
    return set().union(*known.values())


def _read(snapshot: Snapshot, facts: dict[int, Facts]) -> dict[int, tuple[str, ...]]:
    snapshot.reader.blobs({one.blob for known in facts.values() for one in known.facets.values()} - {IN_RAW})
    return {
        entity: tuple(
            tag_text(tag.key, tag.value)
            for tag in lenient(facet_texts(snapshot, known, ("tags",)).get("tags"), Tags).tags
        )
        for entity, known in facts.items()
    }
