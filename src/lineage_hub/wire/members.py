"""One member of an event enters as it was sent; its value leaves, or the error that says what is wrong with it."""

from __future__ import annotations

import msgspec
from msgspec import Raw

from lineage_hub.errors import InvalidEvent
from lineage_hub.wire.facets import is_name

_decode_text = msgspec.json.Decoder(str).decode


def text_of(value: Raw | None, key: str, where: str = "") -> str:
    """`where` is what the member stands in, unless that is the event itself."""
    try:
        if value is not None:
            return _decode_text(value)
        why, action = "is missing", f"add {key} to the event"
    except msgspec.ValidationError:
        why, action = "must be a string", "see the OpenLineage spec"
    what = f"{where}.{key}" if where else key
    raise InvalidEvent(f"{what} {why}", subject=what, action=action)


def name_of(value: Raw | None, key: str, where: str, max_bytes: int) -> str:
    text = text_of(value, key, where)
    # A character has at most four bytes.
    if text and "\0" not in text and 4 * len(text) <= max_bytes:
        return text
    what = f"{where}.{key}"
    if not is_name(text):
        why = "must not be empty" if not text else "must not hold NUL"
        raise InvalidEvent(f"{what} {why}", subject=what, action=f"name the {where}")
    if len(text.encode()) > max_bytes:
        raise InvalidEvent(
            f"{what} is longer than {max_bytes} bytes",
            subject=what,
            action="shorten the name, or raise ingest_max_name_bytes",
        )
    return text


def is_object(body: bytes, what: str) -> bool:
    """Or null, which stands for none."""
    return body[:1] == b"{" or must_be_null(body, what, "an object")


def must_be_null(body: bytes, what: str, wanted: str) -> bool:
    if body != b"null":
        raise InvalidEvent(f"{what} must be {wanted}", subject=what, action="see the OpenLineage spec")
    return False
