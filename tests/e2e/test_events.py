"""Events are seen as they come, looked into as they were sent; one that was refused is mended and taken."""

from __future__ import annotations

import re
from uuid import uuid4

from playwright.sync_api import expect

from tests.e2e.hubs import BAD_EVENT, Story, ask, run_events, send
from tests.e2e.screens import wait_until_drawn
from tests.e2e.visits import Visits
from tests.hub_process import HubProcess


def test_events_are_filtered_and_opened(visits: Visits, story: Story) -> None:
    page = visits.open(story.url, "/events")
    table = page.get_by_role("table", name="Events")
    expect(table.get_by_role("row").nth(1)).to_be_visible()
    page.get_by_label("Type").select_option("FAIL")
    expect(page).to_have_url(re.compile("type=FAIL"))
    page.get_by_label("Job, dataset, run or producer").fill("extract_payments")
    rows = table.get_by_role("row").filter(has_text="extract_payments")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("fail")
    rows.get_by_role("link", name=re.compile("open the event$")).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("extract_payments: fail$"))
    expect(page.get_by_text("OperationalError").first).to_be_visible()
    page.get_by_role("main").get_by_role("link", name=story.failed_run).click()
    expect(page).to_have_url(f"{story.url}/runs/{story.failed_run}")


def test_the_tail_is_live_and_can_be_held(visits: Visits, spare: HubProcess) -> None:
    page = visits.open(spare.url, "/events")
    wait_until_drawn(page)
    expect(page.get_by_text(re.compile("^live"))).to_be_visible()
    run = str(uuid4())
    start, done = run_events("tailed", run, "START", "COMPLETE")
    send(spare.url, "/api/v1/lineage", json=start)
    rows = page.get_by_role("table", name="Events").get_by_role("row").filter(has_text=run[:8])
    expect(rows).to_have_count(1)
    page.get_by_role("button", name="Pause").click()
    send(spare.url, "/api/v1/lineage", json=done)
    expect(page.get_by_text("paused, 1 new")).to_be_visible()
    expect(rows).to_have_count(1)
    page.get_by_role("button", name="Resume").click()
    expect(rows).to_have_count(2)


def test_a_dead_letter_is_mended_and_taken(visits: Visits, empty: HubProcess) -> None:
    import httpx

    assert httpx.post(f"{empty.url}/api/v1/lineage", content=BAD_EVENT).status_code == 400
    page = visits.open(empty.url, "/dead-letters")
    page.get_by_role("list", name="Dead letters").get_by_role("button").click()
    expect(page.get_by_text("eventTime").first).to_be_visible()
    body = page.get_by_label("Body")
    visits.expect_trouble("400")
    page.get_by_role("button", name="Replay", exact=True).click()
    expect(page.get_by_role("status").filter(has_text="eventTime")).to_be_visible()
    body.fill(BAD_EVENT.replace('"yesterday"', '"yesterday'))
    expect(page.get_by_text(re.compile("Line 1, column"))).to_be_visible()
    body.fill(BAD_EVENT.replace("yesterday", "2026-11-01T00:00:00Z"))
    expect(page.get_by_text("This is JSON.")).to_be_visible()
    page.get_by_role("button", name="Save and replay").click()
    expect(page.get_by_text("was replayed and taken")).to_be_visible()
    expect(page.get_by_text("Nothing waits here")).to_be_visible()
    page.get_by_role("link", name="see the event").click()
    expect(page.get_by_role("link", name="mended")).to_be_visible()
    (run,) = ask(empty.url, "/namespaces/shop/jobs/mended/runs")["runs"]
    assert run["state"] == "COMPLETED"


def test_a_dead_letter_is_deleted_only_when_one_says_so_twice(visits: Visits, spare: HubProcess) -> None:
    import httpx

    for _ in range(2):
        assert httpx.post(f"{spare.url}/api/v1/lineage", content=f'{{"odd": "{uuid4()}"}}').status_code == 400
    page = visits.open(spare.url, "/dead-letters")
    letters = page.get_by_role("list", name="Dead letters").get_by_role("listitem")
    expect(letters).to_have_count(2)
    letters.first.get_by_role("button").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Keep it").click()
    expect(letters).to_have_count(2)
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Delete it").click()
    expect(letters).to_have_count(1)
    visits.expect_trouble("400")
    page.get_by_role("button", name="Replay all").click()
    expect(page.get_by_text("1 still rejected")).to_be_visible()
