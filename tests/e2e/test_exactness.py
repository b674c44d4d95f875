"""What was sent is what is seen: names with any sign in them in every address, numbers of any size in raw facets."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.hubs import ask, run_events, send
from tests.e2e.screens import lineage, path_of
from tests.e2e.visits import Visits
from tests.hub_process import HubProcess

NAME = "100% of a+b &c"
# JavaScript's numbers would make …992, and …800000 of it.
ROWS, BYTES = 9_007_199_254_740_993, 12_345_678_901_234_567_891


@pytest.fixture(scope="module")
def run(spare: HubProcess) -> str:
    """A run whose job and datasets have such a name, with facets of such numbers everywhere."""
    run = str(uuid4())
    facet = {"_producer": "https://example.com/tests", "_schemaURL": "https://example.com/counts.json", "rows": ROWS}
    for event in run_events(NAME, run, "START", "COMPLETE", namespace=NAME):
        told: dict[str, Any] = event
        told["run"]["facets"] = {"counts": facet}
        told["job"]["facets"] = {"counts": facet}
        told["outputs"][0]["facets"] = {"counts": {**facet, "bytes": BYTES}}
        send(spare.url, "/api/v1/lineage", json=told)
    return run


def test_a_name_is_looked_for_and_found_again_by_its_address(visits: Visits, spare: HubProcess, run: str) -> None:
    page = visits.open(spare.url, "/events")
    words = page.get_by_label("Job, dataset, run or producer")
    words.fill(NAME)
    rows = page.get_by_role("table", name="Events").get_by_role("row").filter(has_text=run[:8])
    expect(rows).to_have_count(2)
    page.get_by_label("Type").select_option("COMPLETE")
    expect(rows).to_have_count(1)
    page.reload()
    expect(words).to_have_value(NAME)
    expect(rows).to_have_count(1)


@pytest.mark.parametrize(
    "address", ["/telemetry", "/traces", "/services", "/pipelines", "/dead-letters", "/?hours=24"], ids=lambda one: one
)
def test_what_else_stands_in_an_address_stays(visits: Visits, spare: HubProcess, address: str) -> None:
    mark = urlencode({"note": NAME})
    page = visits.open(spare.url, f"{address}{'&' if '?' in address else '?'}{mark}")
    choice = page.get_by_role("main").get_by_role("combobox").first
    if address in ("/telemetry", "/traces", "/services"):
        choice.select_option("7d")
        expect(page).to_have_url(re.compile("range=7d"))
    elif address.startswith("/?"):
        page.get_by_role("heading", level=1).wait_for()
        page.get_by_role("main").get_by_label("Time").select_option("168")
        expect(page).to_have_url(re.compile("hours=168"))
    assert page.evaluate("new URLSearchParams(location.search).get('note')") == NAME


def test_the_lineage_of_such_a_name_is_drawn(visits: Visits, spare: HubProcess, run: str) -> None:
    node = f"dataset:s3://lake:{NAME}/out"
    page = visits.open(spare.url, lineage(node))
    graph = page.get_by_role("group", name="Lineage graph")
    expect(graph).to_have_attribute("data-layout", "fine")
    page.get_by_role("button", name="Columns", exact=True).click()
    expect(page).to_have_url(re.compile("columns=1"))
    assert page.evaluate("new URLSearchParams(location.search).get('node')") == node
    expect(page.get_by_text("3 nodes, 2 edges")).to_be_visible()


def _open_facet(page: Page) -> None:
    page.get_by_text("counts", exact=True).first.click()


def test_large_numbers_of_facets_are_shown_to_the_last_digit(visits: Visits, spare: HubProcess, run: str) -> None:
    dataset = visits.open(spare.url, path_of("datasets", "s3://lake", f"{NAME}/out", tab="facets"))
    expect(dataset.get_by_label("counts", exact=True).get_by_text(str(ROWS))).to_be_visible()
    expect(dataset.get_by_label("counts", exact=True).get_by_text(str(BYTES))).to_be_visible()
    visits.expect_trouble("404.*/trace")  # nobody sent spans of that run
    for address in (f"/runs/{run}?tab=facets", path_of("jobs", NAME, NAME, tab="facets")):
        page = visits.open(spare.url, address)
        _open_facet(page)
        expect(page.get_by_text(str(ROWS))).to_be_visible()
    found = ask(spare.url, "/events/lineage", limit=100)
    event = next(
        one
        for one, told in zip(found["ids"], found["events"], strict=True)
        if told.get("run", {}).get("runId") == run and told["eventType"] == "COMPLETE"
    )
    page = visits.open(spare.url, f"/events/{event}")
    expect(page.get_by_label("As it was sent").get_by_text(str(BYTES))).to_be_visible()
