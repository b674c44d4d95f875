"""Events that are large, odd or strange but well formed are taken, and every question about them is answered."""

from __future__ import annotations

import json
import re
import unicodedata
from urllib.parse import quote

import pytest

from tests.input.client import TENANT, WAYS, Body, Client, Way, event, text_of
from tests.input.crawl import about_dataset, about_job, about_run, ask, visit

pytestmark = pytest.mark.slow

ONE = WAYS[0]
NAME_LIMIT, RUN_ID_LIMIT = 65_536, 2_000
NAMES = {
    "one letter": "a",
    "blanks only": "   ",
    "slashes": "/a//b/",
    "colons": "a:b::c:",
    "dots": "..",
    "percent escapes": "%2F%00%25",
    "a query": "?a=b&c=d#e",
    "quotes": "'\"`\\",
    "SQL": "'; DROP TABLE event; --",
    "wildcards": "%_*?",
    "a script": "<script>alert(1)</script>",
    "control characters": "\x01\x07\x1b\x1f\x7f\x80\x9f",
    "line ends": "a\r\nb\tc\u0085\u2028\u2029",
    "emoji": "🙂👩‍👩‍👧‍👦🏳️‍🌈",
    "combining": "e\u0301" + "a" + "\u0300" * 50,
    "composed": "\u00e9",
    "right to left": "\u202eabc\u202c שלום مرحبا",
    "a byte order mark": "\ufeffa\ufeff",
    "zero width": "a\u200b\u200c\u200d\u2060b",
    "not characters": "\ufffe\uffff\U0001fffe\U0010ffff",
    "private use": "\ue000\U000f0000",
    "replacement": "\ufffd",
    "Turkish": "İıIi",
    "sharp s": "ẞßSS",
    "Hangul": "한글\u1100\u1161",
    "Chinese": "数据/表",
    "mathematical": "𝕯𝖆𝖙𝖆",
    "JSON": '{"a": [1]}',
    "words of the routes": "jobs/x/datasets/y/versions/z/runs",
    "null": "null",
    "a surrogate pair, escaped": "\U0001f600",
}


@pytest.mark.parametrize("name", NAMES)
def test_any_text_is_a_name_and_every_question_about_it_is_answered(client: Client, name: str) -> None:
    text = NAMES[name]
    facets = {
        "schema": {"fields": [{"name": text, "type": text, "description": text}]},
        "columnLineage": {"fields": {text: {"inputFields": [{"namespace": text, "name": text, "field": text}]}}},
        "documentation": {"description": text},
        "tags": {"tags": [{"key": text, "value": text, "field": text}]},
        text: {"any": text},
    }
    body = event(
        run={"runId": text, "facets": {text: {text: text}, "parent": parent_of(text)}},
        job={"namespace": text, "name": text, "facets": {"documentation": {"description": text}}},
        inputs=[{"namespace": text, "name": text}],
        outputs=[{"namespace": text, "name": text + " out", "facets": facets}],
    )
    for raw in (text_of(body), json.dumps(body).encode()):
        taken = client.post(ONE, raw)
        assert taken.status_code == 201, taken.text
    assert taken.json()["repeated"] is True, "two spellings of one text are two events"
    job = about_job(client, text, text)
    assert [(one["namespace"], one["name"]) for one in job["inputs"]] == [(text, text)]
    about_run(client, text)
    dataset = about_dataset(client, text, text + " out")
    assert (dataset["namespace"], dataset["name"]) == (text, text + " out")
    assert dataset["fields"][0]["name"] == text
    assert dataset["description"] == text
    graph = ask(client, "column-lineage", nodeId=f"dataset:{text}:{text} out")["graph"]
    assert (text, text, text) in {(n["data"]["namespace"], n["data"]["dataset"], n["data"]["field"]) for n in graph}


def parent_of(text: str) -> Body:
    return {"run": {"runId": text}, "job": {"namespace": text, "name": text}}


def test_names_that_look_alike_are_different(client: Client) -> None:
    composed = "caf\u00e9"
    names = [composed, unicodedata.normalize("NFD", composed), composed.upper(), composed + " ", composed + "\u200b"]
    for at, name in enumerate(names):
        outputs = [{"namespace": "alike", "name": name, "facets": {"documentation": {"description": str(at)}}}]
        client.takes(text_of(event(outputs=outputs)))
    assert [about_dataset(client, "alike", name)["description"] for name in names] == ["0", "1", "2", "3", "4"]


@pytest.mark.parametrize("where", ["run.runId", "job.namespace", "job.name", "inputs.namespace", "outputs.name"])
def test_nul_in_a_name_is_refused_by_name(client: Client, where: str, way: Way) -> None:
    reason = client.sends(text_of(with_name(where, "a\x00b")), way)
    assert reason == f"{where} must not hold NUL"
    assert client.sends(text_of(with_name(where, "")), way) == f"{where} must not be empty"


def with_name(where: str, name: str) -> Body:
    part, key = where.split(".")
    body = event(inputs=[{"namespace": "db", "name": "a"}], outputs=[{"namespace": "db", "name": "b"}])
    holder = body[part][0] if isinstance(body[part], list) else body[part]
    holder[key] = name
    return body


@pytest.mark.parametrize("where", ["run.runId", "job.namespace", "job.name", "inputs.namespace", "outputs.name"])
def test_a_name_of_64_kb_is_taken_and_a_longer_one_refused(client: Client, where: str, way: Way) -> None:
    limit = RUN_ID_LIMIT if where == "run.runId" else NAME_LIMIT
    for longest in ("n" * limit, "é" * (limit // 2)):
        client.takes(text_of(with_name(where, longest)), way)
        reason = client.sends(text_of(with_name(where, longest + "n")), way)
        assert reason == f"{where} is longer than {limit} bytes"
    reason = client.sends(text_of(with_name(where, "n" * (1 << 20))), way)
    assert reason == f"{where} is longer than {NAME_LIMIT} bytes"


def test_the_longest_names_are_shown_in_lists_and_graphs(client: Client) -> None:
    longest = "l" * (NAME_LIMIT - 1)
    body = event(
        run={"runId": "r" * RUN_ID_LIMIT},
        job={"namespace": "longest", "name": longest},
        outputs=[{"namespace": "longest", "name": longest, "facets": {"schema": {"fields": [{"name": longest}]}}}],
    )
    client.takes(text_of(body))
    assert ask(client, "namespaces/longest/jobs")["jobs"][0]["name"] == longest
    assert ask(client, "namespaces/longest/datasets")["datasets"][0]["fields"][0]["name"] == longest
    assert about_run(client, "r" * RUN_ID_LIMIT)["job"]["name"] == longest


def test_nul_and_other_oddities_in_facets_are_kept(client: Client) -> None:
    odd = "\x00 \x01 \ufeff \ufffe \U0010ffff e\u0301 \u202e"
    facets = {
        "documentation": {"description": odd},
        "schema": {"fields": [{"name": odd, "type": odd}]},
        "symlinks": {"identifiers": [{"namespace": odd, "name": odd, "type": "TABLE"}]},
        "version": {"datasetVersion": odd},
        "columnLineage": {"fields": {odd: {"inputFields": [{"namespace": odd, "name": odd, "field": odd}]}}},
        "lifecycleStateChange": {
            "lifecycleStateChange": "RENAME",
            "previousIdentifier": {"namespace": odd, "name": odd},
        },
        odd: {odd: odd},
    }
    run = {"runId": "nul", "facets": {"parent": parent_of(odd), odd: {odd: [odd]}}}
    raw = text_of(event(run=run, outputs=[{"namespace": "db", "name": "nul", "facets": facets}]))
    client.takes(raw)
    visit(client, raw)
    assert about_dataset(client, "db", "nul")["description"] == odd


@pytest.mark.parametrize("run_id", ["1", "not a uuid", "scheduled__2026-03-01T00:00:00+00:00", "a/b?c=d#e", "é🙂"])
def test_a_run_id_need_not_be_a_uuid(client: Client, run_id: str, way: Way) -> None:
    client.takes(text_of(event(run={"runId": run_id}, job={"namespace": "ids", "name": "any"})), way)
    run = about_run(client, run_id)
    assert run["state"] == "COMPLETED"
    assert run_id in [one["id"] for one in ask(client, "namespaces/ids/jobs/any/runs")["runs"]]


def test_spellings_of_one_uuid_are_different_run_ids(client: Client) -> None:
    spellings = [
        "0190c2f1-aaaa-7bbb-8ccc-0123456789ab",
        "0190C2F1-AAAA-7BBB-8CCC-0123456789AB",
        "0190c2f1aaaa7bbb8ccc0123456789ab",
        "{0190c2f1-aaaa-7bbb-8ccc-0123456789ab}",
    ]
    for run_id in spellings:
        client.takes(text_of(event(run={"runId": run_id}, job={"namespace": "ids", "name": "uuid"})))
    found = {one["id"] for one in ask(client, "namespaces/ids/jobs/uuid/runs")["runs"]}
    assert found == set(spellings)
    for run_id in spellings:
        about_run(client, run_id)


def test_one_run_id_under_two_jobs_is_two_runs_and_the_bare_id_answers_with_the_latest_started(client: Client) -> None:
    for job, kind, time in (
        ("early", "START", "2026-03-01T00:00:00Z"),
        ("late", "START", "2026-03-01T00:00:05Z"),
        ("early", "FAIL", "2026-03-01T00:00:10Z"),
        ("late", "COMPLETE", "2026-03-01T00:00:07Z"),
    ):
        outputs = [{"namespace": "shared", "name": job}]
        body = event(
            eventType=kind,
            eventTime=time,
            run={"runId": "shared"},
            job={"namespace": "shared", "name": job},
            outputs=outputs,
        )
        client.takes(text_of(body))
    run = about_run(client, "shared")
    assert (run["job"]["name"], run["state"]) == ("late", "COMPLETED")
    assert run["sharedWith"] == [{"namespace": "shared", "name": "early"}]
    (early,) = ask(client, "namespaces/shared/jobs/early/runs")["runs"]
    assert (early["id"], early["state"]) == ("shared", "FAILED")
    assert ask(client, "lineage", nodeId="run:shared")["graph"]
    jobs = {node["id"] for node in ask(client, "lineage", nodeId="dataset:shared:late")["graph"]}
    assert "job:shared:early" not in jobs


def test_cycles_and_edges_to_oneself_are_walked_once(client: Client) -> None:
    def writes(job: str, source: str, target: str) -> None:
        facet = {"fields": {"x": {"inputFields": [{"namespace": "ring", "name": source, "field": "x"}]}}}
        body = event(
            job={"namespace": "ring", "name": job},
            inputs=[{"namespace": "ring", "name": source}],
            outputs=[{"namespace": "ring", "name": target, "facets": {"columnLineage": facet}}],
        )
        client.takes(text_of(body))
        visit(client, text_of(body))

    writes("ab", "a", "b")
    writes("bc", "b", "c")
    writes("ca", "c", "a")
    writes("aa", "a", "a")
    for direction in ({}, {"direction": "upstream"}, {"direction": "downstream"}, {"direction": "both"}):
        graph = ask(client, "lineage", nodeId="dataset:ring:a", depth=1000, **direction)["graph"]
        assert sorted(node["id"] for node in graph) == [
            "dataset:ring:a", "dataset:ring:b", "dataset:ring:c",
            "job:ring:aa", "job:ring:ab", "job:ring:bc", "job:ring:ca",
        ]  # fmt: skip
    (itself,) = [node for node in graph if node["id"] == "job:ring:aa"]
    assert [(e["origin"], e["destination"]) for e in itself["inEdges"]] == [("dataset:ring:a", "job:ring:aa")]
    assert [(e["origin"], e["destination"]) for e in itself["outEdges"]] == [("job:ring:aa", "dataset:ring:a")]
    columns = ask(client, "column-lineage", nodeId="datasetField:ring:a:x", depth=1000, withDownstream="true")["graph"]
    assert [node["id"] for node in columns] == [f"datasetField:ring:{name}:x" for name in "abc"]


def test_a_job_that_is_its_own_parent_and_a_ring_of_parents_are_shown(client: Client) -> None:
    for job, parent in (("self", "self"), ("one", "two"), ("two", "one")):
        above = {"run": {"runId": parent}, "job": {"namespace": "parents", "name": parent}}
        facets = {"parent": {**above, "root": above}}
        raw = text_of(event(run={"runId": job, "facets": facets}, job={"namespace": "parents", "name": job}))
        client.takes(raw)
        visit(client, raw)


def test_symlinks_that_form_a_ring_or_point_at_themselves_are_shown(client: Client) -> None:
    def link(name: str, to: str, kind: str) -> None:
        facet = {"identifiers": [{"namespace": "links", "name": to, "type": kind}]}
        body = event(run=None, job=None, dataset={"namespace": "links", "name": name, "facets": {"symlinks": facet}})
        client.takes(text_of(body))
        visit(client, text_of(body))

    link("a", "a", "TABLE")
    link("b", "c", "TABLE")
    link("c", "b", "TABLE")
    link("d", "e", "LOCATION")
    link("e", "f", "LOCATION")
    link("f", "d", "TABLE")


def test_renames_that_form_a_ring_or_lead_to_themselves_are_shown(client: Client) -> None:
    for second, (name, before) in enumerate([("x", "x"), ("y", "z"), ("z", "y"), ("y", "z"), ("w", "w")]):
        change = {
            "lifecycleStateChange": "RENAME",
            "previousIdentifier": {"namespace": "renamed", "name": before},
        }
        outputs = [{"namespace": "renamed", "name": name, "facets": {"lifecycleStateChange": change}}]
        body = event(eventTime=f"2026-03-01T00:00:{second:02d}Z", outputs=outputs)
        client.takes(text_of(body))
        visit(client, text_of(body))


NUMBERS = ["0", "-0", "1.0", "1e0", "1E+2", "-1.5e-3", "1e400", "-1e-400", "9" * 40, "1" * 4000, "0." + "3" * 5000]


def with_value(value: bytes, name: str = "odd") -> bytes:
    """An event with a literal value in a facet of each kind; the name is that of the run, the job and the dataset."""
    return _with_value(value).replace(b'"odd"', json.dumps(name).encode())


def _with_value(value: bytes) -> bytes:
    facets = b'{"odd": {"value": %s}, "version": {"datasetVersion": %s}}' % (value, value)
    dataset = b'{"namespace": "db", "name": "odd", "facets": %s, "inputFacets": %s, "outputFacets": %s}'
    described = dataset % (facets, facets, facets)
    return (
        b'{"eventTime": "2026-03-01T09:30:00Z", "producer": "p", "unknown": %s, "eventType": "COMPLETE", '
        b'"run": {"runId": "odd", "facets": %s, "unknown": %s}, '
        b'"job": {"name": "odd", "namespace": "input", "facets": %s, "unknown": %s}, '
        b'"inputs": [%s], "outputs": [%s]}'
    ) % (value, facets, value, facets, value, described, described)


def read_back(client: Client, raw: bytes, way: Way = ONE) -> None:
    """Both questions about raw events give the very text that was sent."""
    answer = client.post(way, way.wrap(raw))
    assert answer.status_code in (200, 201, 204)
    assert client.letters() == []
    listed = client.get("events/lineage", limit=10_000)
    assert listed.content.count(raw) == 1
    # Only the first way names the id; sent by it again it is the same event, unless it was for another tenant.
    taken = answer if way is ONE else client.post(ONE, raw)
    assert client.raw(taken.json()["eventId"]) == raw


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: number[:20])
def test_a_number_of_any_size_is_kept_as_written(client: Client, number: str, way: Way) -> None:
    name = f"number {way.path} {number[:20]}"
    read_back(client, with_value(number.encode(), name), way)
    visit(client, with_value(b"1", name))
    facets = client.get(f"jobs/runs/{quote(name, safe='')}/facets", type="run")
    assert facets.status_code == 200
    assert b'"value": ' + number.encode() + b"}" in facets.content


@pytest.mark.parametrize(
    "value",
    [
        b'{"b": 1, "a": 2, "b": 3}',
        b'{"": {"": [{}, [], null, "", false]}}',
        b' [ 1 ,\t2 , { "a" : "b" } ] ',
        b'"\\u00e9 \\/ \\ud83d\\ude00 \\u0000"',
        '"é / 😀 \u2028"'.encode(),
        b'{"z": 1, "y": {"x": 2, "w": [3, {"v": 4}]}}',
    ],
    ids=repr,
)
def test_events_read_back_are_the_text_that_was_sent(client: Client, value: bytes, way: Way) -> None:
    name = f"read back {way.path} {value!r}"
    read_back(client, with_value(value, name), way)
    visit(client, with_value(b"1", name))


@pytest.mark.parametrize(
    ("key", "earlier"),
    [
        ("run", b"7"), ("run", b'{"runId": 7}'), ("job", b'"text"'), ("job", b'{"namespace": 1}'), ("inputs", b"7"),
        ("inputs", b'[{"namespace": 1}]'), ("outputs", b'["text"]'), ("dataset", b"[]"), ("eventTime", b"7"),
        ("eventType", b"[]"), ("producer", b"null"), ("unknown", b"1e400"), ("inputs", b'[{"facets": []}]'),
    ],
)  # fmt: skip
def test_of_a_repeated_key_the_last_value_counts_and_both_are_kept(
    client: Client, key: str, earlier: bytes, way: Way
) -> None:
    raw = b'{"%s": %s, ' % (key.encode(), earlier) + with_value(b"true", f"{key} {earlier!r} {way.path}")[1:]
    if key == "dataset":
        raw = raw[:-1] + b', "dataset": null}'
    read_back(client, raw, way)
    visit(client, raw)


@pytest.mark.parametrize("inner", ["runId", "namespace", "name", "facets"])
def test_of_a_key_repeated_inside_the_last_value_counts(client: Client, inner: str) -> None:
    body = with_value(b"true", f"repeated {inner}")
    for start in (b'"run": {', b'"job": {', b'"inputs": [{', b'"outputs": [{'):
        body = body.replace(start, start + b'"%s": 7, ' % inner.encode(), 1)
    read_back(client, body)
    visit(client, body)


def test_datasets_listed_twice_count_once_and_the_last_speaks(client: Client) -> None:
    outputs = [
        {"namespace": "db", "name": "twice", "facets": {"documentation": {"description": text}}}
        for text in ("first", "last")
    ]
    client.takes(text_of(event(job={"namespace": "input", "name": "twice"}, outputs=outputs)))
    assert about_dataset(client, "db", "twice")["description"] == "last"
    assert len(about_job(client, "input", "twice")["outputs"]) == 1


def test_whatever_nesting_is_taken_can_be_read_and_asked_about(client: Client, way: Way) -> None:
    """The deepest event that each way takes is found by halving; on the way there each that is taken is asked about."""
    for opened, closed, end in ((b"[", b"]", b"1"), (b'{"a":', b"}", b"1"), (b"[", b"]", b"1.5")):
        few, many = 1, 20_000
        while many - few > 1:
            depth = (few + many) // 2
            name = f"deep {depth} {end!r} {opened!r} {way.path}"
            nest = opened * depth + end + closed * depth
            raw = with_value(b"true", name).replace(b'"value": true', b'"value": ' + nest)
            taken = client.sends(raw, way) is None
            few, many = (depth, many) if taken else (few, depth)
            if taken:
                visit(client, with_value(b"true", name), parsed=False)
        assert few > 100
    listed = client.get("events/lineage", limit=200).text
    event_ids = re.findall(r"[0-9a-f]{48}", listed[listed.rindex('"ids":') :])
    assert event_ids
    for event_id in event_ids:
        assert client.raw(event_id)


def test_an_event_is_stored_for_the_tenant_of_its_envelope(client: Client) -> None:
    raw = text_of(event(eventTime="2200-01-02T00:00:00Z", job={"namespace": "input", "name": "tenant"}))
    assert client.post(WAYS[2], WAYS[2].wrap(raw)).json()["accepted"] == 1
    (event_id,) = ask(client, "events/lineage", after="2200-01-01T00:00:00Z", before="2200-01-03T00:00:00Z")["ids"]
    assert ask(client, f"events/{event_id}")["tenant"] == TENANT
