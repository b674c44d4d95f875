"""A dataset's name or a page of datasets enters; datasets with fields, facets, column lineage and versions leave."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

import msgspec
from msgspec import Raw

from lineage_hub.errors import NotFound
from lineage_hub.query.columns import ColumnEdge, Columns, column_inputs
from lineage_hub.query.descriptions import Descriptions
from lineage_hub.query.facts import Facts, dataset_facts, facet_texts, load_facets
from lineage_hub.query.horizon import begins_at
from lineage_hub.query.identity import uuid_of
from lineage_hub.query.nodes import dataset_summary, marks
from lineage_hub.query.packing import unpacked
from lineage_hub.query.run_answers import run_answer
from lineage_hub.query.said import SaidTags
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.query.versions import Version, Versions
from lineage_hub.store import tables
from lineage_hub.wire import facets as read
from lineage_hub.wire import instant_text
from lineage_hub.wire.canonical import digest
from lineage_hub.wire.described import (
    DECLARED_FACET,
    Declared,
    Ownership,
    QualityAssertions,
    QualityMetrics,
    Storage,
    lenient,
)

Answer = dict[str, Any]
# An answer as JSON, with what of it its dataset's events don't tell: column edges and the tags of users.
Text = tuple[bytes, list[ColumnEdge], SaidTags]
encode = msgspec.json.Encoder().encode


def find_dataset(snapshot: Snapshot, namespace: str, name: str) -> int:
    """Any member's name answers with the dataset it belongs to."""
    named = snapshot.reader.find(tables.DATASET, namespace, name)
    if named is not None:
        dataset = snapshot.joined((named,)).of(named)
        if dataset not in snapshot.hidden and dataset_facts(snapshot, [dataset]):
            return dataset
    raise NotFound(
        f"Dataset '{name}' not found.", subject=f"{namespace}:{name}", action="check namespace, name and the moment"
    )


def dataset(snapshot: Snapshot, namespace: str, name: str) -> Answer:
    return dataset_answers(snapshot, [find_dataset(snapshot, namespace, name)])[0]


def dataset_text(snapshot: Snapshot, namespace: str, name: str) -> Raw:
    """The same, kept ready."""
    return _texts(snapshot, [find_dataset(snapshot, namespace, name)])[0]


def datasets(snapshot: Snapshot, namespace: str | None, limit: int, offset: int) -> Answer:
    found = visible_datasets(snapshot, namespace)
    return {"totalCount": len(found), "datasets": _texts(snapshot, found[offset : offset + limit])}


def visible_datasets(snapshot: Snapshot, namespace: str | None) -> list[int]:
    """By name those whose representative is in the namespace, and that were neither dropped nor hidden."""
    found = snapshot.spoken_of(snapshot.ordered(tables.DATASET, namespace))
    if not snapshot.is_plain:
        joined = snapshot.joined(found)
        found = [entity for entity in found if joined.of(entity) == entity]
    found = not_dropped(snapshot, found)
    return [one for one in found if one not in snapshot.hidden] if snapshot.hidden else found


def not_dropped(snapshot: Snapshot, found: list[int]) -> list[int]:
    """Of these representatives the ones that an event speaks of, unless all that was said of them has ended."""
    if snapshot.sees_all:
        # What no cut bears on is there as long as an event speaks of it.
        suspects = _near_cuts(snapshot, found)
        facts = dataset_facts(snapshot, suspects) if suspects else {}
        gone = {one for one in suspects if one not in facts or (facts[one].mentioned and not facts[one].alive)}
        return [one for one in found if one not in gone] if gone else found
    facts = dataset_facts(snapshot, found)
    return [one for one in found if one in facts and (facts[one].alive or not facts[one].mentioned)]


def _near_cuts(snapshot: Snapshot, found: list[int]) -> list[int]:
    """Those with a name that was cut, or that the content of another name went on as."""
    if not snapshot.cuts:
        return []
    continued = {cut.continues_as for cuts in snapshot.cuts.values() for cut in cuts if cut.continues_as is not None}
    near = snapshot.cuts.keys() | continued
    joined = snapshot.joined(found)
    return [one for one in found if not near.isdisjoint(joined.all_of(one))]


def dataset_answers(snapshot: Snapshot, found: list[int]) -> list[Answer]:
    facts = dataset_facts(snapshot, found)
    versions = Versions(snapshot)
    into = Columns(snapshot).into(found)
    return [_answer(snapshot, one, facts[one], versions, into[one]) for one in found if one in facts]


def _texts(snapshot: Snapshot, found: list[int]) -> list[Raw]:
    """The same as JSON, remembered as long as neither events nor users say anything else."""
    into = Columns(snapshot).into(found)
    said = {one: snapshot.tags_said_of(one) for one in found}
    known: dict[int, Text] = snapshot.recall("dataset answer", found)
    missing = [one for one in found if one not in known or known[one][1] is not into[one] or known[one][2] != said[one]]
    if missing:
        facts = dataset_facts(snapshot, missing)
        load_facets(snapshot, facts.values())
        versions = Versions(snapshot)
        snapshot.names({*missing, *snapshot.jobs_speaking_of(missing)})
        fresh: dict[int, Text] = {}
        for one in [one for one in missing if one in facts]:
            answer = _answer(snapshot, one, facts[one], versions, into[one])
            fresh[one] = snapshot.text_to_keep(encode(answer)), into[one], said[one]
        snapshot.keep("dataset answer", fresh, lambda one: _depends_on(snapshot, versions, one))
        known.update(fresh)
    return [Raw(unpacked(known[one][0])) for one in found if one in known]


def _depends_on(snapshot: Snapshot, versions: Versions, found: int) -> Set[int]:
    """Its names and its writers; where a name was cut all that speak of it, since the starts of their runs decide."""
    around = snapshot.bearing_on(found)
    if snapshot.cuts and not snapshot.cuts.keys().isdisjoint(around):
        return around | snapshot.jobs_speaking_of([found])
    return around | versions.bearing_on(found)


def _answer(snapshot: Snapshot, found: int, facts: Facts, versions: Versions, into: list[ColumnEdge]) -> Answer:
    texts = facet_texts(snapshot, facts)
    answer = dataset_summary(
        snapshot.name(found),
        instant_text(facts.created_at),
        instant_text(facts.updated_at),
        texts,
        snapshot.tags_said_of(found),
    )
    current = versions.last_before(found, None)
    answer["currentVersion"] = current.id if current else None
    answer["columnLineage"] = column_inputs(snapshot, into)
    answer["owners"] = lenient(texts.get("ownership"), Ownership).owners
    answer.update(_schema_location(texts))
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
    return {"versions": answers, "totalCount": len(every), **begins_at(snapshot)}


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
        snapshot.name(found),
        instant_text(facts.created_at),
        instant_text(facts.updated_at),
        texts,
        snapshot.tags_said_of(found),
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
        **_schema_location(texts),
    }


def _schema_location(texts: dict[str, bytes]) -> Answer:
    """Where the schema of a stream stands, if it was declared with one."""
    location = lenient(texts.get(DECLARED_FACET), Declared).schemaLocation
    return {} if location is None else {"schemaLocation": location}


def declared_again(snapshot: Snapshot, namespace: str, name: str, version: str, now: int) -> str:
    """The version of what is declared: that of its content, and one of its own if others came since that was said."""
    named = snapshot.reader.find(tables.DATASET, namespace, name)
    found = None if named is None else snapshot.joined((named,)).of(named)
    known = {} if found is None else dataset_facts(snapshot, [found], frozenset(("version",)))
    if found is None or found not in known:
        return version
    versions = Versions(snapshot)
    told = facet_texts(snapshot, known[found]).get("version")
    last = None if told is None else read.version(told)
    if last and last.startswith(version) and versions.is_current(found, last):
        return last
    return f"{version}-{now}" if versions.has(found, version) else version
