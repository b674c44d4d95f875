"""Questions that can't be answered get a clear 4xx: bad parameters a 400, unknown names a 404."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from tests.input.client import Client, event, text_of

pytestmark = pytest.mark.slow

TABLE, RUN = "dataset:asked:t", "asked-run"
GOOD = {
    "namespaces": {},
    "jobs": {},
    "namespaces/asked": {},
    "namespaces/asked/jobs": {},
    "namespaces/asked/jobs/load": {},
    "namespaces/asked/jobs/load/runs": {},
    "namespaces/asked/jobs/load/versions": {},
    "namespaces/asked/datasets": {},
    "namespaces/asked/datasets/t": {},
    "namespaces/asked/datasets/t/versions": {},
    f"jobs/runs/{RUN}": {},
    f"jobs/runs/{RUN}/facets": {},
    "lineage": {"nodeId": TABLE},
    "column-lineage": {"nodeId": TABLE},
    "impact": {"nodeId": TABLE},
    "search": {"q": "t"},
    "events/lineage": {},
    "lineage/diff": {"nodeId": TABLE, "from": "2020-01-01T00:00:00Z"},
}
PAGED = [
    "namespaces", "jobs", "namespaces/asked/jobs", "namespaces/asked/jobs/load/runs",
    "namespaces/asked/jobs/load/versions", "namespaces/asked/datasets", "namespaces/asked/datasets/t/versions",
    "events/lineage",
]  # fmt: skip
BAD_TIMES = ["2026-01-01T00:00:00", "2026-01-01", "now", "", "0", "2026-02-30T00:00:00Z", "\x00"]
BAD_NUMBERS = ["abc", "-1", "1.5", "", "1e3", "NaN", "99999999999999999999", "0x10", "٣x", "\x00"]
BAD_NODES = [
    "", ":", "dataset", "dataset:", "dataset:x", "dataset::", "table:a:b", "DATASET:a:b", "job:", "datasetField:a:b",
    "datasetField::::", "run:", "\x00", "dataset\x00:a:b", "🙂",
]  # fmt: skip


@pytest.fixture(autouse=True)
def _known(client: Client) -> None:
    body = event(
        eventTime="2026-03-01T00:00:00Z",
        run={"runId": RUN},
        job={"namespace": "asked", "name": "load"},
        outputs=[{"namespace": "asked", "name": "t"}],
    )
    client.takes(text_of(body))


def refused(client: Client, path: str, **parameters: str) -> None:
    answer = client.get(path, **{**GOOD.get(path, {}), **parameters})
    assert answer.status_code == 400, f"{path} {parameters}: {answer.status_code} {answer.text[:200]}"


@pytest.mark.parametrize("path", GOOD)
def test_each_question_is_answered_when_it_is_well_asked(client: Client, path: str) -> None:
    assert client.get(path, **GOOD[path]).status_code == 200


@pytest.mark.parametrize("path", [path for path in GOOD if path != "lineage/diff"])
def test_a_bad_moment_is_refused_by_every_question(client: Client, path: str) -> None:
    for clock in ("as_of", "known_at"):
        for time in BAD_TIMES:
            refused(client, path, **{clock: time})


@pytest.mark.parametrize("path", [path for path in GOOD if path != "lineage/diff"])
def test_moments_before_and_after_all_time_are_questions_like_others(client: Client, path: str) -> None:
    for time in ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"):
        for clock in ("as_of", "known_at"):
            answer = client.get(path, **{**GOOD[path], clock: time})
            assert answer.status_code == 200 or (time < "2026" and answer.status_code == 404), answer.text


@pytest.mark.parametrize("path", PAGED)
def test_a_bad_page_is_refused_by_every_list(client: Client, path: str) -> None:
    for number in BAD_NUMBERS:
        refused(client, path, limit=number)
        refused(client, path, offset=number)
    assert client.get(path, limit="0").status_code == 200
    assert client.get(path, offset="2147483648").status_code == 200


def test_bad_parameters_of_lineage_are_refused(client: Client) -> None:
    for path in ("lineage", "column-lineage", "lineage/diff"):
        for node in BAD_NODES:
            refused(client, path, nodeId=node)
        for number in BAD_NUMBERS:
            refused(client, path, depth=number)
    for path in ("lineage", "column-lineage"):
        for number in [*(number for number in BAD_NUMBERS if number != "99999999999999999999"), "0"]:
            refused(client, path, limit=number)
        for edges in ("", "all", "30", "d", "-1d", "1.5d", "999999999999999999d", "current,ever", "EVER", "\x00"):
            refused(client, path, edges=edges)
    for path in ("lineage", "lineage/diff"):
        for direction in ("", "up", "UPSTREAM", "sideways", "\x00"):
            refused(client, path, direction=direction)
    for style in ("", "xml", "JSON", "png", "\x00"):
        refused(client, "lineage", format=style)
        refused(client, "column-lineage", format=style)
    for flag in ("", "maybe", "2", "\x00"):
        refused(client, "column-lineage", withDownstream=flag)
    for time in BAD_TIMES:
        refused(client, "lineage/diff", **{"from": time})
        refused(client, "lineage/diff", known_at=time)
        refused(client, "lineage/diff", to=time)
    for path in ("lineage", "column-lineage", "lineage/diff"):
        assert client.get(path).status_code == 400
    assert client.get("lineage/diff", nodeId=TABLE).status_code == 400


def test_bad_parameters_of_other_questions_are_refused(client: Client) -> None:
    for direction in ("", "up", "1", "\x00"):
        refused(client, "events/lineage", sortDirection=direction)
    for time in BAD_TIMES:
        refused(client, "events/lineage", before=time)
        refused(client, "events/lineage", after=time)
    for path in ("jobs", "namespaces/asked/jobs"):
        for state in ("DONE", "COMPLETED,DONE", "\x00"):
            refused(client, path, lastRunStates=state)
    for kind in ("", "dataset", "RUN", "\x00"):
        refused(client, f"jobs/runs/{RUN}/facets", type=kind)
    for edge in ("x", "%00", "..", "0" * 5000, quote("ü", safe="")):
        assert client.get(f"edges/{edge}/evidence").status_code in (400, 404)
    for event_id in ("x", "%00", "0" * 47, "0" * 49, "g" * 48, "f" * 48, "0" * 48, quote("ü", safe="")):
        assert client.get(f"events/{event_id}").status_code in (400, 404)


NO_TEXTS = ("%FF", "%ED%A0%80")  # neither of them is UTF-8
ODD_NAMES = [
    "nothing", "%00", "%FF", "%2F", "%2e%2e", "a%2Fb", "%0A", "%F0%9F%99%82", "%ED%A0%80", "x" * 8000, "'", "%25", "*",
    "%22%3B%20DROP%20TABLE%20event%3B--",
]  # fmt: skip


@pytest.mark.parametrize("name", ODD_NAMES, ids=lambda name: name[:20])
def test_names_that_are_unknown_are_not_found_and_those_that_are_no_text_are_refused(client: Client, name: str) -> None:
    expected = (400, 404) if name in NO_TEXTS else (404,)  # ids and versions are looked up as they are
    name += "~unknown"  # other tests may have made any of these a name
    for path in (
        f"namespaces/{name}",
        f"namespaces/{name}/jobs",
        f"namespaces/{name}/datasets",
        f"namespaces/asked/jobs/{name}",
        f"namespaces/asked/jobs/{name}/runs",
        f"namespaces/asked/jobs/{name}/versions",
        f"namespaces/asked/jobs/load/versions/{name}",
        f"namespaces/asked/datasets/{name}",
        f"namespaces/asked/datasets/{name}/versions",
        f"namespaces/asked/datasets/t/versions/{name}",
        f"jobs/runs/{name}",
        f"jobs/runs/{name}/facets",
    ):
        assert client.get(path).status_code in expected, path
    for node in (f"dataset:asked:{name}", f"job:{name}:load", f"datasetField:asked:{name}:a", f"run:{name}"):
        for path in ("lineage", "lineage/diff"):
            answer = client.get(path, **{**GOOD[path], "nodeId": node})
            assert answer.status_code == 404, node
    assert client.get("column-lineage", nodeId=f"dataset:asked:{name}").status_code == 404


def test_a_node_id_of_very_many_colons_is_looked_up_quickly(client: Client) -> None:
    for kind in ("dataset", "job", "datasetField"):
        answer = client.get("lineage", nodeId=f"{kind}:" + "a:" * 2000 + "a")
        assert answer.status_code in (400, 404)


def test_a_parameter_that_is_given_twice_or_unknown_does_no_harm(client: Client) -> None:
    assert client.call("GET", "lineage?nodeId=x&nodeId=dataset:asked:t").status_code in (200, 400)
    assert client.call("GET", "lineage?nodeId=dataset:asked:t&unknown=1").status_code == 200
    assert client.call("GET", "jobs?limit=1&limit=x").status_code in (200, 400)
    assert client.call("GET", "jobs?" + "a=1&" * 5000).status_code in (200, 400, 414, 431)
