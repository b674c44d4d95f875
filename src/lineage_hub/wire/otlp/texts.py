"""Bytes of a message enter; the message leaves, also if texts in it are no UTF-8: what isn't becomes U+FFFD.

Protobuf refuses such a message as a whole. Programs in C++ send what their system told them, and collectors pass it on.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from lineage_hub.wire.otlp import schema


def read_message(message_class: Any, raw: bytes) -> Any:
    """Raises protobuf's DecodeError for what is no such message."""
    try:
        return message_class.FromString(raw)
    except schema.decode_error():
        found = _textless(message_class).FromString(raw)
        _mend(found, message_class.DESCRIPTOR)
        return message_class.FromString(found.SerializeToString())


@cache
def _textless(message_class: Any) -> Any:
    """Reads the same bytes, and leaves texts as they are."""

    def leave(field: Any) -> None:
        if field.type == field.TYPE_STRING:
            field.type = field.TYPE_BYTES

    return schema.changed_class(message_class, leave)


def _mend(message: Any, descriptor: Any) -> None:
    for field, value in message.ListFields():
        known = descriptor.fields_by_number[field.number]
        if known.message_type is not None:
            for one in value if known.is_repeated else (value,):
                _mend(one, known.message_type)
        elif known.type == known.TYPE_STRING:
            if known.is_repeated:
                value[:] = [_as_utf8(one) for one in value]
            else:
                setattr(message, field.name, _as_utf8(value))


def _as_utf8(raw: bytes) -> bytes:
    return raw.decode(errors="replace").encode()
