"""A list that was asked for before takes a handful of statements, whatever its length and whatever users have said."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from benchmarks.generator import EventStream
from benchmarks.landscape import layered_landscape
from tests.counters.counting import Work, ask, counted_work, hub_in, send

LANDSCAPE = layered_landscape(120)
SPACE = quote(LANDSCAPE.tables[-1].namespace, safe="")
LISTS = ("/jobs?limit=100", f"/namespaces/{SPACE}/datasets?limit=100", "/namespaces", "/tags", "/sources")
# BEGIN, whether another process wrote, names that are new, what was said of the inputs of the jobs.
STATEMENTS = 6
# What one event touches is looked up again: facts, runs, versions and columns of a few entities.
STATEMENTS_AFTER_AN_EVENT = 80


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    folder: Path = tmp_path_factory.mktemp("lists")
    with hub_in(folder) as opened:
        send(opened, EventStream(LANDSCAPE, runs_per_job=2))
        yield opened


def asked(client: TestClient, question: str) -> Work:
    with counted_work() as work:
        ask(client, question)
    return work


@pytest.mark.parametrize("question", LISTS)
def test_a_list_is_remembered_until_something_of_it_changes(client: TestClient, question: str) -> None:
    ask(client, question)
    again = asked(client, question)
    assert len(again) <= STATEMENTS, again.described()
    send(client, EventStream(LANDSCAPE, runs_per_job=3).events(2 * 2 * 120, 2))
    after = asked(client, question)
    assert len(after) <= STATEMENTS_AFTER_AN_EVENT, after.described()


@pytest.fixture(scope="module")
def spoken_to(client: TestClient) -> TestClient:
    """Twenty datasets are tagged and a job is hidden."""
    tables = ask(client, f"/namespaces/{SPACE}/datasets", limit=20)["datasets"]
    for table in tables:
        path = f"/api/v1/namespaces/{SPACE}/datasets/{quote(table['name'], safe='')}/tags/PII"
        assert client.post(path).status_code == 200
    (job,) = ask(client, "/jobs", limit=1)["jobs"]
    path = f"/api/v1/namespaces/{quote(job['namespace'], safe='')}/jobs/{quote(job['name'], safe='')}"
    assert (len(tables), client.delete(path).status_code) == (20, 200)
    return client


@pytest.mark.parametrize("question", LISTS)
def test_statements_of_users_are_read_once_and_not_for_each_row(spoken_to: TestClient, question: str) -> None:
    ask(spoken_to, question)
    again = asked(spoken_to, question)
    # One more: where the job that is hidden is found.
    assert len(again) <= STATEMENTS + 1, again.described()
