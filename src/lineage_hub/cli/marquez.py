"""The address of a server with Marquez's API enters; its events leave in the order of their times, each at least once.

A page begins a little before the last event of the one before it: several events may have one time, servers differ in
whether `after` includes it, and what is read may grow meanwhile. What comes twice is passed over.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import count

import msgspec

from lineage_hub.cli.hub import Hub, Value
from lineage_hub.cli.nodes import quoted
from lineage_hub.errors import InternalError, InvalidRequest, LineageHubError, NotFound, Transient, Unreachable
from lineage_hub.settings import Settings
from lineage_hub.terminal import one_line
from lineage_hub.transports.patience import Patience
from lineage_hub.wire import instant, instant_text

MOST_EVENTS = 10_000
# Marquez keeps microseconds; others may cut to milliseconds.
OVERLAP_NS = 1_000_000
TIMEOUT_S = 120.0
LISTED = 100


class _Page(msgspec.Struct, rename="camel"):
    events: list[msgspec.Raw]
    total_count: int | None = None


class _Subject(msgspec.Struct):
    namespace: str = ""


class _Head(msgspec.Struct, rename="camel"):
    event_time: str = ""
    job: _Subject | None = None
    dataset: _Subject | None = None


class DescribedField(msgspec.Struct):
    name: str
    tags: list[str] | None = None


class Described(msgspec.Struct, rename="camel"):
    """A job or dataset, as far as it can hold what no event says."""

    namespace: str
    name: str
    updated_at: str
    description: str | None = None
    tags: list[str] | None = None
    fields: list[DescribedField] | None = None

    def all_tags(self) -> set[tuple[str, str]]:
        """With the field that each is on, or nothing for the job or dataset itself."""
        of_fields = {(field.name, tag) for field in self.fields or () for tag in field.tags or ()}
        return of_fields | {("", tag) for tag in self.tags or ()}


class _Named(msgspec.Struct):
    name: str


class _Lists(msgspec.Struct):
    """Whichever of them was asked for."""

    namespaces: list[_Named] = []
    datasets: list[Described] = []
    jobs: list[Described] = []


@dataclass(frozen=True, slots=True)
class Read:
    """An event and its time, if it has one that can be read."""

    text: bytes
    at: int | None
    namespace: str


class _Server(Hub):
    """The same conversation, other words where it goes wrong."""

    def _stranger(self, why: str) -> LineageHubError:
        return self.other(why)

    def other(self, why: str) -> LineageHubError:
        return InvalidRequest(
            f"what answers at {self.shown_url} does not speak Marquez's API: {why}",
            subject="URL",
            action="give the address before /api/v1, such as http://marquez:5000",
        )


class Marquez:
    """Waits for a server that is away or fails, until nothing has worked for so many seconds."""

    def __init__(self, settings: Settings, url: str, api_key: str, give_up_after_s: float) -> None:
        address = url.rstrip("/").removesuffix("/api/v1")
        self._server = _Server(replace(settings, url=address, api_key=api_key), TIMEOUT_S)
        self.shown_url = self._server.shown_url
        self._give_up_after_s = give_up_after_s

    def __enter__(self) -> Marquez:
        self._server.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.__exit__(None, None, None)

    def total(self, after: int | None, before: int | None) -> int | None:
        """How many events it has, if it tells."""
        return self._page(after, before, 1, 0).total_count

    def pages(self, after: int | None, before: int | None, size: int) -> Iterator[list[Read]]:
        """From after that time on; each page has at least one event that was not in those before it."""
        recent: list[Read] = []
        limit, offset = size, 0
        while True:
            read = [_read(bytes(event)) for event in self._page(after, before, limit, offset).events]
            fresh = _without(read, recent)
            if fresh:
                yield fresh
            if len(read) < limit:
                return
            recent += fresh
            last = max((one.at for one in read if one.at is not None), default=None)
            if last is not None and (after is None or last - OVERLAP_NS > after):
                after, limit, offset = last - OVERLAP_NS, size, 0
                recent = [one for one in recent if one.at is not None and one.at >= after]
            # More events have one time than fit: servers order them as they like, so more at once is the safe way.
            elif limit < MOST_EVENTS:
                limit = min(2 * limit, MOST_EVENTS)
            else:
                offset += limit

    def described(self, kind: str) -> Iterator[Described]:
        """Every job or dataset (`jobs`, `datasets`) that it lists."""
        for listed in self._lists("/namespaces"):
            for namespace in listed.namespaces:
                for found in self._lists(f"/namespaces/{quoted(namespace.name)}/{kind}"):
                    yield from found.datasets or found.jobs

    def _lists(self, path: str) -> Iterator[_Lists]:
        for offset in count(0, LISTED):
            found = self._server.decode(_Lists, self._ask(path, limit=LISTED, offset=offset))
            yield found
            if len(found.namespaces or found.datasets or found.jobs) < LISTED:
                return

    def _page(self, after: int | None, before: int | None, limit: int, offset: int) -> _Page:
        body = self._ask(
            "/events/lineage",
            limit=limit,
            offset=offset,
            sortDirection="asc",
            after=None if after is None else instant_text(after),
            before=None if before is None else instant_text(before),
        )
        return self._server.decode(_Page, body)

    def _ask(self, path: str, **params: Value) -> bytes:
        patience = Patience(first_s=0.2, longest_s=10.0, open_after=6, cooling_s=5.0)
        until = time.monotonic() + self._give_up_after_s
        told = False
        while True:
            try:
                return self._server.ask("GET", path, params)
            except NotFound as error:
                raise self._server.other(f"it says 404 to {path}: {error.message}") from None
            except (Transient, InternalError) as error:
                wait_s = patience.failed(getattr(error, "retry_after_s", 0))
                if time.monotonic() + wait_s > until:
                    action = "check its address, or try again when it answers; the same command goes on there"
                    raise Unreachable(f"{self.shown_url}: {error.message}", subject="URL", action=action) from None
                if not told:
                    print(one_line(f"waiting for {self.shown_url}: {error.message}"), file=sys.stderr)
                    told = True
                time.sleep(wait_s)


def _read(text: bytes) -> Read:
    try:
        head = msgspec.json.decode(text, type=_Head)
        at: int | None = instant(head.event_time, "eventTime")
    except (msgspec.DecodeError, InvalidRequest):
        return Read(text, None, "")
    subject = head.job or head.dataset
    return Read(text, at, subject.namespace if subject else "")


def _without(read: list[Read], seen: list[Read]) -> list[Read]:
    """Each as often as it was not seen yet."""
    left = Counter(map(_digest, seen))
    fresh = []
    for one in read:
        key = _digest(one)
        if left[key]:
            left[key] -= 1
        else:
            fresh.append(one)
    return fresh


def _digest(one: Read) -> bytes:
    return blake2b(one.text, digest_size=16).digest()
