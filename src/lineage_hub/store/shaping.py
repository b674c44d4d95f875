"""A decoded event enters, its shape leaves: what it says beyond its run and its time, with numbers for names.

Also the key by which equal shapes are recognised, and the names and facets that must have numbers first.
"""

from __future__ import annotations

from collections.abc import Iterable

from lineage_hub.lineage.shapes import (
    BATCH,
    CREATES,
    CUTS,
    DATASET_EVENT,
    IN,
    IN_RAW,
    JOB_EVENT,
    KINDS,
    OUT,
    RENAMED_HERE,
    STATIC,
    STATIC_IN,
    STATIC_OUT,
    STREAM,
    UNSAID,
    Mention,
    Shape,
)
from lineage_hub.wire import Element, Event, Facet
from lineage_hub.wire.canonical import digest
from lineage_hub.wire.facets import Identifier, Key
from lineage_hub.wire.openlineage import VOLATILE_FACETS, facet_bodies

# What such an event says about a table's life has not happened.
UNDONE = ("FAIL", "ABORT")


def shape_key(event: Event) -> bytes:
    assert event.subject is not None
    parts = [event.kind.encode(), event.subject.shape]
    parts += [b"i" + element.shape for element in event.inputs]
    parts += [b"o" + element.shape for element in event.outputs]
    if event.type in UNDONE and any(element.lifecycle for element in event.outputs):
        parts.append(b"undone")
    if event.parent is not None:
        parts.append("\0".join(("p", *event.parent[0], *(event.root or ()))).encode())
    return digest(*parts)


def body_of(facet: Facet, event: Event) -> bytes:
    return facet.body if facet.body is not None else facet_bodies(event.raw)[facet.digest]


def elements_of(event: Event) -> tuple[Element, ...]:
    assert event.subject is not None
    return (event.subject, *event.inputs, *event.outputs)


def datasets_of(event: Event) -> tuple[Element, ...]:
    return elements_of(event) if KINDS[event.kind] == DATASET_EVENT else (*event.inputs, *event.outputs)


def cutting(event: Event) -> Iterable[Element]:
    if event.type in UNDONE:
        return ()
    elements = event.outputs
    if KINDS[event.kind] == JOB_EVENT:
        elements = (*event.inputs, *event.outputs)
    elif KINDS[event.kind] == DATASET_EVENT:
        assert event.subject is not None
        elements = (event.subject,)
    return [element for element in elements if element.lifecycle == "DROP" or _is_renamed(element)]


def _is_renamed(element: Element) -> bool:
    return element.lifecycle == "RENAME" and element.previous is not None and element.previous != element.key


def add_names(event: Event, jobs: set[Key], datasets: set[Key]) -> None:
    """All names that the event's shape has numbers for."""
    if event.job is not None:
        jobs.add(event.job.key)
    for element in datasets_of(event):
        datasets.add(element.key)
        datasets.update(element.sources)
        datasets.update([(link.namespace, link.name) for link in element.links])
    datasets.update([element.previous for element in cutting(event) if element.previous is not None])
    if event.parent is not None:
        jobs.add(event.parent[0])
    if event.root is not None:
        jobs.add(event.root)


def shape_of(event: Event, jobs: dict[Key, int], datasets: dict[Key, int], blobs: dict[bytes, int]) -> Shape:
    assert event.subject is not None
    kind = KINDS[event.kind]
    if kind == DATASET_EVENT:
        sided: list[tuple[Element, int]] = [(event.subject, STATIC)]
    else:
        sides = (STATIC_IN, STATIC_OUT) if kind == JOB_EVENT else (IN, OUT)
        sided = [(e, sides[0]) for e in event.inputs] + [(e, sides[1]) for e in event.outputs]
    named: set[int] = set()
    mentions = []
    for element, side in sided:
        marks = 0
        if element.lifecycle and side != IN and event.type not in UNDONE:
            renamed = _is_renamed(element)
            marks |= CREATES if element.lifecycle == "CREATE" else 0
            marks |= CUTS if renamed or element.lifecycle == "DROP" else 0
            if renamed and element.previous is not None:
                marks |= RENAMED_HERE
                named.add(datasets[element.previous])
        named.update([datasets[link.namespace, link.name] for link in element.links])
        sources = tuple(sorted([datasets[key] for key in element.sources]))
        mentions.append(Mention(datasets[element.key], side, marks, _facet_numbers(element, blobs), sources))
    parent = jobs[event.parent[0]] if event.parent else 0
    if parent:
        named.add(parent)
    if event.root:
        named.add(jobs[event.root])
    job_facets: dict[str, int] = {}
    processing, location = UNSAID, None
    if kind != DATASET_EVENT:
        job_facets = _facet_numbers(event.subject, blobs)
        if "jobType" in event.subject.facets:
            processing = STREAM if event.subject.streaming else BATCH
        if "sourceCodeLocation" in event.subject.facets:
            location = event.subject.facets["sourceCodeLocation"].location
    subject = (datasets if kind == DATASET_EVENT else jobs)[event.subject.key]
    return Shape(subject, kind, processing, location, job_facets, tuple(mentions), tuple(sorted(named)), parent)


def link_type(link: Identifier) -> str:
    return link.type[:32].replace("\0", " ")


def _facet_numbers(element: Element, blobs: dict[bytes, int]) -> dict[str, int]:
    return {name: IN_RAW if name in VOLATILE_FACETS else blobs[facet.digest] for name, facet in element.facets.items()}
