"""Pieces of a file enter, however long it is; the text of each event leaves, with its line and its number.

A file holds one event a line, or JSON values: events, arrays of events, and objects that list them as `events`. Only
brackets and strings are looked at, so that one bad event costs no other; whoever takes the events judges them.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

import msgspec

from lineage_hub.errors import InvalidRequest

MIB = 1024 * 1024
# More than any hub takes; a file without an end of anything must not fill the memory.
LARGEST_EVENT_BYTES = 64 * MIB
ENDLESS = (
    "it has no end: brackets that don't match, a file that is cut off, "
    f"or more than {LARGEST_EVENT_BYTES // MIB} MiB; nothing after it could be read"
)
LINES, VALUES = "lines", "values"
ARRAY, OBJECT, REST_OF_OBJECT = "array", "object", "rest of an object"

_BOM = b"\xef\xbb\xbf"
_BLANKS = re.compile(rb"[ \t\r\n]*+")
_BLANKS_AND_COMMAS = re.compile(rb"[ \t\r\n,]*+")
_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
# A quotation mark alone begins a string whose end is yet to be read.
_TOKEN = re.compile(_STRING + rb'|["{}\[\],]', re.DOTALL)
_SHORT_MEMBER = _STRING + rb"\s*+:\s*+(?:" + _STRING + rb"|[-+.\w]++)\s*+,\s*+"
_LISTING_OBJECT = re.compile(rb"\{\s*+(?:" + _SHORT_MEMBER + rb')*+"events"\s*+:\s*+\[', re.DOTALL)
_HEAD_BYTES = 64 * 1024
_is_json = msgspec.json.Decoder(msgspec.Raw).decode


class EventText(NamedTuple):
    """`number` and `line` count from 1. A text with a `problem` is not to be sent: it is cut off, or none at all."""

    text: bytes
    number: int
    line: int
    problem: str = ""


class Place(NamedTuple):
    """How far a file has been read; `digest` is of all bytes before `offset`."""

    offset: int = 0
    digest: str = ""
    line: int = 1
    events: int = 0
    shape: str = ""
    inside: str = ""


class EventReader:
    """Reads in bounded memory; `place` is right behind the events that `take` gave."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._window = _Window(pieces)
        self._events, self._shape, self._inside = 0, "", ""
        self._texts = self._read()

    def skip_to(self, place: Place) -> bool:
        """Whether the file still begins with what had been read then; if not, it has to be read from its beginning."""
        if not self._window.skip(place.offset) or self._window.digest != place.digest:
            return False
        self._window.line, self._events = place.line, place.events
        self._shape, self._inside = place.shape, place.inside
        return True

    def take(self, most: int, most_bytes: int) -> list[EventText]:
        """The next events; a last one may go over `most_bytes`. None are left when the list is empty."""
        found: list[EventText] = []
        size = 0
        for one in islice(self._texts, most):
            found.append(one)
            size += len(one.text)
            if size >= most_bytes:
                break
        return found

    @property
    def place(self) -> Place:
        window = self._window
        # Of a file of which nothing could be read the next look may learn something else.
        shape = self._shape if window.offset else ""
        return Place(window.offset, window.digest, window.line, self._events, shape, self._inside)

    def _read(self) -> Iterator[EventText]:
        if not self._shape:
            self._shape = self._find_shape()
        yield from self._lines() if self._shape == LINES else self._values()
        if self._window.trouble:
            yield self._problem(b"", self._window.trouble)

    def _find_shape(self) -> str:
        window = self._window
        window.need(len(_BOM))
        if window.rest(len(_BOM)) == _BOM:
            window.advance(len(_BOM))
        window.pass_over(_BLANKS)
        if window.rest(1) == b"[" or window.matched(_LISTING_OBJECT):
            return VALUES
        end = window.end_of_line()
        if end is None or _valid(window.rest(end)):
            return LINES
        if window.rest(end).strip() == b"{":
            return VALUES
        # A first line that is no JSON is either the beginning of a value that is laid out, or simply bad.
        whole = window.end_of_value()
        return VALUES if whole is not None and whole > end and _is_laid_out(window.rest(whole)) else LINES

    def _lines(self) -> Iterator[EventText]:
        window = self._window
        while True:
            end = window.end_of_line()
            if end is None:
                told = self._problem(window.rest(200), f"the line is longer than {LARGEST_EVENT_BYTES // MIB} MiB")
                self._events += 1
                window.pass_line()
                yield told
                continue
            if end == 0:
                return
            line = window.rest(end)
            text = line.strip()
            if text and not line.endswith(b"\n") and not _valid(text):
                # Perhaps someone is still writing it. The place stays before it.
                if not window.trouble:
                    yield self._problem(text, "it is no JSON, and the file ends in the middle of the line")
                return
            at = window.line
            window.advance(end)
            if text:
                self._events += 1
                yield EventText(text.replace(b"\r", b" "), self._events, at)

    def _values(self) -> Iterator[EventText]:
        window = self._window
        while True:
            window.pass_over(_BLANKS_AND_COMMAS if self._inside else _BLANKS)
            first = window.rest(1)
            if not first:
                if self._inside and not window.trouble:
                    yield self._problem(b"", "the file ends before its list of events does")
                return
            if self._inside == REST_OF_OBJECT:
                end = window.end_of_value(depth=1)
                if end is None:
                    if not window.trouble:
                        yield self._problem(b"", ENDLESS)
                    return
                window.advance(end)
                self._inside = ""
            elif self._inside and first == b"]":
                window.advance(1)
                self._inside = REST_OF_OBJECT if self._inside == OBJECT else ""
            elif not self._inside and first == b"[":
                window.advance(1)
                self._inside = ARRAY
            elif not self._inside and (end := window.matched(_LISTING_OBJECT)):
                window.advance(end)
                self._inside = OBJECT
            else:
                found = window.end_of_value() if self._inside or first == b"{" else window.end_of_line()
                if not found:
                    if not window.trouble:
                        yield self._problem(window.rest(200), ENDLESS)
                    return
                text, at = window.rest(found), window.line
                window.advance(found)
                self._events += 1
                # JSON has no line break inside a string, so every one of them is mere layout.
                yield EventText(text.replace(b"\n", b" ").replace(b"\r", b" ").strip(), self._events, at)

    def _problem(self, text: bytes, problem: str) -> EventText:
        return EventText(text, self._events + 1, self._window.line, problem)


class _Window:
    """The part of the file that is looked at, from `offset` on."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = filter(None, pieces)
        self._data, self._at = b"", 0
        self._hash = hashlib.sha256()
        self.offset, self.line = 0, 1
        self.ended, self.trouble = False, ""

    @property
    def digest(self) -> str:
        return self._hash.hexdigest()

    def rest(self, count: int) -> bytes:
        return self._data[self._at : self._at + count]

    def advance(self, count: int) -> None:
        end = self._at + count
        self._hash.update(memoryview(self._data)[self._at : end])
        self.line += self._data.count(b"\n", self._at, end)
        self.offset += end - self._at
        self._at = end

    def more(self) -> bool:
        """Whether another piece could be read."""
        if self.ended:
            return False
        try:
            piece = next(self._pieces, b"")
        except InvalidRequest as error:
            piece, self.trouble = b"", str(error)
        self.ended = not piece
        self._data, self._at = self._data[self._at :] + piece, 0
        return not self.ended

    def need(self, count: int) -> None:
        while len(self._data) - self._at < count and self.more():
            pass

    def skip(self, offset: int) -> bool:
        while self.offset < offset:
            if self._at == len(self._data) and not self.more():
                return False
            self.advance(min(offset - self.offset, len(self._data) - self._at))
        return True

    def pass_over(self, blanks: re.Pattern[bytes]) -> None:
        while True:
            found = blanks.match(self._data, self._at)
            self.advance(found.end() - self._at if found else 0)
            if self._at < len(self._data) or not self.more():
                return

    def pass_line(self) -> None:
        while (end := self._data.find(b"\n", self._at)) < 0:
            self.advance(len(self._data) - self._at)
            if not self.more():
                return
        self.advance(end + 1 - self._at)

    def matched(self, pattern: re.Pattern[bytes]) -> int:
        """The length of what matches here, or 0."""
        if self.rest(1) != b"{":
            return 0
        self.need(_HEAD_BYTES)
        found = pattern.match(self._data, self._at)
        return found.end() - self._at if found else 0

    def end_of_line(self) -> int | None:
        """Behind the line break, or where the file ends; None if the line is too long."""
        searched = 0
        while True:
            end = self._data.find(b"\n", self._at + searched)
            if end >= 0:
                return end + 1 - self._at
            searched = len(self._data) - self._at
            if searched > LARGEST_EVENT_BYTES:
                return None
            if not self.more():
                return searched

    def end_of_value(self, depth: int = 0) -> int | None:
        """Behind the bracket that closes it, or before the comma or bracket that follows it; None without an end."""
        at = 0
        while True:
            token = _TOKEN.search(self._data, self._at + at)
            if token is None or token[0] == b'"':
                at = (token.start() if token else len(self._data)) - self._at
                if len(self._data) - self._at > LARGEST_EVENT_BYTES or not self.more():
                    return None
                continue
            mark = token[0]
            at = token.end() - self._at
            if mark in (b"{", b"["):
                depth += 1
            elif mark in (b"}", b"]"):
                depth -= 1
                if depth <= 0:
                    return at if depth == 0 else at - 1
            elif mark == b"," and depth == 0:
                return at - 1


def _is_laid_out(text: bytes) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _valid(text: bytes) -> bool:
    try:
        _is_json(text)
    except (msgspec.DecodeError, RecursionError, ValueError):
        return False
    return True
