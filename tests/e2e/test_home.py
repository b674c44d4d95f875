"""Home answers whether all is right, and in an empty hub how to begin."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.e2e.hubs import Story, ask
from tests.e2e.screens import wait_until_drawn
from tests.e2e.visits import Visits
from tests.hub_process import HubProcess


def test_the_week_is_told_in_a_sentence_and_each_figure_leads_behind_it(visits: Visits, story: Story) -> None:
    page = visits.open(story.url, "/?hours=168")
    wait_until_drawn(page)
    expect(page.get_by_text(re.compile(r"things? needs? a look"))).to_be_visible()
    failed = page.get_by_role("list", name="Failed runs")
    expect(failed.get_by_text("connection to server at db.bookshop.example")).to_be_visible()
    expect(failed.get_by_text("Got 37 results, configured to fail if != 0")).to_be_visible()
    changes = page.get_by_role("list", name="Schema changes")
    expect(changes.get_by_role("link", name="revenue_daily")).to_be_visible()
    # The one dead letter that the story has.
    page.get_by_role("link", name=re.compile("^Dead letters")).click()
    expect(page.get_by_role("heading", level=1, name="Dead letters")).to_be_visible()


def test_a_failed_run_is_one_click_from_why(visits: Visits, story: Story) -> None:
    page = visits.open(story.url, "/?hours=168")
    name = "analytics.marts.fct_orders.bookshop.test"
    page.get_by_role("link", name=f"Why the run of {name} failed").first.click()
    expect(page).to_have_url(f"{story.url}/runs/{story.failed_test}")
    expect(page.get_by_role("heading", name="Why")).to_be_visible()


def test_an_empty_hub_shows_how_to_begin_and_fills_by_a_button(visits: Visits, empty: HubProcess) -> None:
    page = visits.open(empty.url)
    expect(page.get_by_text("has no events yet")).to_be_visible()
    for producer in ("Python", "Spark", "Airflow", "dbt", "OpenTelemetry"):
        page.get_by_role("tab", name=re.compile(producer)).click()
        expect(page.get_by_role("tabpanel")).to_contain_text(empty.url)
    page.get_by_role("button", name="Load sample data").click()
    link = page.get_by_role("link", name="the lineage of revenue_daily")
    expect(link).to_be_visible(timeout=60_000)
    assert ask(empty.url, "/events/lineage", limit=1)["totalCount"] > 500
    link.click()
    expect(page).to_have_url(re.compile(r"/lineage\?node="))
    expect(page.get_by_text("fct_orders").first).to_be_visible()


def test_an_empty_hub_fills_with_the_first_event_that_comes(visits: Visits, empty: HubProcess) -> None:
    from tests.e2e.hubs import run_events, send

    page = visits.open(empty.url)
    expect(page.get_by_text("has no events yet")).to_be_visible()
    for event in run_events("first", "0193b6e0-0000-7000-8000-000000000002", "START", "COMPLETE"):
        send(empty.url, "/api/v1/lineage", json=event)
    expect(page.get_by_text("All quiet: 1 run")).to_be_visible(timeout=30_000)
