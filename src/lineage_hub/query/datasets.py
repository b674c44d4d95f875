"""A dataset's name or a page of datasets enters; datasets with fields, facets, column lineage and versions leave."""

from __future__ import annotations

from typing import Any

from msgspec import Raw

from lineage_hub.errors import NotFound
from lineage_hub.query.columns import column_inputs
from lineage_hub.query.descriptions import Descriptions
from lineage_hub.query.facts import Facts, dataset_facts, facet_texts
from lineage_hub.query.identity import uuid_of
from lineage_hub.query.nodes import dataset_summary, marks
from lineage_hub.query.runs import run_answer
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
    return dataset_answers(snapshot, [find_dataset(snapshot, namespace, name)])[0]


def datasets(snapshot: Snapshot, namespace: str | None, limit: int, offset: int) -> Answer:
    """Datasets whose representative is in the namespace, and that weren't dropped."""
    entities = snapshot.reader.entities(tables.DATASET, namespace)
    joined = snapshot.joined(entities)
    found = {entity for entity in entities if joined.of(entity) == entity}
    if not snapshot.sees_all or snapshot.cuts:
        facts = dataset_facts(snapshot, found)
        found = {entity for entity in facts if facts[entity].alive or not facts[entity].mentioned}
    names = snapshot.names(found)
    ordered = sorted(found, key=names.__getitem__)
    return {"totalCount": len(ordered), "datasets": dataset_answers(snapshot, ordered[offset : offset + limit])}


def dataset_answers(snapshot: Snapshot, found: list[int]) -> list[Answer]:
    facts = dataset_facts(snapshot, found)
    versions = Versions(snapshot)
    return [_answer(snapshot, one, facts[one], versions) for one in found if one in facts]


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
    page = every[offset : offset + limit]
    described = Descriptions(snapshot, versions.placed(found)) if page else None
    answers = [_version(snapshot, found, one, versions, described) for one in page if described]
    return {"versions": answers, "totalCount": len(every)}


def dataset_version_answer(snapshot: Snapshot, namespace: str, name: str, version: str) -> Answer:
    found = find_dataset(snapshot, namespace, name)
    versions = Versions(snapshot)
    for one in versions.all_of(found):
        if one.id == version:
            return _version(snapshot, found, one, versions, Descriptions(snapshot, versions.placed(found)))
    raise NotFound(f"Dataset version '{version}' not found.", subject=version, action="list the dataset's versions")


def _version(snapshot: Snapshot, found: int, version: Version, versions: Versions, described: Descriptions) -> Answer:
    """The dataset as it was described when the version came to be."""
    facts = described.before(version.created)
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
        "createdByRun": run_answer(snapshot, version.run, versions) if version.run else None,
        "facets": {name: Raw(text) for name, text in texts.items()},
    }
