"""One OpenLineage event as bytes enters, an `Event` leaves: its identity, what it mentions, and its facets by digest.

Producers repeat themselves, so datasets, jobs and facets that were met lately are recognised by their bytes
and neither parsed nor hashed again. Structure is required; the content of facets is not judged here.
"""

from __future__ import annotations

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

_decode_map = msgspec.json.Decoder(dict[str, Raw]).decode
_decode_list = msgspec.json.Decoder(list[Raw]).decode
_decode_text = msgspec.json.Decoder(str).decode
_encode = msgspec.json.Encoder().encode
_FACET_MAPS = ("facets", "inputFacets", "outputFacets")


class Facet:
    """A facet by its digest, with the facts in it that the fold reads.

    Its body is kept until a store has it; after that it is found there, and in the raw event.
    """

    __slots__ = ("body", "digest", "lifecycle", "links", "location", "previous", "sources", "streaming")

    def __init__(self, name: str, body: bytes) -> None:
        # Of a repeated key the last value counts, whatever type an earlier one has: the canonical form has it alone.
        body = canonical(body)
        self.body: bytes | None = body
        self.digest = digest(body)
        self.sources: tuple[Key, ...] = ()
        self.links: tuple[Identifier, ...] = ()
        self.lifecycle, self.previous = "", None
        self.location: str | None = None
        self.streaming = False
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


_NO_FACETS: dict[str, Facet] = {}


class Element:
    """A job or dataset as one event describes it; shared between events that describe it in the same bytes."""

    __slots__ = (
        "digest", "facets", "key", "lifecycle", "links", "name", "namespace", "previous", "shape", "sources",
        "streaming",
    )  # fmt: skip

    def __init__(self, namespace: str, name: str, own: bytes, facets: dict[str, Facet]) -> None:
        self.namespace, self.name, self.digest, self.facets = namespace, name, own, facets
        self.key: Key = (namespace, name)
        self.sources: tuple[Key, ...] = ()
        self.links: tuple[Identifier, ...] = ()
        self.lifecycle, self.previous = "", None
        self.streaming = False
        parts = [namespace.encode(), b"\0", name.encode(), b"\0"]
        for facet_name in sorted(facets):
            facet = facets[facet_name]
            parts.append(facet_name.encode())
            parts.append(b"raw" if facet_name in VOLATILE_FACETS else facet.digest)
            self.sources += facet.sources
            self.links += facet.links
            if facet.lifecycle:
                self.lifecycle, self.previous = facet.lifecycle, facet.previous
            self.streaming = self.streaming or facet.streaming
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
        self._leaves: Recent[bytes] = Recent(recent)
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
            raise InvalidEvent(str(error), subject="event", action="see the OpenLineage spec of this field") from None
        except (msgspec.DecodeError, ValueError) as error:
            why = HALF_PAIR if has_half_pair(raw) else str(error)
            raise InvalidEvent(
                f"the event is not JSON: {why}", subject="body", action="send one JSON object an event"
            ) from None
        except InvalidRequest as error:
            raise InvalidEvent(str(error), subject=error.subject, action=error.action) from None

    def _event(self, raw: bytes, tenant: str) -> Event:
        top = _decode_map(raw)
        event = Event()
        event.raw, event.tenant = raw, tenant
        event.run_id = event.job = event.parent = event.root = event.subject = None
        event.inputs = event.outputs = ()
        event.inferred = event.streaming = False
        event.event_at = instant(self._required_text(top, "eventTime"), "eventTime")
        self._required_text(top, "producer")
        parts = [b"{"]
        for key in sorted(top):
            parts.append(_encode(key))
            parts.append(self._member(event, key, bytes(top[key])))
        event.event_id = digest(tenant.encode(), b"\0", digest(*parts))
        self._settle(event, top)
        return event

    def _member(self, event: Event, key: str, body: bytes) -> bytes:
        if key in ("inputs", "outputs"):
            if body[:1] == b"[":
                elements = tuple([self._element(bytes(item), key) for item in _decode_list(body)])
                setattr(event, key, elements)
                return digest(b"[", *[element.digest for element in elements])
        elif key == "run":
            if body[:1] == b"{":
                return self._run(event, body)
        elif key in ("job", "dataset"):
            if body[:1] == b"{":
                element = self._element(body, key)
                setattr(event, "job" if key == "job" else "subject", element)
                return element.digest
        else:
            return self._leaf(body)
        if body != b"null":
            wanted = "an array" if key in ("inputs", "outputs") else "an object"
            raise InvalidEvent(f"{key} must be {wanted}", subject=key, action="see the OpenLineage spec")
        return self._leaf(body)

    def _run(self, event: Event, body: bytes) -> bytes:
        members = _decode_map(body)
        event.run_id = self._name(members, "runId", "run")
        if not read.is_run_id(event.run_id):
            raise InvalidEvent(
                f"run.runId is longer than {read.MAX_RUN_ID_BYTES} bytes", subject="run.runId", action="send a UUID"
            )
        parts = [b"{"]
        for key in sorted(members):
            value = bytes(members[key])
            is_map = key == "facets" and value != b"null"
            parts += (_encode(key), self._run_facets(event, value) if is_map else digest(canonical(value)))
        return digest(*parts)

    def _run_facets(self, event: Event, body: bytes) -> bytes:
        if body[:1] != b"{":
            raise InvalidEvent("run.facets must be an object", subject="run.facets", action="see the OpenLineage spec")
        found = _decode_map(body)
        if (
            "parent" in found
            and bytes(found["parent"])[:1] == b"{"
            and (named := read.parent(bytes(found["parent"]))) is not None
        ):
            event.parent, event.root = (named[0], named[1]), named[2]
        event.inferred = INFERRED_FACET in found
        parts = [b"{"]
        for key in sorted(found):
            parts += (_encode(key), self._leaf(bytes(found[key])))
        return digest(*parts)

    def _element(self, body: bytes, where: str) -> Element:
        met = digest(body)
        known = self._elements.get(met)
        if known is not None:
            return known
        if body[:1] != b"{":
            raise InvalidEvent(f"{where} must hold objects", subject=where, action="see the OpenLineage spec")
        members = _decode_map(body)
        namespace = self._name(members, "namespace", where)
        name = self._name(members, "name", where)
        facets = _NO_FACETS
        parts = [b"{"]
        for key in sorted(members):
            value = bytes(members[key])
            if key not in _FACET_MAPS or value == b"null":
                own = self._leaf(value)
            elif value[:1] != b"{":
                raise InvalidEvent(f"{where}.{key} must be an object", subject=where, action="see the OpenLineage spec")
            elif key == "facets":
                every = {name: bytes(facet) for name, facet in _decode_map(value).items()}
                # What isn't an object observes nothing: producers send null for a facet that they don't have.
                facets = {name: self._facet(name, facet) for name, facet in every.items() if facet[:1] == b"{"}
                own = digest(
                    b"{", *[part for k in sorted(every) for part in (_encode(k), self._digest(k, every, facets))]
                )
            else:
                inner = _decode_map(value)
                own = digest(b"{", *[part for k in sorted(inner) for part in (_encode(k), self._leaf(bytes(inner[k])))])
            parts += (_encode(key), own)
        element = Element(namespace, name, digest(*parts), facets)
        self._elements.put(met, element)
        return element

    def _facet(self, name: str, body: bytes) -> Facet:
        met = digest(name.encode(), b"\0", body)
        known = self._facets.get(met)
        if known is None:
            known = Facet(name, body)
            self._facets.put(met, known)
        return known

    def _digest(self, name: str, every: dict[str, bytes], facets: dict[str, Facet]) -> bytes:
        return facets[name].digest if name in facets else self._leaf(every[name])

    def _leaf(self, body: bytes) -> bytes:
        if len(body) < 100:
            return digest(canonical(body))
        met = digest(body)
        known = self._leaves.get(met)
        if known is None:
            known = digest(canonical(body))
            self._leaves.put(met, known)
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
            text = self._required_text(members, key)
        except InvalidEvent as error:
            raise InvalidEvent(f"{where}.{error}", subject=f"{where}.{key}", action=error.action) from None
        if not read.is_name(text):
            why = "must not be empty" if not text else "must not hold NUL"
            raise InvalidEvent(f"{where}.{key} {why}", subject=f"{where}.{key}", action=f"name the {where}")
        if len(text) > self._max_name or len(text.encode()) > self._max_name:
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


def _last_of_each(elements: tuple[Element, ...]) -> tuple[Element, ...]:
    if len(elements) < 2:
        return elements
    return tuple({element.key: element for element in elements}.values())
