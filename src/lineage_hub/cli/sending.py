"""A file's bytes or events enter; what the hub accepted and what it refused leave, with a bar on a terminal.

Lines that are no JSON are sent too: the hub keeps them as dead letters, where people look for them.
"""

import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Protocol

import msgspec

from lineage_hub.cli.hub import Hub
from lineage_hub.errors import Transient, Unreachable

MAX_BATCH = 10_000
# A request stays well under the hub's limit for a body.
BATCH_BYTES = 8 * 1024 * 1024
# Before each attempt.
PAUSES_S = (0.0, 0.5, 1.0, 2.0, 4.0)


class _Refused(msgspec.Struct, frozen=True):
    index: int = 0
    reason: str = ""
    retriable: bool = False


class _Answer(msgspec.Struct):
    failed_events: list[_Refused] = []


class Failure(msgspec.Struct, frozen=True):
    """`number` counts the events of the file from 1."""

    number: int
    reason: str


class Result(msgspec.Struct):
    accepted: int = 0
    failures: list[Failure] = msgspec.field(default_factory=list)

    def as_json(self) -> dict[str, object]:
        refused = [{"event": one.number, "reason": one.reason} for one in self.failures]
        return {"accepted": self.accepted, "refused": refused}


def read_events(text: bytes) -> list[bytes]:
    """A JSON array or object gives its events, anything else one event a line."""
    stripped = text.strip()
    if stripped[:1] == b"[":
        try:
            return [_on_one_line(bytes(one)) for one in msgspec.json.decode(stripped, type=list[msgspec.Raw])]
        except msgspec.DecodeError:
            pass
    elif stripped[:1] == b"{":
        try:
            msgspec.json.decode(stripped, type=msgspec.Raw)
            return [_on_one_line(stripped)]
        except msgspec.DecodeError:
            pass
    return [line for line in (line.strip() for line in text.splitlines()) if line]


def _on_one_line(event: bytes) -> bytes:
    """JSON has no line break inside a string, so every one of them is mere layout."""
    return event.replace(b"\n", b" ").replace(b"\r", b" ")


def send_events(hub: Hub, events: Iterable[bytes], batch: int, total: int) -> Result:
    result = Result()
    with progress(total) as bar:
        for group in _batches(iter(events), batch):
            answer = hub.ask("POST", "/lineage/batch", body=b"\n".join(group), body_type="application/x-ndjson")
            sent_before = result.accepted + len(result.failures)
            refused = hub.decode(_Answer, answer).failed_events if answer else []
            result.failures += [Failure(sent_before + one.index + 1, one.reason) for one in refused]
            result.accepted += len(group) - len(refused)
            bar.advance(len(group))
    return result


def _send_group(hub: Hub, group: list[bytes]) -> list[_Refused]:
    """What stays refused; what a busy hub couldn't take yet is sent again, since a repeat does no harm."""
    refused: list[_Refused] = []
    waiting = list(range(len(group)))
    for pause_s in PAUSES_S:
        time.sleep(pause_s)
        last = pause_s == PAUSES_S[-1]
        body = b"\n".join(group[number] for number in waiting)
        try:
            answer = hub.ask("POST", "/lineage/batch", body=body, body_type="application/x-ndjson")
        except Transient as error:
            if last or isinstance(error, Unreachable):
                raise
            continue
        failed = hub.decode(_Answer, answer).failed_events if answer else []
        refused += [_Refused(waiting[one.index], one.reason) for one in failed if last or not one.retriable]
        waiting = [waiting[one.index] for one in failed if one.retriable]
        if last or not waiting:
            break
    return sorted(refused, key=lambda one: one.index)


def _batches(events: Iterator[bytes], batch: int) -> Iterator[list[bytes]]:
    while group := list(islice(events, batch)):
        part: list[bytes] = []
        size = 0
        for event in group:
            if part and size + len(event) > BATCH_BYTES:
                yield part
                part, size = [], 0
            part.append(event)
            size += len(event)
        yield part


class Bar(Protocol):
    def advance(self, count: int) -> None: ...


class _NoBar:
    def advance(self, count: int) -> None:
        pass


@contextmanager
def progress(total: int, label: str = "Sending events") -> Iterator[Bar]:
    """A bar on stderr when a person watches."""
    if not sys.stderr.isatty():
        yield _NoBar()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(label), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as drawn:
        task = drawn.add_task(label, total=total)

        class Drawn:
            def advance(self, count: int) -> None:
                drawn.advance(task, count)

        yield Drawn()
