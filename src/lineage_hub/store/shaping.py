"""A decoded event enters, its shape leaves: what it says beyond its run and its time, with numbers for names.

Also the key by which equal shapes are recognised, and the names and facets that must have numbers first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

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
from lineage_hub.wire.elements import VOLATILE_FACETS
from lineage_hub.wire.facets import Identifier, Key
from lineage_hub.wire.openlineage import facet_bodies

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
    # Facets name their producer too, so that two producers hardly ever shared a shape before this either.
    parts.append(f"\0by\0{producer_name(event)}".encode())
    return digest(*parts)


def producer_name(event: Event) -> str:
    """As an entity of its own kind, in no namespace."""
    return event.producer.replace("\0", " ")


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


def names_of(events: Collection[Event]) -> tuple[set[Key], set[Key]]:
    """The jobs, and the datasets, that the events' shapes have numbers for."""
    jobs = {event.job.key for event in events if event.job is not None}
    jobs.update([event.parent[0] for event in events if event.parent is not None])
    jobs.update([event.root for event in events if event.root is not None])
    datasets: set[Key] = set()
    for element in {element for event in events for element in datasets_of(event)}:
        datasets.add(element.key)
        datasets.update(element.sources)
        datasets.update([(link.namespace, link.name) for link in element.links])
    renamed = (each.previous for event in events for each in cutting(event) if _is_renamed(each))
    datasets.update([previous for previous in renamed if previous is not None])
    return jobs, datasets


class Shaping:
    """Makes shapes of a group's events; what several of them say of a dataset in the same words is made once."""

    def __init__(self, jobs: dict[Key, int], datasets: dict[Key, int], blobs: dict[bytes, int]) -> None:
        """Of the numbers of all names and facets in the group."""
        self._jobs, self._datasets, self._blobs = jobs, datasets, blobs
        self._told: dict[tuple[Element, int, bool], tuple[Mention, set[int]]] = {}

    def shape_of(self, event: Event) -> Shape:
        subject = event.subject
        assert subject is not None
        kind = KINDS[event.kind]
        undone = event.type in UNDONE
        if kind == DATASET_EVENT:
            sided: list[tuple[Element, int, bool]] = [(subject, STATIC, undone)]
        else:
            sides = (STATIC_IN, STATIC_OUT) if kind == JOB_EVENT else (IN, OUT)
            sided = [(e, sides[0], undone) for e in event.inputs] + [(e, sides[1], undone) for e in event.outputs]
        mentions = []
        named: set[int] = set()
        for one in sided:
            if one not in self._told:
                self._told[one] = self._mention(*one)
            mention, names = self._told[one]
            mentions.append(mention)
            named |= names
        parent = self._jobs[event.parent[0]] if event.parent else 0
        if parent:
            named.add(parent)
        if event.root:
            named.add(self._jobs[event.root])
        job_facets: dict[str, int] = {}
        processing, location = UNSAID, None
        if kind != DATASET_EVENT:
            job_facets = self._facet_numbers(subject)
            if "jobType" in subject.facets:
                processing = STREAM if subject.streaming else BATCH
            if "sourceCodeLocation" in subject.facets:
                location = subject.facets["sourceCodeLocation"].location
        number = (self._datasets if kind == DATASET_EVENT else self._jobs)[subject.key]
        return Shape(number, kind, processing, location, job_facets, tuple(mentions), tuple(sorted(named)), parent)

    def _mention(self, element: Element, side: int, undone: bool) -> tuple[Mention, set[int]]:
        """With the numbers of the names that it names."""
        named = {self._datasets[link.namespace, link.name] for link in element.links}
        marks = 0
        if element.lifecycle and side != IN and not undone:
            renamed = _is_renamed(element)
            marks |= CREATES if element.lifecycle == "CREATE" else 0
            marks |= CUTS if renamed or element.lifecycle == "DROP" else 0
            if renamed and element.previous is not None:
                marks |= RENAMED_HERE
                named.add(self._datasets[element.previous])
        sources = tuple(sorted([self._datasets[key] for key in element.sources]))
        return Mention(self._datasets[element.key], side, marks, self._facet_numbers(element), sources), named

    def _facet_numbers(self, element: Element) -> dict[str, int]:
        return {
            name: IN_RAW if name in VOLATILE_FACETS else self._blobs[facet.digest]
            for name, facet in element.facets.items()
        }


def link_type(link: Identifier) -> str:
    return link.type[:32].replace("\0", " ")
