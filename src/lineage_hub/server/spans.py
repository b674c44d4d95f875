"""Text that strict readers refuse enters; if it has the outline of JSON, the text of each of its parts leaves.

Python writes NaN and half surrogate pairs where JSON has no such thing; one bad event must not cost a batch.
"""

from __future__ import annotations

import json
import re

_BLANKS = re.compile(r"[ \t\n\r]*")
_read = json.JSONDecoder(parse_int=str, parse_float=str).raw_decode


def items_of(body: bytes) -> list[bytes] | None:
    """The items of an array."""
    try:
        text = body.decode()
        items, end = _items(text, _skip(text, 0))
        return [item.encode() for item in items] if _skip(text, end) == len(text) else None
    except (ValueError, RecursionError):
        return None


def members_of(body: bytes, *, listed: str) -> tuple[dict[str, bytes], list[bytes]] | None:
    """The members of an object, and the items of the one whose array is asked for; that one's text is `[]`."""
    try:
        text = body.decode()
        at = _expect(text, _skip(text, 0), "{")
        members: dict[str, bytes] = {}
        items: list[str] = []
        while True:
            key, at = _read(text, _skip(text, at))
            start = _skip(text, _expect(text, _skip(text, at), ":"))
            if key == listed and text[start : start + 1] == "[":
                items, end = _items(text, start)
                members[key] = b"[]"
            else:
                _, end = _read(text, start)
                members[str(key)] = text[start:end].encode()
            at = _skip(text, end)
            if text[at : at + 1] != ",":
                break
            at += 1
        whole = _skip(text, _expect(text, at, "}")) == len(text)
        return (members, [item.encode() for item in items]) if whole else None
    except (ValueError, RecursionError):
        return None


def _items(text: str, at: int) -> tuple[list[str], int]:
    at = _skip(text, _expect(text, at, "["))
    found: list[str] = []
    if text[at : at + 1] == "]":
        return found, at + 1
    while True:
        _, end = _read(text, at)
        found.append(text[at:end])
        at = _skip(text, end)
        if text[at : at + 1] != ",":
            return found, _expect(text, at, "]")
        at = _skip(text, at + 1)


def _skip(text: str, at: int) -> int:
    blanks = _BLANKS.match(text, at)
    return at if blanks is None else blanks.end()


def _expect(text: str, at: int, mark: str) -> int:
    if text[at : at + 1] != mark:
        raise ValueError(f"{mark} is missing")
    return at + 1
