"""A file of any shape gives its events, however it is cut into pieces, and reading goes on where it ended."""

import json
import tracemalloc
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineage_hub.errors import InvalidRequest
from lineage_hub.wire import event_texts
from lineage_hub.wire.event_texts import EventReader, EventText, Place

EVENTS = [{"a": 1}, {"b": 'quo"te ] } , \\'}, {"c": {"d": [1, [2], {}]}, "e": "ä\n"}]
A, B, C = (json.dumps(one).encode() for one in EVENTS)
LAID_OUT = json.dumps(EVENTS, indent=2).encode()


def pieces(text: bytes, size: int) -> Iterator[bytes]:
    return (text[at : at + size] for at in range(0, len(text), size))


def read(text: bytes, size: int = 1 << 20) -> list[EventText]:
    return EventReader(pieces(text, size)).take(10_000, 1 << 30)


def values(found: list[EventText]) -> list[object]:
    assert not any(one.problem for one in found), found
    assert not any(b"\n" in one.text or b"\r" in one.text for one in found)
    return [json.loads(one.text) for one in found]


SHAPES = {
    "lines": b"\n".join([A, B, C]),
    "lines with an end": b"\n".join([A, B, C, b""]),
    "windows lines and blanks": b"\xef\xbb\xbf\r\n" + b"\r\n \r\n".join([A, B, C]),
    "array": b"[" + b", ".join([A, B, C]) + b"]",
    "array laid out": LAID_OUT,
    "two arrays": b"[" + A + b"]\n[" + B + b"," + C + b"]\n",
    "object": b'{"events": [' + b",".join([A, B, C]) + b"]}",
    "object with more": b'{"n": 1, "x": "[\\"", "events": [' + b",".join([A, B, C]) + b'], "z": {"events": [[]]}}',
    "object laid out": json.dumps({"events": EVENTS, "totalCount": 3}, indent=1).encode(),
    "objects on lines": b'{"events":[' + A + b"," + B + b']}\n{"events":[' + C + b"]}",
    "values laid out": b"\n".join(json.dumps(one, indent=4).encode() for one in EVENTS),
}


@pytest.mark.parametrize("size", [1, 3, 7, 1 << 20])
@pytest.mark.parametrize("shape", SHAPES)
def test_events_are_found_whatever_the_shape_and_the_pieces(shape: str, size: int) -> None:
    found = read(SHAPES[shape], size)
    assert values(found) == EVENTS
    assert [one.number for one in found] == [1, 2, 3]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (b'\n{"a": 1}\n\n{"b": 2}\n', [2, 4]),
        (b'[\n{"a": 1},\n\n{"b":\n 2},\n{"c": 3}]', [2, 4, 6]),
        (b'{"events":\n[{"a": 1},\n{"b": 2}]}', [2, 3]),
    ],
)
def test_each_event_knows_its_line(text: bytes, lines: list[int]) -> None:
    assert [one.line for one in read(text, 2)] == lines


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        (b'not json\n{"a": 1}\n', [b"not json", b'{"a": 1}']),
        (b'{"a": nope}\n{"a": 1}\n', [b'{"a": nope}', b'{"a": 1}']),
        (b'{"a": "unclosed\n{"a": 1}\n', [b'{"a": "unclosed', b'{"a": 1}']),
        (b'{"a": {"b": 1}\n{"a": 1}\n{"a": 2}\n', [b'{"a": {"b": 1}', b'{"a": 1}', b'{"a": 2}']),
        (b'[{"a": nope}, null, "x,]", {} {"b": 2}]', [b'{"a": nope}', b"null", b'"x,]"', b"{}", b'{"b": 2}']),
        (b'[{"a": 1}]\nwhat\n{"a": 2}', [b'{"a": 1}', b"what", b'{"a": 2}']),
        (b'{\n "a": NaN\n}', [b'{  "a": NaN }']),
        (b"\xff\xfe\n{}\n", [b"\xff\xfe", b"{}"]),
    ],
)  # fmt: skip
def test_a_bad_event_costs_no_other(text: bytes, texts: list[bytes]) -> None:
    for size in (1, 1 << 20):
        found = read(text, size)
        assert [one.text for one in found] == texts
        assert not any(one.problem for one in found)


@pytest.mark.parametrize("text", [b"", b" \n", b"[]", b'{"events": []}', b"\xef\xbb\xbf"])
def test_nothing_is_found_where_nothing_is(text: bytes) -> None:
    assert read(text) == []


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        (b'{"a": 1}\n{"b": ', b'{"a": 1}\n{"b": 2}\n'),
        (b'[{"a": 1}, {"b": ', b'[{"a": 1}, {"b": 2}]'),
        (b'[{"a": 1}, ', b'[{"a": 1}, {"b": 2}]'),
        (b"[", b'[{"a": 1}, {"b": 2}]'),
        (b'{\n"a"', b'{\n"a": 1\n}\n{\n"b": 2\n}'),
        (b'{"events": [{"a": 1}, {"b": 2}], "tot', b'{"events": [{"a": 1}, {"b": 2}], "total": 2}'),
        (b'{\n"a": 1\n}\n{\n"b": ', b'{\n"a": 1\n}\n{\n"b": 2\n}'),
    ],
)
def test_an_end_that_is_missing_is_told_and_read_once_it_is_there(text: bytes, whole: bytes) -> None:
    first = EventReader(iter([text]))
    *good, cut = first.take(100, 1 << 20)
    assert cut.problem
    again = EventReader(iter([whole]))
    assert again.skip_to(first.place)
    assert values(good + again.take(100, 1 << 20)) == [{"a": 1}, {"b": 2}]


@given(st.sampled_from(sorted(SHAPES)), st.integers(1, 3), st.integers(1, 40), st.integers(1, 40))
def test_reading_goes_on_at_any_place(shape: str, count: int, size: int, other_size: int) -> None:
    text = SHAPES[shape]
    first = EventReader(pieces(text, size))
    before = first.take(count, 1 << 20)
    again = EventReader(pieces(text, other_size))
    assert again.skip_to(first.place)
    assert before + again.take(100, 1 << 20) == read(text)


def test_a_file_that_begins_otherwise_or_is_shorter_is_another() -> None:
    reader = EventReader(iter([A + b"\n" + B + b"\n"]))
    reader.take(1, 1 << 20)
    assert EventReader(iter([A + b"\n" + C])).skip_to(reader.place)
    assert not EventReader(iter([C + b"\n" + B])).skip_to(reader.place)
    assert not EventReader(iter([A])).skip_to(reader.place)
    assert EventReader(iter([C])).skip_to(Place(digest=EventReader(iter([])).place.digest))


def test_a_batch_is_bounded_by_events_and_by_bytes() -> None:
    reader = EventReader(iter([b'{"a": 1}\n' * 100]))
    assert len(reader.take(30, 1 << 20)) == 30
    assert len(reader.take(100, 40)) == 5
    assert len(reader.take(100, 1 << 20)) == 65
    assert reader.take(100, 1 << 20) == []


def test_what_cannot_be_read_on_is_told_after_what_could() -> None:
    def cut() -> Iterator[bytes]:
        yield A + b"\n" + B[:5]
        raise InvalidRequest("the disk is gone")

    good, told = EventReader(cut()).take(100, 1 << 20)
    assert json.loads(good.text) == EVENTS[0]
    assert (told.problem, told.line) == ("the disk is gone", 2)


def test_a_line_without_end_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_texts, "LARGEST_EVENT_BYTES", 100_000)
    long, good = read(b'{"a": "' + b"x" * 500_000 + b'"}\n{"b": 2}\n', 10_000)
    assert "longer" in long.problem
    assert (good.text, good.line, good.number) == (b'{"b": 2}', 2, 2)
    *good_ones, told = read(b'[{"a": 1}, {"b": "' + b"x" * 500_000 + b'"}]', 10_000)
    assert ([one.text for one in good_ones], bool(told.problem)) == ([b'{"a": 1}'], True)


@pytest.mark.parametrize(
    ("before", "between", "after"), [(b"", b"\n", b""), (b"[", b",", b"]"), (b'{"events":[', b",", b"]}")]
)
def test_memory_is_bounded_however_long_the_file_is(before: bytes, between: bytes, after: bytes) -> None:
    event = b'{"a": "' + b"x" * 5_000 + b'"}'

    def many() -> Iterator[bytes]:
        yield before + event
        for _ in range(200):
            yield (between + event) * 50
        yield after

    tracemalloc.start()
    try:
        reader = EventReader(many())
        total = 0
        while found := reader.take(100, 1 << 20):
            total += len(found)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert total == 10_001
    assert peak < 5_000_000
