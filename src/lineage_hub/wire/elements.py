"""The text of a job or dataset enters, an `Element` leaves: its name, and its facets by digest.

Producers repeat themselves, so what was met lately is recognised by its bytes and neither parsed nor hashed again.
"""

from __future__ import annotations

from operator import itemgetter

import msgspec
from msgspec import Raw, Struct

from lineage_hub.wire import facets as read
from lineage_hub.wire.canonical import canonical, digest
from lineage_hub.wire.facets import Identifier, Key
from lineage_hub.wire.members import is_object, name_of
from lineage_hub.wire.recent import Recent
from lineage_hub.wire.usual import written

# Values that change with every run stay in the raw event; what a shape keeps of them is that they are there.
VOLATILE_FACETS = frozenset({"version", "dataQualityMetrics", "dataQualityAssertions"})
# Facets that say more than their digest.
_READ = frozenset({"columnLineage", "symlinks", "lifecycleStateChange", "jobType", "sourceCodeLocation"})

_decode_map = msgspec.json.Decoder(dict[str, Raw]).decode
_encode = msgspec.json.Encoder(order="sorted").encode
_by_key = itemgetter(0)


class Facet(Struct, eq=False, gc=False):
    """A facet by its digest, with the facts in it that the fold reads.

    Its body is kept until a store has it; after that it is found there, and in the raw event.
    """

    body: bytes | None
    digest: bytes
    # What stands for it in the text of an event's id, and its part of an element's shape.
    form: Raw
    mark: bytes
    # Whether anything of the following is more than it is here.
    tells: bool = False
    sources: tuple[Key, ...] = ()
    links: tuple[Identifier, ...] = ()
    lifecycle: str = ""
    previous: Key | None = None
    location: str | None = None
    streaming: bool = False

    @classmethod
    def of(cls, name: str, text: bytes, text_digest: bytes) -> Facet:
        # Of a repeated key the last value counts, whatever type an earlier one has: the canonical form has it alone.
        body, sources = written(name, text)
        own = text_digest if body == text else digest(body)
        mark = name.encode() + (b"raw" if name in VOLATILE_FACETS else own)
        facet = cls(body, own, _brief(own), mark, name in _READ)
        if sources is not None:
            facet.sources = read.names_of(sources)
        elif facet.tells:
            facet._read(name, body)
        return facet

    def _read(self, name: str, body: bytes) -> None:
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


class Element(Struct, eq=False, gc=False):
    """A job or dataset as events describe it in the same bytes; what only one event says of it isn't here."""

    key: Key
    # In the order of their names; `form` stands for them in the text of an event's id.
    facets: dict[str, Facet]
    form: Raw
    shape: bytes
    sources: tuple[Key, ...] = ()
    links: tuple[Identifier, ...] = ()
    lifecycle: str = ""
    previous: Key | None = None
    streaming: bool = False

    @classmethod
    def of(cls, key: Key, facets: dict[str, Facet], form: Raw) -> Element:
        told = facets.values()
        shape = digest(key[0].encode(), b"\0", key[1].encode(), b"\0", *[facet.mark for facet in told])
        element = cls(key, facets, form, shape)
        for facet in told:
            if not facet.tells:
                continue
            element.sources += facet.sources
            element.links += facet.links
            if facet.lifecycle:
                element.lifecycle, element.previous = facet.lifecycle, facet.previous
            if facet.streaming:
                element.streaming = True
        return element


class Elements:
    """Holds what was met lately; use one from one thread at a time."""

    def __init__(self, recent: int, max_name_bytes: int) -> None:
        """`recent` bounds how many facets and how many elements are remembered, about 1 KB each."""
        self._facets: Recent[Facet] = Recent(recent)
        self._elements: Recent[Element] = Recent(recent)
        self._forms: Recent[Raw] = Recent(recent)
        self._max_name = max_name_bytes

    def element(self, namespace: Raw | None, name: Raw | None, facets: Raw | None, where: str) -> Element:
        met = digest(namespace or b"", b"\0", name or b"", b"\0", facets or b"")
        known = self._elements.get(met)
        if known is None:
            known = self._new_element(namespace, name, facets, where)
            self._elements.put(met, known)
        return known

    def facet_form(self, text: bytes) -> Raw:
        """Of a facet that isn't read further."""
        met = digest(text)
        known = self._forms.get(met)
        if known is None:
            known = _brief(digest(canonical(text)))
            self._forms.put(met, known)
        return known

    def _new_element(self, namespace: Raw | None, name: Raw | None, facets: Raw | None, where: str) -> Element:
        key = name_of(namespace, "namespace", where, self._max_name), name_of(name, "name", where, self._max_name)
        body = b"null" if facets is None else bytes(facets)
        if not is_object(body, f"{where}.facets"):
            return Element.of(key, {}, Raw(body))
        observed: dict[str, Facet] = {}
        forms: dict[str, Raw] = {}
        for facet_name, value in sorted(_decode_map(body).items(), key=_by_key):
            text = bytes(value)
            # What isn't an object observes nothing: producers send null for a facet that they don't have.
            if text[:1] == b"{":
                facet = observed[facet_name] = self._facet(facet_name, text)
                forms[facet_name] = facet.form
            else:
                forms[facet_name] = self.facet_form(text)
        return Element.of(key, observed, Raw(_encode(forms)))

    def _facet(self, name: str, text: bytes) -> Facet:
        text_digest = digest(text)
        met = text_digest + name.encode()
        known = self._facets.get(met)
        if known is None:
            known = Facet.of(name, text, text_digest)
            self._facets.put(met, known)
        return known


def _brief(own: bytes) -> Raw:
    """What stands for a facet of this digest in the text of an event's id; no JSON begins like that."""
    return Raw(b"#" + own)
