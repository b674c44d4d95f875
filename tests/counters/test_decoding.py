"""Datasets, jobs and facets that were met lately are recognised by their bytes: neither parsed nor hashed again."""

import tracemalloc

import pytest

from benchmarks.generator import EventStream
from benchmarks.landscape import layered_landscape
from lineage_hub.wire import Decoder
from tests.counters.counting import counted_calls

JOBS = 20
# The event, the id of its run, its parent, and what the run says of each of two outputs.
DECODES_OF_A_KNOWN_EVENT = 5
# The event, its job, each input and output, each facet of its run.
DIGESTS_OF_A_KNOWN_EVENT = 10
PEAK_BYTES_OF_AN_EVENT_BYTE = 2.0


@pytest.fixture
def known() -> tuple[Decoder, list[bytes]]:
    """A decoder that has met every job, and the events of their next runs."""
    stream = EventStream(layered_landscape(JOBS), runs_per_job=4)
    decoder = Decoder()
    for event in stream.events(0, 2 * 2 * JOBS):
        decoder.decode(event, "default")
    return decoder, list(stream.events(2 * 2 * JOBS, 2 * JOBS))


def test_an_event_of_known_elements_takes_few_decodes_and_digests(known: tuple[Decoder, list[bytes]]) -> None:
    decoder, events = known
    for event in events:
        with counted_calls() as calls:
            decoder.decode(event, "default")
        assert calls["Decoder.decode"] <= DECODES_OF_A_KNOWN_EVENT, calls
        assert calls["openssl_sha256"] <= DIGESTS_OF_A_KNOWN_EVENT, calls


def test_known_elements_are_not_looked_into(known: tuple[Decoder, list[bytes]]) -> None:
    """With ten times the columns and facets an event takes as many decodes."""
    decoder, events = known
    plain = events[0]
    more = b'"more":{"columns":[%b]}' % b",".join([b"1"] * 5_000)
    large = plain.replace(b'"facets":{"schema":', b'"facets":{%b,"schema":' % more)
    assert len(large) > 3 * len(plain)
    for event in (plain, large):
        decoder.decode(event, "default")
    counts = []
    for event in (plain, large):
        with counted_calls() as calls:
            decoder.decode(event, "default")
        counts.append((calls["Decoder.decode"], calls["openssl_sha256"]))
    assert counts[0] == counts[1]


def test_decoding_a_known_event_takes_little_memory(known: tuple[Decoder, list[bytes]]) -> None:
    decoder, events = known
    for event in events:
        tracemalloc.start()
        decoder.decode(event, "default")
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak <= PEAK_BYTES_OF_AN_EVENT_BYTE * len(event), peak / len(event)
