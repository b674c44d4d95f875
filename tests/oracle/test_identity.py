"""Ids and times of events, against values written by hand."""

import json
from hashlib import sha256

import pytest

from tests.oracle.build import complete, dataset_event, ns, schema, spelled
from tests.oracle.events import Taken, distinct
from tests.oracle.identity import Number, canon, event_id, parse, time_ns


def h(text: str | bytes) -> bytes:
    return sha256(text.encode() if isinstance(text, str) else text).digest()[:16]


def test_numbers_are_kept_as_written() -> None:
    body = parse(b'{"a": 1, "b": 1.0, "c": 1e0, "d": 1e400, "e": 123456789012345678901234567890, "f": -0}')
    assert [str(v) for v in body.values()] == [
        "1",
        "1.0",
        "1e0",
        "1e400",
        "123456789012345678901234567890",
        "-0",
    ]
    assert all(isinstance(v, Number) for v in body.values())


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", '"\\ud83d x"', '{"\\udc00": 1}'])
def test_what_is_not_a_json_number_or_not_unicode_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        parse(f'{{"a": {text}}}'.encode())


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ('{ "b" : [1, 2.50], "a" : {} }', '{"a":{},"b":[1,2.50]}'),
        ('{"a": 1, "a": 2}', '{"a":2}'),
        ('"\\u00e9 \\/ \\u2028 \\u007f"', '"é / \u2028 \x7f"'),
        ('"\\" \\\\ \\b \\f \\n \\r \\t \\u0000 \\u001F"', '"\\" \\\\ \\b \\f \\n \\r \\t \\u0000 \\u001f"'),
        ('"\\uD83D\\uDE00"', '"😀"'),
        ('{"\\uffff": 1, "\\uD83D\\uDE00": 2}', '{"\uffff":1,"😀":2}'),
        ("[true, false, null]", "[true,false,null]"),
    ],
)
def test_the_canonical_text_has_sorted_keys_no_white_space_and_few_escapes(value: str, text: str) -> None:
    assert canon(parse(value)) == text


def test_the_id_is_a_digest_of_the_tenant_and_of_the_text_with_facets_by_their_digests() -> None:
    inputs = '[{"name": "d", "facets": {"x": {"b": 1, "a": 2}}}, {"name": "e", "inputFacets": {"y": {}}}]'
    run = '{"runId": "r", "facets": {"z": null}}'
    raw = f'{{"eventTime": "t", "job": {{"name": "j"}}, "inputs": {inputs}, "run": {run}, "z": [{{"a": 1}}]}}'
    first = b'{"facets":{"x":#' + h('{"a":2,"b":1}') + b'},"name":"d"}'
    event = b'{"eventTime":"t","inputs":[' + first + b',{"inputFacets":{"y":{}},"name":"e"}],"job":{"name":"j"}'
    event += b',"run":{"facets":{"z":#' + h("null") + b'},"runId":"r"},"z":[{"a":1}]}'
    assert event_id("team", parse(raw)) == h(b"team\0" + event).hex()


def test_a_part_that_has_not_the_type_it_should_have_stands_as_its_text() -> None:
    event = '{"inputs":{"a":1},"job":[],"outputs":[7],"run":null}'
    assert (
        event_id("t", parse('{"inputs": {"a": 1}, "outputs": [7], "job": [ ], "run": null}')) == h(f"t\0{event}").hex()
    )


def test_two_spellings_are_one_event_and_the_least_text_and_the_least_known_time_are_kept() -> None:
    body = dataset_event(1, "d", schema=schema("a"))
    compact = json.dumps(body, separators=(",", ":")).encode()
    turned = json.dumps(dict(reversed(body.items())), indent=1).encode()
    for order in ([compact, turned], [turned, compact]):
        [event] = distinct(Taken("default", known_at, raw) for known_at, raw in zip((5, 3), order, strict=True))
        assert event.raw == min(compact, turned)
        assert event.known_at == 3


def test_the_same_body_of_two_tenants_or_with_a_number_written_otherwise_is_two_events() -> None:
    body = spelled(complete(1))
    other = body.replace(b'"facets": {}', b'"facets": {"x": {"n": 1}}', 1)
    another = body.replace(b'"facets": {}', b'"facets": {"x": {"n": 1.0}}', 1)
    taken = [Taken("a", 0, body), Taken("b", 0, body), Taken("a", 0, other), Taken("a", 0, another)]
    assert len(distinct(taken)) == 4


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01T00:00:00.000000001Z", 1),
        ("1969-12-31T23:59:59.999999999Z", -1),
        ("1970-01-01T01:00:00.5+01:00", 500_000_000),
        ("1969-12-31T18:30:00-05:30", 0),
        ("2026-01-01T00:00:07Z", ns(7)),
        ("2026-01-01T00:00:00.123456789Z", ns(0) + 123_456_789),
        ("1678-01-01T00:00:00Z", -9_214_560_000_000_000_000),
        ("2261-12-31T23:59:59.999999999Z", 9_214_646_399_999_999_999),
    ],
)
def test_times_are_exact_to_the_nanosecond(text: str, expected: int) -> None:
    assert time_ns(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "2026-01-01T00:00:00",
        "2026-01-01",
        "1677-12-31T23:59:59Z",
        "2262-01-01T00:00:00Z",
        "0001-01-01T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "yesterday",
    ],
)
def test_a_time_without_a_zone_or_out_of_range_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        time_ns(text)
