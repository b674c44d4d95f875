"""One OpenLineage event as bytes enters, an `Event` leaves: its identity, what it mentions, and its facets by digest.

Producers repeat themselves, so datasets, jobs and facets that were met lately are recognised by their bytes
and neither parsed nor hashed again. Structure is required; the content of facets is not judged here.
"""

from __future__ import annotations

from operator import itemgetter
from typing import Any

import msgspec
from msgspec import Raw

from lineage_hub.errors import InvalidEvent, InvalidRequest
from lineage_hub.wire import facets as read
from lineage_hub.wire.canonical import HALF_PAIR, canonical, digest, has_half_pair
from lineage_hub.wire.facets import Identifier, Key
from lineage_hub.wire.recent import Recent
from lineage_hub.wire.times import instant

RUN_EVENT, JOB_EVENT, DATASET_EVENT = "RunEvent", "JobEvent", "DatasetEvent"
EVENT_TYPES = ("START", "RUNNING", "COMPLETE", "FAIL", "ABORT", "OTHER")
INFERRED_FACET = "lineageHub_inferred"
# Values that change with every run stay in the raw event; what a shape keeps of them is that they are there.
VOLATILE_FACETS = frozenset({"version", "dataQualityMetrics", "dataQualityAssertions"})
# Facets that say more than their digest.
_READ = frozenset({"columnLineage", "symlinks", "lifecycleStateChange", "jobType", "sourceCodeLocation"})

_decode_map = msgspec.json.Decoder(dict[str, Raw]).decode
_decode_list = msgspec.json.Decoder(list[Raw]).decode
_decode_maps = msgspec.json.Decoder(list[dict[str, Raw]]).decode
_decode_text = msgspec.json.Decoder(str).decode
_encode = msgspec.json.Encoder(order="sorted").encode
_by_key = itemgetter(0)
# What an element keeps; its other members differ from run to run.
_KEPT = frozenset({"namespace", "name", "facets"})


class Facet:
    """A facet by its digest, with the facts in it that the fold reads.

    Its body is kept until a store has it; after that it is found there, and in the raw event.
    """

    __slots__ = (
        "body", "digest", "form", "lifecycle", "links", "location", "mark", "previous", "sources", "streaming", "tells",
    )  # fmt: skip

    def __init__(self, name: str, body: bytes) -> None:
        # Of a repeated key the last value counts, whatever type an earlier one has: the canonical form has it alone.
        body = canonical(body)
        self.body: bytes | None = body
        self.digest = digest(body)
        self.form = _brief(self.digest)
        # Its part of an element's shape.
        self.mark = name.encode() + (b"raw" if name in VOLATILE_FACETS else self.digest)
        # Whether anything of the following is more than it is here.
        self.tells = name in _READ
        self.sources: tuple[Key, ...] = ()
        self.links: tuple[Identifier, ...] = ()
        self.lifecycle, self.previous = "", None
        self.location: str | None = None
        self.streaming = False
        if not self.tells:
            return
        if name == "columnLineage":
            self.sources = read.column_sources(body)
        elif name == "symlinks":
            self.links = () if read.is_tombstone(body) else read.symlinks(body)
        elif name == "lifecycleStateChange" and not read.is_tombstone(body):
            self.lifecycle, self.previous = read.lifecycle(body)
        elif name == "jobType":
            self.streaming = read.job_type(body)[0].upper() == "STREAMING"
        elif name == "sourceCodeLocation":
            self.location = "\0".join(read.code_location(body))


class Element:
    """A job or dataset as events describe it in the same bytes; what only one event says of it isn't here."""

    __slots__ = (
        "facets", "form", "key", "lifecycle", "links", "name", "namespace", "previous", "shape", "sources",
        "streaming",
    )  # fmt: skip

    def __init__(self, namespace: str, name: str, facets: dict[str, Facet], form: Raw) -> None:
        """`facets` are in the order of their names; `form` stands for them in the text of an event's id."""
        self.namespace, self.name, self.facets, self.form = namespace, name, facets, form
        self.key: Key = (namespace, name)
        self.sources: tuple[Key, ...] = ()
        self.links: tuple[Identifier, ...] = ()
        self.lifecycle, self.previous = "", None
        self.streaming = False
        parts = [namespace.encode(), b"\0", name.encode(), b"\0"]
        for facet in facets.values():
            parts.append(facet.mark)
            if not facet.tells:
                continue
            if facet.sources:
                self.sources += facet.sources
            if facet.links:
                self.links += facet.links
            if facet.lifecycle:
                self.lifecycle, self.previous = facet.lifecycle, facet.previous
            if facet.streaming:
                self.streaming = True
        self.shape = digest(*parts)


class Event:
    """What the store writes: times in nanoseconds, names as text, everything of the text kept in `raw`."""

    __slots__ = (
        "event_at", "event_id", "inferred", "inputs", "job", "kind", "outputs", "parent", "raw", "root", "run_id",
        "streaming", "subject", "tenant", "type",
    )  # fmt: skip

    event_at: int
    event_id: bytes
    tenant: str
    kind: str
    type: str
    raw: bytes
    run_id: str | None
    job: Element | None
    subject: Element | None
    inputs: tuple[Element, ...]
    outputs: tuple[Element, ...]
    parent: tuple[Key, str] | None
    root: Key | None
    inferred: bool
    streaming: bool


class Decoder:
    """Holds what was met lately; use one from one thread at a time."""

    def __init__(self, *, recent: int = 50_000, max_name_bytes: int = 65_536) -> None:
        """`recent` bounds how many facets and how many elements are remembered, about 1 KB each."""
        self._facets: Recent[Facet] = Recent(recent)
        self._elements: Recent[Element] = Recent(recent)
        self._forms: Recent[Raw] = Recent(recent)
        self._max_name = max_name_bytes

    def decode(self, raw: bytes, tenant: str) -> Event:
        try:
            raw.decode()
            return self._event(raw, tenant)
        except UnicodeDecodeError as error:
            raise InvalidEvent(
                f"the event is not UTF-8 (byte {error.start})", subject="body", action="send JSON encoded as UTF-8"
            ) from None
        except RecursionError:
            raise InvalidEvent(
                "the event is nested too deeply", subject="body", action="flatten the facet that nests"
            ) from None
        except msgspec.ValidationError as error:
            is_list = raw.lstrip()[:1] == b"["
            action = "send a list to /api/v1/lineage/batch" if is_list else "see the OpenLineage spec of this field"
            raise InvalidEvent(str(error), subject="event", action=action) from None
        except (msgspec.DecodeError, ValueError) as error:
            why = HALF_PAIR if has_half_pair(raw) else str(error)
            raise InvalidEvent(
                f"the event is not JSON: {why}", subject="body", action="send one JSON object an event"
            ) from None
        except InvalidRequest as error:
            raise InvalidEvent(str(error), subject=error.subject, action=error.action) from None

    def _event(self, raw: bytes, tenant: str) -> Event:
        top: dict[str, Any] = _decode_map(raw)
        event = Event()
        event.raw, event.tenant = raw, tenant
        event.run_id = event.job = event.parent = event.root = event.subject = None
        event.inputs = event.outputs = ()
        event.inferred = event.streaming = False
        event.event_at = instant(self._required_text(top, "eventTime"), "eventTime")
        self._required_text(top, "producer")
        for key, value in top.items():
            top[key] = self._form(event, key, bytes(value))
        event.event_id = digest(tenant.encode(), b"\0", _encode(top))
        self._settle(event, top)
        return event

    def _form(self, event: Event, key: str, body: bytes) -> Any:
        """How a member of the event stands in the text that its id is made of."""
        if key in ("inputs", "outputs"):
            if body[:1] == b"[":
                described = _decode_described(body, key)
                setattr(event, key, tuple([self._element(members, key) for members in described]))
                return described
            _must_be_null(body, key, "an array")
        elif key == "run":
            if _is_object(body, key):
                return self._run(event, body)
        elif key in ("job", "dataset") and _is_object(body, key):
            members: dict[str, Any] = _decode_map(body)
            setattr(event, "job" if key == "job" else "subject", self._element(members, key))
            return members
        return Raw(canonical(body))

    def _run(self, event: Event, body: bytes) -> dict[str, Any]:
        members: dict[str, Any] = _decode_map(body)
        event.run_id = self._name(members, "runId", "run")
        if not read.is_run_id(event.run_id):
            raise InvalidEvent(
                f"run.runId is longer than {read.MAX_RUN_ID_BYTES} bytes", subject="run.runId", action="send a UUID"
            )
        for key, value in members.items():
            body = bytes(value)
            if key == "facets" and _is_object(body, "run.facets"):
                facets = {name: bytes(facet) for name, facet in _decode_map(body).items()}
                if facets.get("parent", b"")[:1] == b"{" and (named := read.parent(facets["parent"])) is not None:
                    event.parent, event.root = (named[0], named[1]), named[2]
                event.inferred = INFERRED_FACET in facets
                members[key] = {name: self._facet_form(facet) for name, facet in facets.items()}
            else:
                members[key] = Raw(canonical(body))
        return members

    def _element(self, members: dict[str, Any], where: str) -> Element:
        """Also puts the members into the form in which they stand in the text of the event's id."""
        facets = members.get("facets")
        met = digest(members.get("namespace", b""), b"\0", members.get("name", b""), b"\0", facets or b"")
        element = self._elements.get(met)
        if element is None:
            element = self._new_element(members, where)
            self._elements.put(met, element)
        if len(members) > (2 if facets is None else 3):
            for key in members.keys() - _KEPT:
                body = bytes(members[key])
                if key in ("inputFacets", "outputFacets"):
                    _is_object(body, f"{where}.{key}")
                members[key] = Raw(canonical(body))
        members["namespace"], members["name"] = element.namespace, element.name
        if facets is not None:
            members["facets"] = element.form
        return element

    def _new_element(self, members: dict[str, Any], where: str) -> Element:
        namespace = self._name(members, "namespace", where)
        name = self._name(members, "name", where)
        body = bytes(members.get("facets", b"null"))
        if not _is_object(body, f"{where}.facets"):
            return Element(namespace, name, {}, Raw(body))
        observed: dict[str, Facet] = {}
        forms: dict[str, Raw] = {}
        for key, value in sorted(_decode_map(body).items(), key=_by_key):
            text = bytes(value)
            # What isn't an object observes nothing: producers send null for a facet that they don't have.
            if text[:1] == b"{":
                facet = observed[key] = self._facet(key, text)
                forms[key] = facet.form
            else:
                forms[key] = self._facet_form(text)
        return Element(namespace, name, observed, Raw(_encode(forms)))

    def _facet(self, name: str, body: bytes) -> Facet:
        met = digest(name.encode(), b"\0", body)
        known = self._facets.get(met)
        if known is None:
            known = Facet(name, body)
            self._facets.put(met, known)
        return known

    def _facet_form(self, facet: bytes) -> Raw:
        """Of a facet that isn't read further."""
        met = digest(facet)
        known = self._forms.get(met)
        if known is None:
            known = _brief(digest(canonical(facet)))
            self._forms.put(met, known)
        return known

    def _required_text(self, members: dict[str, Raw], key: str) -> str:
        if key not in members:
            raise InvalidEvent(f"{key} is missing", subject=key, action=f"add {key} to the event")
        try:
            return _decode_text(members[key])
        except msgspec.ValidationError:
            raise InvalidEvent(f"{key} must be a string", subject=key, action="see the OpenLineage spec") from None

    def _name(self, members: dict[str, Raw], key: str, where: str) -> str:
        try:
            text = _decode_text(members[key])
            # A character has at most four bytes.
            if text and "\0" not in text and 4 * len(text) <= self._max_name:
                return text
        except (KeyError, msgspec.ValidationError):
            pass  # the slow way says what is wrong
        return self._checked_name(members, key, where)

    def _checked_name(self, members: dict[str, Raw], key: str, where: str) -> str:
        try:
            text = self._required_text(members, key)
        except InvalidEvent as error:
            raise InvalidEvent(f"{where}.{error}", subject=f"{where}.{key}", action=error.action) from None
        if not read.is_name(text):
            why = "must not be empty" if not text else "must not hold NUL"
            raise InvalidEvent(f"{where}.{key} {why}", subject=f"{where}.{key}", action=f"name the {where}")
        if len(text.encode()) > self._max_name:
            raise InvalidEvent(
                f"{where}.{key} is longer than {self._max_name} bytes",
                subject=f"{where}.{key}",
                action="shorten the name, or raise ingest_max_name_bytes",
            )
        return text

    def _settle(self, event: Event, top: dict[str, Raw]) -> None:
        """Decide the event's kind, and keep the last of datasets that are listed twice."""
        if event.run_id is not None:
            if event.job is None:
                raise InvalidEvent("job is missing", subject="job", action="name the job that the run belongs to")
            event.kind, event.type = RUN_EVENT, "OTHER"
            if "eventType" in top and bytes(top["eventType"]) != b"null":
                event.type = self._required_text(top, "eventType").upper()
                if event.type not in EVENT_TYPES:
                    raise InvalidEvent(
                        f"eventType {event.type[:40]!r} is unknown",
                        subject="eventType",
                        action="use one of " + ", ".join(EVENT_TYPES),
                    )
        elif event.job is not None:
            event.kind, event.type = JOB_EVENT, "JOB"
        elif event.subject is not None:
            event.kind, event.type = DATASET_EVENT, "DATASET"
        else:
            raise InvalidEvent(
                "the event has no run, job or dataset",
                subject="event",
                action="send a RunEvent, JobEvent or DatasetEvent",
            )
        if event.kind == DATASET_EVENT:
            event.inputs = event.outputs = ()
            return
        event.subject = event.job
        assert event.job is not None
        event.streaming = event.job.streaming
        event.inputs, event.outputs = _last_of_each(event.inputs), _last_of_each(event.outputs)


def facet_bodies(raw: bytes) -> dict[bytes, bytes]:
    """The body of each job and dataset facet of an event by its digest; for facets that are met the first time."""
    top = _decode_map(raw)
    bodies = [bytes(top[key]) for key in ("job", "dataset") if key in top]
    for key in ("inputs", "outputs"):
        if key in top and bytes(top[key])[:1] == b"[":
            bodies += [bytes(item) for item in _decode_list(top[key])]
    found: dict[bytes, bytes] = {}
    for body in bodies:
        if body[:1] == b"{":
            facets = bytes(_decode_map(body).get("facets", b"null"))
            if facets[:1] == b"{":
                for value in _decode_map(facets).values():
                    text = canonical(bytes(value))
                    found[digest(text)] = text
    return found


def _brief(own: bytes) -> Raw:
    """What stands for a facet of this digest in the text of an event's id; no JSON begins like that."""
    return Raw(b"#" + own)


def _decode_described(body: bytes, where: str) -> list[dict[str, Any]]:
    try:
        return _decode_maps(body)
    except msgspec.ValidationError:
        raise InvalidEvent(f"{where} must hold objects", subject=where, action="see the OpenLineage spec") from None


def _is_object(body: bytes, what: str) -> bool:
    """Or null, which stands for none."""
    return body[:1] == b"{" or _must_be_null(body, what, "an object")


def _must_be_null(body: bytes, what: str, wanted: str) -> bool:
    if body != b"null":
        raise InvalidEvent(f"{what} must be {wanted}", subject=what, action="see the OpenLineage spec")
    return False


def _last_of_each(elements: tuple[Element, ...]) -> tuple[Element, ...]:
    if len(elements) < 2:
        return elements
    return tuple({element.key: element for element in elements}.values())
