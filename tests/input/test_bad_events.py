"""What isn't an event is refused on every way in with a reason, kept as a dead letter, and harms nobody after it."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from tests.input.client import TENANT, WAYS, Body, Client, Way, event, text_of
from tests.input.crawl import visit

pytestmark = pytest.mark.slow

ONE, BATCH, ENVELOPE, WEBHOOK = WAYS
DATASET = {"namespace": "db", "name": "t"}
WRONG: dict[str, Any] = {
    "null": None,
    "true": True,
    "number": 7,
    "text": "text",
    "list": [],
    "list of lists": [[]],
    "object": {},
}


def with_wrong(path: str, value: Any) -> bytes:
    """A good event in which one member, named by its path, has another value."""
    body = event(inputs=[dict(DATASET)], outputs=[dict(DATASET)])
    if path.startswith("dataset"):
        body = event(run=None, job=None, dataset=dict(DATASET))
    *parents, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    holder: Any = body
    for part in parents:
        holder = holder[part]
    if isinstance(holder, list):
        holder[last] = value
    else:
        holder.pop(last, None)
        holder[last] = value
    return text_of(body)


TEXTS = {"text"}
# Each structural position, with the kinds of values that are good there.
POSITIONS = {
    "eventTime": set(),
    "producer": TEXTS,
    "eventType": {"null"},
    "run.runId": TEXTS,
    "job.namespace": TEXTS,
    "job.name": TEXTS,
    "inputs.0.namespace": TEXTS,
    "inputs.0.name": TEXTS,
    "outputs.0.namespace": TEXTS,
    "outputs.0.name": TEXTS,
    "dataset.namespace": TEXTS,
    "dataset.name": TEXTS,
    "run": {"null"},
    "job": set(),
    "dataset": set(),
    "inputs": {"null", "list"},
    "outputs": {"null", "list"},
    "inputs.0": set(),
    "outputs.0": set(),
    "run.facets": {"null", "object"},
    "job.facets": {"null", "object"},
    "inputs.0.facets": {"null", "object"},
    "inputs.0.inputFacets": {"null", "object"},
    "outputs.0.facets": {"null", "object"},
    "outputs.0.outputFacets": {"null", "object"},
    "dataset.facets": {"null", "object"},
}
FACET_MAPS = ("run.facets", "job.facets", "inputs.0.facets", "outputs.0.facets", "inputs.0.inputFacets")
KNOWN_FACETS = (
    "schema", "columnLineage", "symlinks", "lifecycleStateChange", "version", "documentation", "ownership", "tags",
    "dataSource", "datasetType", "storage", "jobType", "sourceCodeLocation", "sql", "parent", "nominalTime",
    "errorMessage", "extractionError", "dataQualityMetrics", "dataQualityAssertions", "inputStatistics",
)  # fmt: skip


@pytest.mark.parametrize("path", POSITIONS)
def test_a_wrong_type_at_a_structural_position_is_refused_by_its_name(client: Client, path: str, way: Way) -> None:
    for kind, value in WRONG.items():
        if kind not in POSITIONS[path]:
            reason = client.sends(with_wrong(path, value), way)
            assert reason is not None, f"{path} was taken with {kind}"
            assert path.split(".")[-1 if not path[-1].isdigit() else 0] in reason, (kind, reason)
        else:
            client.takes(with_wrong(path, value), way)


@pytest.mark.parametrize("member", ["eventTime", "producer", "run.runId", "job", "job.namespace", "job.name"])
def test_a_missing_member_is_named(client: Client, member: str, way: Way) -> None:
    body = event()
    *parents, last = member.split(".")
    holder = body
    for part in parents:
        holder = holder[part]
    del holder[last]
    assert client.sends(text_of(body), way) == f"{member} is missing"


@pytest.mark.parametrize("member", ["schemaURL", "eventType", "inputs", "outputs"])
def test_members_that_the_spec_or_its_producers_leave_out_are_not_required(client: Client, member: str) -> None:
    body = event()
    body.pop(member, None)
    client.takes(text_of(body))


def test_an_event_of_no_kind_is_refused(client: Client, way: Way) -> None:
    assert client.sends(text_of(event(run=None, job=None)), way) == "the event has no run, job or dataset"
    reason = client.sends(text_of(event(eventType="DONE")), way)
    assert reason is not None
    assert "'DONE' is unknown" in reason


@pytest.mark.parametrize("facet", KNOWN_FACETS)
def test_a_facet_of_any_content_is_kept_and_warned_of_and_no_question_fails_for_it(client: Client, facet: str) -> None:
    inner = [{"fields": 7}, {"fields": {"a": {"inputFields": "x"}}}, {"_deleted": "no"}, {"run": []}, {facet: []}]
    for number, value in enumerate([*WRONG.values(), *inner]):
        body = event(
            run={"runId": f"{facet} {number}", "facets": {facet: value}},
            job={"namespace": "input", "name": facet, "facets": {facet: value}},
            inputs=[{"namespace": facet, "name": "in", "facets": {facet: value}, "inputFacets": {facet: value}}],
            outputs=[{"namespace": facet, "name": "out", "facets": {facet: value}, "outputFacets": {facet: value}}],
        )
        taken = client.post(ONE, text_of(body))
        assert taken.status_code == 201, taken.text
        shown = client.get(f"events/{taken.json()['eventId']}").json()
        assert shown["event"] == body
        assert {warning["where"] for warning in shown["warnings"]} >= {
            f"run.facets.{facet}",
            f"job.facets.{facet}",
            f"inputs[0].facets.{facet}",
            f"inputs[0].inputFacets.{facet}",
            f"outputs[0].outputFacets.{facet}",
        }
        visit(client, text_of(body), parsed=False)


NOT_JSON = {
    "nothing": b"",
    "blanks": b" \n\t ",
    "words": b"not json",
    "a half": b'{"eventTime": "2026-',
    "a trailing comma": b'{"a": 1,}',
    "single quotes": b"{'a': 1}",
    "a comment": b'{"a": 1 /* one */}',
    "a leading zero": b'{"a": 01}',
    "a raw control character": b'{"a": "\x01"}',
    "an unknown escape": b'{"a": "\\x41"}',
    "NaN": b'{"a": NaN}',
    "Infinity": b'{"a": Infinity}',
    "-Infinity": b'{"a": -Infinity}',
    "XML": b"<event/>",
    "a byte order mark": b"\xef\xbb\xbf{}",
    "UTF-16": '{"a": 1}'.encode("utf-16"),
}


@pytest.mark.parametrize("name", NOT_JSON)
def test_what_is_not_json_is_refused_and_kept_as_it_came(client: Client, name: str, way: Way) -> None:
    body = NOT_JSON[name]
    answer = client.post(way, body)
    if way in (BATCH, WEBHOOK) and answer.status_code == 200:
        # Lines are events of their own; each bad one is told of.
        told = answer.json()
        failed = told["summary"]["failed"] if way is BATCH else told["rejected"]
        assert failed == len([line for line in body.split(b"\n") if line.strip()])
    else:
        assert answer.status_code == 400
        assert any(word in answer.json()["message"] for word in ("JSON", "UTF-8", "empty", "envelope"))
    letter = client.get(f"dead-letters/{client.letters()[0]['id']}").json()
    kept = letter["body"].encode() if letter["encoding"] == "utf-8" else base64.b64decode(letter["body"])
    assert kept in body
    assert letter["source"] == way.path


def spoiled(raw: bytes) -> dict[str, bytes]:
    """A good event in which a facet holds something that is no JSON or no text."""
    facet = b'"facets": {"x": {"value": %s}}, "runId"'
    return {
        name: raw.replace(b'"runId"', facet % value, 1)
        for name, value in {
            "NaN": b"NaN",
            "Infinity": b"Infinity",
            "-Infinity": b"[1, -Infinity]",
            "a leading zero": b"007",
            "a bare word": b"nothing",
            "not UTF-8": b'"\xff\xfe"',
            "an overlong escape in UTF-8": b'"\xc0\x80"',
            "a surrogate in UTF-8": b'"\xed\xa0\x80"',
            "Latin-1": '"é"'.encode("latin-1"),
            "half a surrogate pair": b'"\\ud83d"',
            "half a pair and text": b'"\\ud83d and text"',
            "the second half of a pair": b'"\\ude00"',
            "a pair in the wrong order": b'"\\ude00\\ud83d"',
            "half a pair beside a fraction": b'["\\ud83d", 1.5]',
            "half a pair in a key": b'{"\\ud83d": 1}',
        }.items()
    }


@pytest.mark.parametrize("name", spoiled(b""))
def test_a_facet_that_is_no_json_or_no_text_is_refused_with_the_reason(client: Client, name: str, way: Way) -> None:
    reason = client.sends(spoiled(text_of(event()))[name], way)
    assert reason is not None
    expected = "UTF-8" if "UTF-8" in name or name == "Latin-1" else "JSON"
    if "half" in name or "pair" in name:
        expected = "surrogate"
    assert expected in reason, reason


@pytest.mark.parametrize("opened", [b"[", b'{"a":'], ids=["lists", "objects"])
@pytest.mark.parametrize("closed", [True, False])
@pytest.mark.parametrize("depth", [10_000, 200_000])
def test_deep_nesting_is_refused(client: Client, opened: bytes, closed: bool, depth: int, way: Way) -> None:
    end = (b"]" if opened == b"[" else b"}") * depth if closed else b""
    nest = opened * depth + b"1" + end
    assert client.post(way, nest).status_code in (200, 400)
    raw = text_of(event()).replace(b'"runId"', b'"facets": {"x": {"value": %s}}, "runId"' % nest)
    reason = client.sends(raw, way)
    assert reason is not None
    if closed:
        assert "deep" in reason


def test_an_empty_batch_is_taken_and_means_nothing(client: Client) -> None:
    before = client.get("events/lineage", limit=0).json()["totalCount"]
    assert client.post(BATCH, b"[]").status_code == 204
    assert client.post(BATCH, b"\n\n", content_type="application/x-ndjson").status_code in (204, 400)
    assert client.post(WEBHOOK, b"[]").json() == {"accepted": 0, "rejected": 0, "errors": []}
    envelope = client.post(ENVELOPE, text_of({"namespace": TENANT, "events": []}))
    assert envelope.json() == {"accepted": 0, "rejected": 0, "errors": [], "namespace": TENANT}
    assert client.get("events/lineage", limit=0).json()["totalCount"] == before


def test_in_a_mixed_batch_the_good_events_are_taken_and_each_bad_one_is_a_letter(client: Client, way: Way) -> None:
    if way is ONE:
        reason = client.sends(text_of([event(), event()]))
        assert reason is not None
        return
    good = [event() for _ in range(3)]
    bad: list[Any] = [7, {"eventTime": "yesterday", "producer": "p"}, None]
    mixed = [good[0], bad[0], good[1], bad[1], bad[2], good[2]]
    body: Any = {"namespace": TENANT, "events": mixed} if way is ENVELOPE else mixed
    answer = client.post(way, text_of(body))
    assert answer.status_code == 200
    told = answer.json()
    if way is BATCH:
        assert [failure["index"] for failure in told["failed_events"]] == [1, 3, 4]
    else:
        assert [text.split(":")[0] for text in told["errors"]] == ["event 1", "event 3", "event 4"]
    assert sorted(letter["excerpt"] for letter in client.letters()) == sorted(json.dumps(one) for one in bad)
    for one in good:
        assert client.get(f"jobs/runs/{one['run']['runId']}").status_code == 200


@pytest.mark.parametrize("spoiler", [b"NaN", b"-Infinity", b'"\\ud83d"', b'[1.5, "\\ude00"]'], ids=repr)
def test_one_event_that_python_alone_takes_for_json_does_not_cost_the_others(
    client: Client, spoiler: bytes, way: Way
) -> None:
    if way is ONE:
        return
    good = [event(), event()]
    bad = text_of(event()).replace(b'"runId"', b'"facets": {"x": {"value": %s}}, "runId"' % spoiler)
    answer = client.post(way, way.wrap(b" , ".join([text_of(good[0]), bad, text_of(good[1])])))
    assert answer.status_code == 200, answer.text
    told = answer.json()
    assert (told["summary"]["failed"] if way is BATCH else told["rejected"]) == 1
    (letter,) = client.letters()
    assert client.get(f"dead-letters/{letter['id']}").json()["body"].encode() == bad
    for one in good:
        run = client.get(f"jobs/runs/{one['run']['runId']}")
        assert run.status_code == 200


@pytest.mark.parametrize(
    "envelope",
    [
        {},
        {"events": []},
        {"namespace": TENANT},
        {"namespace": None, "events": []},
        {"namespace": ["a"], "events": []},
        {"namespace": "", "events": []},
        {"namespace": "Upper-Case", "events": []},
        {"namespace": "a b c", "events": []},
        {"namespace": "été-été", "events": []},
        {"namespace": "x" * 51, "events": []},
        {"namespace": TENANT, "events": None},
        {"namespace": TENANT, "events": {}},
        {"namespace": TENANT, "events": "[]"},
        {"namespace": TENANT, "events": [], "source": 7},
        [],
        7,
        None,
    ],
    ids=str,
)
def test_a_bad_envelope_is_refused_as_a_whole(client: Client, envelope: Any) -> None:
    answer = client.post(ENVELOPE, text_of(envelope))
    assert answer.status_code == 400
    (letter,) = client.letters()
    assert letter["reason"] == answer.json()["message"]
    assert letter["excerpt"].encode() == text_of(envelope)


def test_a_method_or_path_that_does_not_exist_is_a_clear_error(client: Client) -> None:
    assert client.call("GET", "nowhere").status_code == 404
    assert client.call("PUT", "lineage", content=b"{}").status_code == 405
    assert client.call("DELETE", "events/lineage").status_code == 405
    assert client.call("POST", "webhook/nothing", content=b"{}").status_code == 404


def test_a_letter_can_be_listed_mended_and_replayed_whichever_way_it_came(client: Client, way: Way) -> None:
    good = event(job={"namespace": "mended", "name": way.path})
    assert client.sends(text_of({**good, "eventTime": "2026-03-01T09:30:00"}), way) is not None
    (letter,) = client.letters()
    again = client.call("POST", f"dead-letters/{letter['id']}/replay")
    assert again.status_code == 400
    assert again.json()["message"] == letter["reason"]
    mended = client.call("PATCH", f"dead-letters/{letter['id']}", json={"body": good})
    assert mended.status_code == 200
    assert json.loads(mended.json()["body"]) == good
    replayed = client.call("POST", f"dead-letters/{letter['id']}/replay")
    assert replayed.status_code == 200
    assert replayed.json()["tenant"] == (TENANT if way is ENVELOPE else "default")
    assert client.letters() == []
    assert client.get(f"jobs/runs/{good['run']['runId']}").json()["state"] == "COMPLETED"


def test_a_mended_event_of_an_envelope_may_itself_speak_of_events(client: Client) -> None:
    good = event(run={"runId": "speaks-of-events", "facets": {"calendar": {"events": ["a"], "namespace": "x"}}})
    assert client.sends(text_of({**good, "producer": 7}), ENVELOPE) is not None
    (letter,) = client.letters()
    client.call("PATCH", f"dead-letters/{letter['id']}", json={"body": good})
    replayed = client.call("POST", f"dead-letters/{letter['id']}/replay")
    assert replayed.status_code == 200, replayed.text
    assert replayed.json()["tenant"] == TENANT


def test_a_whole_body_that_was_refused_can_be_mended_and_replayed(client: Client, way: Way) -> None:
    if way is ONE:
        return
    good = [event(), event()]
    body: Body | list[Body] = {"namespace": TENANT, "events": good} if way is ENVELOPE else good
    whole = text_of(body)
    assert client.post(way, whole[:-1]).status_code == 400
    (letter,) = client.letters()
    mended = client.call("PATCH", f"dead-letters/{letter['id']}", json={"body": whole.decode()})
    assert mended.status_code == 200
    replayed = client.call("POST", f"dead-letters/{letter['id']}/replay")
    assert replayed.status_code == 200, replayed.text
    assert len(replayed.json()["eventIds"]) == 2
    for one in good:
        assert client.get(f"jobs/runs/{one['run']['runId']}").status_code == 200


@pytest.mark.parametrize("edit", [b"", b"{}", b"[]", b'{"body": }', b'{"text": 1}', b"\xff", b'{"body": "\\ud800"}'])
def test_a_bad_edit_is_refused_and_changes_nothing(client: Client, edit: bytes) -> None:
    client.sends(b"{}")
    (letter,) = client.letters()
    assert client.call("PATCH", f"dead-letters/{letter['id']}", content=edit).status_code == 400
    assert client.letters() == [letter]


@pytest.mark.parametrize("number", ["0", "-1", "x", "1.5", "99999999999999999999", "%00"])
def test_a_letter_that_does_not_exist_is_not_found_or_refused(client: Client, number: str) -> None:
    for method, path in (("GET", ""), ("DELETE", ""), ("PATCH", ""), ("POST", "/replay")):
        content = b'{"body": {}}' if method == "PATCH" else None
        answer = client.call(method, f"dead-letters/{number}{path}", content=content)
        assert answer.status_code in (400, 404)
    assert client.call("GET", "dead-letters/123456789").status_code == 404
