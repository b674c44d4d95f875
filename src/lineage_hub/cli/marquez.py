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
from typing import TypeVar

import msgspec

from lineage_hub.cli.hub import Hub, Value
from lineage_hub.cli.marquez_answers import Described, JobRun, Lists, Namespace, Source, Tag
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
# Marquez itself fails at lists of sources without an address, however often it is asked.
TRIES = 3
T = TypeVar("T")


class _Page(msgspec.Struct, rename="camel"):
    events: list[msgspec.Raw]
    total_count: int | None = None


class _Subject(msgspec.Struct):
    namespace: str = ""


class _Head(msgspec.Struct, rename="camel"):
    event_time: str = ""
    job: _Subject | None = None
    dataset: _Subject | None = None


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
        self.left_out: dict[str, str] = {}

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

    def namespaces(self) -> list[Namespace]:
        return [one for found in self._lists("/namespaces") for one in found.namespaces]

    def described(self, kind: str, namespace: str) -> Iterator[list[Described]]:
        """Pages of the jobs or datasets (`jobs`, `datasets`) that it lists there."""
        for found in self._lists(f"/namespaces/{quoted(namespace)}/{kind}"):
            yield found.datasets or found.jobs

    def runs(self, namespace: str, job: str) -> list[JobRun]:
        path = f"/namespaces/{quoted(namespace)}/jobs/{quoted(job)}/runs"
        return [one for found in self._lists(path) for one in found.runs]

    def sources(self) -> list[Source]:
        return [one for found in self._lists("/sources") for one in found.sources]

    def source(self, name: str) -> Source | None:
        return self._told(Source, f"/sources/{quoted(name)}")

    def tags(self) -> list[Tag]:
        return [one for found in self._lists("/tags") for one in found.tags]

    def _lists(self, path: str) -> Iterator[Lists]:
        offset, before = 0, [""]
        while found := self._told(Lists, path, limit=LISTED, offset=offset):
            names = found.names()
            # A server that knows no pages says the same again.
            if names == before:
                return
            yield found
            if len(names) < LISTED:
                return
            offset, before = offset + len(names), names

    def _told(self, wanted: type[T], path: str, **params: Value) -> T | None:
        """Nothing if it hasn't the route, or fails at it: what it tells beside its events is no reason to stop."""
        try:
            return self._server.decode(wanted, self._ask(path, tries=TRIES, **params))
        except Transient:
            raise
        except LineageHubError as error:
            self.left_out[path] = error.message
            return None

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

    def _ask(self, path: str, tries: int | None = None, **params: Value) -> bytes:
        """A server that fails is asked so many times, or as long as one that is away."""
        patience = Patience(first_s=0.2, longest_s=10.0, open_after=6, cooling_s=5.0)
        until = time.monotonic() + self._give_up_after_s
        for failed in count(1):
            try:
                return self._server.ask("GET", path, params)
            except NotFound as error:
                raise self._server.other(f"it says 404 to {path}: {error.message}") from None
            except (Transient, InternalError) as error:
                if isinstance(error, InternalError) and failed == tries:
                    raise
                wait_s = patience.failed(getattr(error, "retry_after_s", 0))
                if time.monotonic() + wait_s > until:
                    action = "check its address, or try again when it answers; the same command goes on there"
                    raise Unreachable(f"{self.shown_url}: {error.message}", subject="URL", action=action) from None
                if failed == 1:
                    print(one_line(f"waiting for {self.shown_url}: {error.message}"), file=sys.stderr)
                time.sleep(wait_s)
        raise AssertionError("it was asked for ever")


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
