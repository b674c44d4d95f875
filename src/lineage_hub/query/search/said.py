"""What users have said of jobs and datasets enters; the tags that they are found by leave.

Statements are few beside events: they are looked through, where what events tell is found by the index.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from lineage_hub.lineage.words import terms
from lineage_hub.query.said import NOTHING
from lineage_hub.query.search.told import TAG, Told, labels
from lineage_hub.query.search.told import label as label_of
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.store import tables


def tagged(snapshot: Snapshot, words: Collection[str], tags: Collection[str]) -> list[int]:
    """Those that users gave a tag with one of these words, or one of these tags."""
    wanted = {label_of(TAG, tag) for tag in tags}
    found: list[int] = []
    for kind, said in ((tables.DATASET, snapshot.said.dataset_tags), (tables.JOB, snapshot.said.job_tags)):
        for name, sayings in said.items():
            if any(on and (_words(tag) & set(words) or wanted & {*labels(Told(TAG, tag))}) for _, tag, on in sayings):
                entity = snapshot.reader.find(kind, *name)
                if entity is not None:
                    found.append(entity)
    return found


def with_said_tags(snapshot: Snapshot, entity: int, texts: list[Told], *, is_job: bool) -> list[Told]:
    """Also those that users gave it, and without those that they took off."""
    said = snapshot.said.job_tags.get(snapshot.name(entity), NOTHING) if is_job else snapshot.tags_said_of(entity)
    if not said:
        return texts
    spoken_of = {Told(TAG, tag, field) for field, tag, _ in said}
    on = {Told(TAG, tag, field): None for field, tag, is_on in said if is_on}
    return [*[one for one in texts if one not in spoken_of], *on]


@lru_cache(maxsize=10_000)
def _words(tag: str) -> frozenset[str]:
    return frozenset(terms(tag))
