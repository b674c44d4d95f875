"""The text of an event enters; what rules made of its names and facets leaves, each with the rules that did."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec
from msgspec import Raw, Struct

from lineage_hub.lineage.rules.facets import FacetRules
from lineage_hub.lineage.rules.renaming import DATASET, JOB, Renaming
from lineage_hub.wire import Event
from lineage_hub.wire.canonical import canonical
from lineage_hub.wire.facets import Key

Named = tuple[str, Key]


class Treatment(NamedTuple):
    place: str
    facet: str
    rule: str
    action: str
    # Of the facet, and of what is left of it.
    size: int
    left: int


class _Element(Struct):
    facets: dict[str, Raw] | None = None
    input_facets: dict[str, Raw] | None = msgspec.field(default=None, name="inputFacets")
    output_facets: dict[str, Raw] | None = msgspec.field(default=None, name="outputFacets")


class _Event(Struct):
    run: _Element | None = None
    job: _Element | None = None
    dataset: _Element | None = None
    inputs: list[_Element] | None = None
    outputs: list[_Element] | None = None


_decode = msgspec.json.Decoder(_Event).decode


def names_in(event: Event) -> set[Named]:
    """Every job and dataset that a decoded event names, in whichever place."""
    found: set[Named] = {(JOB, event.job.key)} if event.job is not None else set()
    if event.parent is not None:
        found.add((JOB, event.parent[0]))
        found |= {(JOB, event.root)} if event.root is not None else set()
    elements = [*event.inputs, *event.outputs]
    if event.subject is not None and event.subject is not event.job:
        elements.append(event.subject)
    for element in elements:
        found.add((DATASET, element.key))
        found.update([(DATASET, key) for key in element.sources])
        found.update([(DATASET, (link.namespace, link.name)) for link in element.links])
        found |= {(DATASET, element.previous)} if element.previous is not None else set()
    return found


def explained_names(event: Event, names: Renaming) -> list[dict[str, Any]]:
    found = []
    for kind, key in sorted(names_in(event)):
        renamed = names.explained(kind, key, event.producer)
        if renamed.key != key:
            found.append({
                "kind": kind, "from": as_name(key), "to": as_name(renamed.key), "rules": list(renamed.rules),
            })  # fmt: skip
    return found


def as_name(key: Key) -> dict[str, str]:
    return {"namespace": key[0], "name": key[1]}


def treatments(text: bytes, rules: FacetRules) -> list[Treatment]:
    found = []
    for place, name, body in facets_in(text):
        treated = rules.treat(place, name, body)
        if treated.rule is not None:
            left = len(treated.body) if treated.body is not None else 0
            found.append(Treatment(place, name, treated.rule.id, treated.rule.action, treated.size, left))
    return found


def facets_in(text: bytes) -> Iterator[tuple[str, str, bytes]]:
    """Each with its place."""
    try:
        event = _decode(text)
    except msgspec.ValidationError:  # a repeated key, of which an earlier value has another type
        event = _decode(canonical(text))
    places = [("run", event.run), ("job", event.job), ("dataset", event.dataset)]
    places += [("dataset", element) for element in (*(event.inputs or ()), *(event.outputs or ()))]
    for place, element in places:
        for name, facet in ((element.facets if element else None) or {}).items():
            yield place, name, bytes(facet)
    for element in event.inputs or ():
        for name, facet in (element.input_facets or {}).items():
            yield "input", name, bytes(facet)
    for element in event.outputs or ():
        for name, facet in (element.output_facets or {}).items():
            yield "output", name, bytes(facet)
