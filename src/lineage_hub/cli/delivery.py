"""Files of events enter; a hub has their events, and what became of them leaves as counts and a list of rejects.

After each batch the place in the file is kept, so that a run which was interrupted goes on where it ended.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, NamedTuple

import msgspec

from lineage_hub.cli.event_files import EventFile, Source
from lineage_hub.cli.sending import BATCH_BYTES, progress
from lineage_hub.cli.sent_before import Sent, SentBefore
from lineage_hub.errors import InvalidRequest
from lineage_hub.terminal import one_line
from lineage_hub.transports.base import Refused
from lineage_hub.wire.event_texts import EventReader, EventText

# So many are listed; --rejects has them all.
MOST_LISTED = 1000
Send = Callable[[Sequence[bytes]], list[Refused]]


class Reject(NamedTuple):
    file: str
    line: int
    number: int
    reason: str


@dataclass(slots=True)
class Totals:
    files: int = 0
    sent: int = 0
    rejected: int = 0
    sent_before: int = 0
    """By earlier runs of the command."""
    rejects: list[Reject] = field(default_factory=list)
    began_at: float = field(default_factory=time.monotonic)

    @property
    def found(self) -> int:
        return self.sent + self.rejected

    def summary(self) -> dict[str, object]:
        seconds = time.monotonic() - self.began_at
        return {
            "files": self.files,
            "sent": self.sent,
            "rejected": self.rejected,
            "sent_before": self.sent_before,
            "seconds": round(seconds, 3),
            "events_per_second": round(self.found / max(seconds, 1e-3), 1),
            "rejects": [one._asdict() for one in self.rejects],
        }


class Delivery:
    """`reject` is told of each event that was rejected, with its text."""

    def __init__(self, send: Send, batch: int, reject: Callable[[Reject, bytes], None] = lambda *_: None) -> None:
        self._send, self._batch, self._reject = send, batch, reject
        self.totals = Totals()
        self._can_remember = True

    def deliver(self, file: EventFile, before: SentBefore | None = None) -> None:
        """With `before` it goes on behind what had been sent, and notes how far it comes."""
        self.totals.files += 1
        sent = before.load() if before else None
        if sent is not None and sent.finished and sent.condition == file.condition:
            self.totals.sent_before += sent.place.events
            return
        with ExitStack() as opened:
            source, reader = self._open(file, sent, opened)
            bar = opened.enter_context(progress(file.size, f"Sending {one_line(Path(file.shown).name)}", of_bytes=True))
            shown, last = 0, None
            while texts := reader.take(self._batch, BATCH_BYTES):
                self._hand_over(file, texts)
                self._remember(before, reader, finished=False)
                bar.advance(source.done_bytes - shown)
                shown, last = source.done_bytes, texts[-1]
            # What is cut off may be whole the next time.
            self._remember(before, reader, finished=not (last and last.problem))

    def _open(self, file: EventFile, sent: Sent | None, opened: ExitStack) -> tuple[Source, EventReader]:
        source = opened.enter_context(file.opened())
        reader = EventReader(source.pieces())
        if sent is None:
            return source, reader
        if reader.skip_to(sent.place):
            self.totals.sent_before += sent.place.events
            return source, reader
        opened.close()
        print(f"{one_line(file.shown)} has changed, so it is sent from its beginning", file=sys.stderr)
        return self._open(file, None, opened)

    def _hand_over(self, file: EventFile, texts: list[EventText]) -> None:
        whole = [one for one in texts if not one.problem]
        refused = {
            id(whole[one.index]): one.reason for one in (self._send([one.text for one in whole]) if whole else ())
        }
        for one in texts:
            reason = one.problem or refused.get(id(one))
            if reason is None:
                self.totals.sent += 1
                continue
            self.totals.rejected += 1
            found = Reject(file.shown, one.line, one.number, reason)
            self._reject(found, one.text)
            if len(self.totals.rejects) < MOST_LISTED:
                self.totals.rejects.append(found)

    def _remember(self, before: SentBefore | None, reader: EventReader, *, finished: bool) -> None:
        if before is None or not self._can_remember:
            return
        try:
            before.save(reader.place, finished=finished)
        except OSError as error:
            self._can_remember = False
            print(f"this run can't be continued later: {before.kept_in}: {error.strerror}", file=sys.stderr)


@contextmanager
def rejects_file(path: Path | None, *, append: bool) -> Iterator[Callable[[Reject, bytes], None]]:
    """Gives a function that writes a reject as one line of JSON."""
    if path is None:
        yield lambda *_: None
        return
    try:
        out: IO[bytes] = path.open("ab" if append else "wb")
    except OSError as error:
        raise InvalidRequest(
            f"{path} can't be written: {error.strerror}", subject="--rejects", action="name another file"
        ) from None
    with out:

        def write(found: Reject, text: bytes) -> None:
            out.write(msgspec.json.encode({**found._asdict(), "event": _value(text)}) + b"\n")
            out.flush()

        yield write


def _value(text: bytes) -> object:
    try:
        return msgspec.json.decode(text, type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError, ValueError):
        return text.decode(errors="replace")


def check_json(events: Sequence[bytes]) -> list[Refused]:
    """What is no JSON object, without a hub."""
    refused = []
    for index, text in enumerate(events):
        try:
            _decode_object(text)
        except (msgspec.DecodeError, RecursionError, ValueError) as error:
            refused.append(Refused(index, f"not a JSON object: {error}"))
    return refused


_decode_object = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


def print_rejects(totals: Totals) -> None:
    for one in totals.rejects:
        print(f"  {one_line(one.file)}:{one.line}: event {one.number}: {one_line(one.reason)}", file=sys.stderr)
    if totals.rejected > len(totals.rejects):
        print(f"  … {totals.rejected - len(totals.rejects)} more; --rejects FILE has them all", file=sys.stderr)
