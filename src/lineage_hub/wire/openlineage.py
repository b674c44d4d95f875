"""One OpenLineage event as bytes enters, an `Event` leaves: its identity, what it mentions, and its facets by digest.

Structure is required; the content of facets is not judged here. Most events have the members that the spec names and no
others, and are read in one go; the rest is read member by member.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET, Raw, Struct

from lineage_hub.errors import InvalidEvent, InvalidRequest
from lineage_hub.wire import facets as read
from lineage_hub.wire.canonical import HALF_PAIR, canonical, digest, has_half_pair
from lineage_hub.wire.elements import Element, Elements
from lineage_hub.wire.facets import Key
from lineage_hub.wire.members import is_object, must_be_null, name_of, text_of
from lineage_hub.wire.times import instant
from lineage_hub.wire.usual import UsualElement, encode_usual, usual_event

RUN_EVENT, JOB_EVENT, DATASET_EVENT = "RunEvent", "JobEvent", "DatasetEvent"
EVENT_TYPES = ("START", "RUNNING", "COMPLETE", "FAIL", "ABORT", "OTHER")
INFERRED_FACET = "lineageHub_inferred"

_decode_map = msgspec.json.Decoder(dict[str, Raw]).decode
_decode_list = msgspec.json.Decoder(list[Raw]).decode
_decode_maps = msgspec.json.Decoder(list[dict[str, Raw]]).decode
_encode = msgspec.json.Encoder(order="sorted").encode
# What an element keeps; its other members differ from run to run.
_KEPT = frozenset({"namespace", "name", "facets"})


class Event(Struct, eq=False, gc=False):
    """What the store writes: times in nanoseconds, names as text, everything of the text kept in `raw`."""

    raw: bytes
    tenant: str
    event_at: int = 0
    event_id: bytes = b""
    kind: str = ""
    type: str = ""
    run_id: str | None = None
    job: Element | None = None
    subject: Element | None = None
    inputs: tuple[Element, ...] = ()
    outputs: tuple[Element, ...] = ()
    parent: tuple[Key, str] | None = None
    root: Key | None = None
    inferred: bool = False
    streaming: bool = False
    producer: str = ""


class Decoder:
    """Holds what was met lately; use one from one thread at a time."""

    def __init__(self, *, recent: int = 50_000, max_name_bytes: int = 65_536) -> None:
        """`recent` bounds how many facets and how many elements are remembered, about 1 KB each."""
        self._elements = Elements(recent, max_name_bytes)
        self._max_name = max_name_bytes

    def decode(self, raw: bytes, tenant: str) -> Event:
        try:
            if not raw.isascii():
                raw.decode()
            try:
                return self._usual_event(raw, tenant)
            except (msgspec.DecodeError, ValueError, RecursionError, InvalidEvent, InvalidRequest):
                return self._any_event(raw, tenant)  # which says what is wrong, if anything is
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

    def _usual_event(self, raw: bytes, tenant: str) -> Event:
        told = usual_event(raw)
        event = Event(raw, tenant)
        event.event_at = instant(told.eventTime, "eventTime")
        event.producer = told.producer
        # What was read is put into the form in which it stands in the text that the event's id is made of.
        run: Any = told.run
        run.runId = event.run_id = self._run_id(run.runId)
        if run.facets is not UNSET:
            run.facets = self._run_facets(event, run.facets)
        event.job = self._usual_element(told.job, "job")
        event.inputs = tuple([self._usual_element(each, "inputs") for each in told.inputs or ()])
        event.outputs = tuple([self._usual_element(each, "outputs") for each in told.outputs or ()])
        event.event_id = digest(tenant.encode(), b"\0", encode_usual(told))
        event.kind, event.type = RUN_EVENT, _event_type(told.eventType) if isinstance(told.eventType, str) else "OTHER"
        _settle(event, event.job)
        return event

    def _usual_element(self, told: UsualElement, where: str) -> Element:
        form: Any = told
        if told.facets is UNSET:
            element = self._elements.element(told.namespace, told.name, None, where)
        else:
            element = self._elements.element(told.namespace, told.name, told.facets, where)
            form.facets = element.form
        form.namespace, form.name = element.key
        if told.inputFacets is not UNSET:
            form.inputFacets = _other_member("inputFacets", told.inputFacets, where)
        if told.outputFacets is not UNSET:
            form.outputFacets = _other_member("outputFacets", told.outputFacets, where)
        return element

    def _any_event(self, raw: bytes, tenant: str) -> Event:
        top: dict[str, Any] = _decode_map(raw)
        event = Event(raw, tenant)
        event.event_at = instant(text_of(top.get("eventTime"), "eventTime"), "eventTime")
        event.producer = text_of(top.get("producer"), "producer")
        for key, value in top.items():
            top[key] = self._form(event, key, bytes(value))
        event.event_id = digest(tenant.encode(), b"\0", _encode(top))
        subject = _decide_kind(event, top)
        if event.kind == DATASET_EVENT:
            event.inputs = event.outputs = ()
        _settle(event, subject)
        return event

    def _form(self, event: Event, key: str, body: bytes) -> Any:
        """How a member of the event stands in the text that its id is made of."""
        if key in ("inputs", "outputs"):
            if body[:1] == b"[":
                described = _decode_described(body, key)
                setattr(event, key, tuple([self._element(members, key) for members in described]))
                return described
            must_be_null(body, key, "an array")
        elif key == "run":
            if is_object(body, key):
                return self._run(event, body)
        elif key in ("job", "dataset") and is_object(body, key):
            members: dict[str, Any] = _decode_map(body)
            setattr(event, "job" if key == "job" else "subject", self._element(members, key))
            return members
        return Raw(canonical(body))

    def _run(self, event: Event, body: bytes) -> dict[str, Any]:
        members: dict[str, Any] = _decode_map(body)
        event.run_id = self._run_id(members.get("runId"))
        for key, value in members.items():
            body = bytes(value)
            if key == "facets" and is_object(body, "run.facets"):
                members[key] = self._run_facets(event, _decode_map(body))
            else:
                members[key] = Raw(canonical(body))
        return members

    def _run_id(self, value: Raw | None) -> str:
        run_id = name_of(value, "runId", "run", self._max_name)
        if not read.is_run_id(run_id):
            raise InvalidEvent(
                f"run.runId is longer than {read.MAX_RUN_ID_BYTES} bytes", subject="run.runId", action="send a UUID"
            )
        return run_id

    def _run_facets(self, event: Event, facets: dict[str, Raw]) -> dict[str, Raw]:
        texts = {name: bytes(facet) for name, facet in facets.items()}
        above = read.parent_facet(texts)
        if above is not None and (named := read.parent(above)) is not None:
            event.parent, event.root = (named[0], named[1]), named[2]
        event.inferred = INFERRED_FACET in texts
        return {name: self._elements.facet_form(text) for name, text in texts.items()}

    def _element(self, members: dict[str, Any], where: str) -> Element:
        """Also puts the members into the form in which they stand in the text of the event's id."""
        facets = members.get("facets")
        element = self._elements.element(members.get("namespace"), members.get("name"), facets, where)
        for key in members.keys() - _KEPT:
            members[key] = _other_member(key, members[key], where)
        members["namespace"], members["name"] = element.key
        if facets is not None:
            members["facets"] = element.form
        return element


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


def _decode_described(body: bytes, where: str) -> list[dict[str, Any]]:
    try:
        return _decode_maps(body)
    except msgspec.ValidationError:
        raise InvalidEvent(f"{where} must hold objects", subject=where, action="see the OpenLineage spec") from None


def _other_member(key: str, value: Raw, where: str) -> Raw:
    """Of an element: what only its run says of it."""
    body = bytes(value)
    if key in ("inputFacets", "outputFacets"):
        is_object(body, f"{where}.{key}")
    return Raw(canonical(body))


def _decide_kind(event: Event, top: dict[str, Raw]) -> Element:
    """What the event is about leaves."""
    if event.run_id is not None:
        if event.job is None:
            raise InvalidEvent("job is missing", subject="job", action="name the job that the run belongs to")
        event.kind, event.type = RUN_EVENT, "OTHER"
        if "eventType" in top and bytes(top["eventType"]) != b"null":
            event.type = _event_type(text_of(top["eventType"], "eventType"))
        return event.job
    if event.job is not None:
        event.kind, event.type = JOB_EVENT, "JOB"
        return event.job
    if event.subject is None:
        raise InvalidEvent(
            "the event has no run, job or dataset",
            subject="event",
            action="send a RunEvent, JobEvent or DatasetEvent",
        )
    event.kind, event.type = DATASET_EVENT, "DATASET"
    return event.subject


def _event_type(text: str) -> str:
    name = text.upper()
    if name not in EVENT_TYPES:
        raise InvalidEvent(
            f"eventType {name[:40]!r} is unknown",
            subject="eventType",
            action="use one of " + ", ".join(EVENT_TYPES),
        )
    return name


def _settle(event: Event, subject: Element) -> None:
    """Of datasets that are listed twice the last is kept."""
    event.subject = subject
    if event.kind == DATASET_EVENT:
        return
    event.streaming = subject.streaming
    event.inputs, event.outputs = last_of_each(event.inputs), last_of_each(event.outputs)


def last_of_each(elements: tuple[Element, ...]) -> tuple[Element, ...]:
    """In the order of the document, so that names which a rule makes one later on are judged by it too."""
    if len(elements) < 2:
        return elements
    if len({element.key for element in elements}) == len(elements):
        return elements
    last: dict[Key, Element] = {}
    for element in reversed(elements):
        last.setdefault(element.key, element)
    return tuple(reversed(last.values()))
