"""What another server says of namespaces, sources and tags enters; a hub is told what it doesn't know yet.

These are statements, which no event can make. What somebody has told the hub itself stands: where the two differ, the
hub's word is kept and the difference is told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import TypeVar

import msgspec

from lineage_hub.cli.marquez_answers import NOBODY, Known, Lists, Namespace, Source, Tag
from lineage_hub.cli.nodes import PAGE, quoted
from lineage_hub.cli.sending import Sender
from lineage_hub.errors import InvalidRequest, NotFound, Terminal
from lineage_hub.settings import mask_url
from lineage_hub.wire import instant

# What Marquez writes for every source that events name, whatever its address.
ANY_SYSTEM = "POSTGRESQL"
UNKNOWN_SYSTEM = "UNKNOWN"
# The words for what was brought, of a statement's subject.
NAMESPACES, SOURCES, TAGS, TAGGED = "namespaces", "sources", "tags", "tagged"
T = TypeVar("T")
Body = dict[str, str | None]


class Sayings:
    """`said` are the tags that an earlier run has put on: one that was taken off since stays off."""

    def __init__(self, sender: Sender, said: set[str], refuse: Callable[[str, str, bytes], None]) -> None:
        self._sender, self._said, self._refuse = sender, said, refuse
        self.brought: Counter[str] = Counter()
        self.differing: list[str] = []

    def tell_namespace(self, one: Namespace) -> None:
        owner = one.owner_name if one.owner_name != NOBODY else None
        if one.is_hidden or not (owner or one.description):
            return
        path = f"/namespaces/{quoted(one.name)}"
        known = self._known(Namespace, path) or Namespace(one.name, NOBODY)
        known_owner = known.owner_name if known.owner_name != NOBODY else None
        body = {
            "ownerName": self._fill(f"owner of namespace {one.name}", known_owner, owner) or NOBODY,
            "description": self._fill(f"description of namespace {one.name}", known.description, one.description),
        }
        self._put(NAMESPACES, path, body, {"ownerName": known_owner or NOBODY, "description": known.description})

    def tell_source(self, one: Source) -> None:
        if not one.connection_url:
            return
        path = f"/sources/{quoted(one.name)}"
        known = self._known(Source, path) or Source(one.name)
        url = mask_url(one.connection_url)
        was = {"type": known.type, "connectionUrl": known.connection_url, "description": known.description}
        body: Body = {
            "type": known.type if known.type and one.type == ANY_SYSTEM else one.type or known.type or UNKNOWN_SYSTEM,
            "connectionUrl": url,
            "description": self._fill(f"description of source {one.name}", known.description, one.description),
        }
        if (
            known.connection_url
            and (known.connection_url, known.type) != (url, body["type"])
            and not _later(one, known)
        ):
            self._differs(f"address of source {one.name}")
            body |= {"type": known.type, "connectionUrl": known.connection_url}
        self._put(SOURCES, path, body, was)

    def tell_tags(self, tags: Iterable[Tag]) -> None:
        known = {one.name: one.description for one in self._every_tag()}
        for one in tags:
            text = self._fill(f"description of tag {one.name}", known.get(one.name), one.description)
            if one.name not in known or text != known[one.name]:
                self._put(TAGS, f"/tags/{quoted(one.name)}", {"description": text}, None)

    def put_on(self, kind: str, one: Known, tags: Iterable[tuple[str, str]]) -> None:
        """Each with the field that it is on, or nothing."""
        for field, tag in sorted(tags):
            key = "\t".join((kind, one.namespace, one.name, field, tag))
            if key in self._said:
                continue
            where = f"/fields/{quoted(field)}" if field else ""
            path = f"/namespaces/{quoted(one.namespace)}/{kind}/{quoted(one.name)}{where}/tags/{quoted(tag)}"
            if self._tell("POST", TAGGED, path, b""):
                self._said.add(key)

    def _every_tag(self) -> Iterable[Tag]:
        offset = 0
        while found := self._sender.read(Lists, "/tags", limit=PAGE, offset=offset).tags:
            yield from found
            offset += len(found)

    def _known(self, wanted: type[T], path: str) -> T | None:
        try:
            return self._sender.read(wanted, path)
        except NotFound:
            return None

    def _fill(self, what: str, known: str | None, said: str | None) -> str | None:
        if known is None:
            return said or None
        if said and said != known:
            self._differs(what)
        return known

    def _differs(self, what: str) -> None:
        self.differing.append(what)

    def _put(self, kind: str, path: str, body: Body, was: Body | None) -> None:
        if body != was:
            self._tell("PUT", kind, path, msgspec.json.encode(body))

    def _tell(self, method: str, kind: str, path: str, body: bytes) -> bool:
        try:
            self._sender.ask(method, path, {}, body)
        except Terminal as error:
            self._refuse(kind, f"{path}: {error.message}", body)
            return False
        self.brought[kind] += 1
        return True


def _later(one: Source, known: Source) -> bool:
    """Whether the server was told after the hub was."""
    try:
        return instant(one.updated_at) > instant(known.updated_at)
    except InvalidRequest:
        return False
