"""The texts of events enter; a hub takes them in batches, and what it refuses for good leaves.

Texts that are no JSON are sent too: the hub keeps them as dead letters, where people look for them. What a busy hub
can't take yet is sent again, since a repeat does no harm.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Protocol, TypeVar

import msgspec

from lineage_hub.cli.hub import Hub, Value
from lineage_hub.errors import BodyTooLarge, Overloaded, Transient
from lineage_hub.terminal import one_line
from lineage_hub.transports.base import Refused
from lineage_hub.transports.patience import Patience

MAX_BATCH = 10_000
# A request stays well under the hub's limit for a body.
BATCH_BYTES = 8 * 1024 * 1024
GIVE_UP_AFTER_S = 60.0
T = TypeVar("T")


class _Failed(msgspec.Struct, frozen=True):
    index: int
    reason: str = ""
    retriable: bool = False


class _Answer(msgspec.Struct):
    failed_events: list[_Failed] = []


class Sender:
    """Waits for a hub that is away or busy, until nothing has worked for so many seconds."""

    def __init__(self, hub: Hub, give_up_after_s: float = GIVE_UP_AFTER_S) -> None:
        self._hub, self._give_up_after_s = hub, give_up_after_s
        self._is_waiting = False

    def send(self, events: Sequence[bytes]) -> list[Refused]:
        """What was refused, by its index; raises Transient when patience is at its end."""
        refused: list[Refused] = []
        waiting = list(range(len(events)))
        patience = Patience(first_s=0.2, longest_s=10.0, open_after=6, cooling_s=5.0)
        until = time.monotonic() + self._give_up_after_s
        while waiting:
            try:
                failed = self._post([events[index] for index in waiting])
            except BodyTooLarge as error:
                refused += self._halved(events, waiting, error)
                break
            except Transient as error:
                self._wait(patience.failed(error.retry_after_s), until, error)
                continue
            self._is_waiting = False
            refused += [Refused(waiting[one.index], one.reason) for one in failed if not one.retriable]
            again = [one for one in failed if one.retriable]
            if again:
                pause_s = patience.failed() if len(again) == len(waiting) else 0.0
                self._wait(pause_s, until, Overloaded(again[0].reason, action="try again in a moment"))
            waiting = [waiting[one.index] for one in again]
        return sorted(refused, key=lambda one: one.index)

    def ask(self, method: str, path: str, params: Mapping[str, Value], body: bytes | None = None) -> bytes:
        """One request, with the same patience."""
        patience = Patience(first_s=0.2, longest_s=10.0, open_after=6, cooling_s=5.0)
        until = time.monotonic() + self._give_up_after_s
        while True:
            try:
                answer = self._hub.ask(method, path, params, body=body)
            except Transient as error:
                self._wait(patience.failed(error.retry_after_s), until, error)
                continue
            self._is_waiting = False
            return answer

    def read(self, wanted: type[T], path: str, **params: Value) -> T:
        return self._hub.decode(wanted, self.ask("GET", path, params))

    def _halved(self, events: Sequence[bytes], waiting: Sequence[int], error: BodyTooLarge) -> list[Refused]:
        """A hub, or a proxy before it, may have smaller limits than this program thinks."""
        if len(waiting) == 1:
            return [Refused(waiting[0], error.message)]
        middle = len(waiting) // 2
        return [
            Refused(part[one.index], one.reason)
            for part in (waiting[:middle], waiting[middle:])
            for one in self.send([events[index] for index in part])
        ]

    def _post(self, events: Sequence[bytes]) -> list[_Failed]:
        answer = self._hub.ask("POST", "/lineage/batch", body=b"\n".join(events), body_type="application/x-ndjson")
        failed = self._hub.decode(_Answer, answer).failed_events if answer else []
        return [one for one in failed if 0 <= one.index < len(events)]

    def _wait(self, seconds: float, until: float, error: Transient) -> None:
        if time.monotonic() + seconds > until:
            raise error
        if not self._is_waiting:
            # Once for each time that it goes wrong, not for each try.
            print(one_line(f"waiting for the hub: {error.message}"), file=sys.stderr)
            self._is_waiting = True
        time.sleep(seconds)


class Bar(Protocol):
    def advance(self, count: int) -> None: ...


class _NoBar:
    def advance(self, count: int) -> None:
        pass


@contextmanager
def progress(total: int | None, label: str = "Sending events", *, of_bytes: bool = False) -> Iterator[Bar]:
    """A bar on stderr when a person watches; without a total it only shows that something goes on."""
    if not sys.stderr.isatty():
        yield _NoBar()
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    done = DownloadColumn() if of_bytes else MofNCompleteColumn()
    columns = (TextColumn(label), BarColumn(), done, TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as drawn:
        task = drawn.add_task(label, total=total)

        class Drawn:
            def advance(self, count: int) -> None:
                drawn.advance(task, count)

        yield Drawn()
