"""A dataset's name or a page of datasets enters; datasets with fields, facets, column lineage and versions leave."""

from __future__ import annotations

from functools import partial
from typing import Any

from msgspec import Raw

from lineage_hub.errors import NotFound
from lineage_hub.lineage.rows import RunKey
from lineage_hub.query.columns import Columns, column_inputs
from lineage_hub.query.facts import Facts, dataset_facts, facet_texts, facts_at, mentions_of, placed_mentions
from lineage_hub.query.identity import uuid_of
from lineage_hub.query.nodes import dataset_summary, encode, marks
from lineage_hub.query.runs import run_answers
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.query.versions import Version, Versions
from lineage_hub.store import tables
from lineage_hub.wire import instant_text
from lineage_hub.wire.canonical import digest
from lineage_hub.wire.described import Ownership, QualityAssertions, QualityMetrics, Storage, lenient

Answer = dict[str, Any]


def find_dataset(snapshot: Snapshot, namespace: str, name: str) -> int:
    """Any member's name answers with the dataset it belongs to."""
    named = snapshot.reader.find(tables.DATASET, namespace, name)
    if named is not None:
        dataset = snapshot.joined((named,)).of(named)
        if dataset_facts(snapshot, [dataset]):
            return dataset
    raise NotFound(
        f"Dataset '{name}' not found.", subject=f"{namespace}:{name}", action="check namespace, name and the moment"
    )


def dataset(snapshot: Snapshot, namespace: str, name: str) -> Answer:
    found = find_dataset(snapshot, namespace, name)
    return dataset_answers(snapshot, [found])[found]


def dataset_text(snapshot: Snapshot, namespace: str, name: str) -> Raw:
    """The same, kept ready."""
    return dataset_texts(snapshot, [find_dataset(snapshot, namespace, name)])[0]


def datasets(snapshot: Snapshot, namespace: str | None, limit: int, offset: int) -> Answer:
    """Datasets whose representative is in the namespace, and that weren't dropped."""
    left_out = hidden_datasets(snapshot)
    listing = snapshot.catalogue.listing(snapshot.reader, tables.DATASET, namespace, left_out)
    if snapshot.sees_all:
        total, page = listing.page(limit, offset)
    else:
        listed = list(listing)
        facts = dataset_facts(snapshot, listed)
        visible = [one for one in listed if one in facts]
        total, page = len(visible), visible[offset : offset + limit]
    return {"totalCount": total, "datasets": dataset_texts(snapshot, page)}


def hidden_datasets(snapshot: Snapshot) -> frozenset[int]:
    """Names that lists don't show: those of a dataset that stands under another one, and those of dropped ones."""
    if snapshot.is_plain:
        return frozenset()
    known: dict[int, frozenset[int]] = snapshot.recall("hidden", (0,))
    if 0 not in known:
        moved = {to for cuts in snapshot.cuts.values() for cut in cuts for to in (cut.dataset, cut.continues_as) if to}
        joined = snapshot.joined(snapshot.links.keys() | moved)
        cut = {joined.of(name) for name in moved}
        facts = dataset_facts(snapshot, cut)
        gone = {one for one, found in facts.items() if found.mentioned and not found.alive}
        hidden = frozenset(gone | {name for name in snapshot.links if joined.of(name) != name})
        bearing = {*snapshot.links, *snapshot.jobs_speaking_of(cut)}.union(*(snapshot.bearing_on(one) for one in cut))
        known = {0: hidden}
        snapshot.keep("hidden", known, lambda _: bearing)
    return known[0]


def dataset_texts(snapshot: Snapshot, found: list[int]) -> list[Raw]:
    """The answers about datasets; those about the present are kept ready."""
    texts = snapshot.recall_answers("dataset", found)
    missing = [one for one in found if one not in texts]
    for one, answer in dataset_answers(snapshot, missing).items() if missing else ():
        texts[one] = encode(answer)
        snapshot.keep_answer("dataset", one, texts[one], partial(_bearing_on, snapshot, one))
    return [Raw(texts[one]) for one in found if one in texts]


def _bearing_on(snapshot: Snapshot, found: int) -> set[int]:
    """Entities whose events may change the answer about a dataset: its names, its jobs, what its columns come from."""
    bearing = {*snapshot.bearing_on(found), *snapshot.jobs_speaking_of([found])}
    if snapshot.links:
        names = snapshot.names_under(found)
        by_name = snapshot.shapes_of(names)
        shapes = snapshot.reader.shapes({number for name in names for number in by_name[name]})
        sources = {to for shape in shapes.values() for one in mentions_of(shape, names) for to in one.sources}
        bearing |= snapshot.neighbourhood(sources)
    return bearing


def dataset_answers(snapshot: Snapshot, found: list[int]) -> dict[int, Answer]:
    facts = dataset_facts(snapshot, found)
    Columns(snapshot).into(list(facts))
    versions = Versions(snapshot)
    return {one: _answer(snapshot, one, facts[one], versions) for one in found if one in facts}


def _answer(snapshot: Snapshot, found: int, facts: Facts, versions: Versions) -> Answer:
    texts = facet_texts(snapshot, facts)
    answer = dataset_summary(
        snapshot.name(found), instant_text(facts.created_at), instant_text(facts.updated_at), texts
    )
    current = versions.last_before(found, None)
    answer["currentVersion"] = current.id if current else None
    answer["columnLineage"] = column_inputs(snapshot, found)
    answer["owners"] = lenient(texts.get("ownership"), Ownership).owners
    if "storage" in texts:
        answer["storage"] = lenient(texts["storage"], Storage)
    if "dataQualityMetrics" in texts:
        answer["quality"] = lenient(texts["dataQualityMetrics"], QualityMetrics)
    if "dataQualityAssertions" in texts:
        answer["assertions"] = lenient(texts["dataQualityAssertions"], QualityAssertions).assertions
    answer["facets"] = {name: Raw(text) for name, text in texts.items()}
    answer["deleted"] = False
    answer.update(marks(snapshot, found, facts))
    return answer


def dataset_versions(snapshot: Snapshot, namespace: str, name: str, limit: int, offset: int) -> Answer:
    found = find_dataset(snapshot, namespace, name)
    versions = Versions(snapshot)
    every = versions.all_of(found)[::-1]
    return {
        "versions": _version_answers(snapshot, found, every[offset : offset + limit], versions),
        "totalCount": len(every),
    }


def dataset_version_answer(snapshot: Snapshot, namespace: str, name: str, version: str) -> Answer:
    found = find_dataset(snapshot, namespace, name)
    versions = Versions(snapshot)
    for one in versions.all_of(found):
        if one.id == version:
            return _version_answers(snapshot, found, [one], versions)[0]
    raise NotFound(f"Dataset version '{version}' not found.", subject=version, action="list the dataset's versions")


def _version_answers(snapshot: Snapshot, found: int, page: list[Version], versions: Versions) -> list[Answer]:
    """The dataset as it was described when each version came to be."""
    placed = placed_mentions(snapshot, found, snapshot.names_under(found))
    facts = facts_at(snapshot, placed, [version.created for version in page])
    runs = [version.run for version in page if version.run]
    made_by = dict(zip([run.key for run in runs], run_answers(snapshot, runs, versions), strict=True))
    return [_version(snapshot, found, one, facts[one.created], made_by) for one in page]


def _version(snapshot: Snapshot, found: int, version: Version, facts: Facts, made_by: dict[RunKey, Answer]) -> Answer:
    texts = facet_texts(snapshot, facts)
    summary = dataset_summary(
        snapshot.name(found), instant_text(facts.created_at), instant_text(facts.updated_at), texts
    )
    return {
        "id": summary["id"],
        "type": summary["type"],
        "name": summary["name"],
        "physicalName": summary["physicalName"],
        "createdAt": instant_text(version.created[0]),
        "version": version.id,
        "namespace": summary["namespace"],
        "sourceName": summary["sourceName"],
        "fields": summary["fields"],
        "tags": summary["tags"],
        "lifecycleState": summary["lastLifecycleState"],
        "description": summary["description"],
        "currentSchemaVersion": uuid_of("schema", digest(texts["schema"]).hex()) if "schema" in texts else None,
        "createdByRun": made_by[version.run.key] if version.run else None,
        "facets": {name: Raw(text) for name, text in texts.items()},
    }
