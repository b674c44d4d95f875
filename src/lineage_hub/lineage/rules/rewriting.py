"""An event as it was sent enters, the event that is folded leaves: its names and facets as the rules make them.

Its id and its time stay those of the text as sent. What the rules make of an element is remembered, as producers repeat
themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Raw
from msgspec.structs import replace

from lineage_hub.lineage.rules.facets import FacetRules
from lineage_hub.lineage.rules.model import RuleSet
from lineage_hub.lineage.rules.renaming import DATASET, JOB, Renaming
from lineage_hub.lineage.shapes import Shape
from lineage_hub.wire import Element, Event, Facet
from lineage_hub.wire import facets as read
from lineage_hub.wire.canonical import digest, edited
from lineage_hub.wire.elements import VOLATILE_FACETS
from lineage_hub.wire.facets import Key
from lineage_hub.wire.openlineage import DATASET_EVENT, facet_bodies, last_of_each
from lineage_hub.wire.raw import RawEvent
from lineage_hub.wire.recent import Recent

_SAME = Element(("", ""), {}, Raw(b""), b"")
_NAMING = ("columnLineage", "symlinks", "lifecycleStateChange")


class Rewriting:
    """The rules that are switched on for one tenant; use from one thread at a time."""

    def __init__(self, rules: RuleSet, tenant: str, recent: int = 50_000) -> None:
        self.names = Renaming(r for r in rules.names if r.enabled and r.tenant in (None, tenant))
        self.facets = FacetRules(r for r in rules.facets if r.enabled and r.tenant in (None, tenant))
        self._by_producer = any(rule.producer is not None for rule in rules.names)
        self._known: dict[str, Recent[Element]] = {JOB: Recent(recent), DATASET: Recent(recent)}

    def event(self, event: Event, *, storing: bool = True) -> Event:
        """The same object, if no rule touches it; `storing` treats its text too, as long as that isn't kept yet."""
        kind = DATASET if event.kind == DATASET_EVENT else JOB
        assert event.subject is not None
        subject = self._element(kind, event.subject, event)
        inputs = [self._element(DATASET, element, event) for element in event.inputs]
        outputs = [self._element(DATASET, element, event) for element in event.outputs]
        parent, root = event.parent, event.root
        if parent is not None:
            parent = self.names.of(JOB, parent[0], event.producer), parent[1]
            root = self.names.of(JOB, root, event.producer) if root is not None else None
        raw = self.facets.stored(event.raw) if storing and self.facets else event.raw
        if (
            subject is event.subject
            and (parent is None or (parent == event.parent and root == event.root))
            and all(map(_is, inputs, event.inputs))
            and all(map(_is, outputs, event.outputs))
            and raw is event.raw
        ):
            return event
        return replace(
            event,
            raw=raw,
            job=subject if kind == JOB else event.job,
            subject=subject,
            inputs=last_of_each(tuple(inputs)),
            outputs=last_of_each(tuple(outputs)),
            parent=parent,
            root=root,
            streaming=subject.streaming if kind == JOB else event.streaming,
        )

    def _element(self, kind: str, element: Element, event: Event) -> Element:
        known = self._known[kind]
        key = element.shape if not self._by_producer else digest(element.shape, event.producer.encode())
        made = known.get(key)
        if made is None:
            made = self._rewritten(kind, element, event) or _SAME
            known.put(key, made)
        return element if made is _SAME else made

    def _rewritten(self, kind: str, element: Element, event: Event) -> Element | None:
        key = self.names.of(kind, element.key, event.producer)
        facets: dict[str, Facet] = {}
        changed = key != element.key
        for name, facet in element.facets.items():
            body = self._facet(kind, name, facet, event) if self._touches(kind, name) else b""
            if body == b"":
                facets[name] = facet
                continue
            changed = True
            if body is not None:
                facets[name] = Facet.of(name, body, digest(body))
        return Element.of(key, facets, Raw(b"")) if changed else None

    def _touches(self, place: str, name: str) -> bool:
        if name in VOLATILE_FACETS:
            return False  # read from the raw event, and treated then
        return name in _NAMING or bool(self.facets.candidates(place, name))

    def _facet(self, place: str, name: str, facet: Facet, event: Event) -> bytes | None:
        """Empty for one that stays as it is, None for one that is dropped."""
        text = body = facet.body if facet.body is not None else facet_bodies(event.raw)[facet.digest]
        named = [*facet.sources, *[(link.namespace, link.name) for link in facet.links]]
        named += [facet.previous] if facet.previous is not None else []
        renamed = {key: new for key in named if (new := self.names.of(DATASET, key, event.producer)) != key}
        if renamed:
            text = edited(text, lambda value: _with_names(value, renamed))
        treated = self.facets.treat(place, name, text).body
        return b"" if treated == body else treated


class Rules:
    """A whole set, by tenant."""

    def __init__(self, rules: RuleSet, recent: int = 50_000) -> None:
        self.rules, self._recent = rules, recent
        self._by_tenant: dict[str, Rewriting] = {}
        everyones = RuleSet(tuple([r for r in rules.names if r.enabled]), tuple([r for r in rules.facets if r.enabled]))
        self._names, self._facets = Renaming(everyones.names), FacetRules(everyones.facets)

    def __bool__(self) -> bool:
        return bool(self._names) or bool(self._facets)

    def of(self, tenant: str) -> Rewriting:
        found = self._by_tenant.get(tenant)
        if found is None:
            found = self._by_tenant[tenant] = Rewriting(self.rules, tenant, self._recent)
        return found

    def may_rename(self, kind: str, key: Key) -> bool:
        return self._names.may_rename(kind, key)

    def may_treat(self, shape: Shape) -> bool:
        """Whether any event of a shape may have a facet that a rule fits, or that names what its shape doesn't."""
        if any(self._facets.candidates(JOB, name) for name in shape.job_facets):
            return True
        facets = {name for mention in shape.mentions for name in mention.facets}
        if self._names and "lifecycleStateChange" in facets:
            return True
        return any(self._facets.candidates(DATASET, name) for name in facets)


def rename(event: RawEvent, names: Renaming) -> None:
    """What is read from the text of an event once more, under the names that it was folded by."""
    for dataset in (*(event.inputs or ()), *(event.outputs or ()), *([event.dataset] if event.dataset else ())):
        dataset.namespace, dataset.name = names.of(DATASET, (dataset.namespace, dataset.name), event.producer)
    facets = (event.run.facets if event.run is not None else None) or {}
    for name in facets.keys() & set(read.PARENT_FACETS):
        parent = bytes(facets[name])
        if parent[:1] == b"{" and read.parent(parent) is not None:
            facets[name] = Raw(edited(parent, lambda value: _with_jobs(value, names, event.producer)))


def _with_jobs(parent: Any, names: Renaming, producer: str) -> Any:
    for holder in (parent, parent.get("root")):
        job = holder.get("job") if isinstance(holder, dict) else None
        if isinstance(job, dict) and type(job.get("namespace")) is str and type(job.get("name")) is str:
            job["namespace"], job["name"] = names.of(JOB, (job["namespace"], job["name"]), producer)
    return parent


def _with_names(value: Any, renamed: Mapping[Key, Key]) -> Any:
    """In every place of a facet where a dataset is named by its namespace and name."""
    if isinstance(value, list):
        return [_with_names(one, renamed) for one in value]
    if not isinstance(value, dict):
        return value
    value = {key: _with_names(member, renamed) for key, member in value.items()}
    key = value.get("namespace"), value.get("name")
    if type(key[0]) is str and type(key[1]) is str and key in renamed:
        value["namespace"], value["name"] = renamed[key]
    return value


def _is(one: object, other: object) -> bool:
    return one is other
