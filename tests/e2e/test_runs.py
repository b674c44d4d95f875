"""A run tells why it was slow or failed, is watched while it works, and is held against another one."""

from __future__ import annotations

import re
from uuid import uuid4

from playwright.sync_api import expect

from tests.e2e.hubs import NIGHT, Story, run_events, send
from tests.e2e.screens import path_of, wait_until_drawn
from tests.e2e.visits import Visits
from tests.hub_process import HubProcess

# A run without spans is asked for them, and the browser notes the 404.
NO_TRACE = r"404.*/(runs|traces)/[^/]+/(trace|diff)"


def test_jobs_are_narrowed_by_state_and_by_words(visits: Visits, story: Story) -> None:
    page = visits.open(story.url, "/jobs")
    table = page.get_by_role("table", name="Jobs")
    expect(table.get_by_role("link", name="ingest_shop", exact=True)).to_be_visible()
    page.get_by_label("Last run", exact=True).select_option("RUNNING")
    expect(table.get_by_role("row").filter(has_text="archive_clicks")).to_contain_text("running")
    expect(table.get_by_role("row").filter(has_text="ingest_shop")).to_have_count(0)
    page.get_by_role("button", name="Clear").click()
    page.get_by_label("Find a job").fill("extract_paymnts")
    expect(table.get_by_role("row").filter(has_text="ingest_shop.extract_payments")).to_be_visible()
    page.reload()
    table.get_by_role("link", name="ingest_shop.extract_payments").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("ingest_shop.extract_payments")


def test_a_job_shows_its_history_and_two_of_its_runs_are_compared(visits: Visits, story: Story) -> None:
    page = visits.open(story.url, path_of("jobs", NIGHT, story.slow.job))
    wait_until_drawn(page)
    expect(page.get_by_role("figure", name="Runs over time, by duration")).to_contain_text("(p50) to")
    runs = page.get_by_role("table", name="Runs")
    slow = runs.get_by_role("row").filter(has=page.get_by_label(f"Compare run {story.slow.run}"))
    expect(slow).to_contain_text("longer than usual")
    slow.get_by_role("checkbox").check()
    runs.get_by_label(f"Compare run {story.slow.before}").check()
    page.get_by_role("link", name="Compare the two runs").click()
    expect(page).to_have_url(f"{story.url}/runs/{story.slow.before}/compare/{story.slow.run}")
    figures = page.get_by_role("region", name="Figures of both runs")
    expect(figures.get_by_role("row", name=re.compile("^Duration"))).to_contain_text("+")
    spans = page.get_by_role("table", name="Spans that differ")
    expect(spans.get_by_role("row").nth(1)).to_contain_text("slower")
    page.get_by_role("button", name="Swap").click()
    expect(page).to_have_url(f"{story.url}/runs/{story.slow.run}/compare/{story.slow.before}")
    expect(spans.get_by_role("row").nth(1)).to_contain_text("faster")


def test_a_slow_run_names_the_stage_and_its_trace_shows_it(visits: Visits, story: Story) -> None:
    page = visits.open(story.url, f"/runs/{story.slow.run}")
    causes = page.get_by_role("list", name="Causes, the likeliest first").get_by_role("listitem")
    expect(causes.first).to_contain_text("slow stage")
    expect(causes.first).to_contain_text(story.slow.stage)
    spans = page.get_by_role("tree", name="Spans of the trace")
    expect(spans.get_by_role("treeitem", name=re.compile("on the critical path")).first).to_be_visible()
    page.get_by_role("link", name="Open the trace").click()
    expect(page).to_have_url(f"{story.url}/traces/{story.slow.trace}")
    page.get_by_label("Find in spans").fill(story.slow.stage)
    page.get_by_label("Find in spans").press("Enter")
    chosen = page.get_by_role("complementary", name="Chosen span")
    expect(chosen).to_contain_text(story.slow.stage)
    expect(chosen).to_contain_text("Of the critical path")
    page.get_by_role("table", name="Runs of the trace").get_by_role("link", name=story.slow.run[-8:]).click()
    expect(page).to_have_url(f"{story.url}/runs/{story.slow.run}")


def test_a_trace_is_read_by_keys(visits: Visits, story: Story) -> None:
    page = visits.open(story.url, f"/traces/{story.slow.trace}")
    tree = page.get_by_role("tree", name="Spans of the trace")
    tree.focus()
    page.keyboard.press("ArrowDown")
    expect(tree.get_by_role("treeitem").first).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowLeft")
    expect(tree.get_by_role("treeitem")).to_have_count(1)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    expect(tree.get_by_role("treeitem").nth(1)).to_have_attribute("aria-selected", "true")
    expect(page).to_have_url(re.compile("span="))


def test_a_failed_run_shows_error_and_stack_and_what_went_before(visits: Visits, story: Story) -> None:
    page = visits.open(story.url, f"/runs/{story.failed_run}")
    expect(page.get_by_role("heading", level=1)).to_contain_text("failed")
    expect(page.get_by_text("OperationalError: connection to server").first).to_be_visible()
    expect(page.get_by_label("Stack trace")).to_contain_text("/opt/airflow/dags/ingest_shop.py")
    page.get_by_role("link", name=re.compile("^Compare with")).first.click()
    state = page.get_by_role("region", name="Figures of both runs").get_by_role("row", name=re.compile("^State"))
    expect(state).to_contain_text("failed")
    expect(state).to_contain_text("completed")


def test_a_dags_run_shows_its_stages_and_one_leads_on(visits: Visits, story: Story) -> None:
    run = story.run("airflow-prod", "ingest_shop", "COMPLETED")
    page = visits.open(story.url, f"/runs/{run}")
    stages = page.get_by_role("tree", name="Stages of the run")
    for name in ("extract_orders", "extract_payments", "extract_books"):
        expect(stages.get_by_role("treeitem", name=re.compile(name))).to_be_visible()
    stages.get_by_role("treeitem", name=re.compile("extract_books")).click()
    page.get_by_role("link", name="Open this run").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("extract_books")
    expect(page.get_by_role("link", name=re.compile("a run of"))).to_be_visible()


def test_a_run_is_watched_from_its_start_to_its_end(visits: Visits, spare: HubProcess) -> None:
    visits.expect_trouble(NO_TRACE)
    run = str(uuid4())
    start, running, done = run_events("watched", run, "START", "RUNNING", "COMPLETE")
    send(spare.url, "/api/v1/lineage", json=start)
    page = visits.open(spare.url, f"/runs/{run}")
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_contain_text("running")
    expect(heading).to_contain_text("live")
    list_page = visits.open(spare.url, "/jobs/shop/watched")
    expect(list_page.get_by_role("heading", level=1)).to_contain_text("running")
    send(spare.url, "/api/v1/lineage", json=running)
    expect(heading).to_contain_text("running")
    send(spare.url, "/api/v1/lineage", json=done)
    expect(heading).to_contain_text("completed")
    expect(heading).not_to_contain_text("live")
    expect(list_page.get_by_role("heading", level=1)).to_contain_text("completed")


def test_the_code_of_a_run_is_sql_with_a_link_to_its_source(visits: Visits, story: Story) -> None:
    run = story.run("dbt-prod", "analytics.marts.revenue_daily.bookshop.revenue_daily", "COMPLETED")
    page = visits.open(story.url, f"/runs/{run}?tab=code")
    expect(page.get_by_text("join dim_books b using (isbn)").first).to_be_visible()
    source = page.get_by_role("link", name=re.compile("revenue_daily.sql"))
    expect(source.first).to_have_attribute("href", re.compile("^https://github.com/bookshop-example/warehouse"))
