"""How runs and services behave is shown over one stretch of time; a trace is searched for, two are compared."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.e2e.hubs import Story
from tests.e2e.screens import wait_until_drawn
from tests.e2e.visits import Visits


def test_one_time_range_counts_for_all_and_stays_in_the_address(visits: Visits, story: Story) -> None:
    page = visits.open(story.url, "/telemetry?range=1h")
    page.get_by_label("Time", exact=True).select_option("7d")
    expect(page).to_have_url(re.compile("range=7d"))
    main = page.get_by_role("main")
    expect(main.get_by_text("Succeeded")).to_be_visible()
    expect(page.get_by_role("figure", name="Runs by state")).to_be_visible()
    errors = page.get_by_role("table", name="Errors by pipeline and stage")
    expect(errors.get_by_role("row").filter(has_text="extract_payments")).to_contain_text("connection to server")
    page.get_by_role("navigation", name="Telemetry").get_by_role("link", name="Traces").click()
    expect(page.get_by_label("Time", exact=True)).to_have_value("7d")
    page.reload()
    expect(page.get_by_label("Time", exact=True)).to_have_value("7d")


def test_a_pipeline_is_looked_at_alone(visits: Visits, story: Story) -> None:
    page = visits.open(story.url, "/telemetry?range=7d")
    page.get_by_label("Pipeline", exact=True).fill("ingest_shop")
    page.get_by_label("Pipeline", exact=True).press("Enter")
    expect(page).to_have_url(re.compile("pipeline=ingest_shop"))
    table = page.get_by_role("table", name="Durations by pipeline and stage")
    expect(table.get_by_role("row").filter(has_text="ingest_shop").first).to_be_visible()
    expect(table.get_by_role("row").filter(has_text="sync_crm")).to_have_count(0)


def test_slow_operations_are_found(visits: Visits, story: Story) -> None:
    page = visits.open(story.url, "/telemetry?range=7d&view=operations")
    table = page.get_by_role("table", name="Operations")
    table.get_by_role("button", name="spark stage 0").first.click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("spark stage 0")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)


def test_traces_with_errors_are_found_and_opened(visits: Visits, story: Story) -> None:
    page = visits.open(story.url, "/traces?range=7d")
    wait_until_drawn(page)
    table = page.get_by_role("table", name="Traces")
    page.get_by_label("with errors").check()
    expect(page).to_have_url(re.compile("error=true"))
    # The ingest and the build that failed once each.
    expect(table.get_by_role("row").filter(has_text="ingest_shop")).to_have_count(1)
    expect(table.get_by_role("row").filter(has_text="build_warehouse")).to_have_count(1)
    expect(table.get_by_role("link", name="Run of ingest_shop", exact=True)).to_be_visible()
    table.get_by_role("link", name="ingest_shop", exact=True).click()
    page.get_by_label("Show").select_option("failed")
    spans = page.get_by_role("tree", name="Spans of the trace").get_by_role("treeitem")
    expect(spans.filter(has_text="extract_payments").first).to_be_visible()
    expect(spans.filter(has_text="extract_books")).to_have_count(0)


def test_two_traces_are_compared(visits: Visits, story: Story) -> None:
    page = visits.open(story.url, f"/traces?range=30d&operation={story.slow.job}")
    table = page.get_by_role("table", name="Traces")
    boxes = table.get_by_role("checkbox")
    boxes.nth(0).check()
    boxes.nth(1).check()
    page.get_by_role("button", name="Compare the two").click()
    dialog = page.get_by_role("dialog", name="Compare traces")
    expect(dialog).to_contain_text(re.compile("slower|faster"))
    expect(dialog.get_by_role("table", name=re.compile("^Changes"))).to_contain_text("spark stage")
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_have_count(0)


def test_a_trace_is_found_by_an_attribute(visits: Visits, story: Story) -> None:
    page = visits.open(story.url, "/traces?range=30d")
    field = page.get_by_label("Attribute", exact=True)
    field.fill("no pair")
    field.press("Enter")
    expect(page.get_by_role("alert")).to_have_text("Write name=value.")
    field.fill(f"openlineage.run_id={story.slow.run}")
    field.press("Enter")
    table = page.get_by_role("table", name="Traces")
    expect(table.get_by_role("checkbox")).to_have_count(1)
    # It leads to the run that it belongs to, and back.
    table.get_by_role("link", name=f"Run of {story.slow.job}").click()
    expect(page).to_have_url(f"{story.url}/runs/{story.slow.run}")
    page.go_back()
    table.get_by_role("link", name=story.slow.job, exact=True).click()
    expect(page).to_have_url(f"{story.url}/traces/{story.slow.trace}")


def test_the_map_of_services_shows_who_calls_whom(visits: Visits, story: Story) -> None:
    page = visits.open(story.url, "/services?range=7d")
    wait_until_drawn(page)
    main = page.get_by_role("main")
    for service in ("airflow-prod", "dbt-prod", "spark-prod"):
        expect(main.get_by_role("button", name=re.compile(f"^{service}")).first).to_be_visible()
    boxes = page.get_by_role("group", name=re.compile("^Service map"))
    boxes.get_by_role("button", name=re.compile("^dbt-prod")).click()
    expect(page).to_have_url(re.compile("service=dbt-prod"))
    expect(page.get_by_role("table", name="Operations")).to_contain_text("revenue_daily")
