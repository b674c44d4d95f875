"""Datasets are listed, narrowed and opened; a column leads to what it is made from, and a check to when it broke."""

from __future__ import annotations

import re
from urllib.parse import unquote

from playwright.sync_api import Page, expect

from tests.e2e.hubs import WAREHOUSE, Story
from tests.e2e.screens import ORDERS, REVENUE, path_of, wait_until_drawn
from tests.e2e.visits import Visits
from tests.hub_process import HubProcess


def _dataset(visits: Visits, story: Story, name: str, **question: str) -> Page:
    page = visits.open(story.url, path_of("datasets", WAREHOUSE, name, **question))
    wait_until_drawn(page)
    return page


def test_the_list_is_narrowed_by_words_with_a_mistake_by_namespace_and_by_tag(visits: Visits, story: Story) -> None:
    page = visits.open(story.url, "/datasets")
    table = page.get_by_role("table", name="Datasets")
    expect(table.get_by_role("link", name="shop.public.orders")).to_be_visible()
    page.get_by_label("Filter", exact=True).fill("bestselers")
    expect(table.get_by_role("link")).to_have_text(["analytics.marts.bestsellers"])
    expect(page).to_have_url(re.compile("q=bestselers"))
    page.get_by_role("button", name="Show all").click()
    page.get_by_label("Namespace").select_option("salesforce://bookshop")
    expect(table.get_by_role("link")).to_have_text(["contact"])
    page.get_by_role("button", name="Show all").click()
    page.get_by_label("Tag").select_option("tier:gold")
    expect(table.get_by_role("link")).to_have_text([REVENUE])
    page.reload()
    expect(table.get_by_role("link")).to_have_text([REVENUE])
    table.get_by_role("link", name=REVENUE).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(REVENUE)


def test_thousands_of_rows_come_as_they_are_scrolled_to(visits: Visits, estate: HubProcess) -> None:
    page = visits.open(estate.url, "/datasets")
    table = page.get_by_role("table", name="Datasets")
    expect(table).to_have_attribute("aria-rowcount", re.compile(r"^58\d\d$"))
    assert table.get_by_role("row").count() < 100
    table.focus()
    page.keyboard.press("End")
    last = table.get_by_role("row").last
    expect(last.get_by_role("link")).to_be_visible()
    assert table.get_by_role("row").count() < 100


def test_a_column_is_traced_to_the_file_that_it_comes_from(visits: Visits, story: Story) -> None:
    """By links alone: from a visit's pages in the warehouse to the clicks in the lake."""
    page = _dataset(visits, story, "analytics.staging.stg_sessions")
    columns = page.get_by_role("table", name="Columns")
    row = columns.get_by_role("row", name=re.compile("^pages"))
    row.get_by_role("link", name="sessions.pages").click()
    # The table of the catalogue is the folder in the lake, by another name.
    expect(page.get_by_role("heading", level=1)).to_contain_text("sessions")
    source = page.get_by_role("table", name="Columns").get_by_role("row", name=re.compile("^pages"))
    expect(source).to_contain_text("aggregation")
    source.get_by_role("link", name="clicks.page").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("raw/clicks")
    assert "s3://bookshop-lake" in unquote(page.url)


def test_an_open_column_tells_what_it_feeds_and_leads_to_the_graph(visits: Visits, story: Story) -> None:
    page = _dataset(visits, story, ORDERS)
    page.get_by_role("button", name="net_amount").click()
    details = page.get_by_role("cell").filter(has=page.get_by_role("heading", name="Feeds"))
    expect(details.get_by_role("link", name="stg_order_items.quantity")).to_be_visible()
    expect(details.get_by_role("link", name="revenue_daily.revenue")).to_be_visible()
    expect(page).to_have_url(re.compile("column=net_amount"))
    details.get_by_role("link", name="Trace in the graph").click()
    expect(page).to_have_url(re.compile(r"/lineage\?.*column=net_amount"))


def test_the_schemas_history_is_a_diff(visits: Visits, story: Story) -> None:
    page = _dataset(visits, story, "analytics.raw.order_items", tab="history")
    changes = page.get_by_role("list", name="Changes of the schema, the last first").get_by_role("listitem")
    latest = changes.filter(has_text="unit_price").first
    expect(latest).to_contain_text("INTEGER")
    expect(latest).to_contain_text("NUMERIC(10,2)")
    expect(latest).to_contain_text("may break readers")
    page = _dataset(visits, story, "analytics.raw.customers", tab="history")
    expect(page.get_by_role("listitem").filter(has_text="removed").filter(has_text="phone").first).to_be_visible()


def test_a_check_tells_when_it_failed_and_what_it_found(visits: Visits, story: Story) -> None:
    page = _dataset(visits, story, ORDERS, tab="quality")
    check = page.get_by_role("list", name="Checks").get_by_role("listitem").filter(has_text="positive_value")
    expect(check).to_contain_text("net_amount")
    expect(check).to_contain_text("passing")
    check.get_by_role("button", name="positive_value").click()
    failed = (
        page.get_by_role("table", name=re.compile("^positive_value of net_amount"))
        .get_by_role("row")
        .filter(has_text="failed")
    )
    expect(failed).to_have_count(1)
    expect(failed).to_contain_text("37 rows")


def test_every_tab_shows_something_and_stays_in_the_address(visits: Visits, story: Story) -> None:
    page = _dataset(visits, story, ORDERS)
    seen = {
        "Statistics": "Rows written",
        "Runs & telemetry": "Latest runs",
        "Freshness": "What is expected",
        "Facets": "columnLineage",
        "Schema": "Columns",
    }
    for tab, content in seen.items():
        page.get_by_role("tab", name=tab).click()
        expect(page.get_by_role("tabpanel").get_by_text(content).first).to_be_visible()
    page.get_by_role("tab", name="Freshness").click()
    page.reload()
    expect(page.get_by_role("tab", name="Freshness")).to_have_attribute("aria-selected", "true")


def test_writers_and_readers_lead_on(visits: Visits, story: Story) -> None:
    page = _dataset(visits, story, REVENUE, tab="runs")
    readers = page.get_by_role("table", name="Consumed by")
    expect(readers.get_by_role("link", name="board_revenue")).to_be_visible()
    traces = page.get_by_role("table", name="Latest runs").get_by_role("link", name=re.compile(r"\d+ spans"))
    traces.first.click()
    expect(page).to_have_url(re.compile("/traces/[0-9a-f]{32}$"))


def test_a_dropped_and_a_renamed_table_say_so(visits: Visits, story: Story) -> None:
    page = _dataset(visits, story, "analytics.marts.legacy_sales_report")
    expect(page.get_by_text("It was dropped. What you see")).to_be_visible()
    page = _dataset(visits, story, "analytics.marts.customer_profiles")
    expect(page.get_by_text("It was dropped. What you see")).to_be_visible()
    page = _dataset(visits, story, "analytics.marts.customers_360")
    expect(page.get_by_role("table", name="Columns").get_by_role("link", name="fct_orders.paid_amount")).to_be_visible()


def test_a_dataset_is_found_under_each_of_its_names(visits: Visits, story: Story) -> None:
    """The folder that Spark writes is a table of the catalogue."""
    names = (
        ("s3://bookshop-lake", "curated/sessions"),
        ("arn:aws:glue:eu-central-1:210987654321", "table/lake/sessions"),
    )
    pages = [visits.open(story.url, path_of("datasets", *name)) for name in names]
    for page in pages:
        expect(page.get_by_role("table", name="Columns")).to_be_visible()
    assert len({page.get_by_role("heading", level=1).inner_text() for page in pages}) == 1
    assert sum(page.get_by_text("You came by another of its names").count() for page in pages) == 1


def test_an_expectation_is_set_and_taken_back(visits: Visits, spare: HubProcess) -> None:
    from tests.e2e.hubs import run_events, send

    for event in run_events("expected", "0193b6e0-0000-7000-8000-000000000003", "START", "COMPLETE"):
        send(spare.url, "/api/v1/lineage", json=event)
    page = visits.open(spare.url, path_of("datasets", "s3://lake", "expected/out", tab="freshness"))
    page.get_by_role("button", name="Expect something").click()
    form = page.get_by_role("form", name="What is expected")
    form.get_by_label("Every so often").check()
    form.get_by_label("Every", exact=True).fill("six hours")
    visits.expect_trouble("400")
    form.get_by_role("button", name=re.compile("Save|Expect")).click()
    expect(form.get_by_role("alert")).to_be_visible()
    form.get_by_label("Every", exact=True).fill("6h")
    form.get_by_role("button", name=re.compile("Save|Expect")).click()
    expect(page.get_by_role("tabpanel")).to_contain_text("fresh")
    page.get_by_role("button", name="Expect nothing").click()
    expect(page.get_by_text("nothing was set")).to_be_visible()
