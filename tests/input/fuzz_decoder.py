"""Bytes that a coverage-guided fuzzer makes up enter the decoder; a crash leaves if anything but a refusal comes out.

Run by test_fuzz_decoder.py; by hand: `python -m tests.input.fuzz_decoder SEEDS -max_total_time=600`.
"""

from __future__ import annotations

import random
import sys

import atheris

with atheris.instrument_imports(include=["lineage_hub.wire"]):
    from lineage_hub.errors import InvalidEvent
    from lineage_hub.query.warnings import warnings
    from lineage_hub.wire import Decoder
    from lineage_hub.wire.raw import decode as decode_raw

from tests.oracle.identity import event_id, parse
from tests.strategies import respell

TENANT = "default"
# One that remembers and one that never has: both must say the same.
LONG, SHORT = Decoder(), Decoder(recent=0)
taken = 0


def check(raw: bytes) -> bool:
    """Whether it was taken; everything that must hold of an event that was."""
    try:
        event = LONG.decode(raw, TENANT)
    except InvalidEvent as error:
        return _is_clear(error)
    assert event.raw == raw
    assert event.event_id == SHORT.decode(raw, TENANT).event_id == LONG.decode(raw, TENANT).event_id
    value = parse(raw)
    assert event.event_id.hex() == event_id(TENANT, value), "the id is not that of the oracle"
    other = respell(value, random.Random(len(raw))).encode()
    assert LONG.decode(other, TENANT).event_id == event.event_id, "another spelling is another event"
    decode_raw(raw)
    warnings(raw, event.event_at, event.event_at)
    return True


def _is_clear(error: InvalidEvent) -> bool:
    assert error.message
    assert error.subject
    return False


def one_input(raw: bytes) -> None:
    global taken  # noqa: PLW0603
    taken += check(raw)


def main() -> None:
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
