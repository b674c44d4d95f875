"""What has the usual members only is read in one go, and says the same as if it were read member by member."""

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.generator import EventStream
from benchmarks.landscape import layered_landscape
from lineage_hub.wire import Decoder, Element, Event
from lineage_hub.wire.canonical import canonical
from lineage_hub.wire.facets import column_sources
from lineage_hub.wire.usual import written
from tests.oracle.identity import event_id, parse

RECORDINGS = Path(__file__).parent.parent / "fixtures" / "recordings"
INPUT = '{"namespace":"n","name":"s","field":"f"}'
USUAL_FACETS = {
    "schema": [
        '{"fields":[{"type":"INT","name":"a"},{"name":"b","type":null,"description":"\\u00e4\\n/"}],"_producer":"p"}',
        ' { "_schemaURL" : "u" , "_producer" : null } ',
        '{"fields":[{"name":1}],"fields":[{"name":"the last counts"}]}',
    ],
    "columnLineage": [
        '{"fields":{"z":{"inputFields":[INPUT]},"a":{"inputFields":[],"transformationType":null}}}',
        '{"fields":{"a":{"inputFields":[{"field":"f","name":"","namespace":"n"},INPUT]}},"_producer":"p"}',
        '{"fields":{"a":{"inputFields":[{"namespace":"n","name":"t","field":"f","transformations":'
        '[{"type":"DIRECT","masking":false,"description":null}]}]}}}',
    ],
}
UNUSUAL_FACETS = {
    "schema": [
        '{"fields":[{"name":"a","ordinal_position":1}]}',
        '{"fields":[{"name":"a","fields":[{"name":"b"}]}]}',
        '{"fields":[{"name":-0}],"_deleted":true}',
        '{"fields":{}}',
    ],
    "columnLineage": [
        '{"fields":{"a":{"inputFields":[INPUT]}},"dataset":[{"namespace":"n","name":"d","field":"f"}]}',
        '{"fields":{"a":{"inputFields":[{"namespace":"n","name":"s"}]}}}',
        '{"fields":{"a":{}}}',
        '{"fields":{"a":{"inputFields":[INPUT]}},"_deleted":true}',
        "{}",
    ],
}


def cases(facets: dict[str, list[str]]) -> list[tuple[str, bytes]]:
    return [(name, text.replace("INPUT", INPUT).encode()) for name, texts in facets.items() for text in texts]


@pytest.mark.parametrize(("name", "text"), cases(USUAL_FACETS) + cases(UNUSUAL_FACETS))
def test_a_facet_is_written_in_its_canonical_form(name: str, text: bytes) -> None:
    body, sources = written(name, text.strip())
    assert body == canonical(text.strip())
    if sources is not None:
        named = {key for key in sources if all(key)}
        assert named == set(column_sources(body))


@pytest.mark.parametrize(("name", "text"), cases({"columnLineage": UNUSUAL_FACETS["columnLineage"]}))
def test_sources_are_told_only_of_column_lineage_that_says_nothing_unusual(name: str, text: bytes) -> None:
    assert written(name, text)[1] is None


def events() -> list[bytes]:
    recorded = [line for path in sorted(RECORDINGS.glob("*.ndjson")) for line in path.read_bytes().splitlines()]
    return recorded + list(EventStream(layered_landscape(10)).events(0, 20))


def described(element: Element | None) -> Any:
    if element is None:
        return None
    facets = [(name, facet.digest, facet.body) for name, facet in element.facets.items()]
    return element.key, element.shape, facets, sorted(element.sources), element.links, element.streaming


def told(event: Event) -> Any:
    elements = [described(one) for one in (event.job, event.subject, *event.inputs, *event.outputs)]
    return (
        event.event_at, event.kind, event.type, event.run_id, event.parent, event.root, event.inferred,
        event.streaming, elements,
    )  # fmt: skip


def test_an_event_says_the_same_with_a_member_that_the_spec_does_not_name() -> None:
    for raw in events():
        more = json.dumps(json.loads(raw) | {"more": 1}).encode()
        if parse(more) | {"more": None} != parse(raw) | {"more": None}:
            continue  # floats are written otherwise
        plain, extended = Decoder().decode(raw, "default"), Decoder().decode(more, "default")
        assert told(plain) == told(extended)
        assert plain.event_id.hex() == event_id("default", parse(raw))
        assert extended.event_id.hex() == event_id("default", parse(more))
