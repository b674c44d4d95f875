"""What depends on a dataset or a column is counted, listed by owner, and taken away as CSV or Markdown."""

from __future__ import annotations

import csv
import io
import re
from urllib.parse import urlencode

from playwright.sync_api import expect

from tests.e2e.hubs import WAREHOUSE, Story
from tests.e2e.screens import ORDERS_NODE, wait_until_drawn
from tests.e2e.visits import Visits

# What the shop's models read from the table of orders, on any way.
BELOW_ORDERS = {"revenue_daily", "bestsellers", "discount_usage", "customers_360", "revenue.csv", "contact"}


def test_impact_is_listed_narrowed_by_owner_and_taken_as_a_file(visits: Visits, story: Story) -> None:
    page = visits.open(story.url, f"/impact?{urlencode({'node': ORDERS_NODE})}")
    wait_until_drawn(page)
    expect(page.get_by_role("heading", level=1)).to_contain_text("What depends on fct_orders")
    table = page.get_by_role("table", name="Affected")
    for name in BELOW_ORDERS:
        expect(table.get_by_role("link", name=re.compile(rf"{re.escape(name)}$")).first).to_be_visible()
    page.get_by_role("table", name="By owner").get_by_role("button", name=re.compile("finance")).click()
    expect(page).to_have_url(re.compile("owner="))
    expect(table.get_by_role("link", name=re.compile("revenue_daily$")).first).to_be_visible()
    expect(table.get_by_role("link", name=re.compile("bestsellers$"))).to_have_count(0)
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV").click()
    assert download.value.suggested_filename.endswith(".csv")
    rows = list(csv.DictReader(io.StringIO(download.value.path().read_text())))
    found = {value for row in rows for value in row.values() if value}
    for name in BELOW_ORDERS:
        assert any(str(value).endswith(name) for value in found), name


def test_a_column_reaches_less_than_its_table(visits: Visits, story: Story) -> None:
    page = visits.open(story.url, f"/impact?{urlencode({'node': ORDERS_NODE})}")
    page.get_by_label("Column", exact=True).select_option("discount_code")
    expect(page.get_by_role("heading", level=1)).to_contain_text("fct_orders.discount_code")
    table = page.get_by_role("table", name="Affected")
    page.get_by_label("Reached").select_option("columns")
    expect(table.get_by_role("link", name=re.compile("discount_usage$")).first).to_be_visible()
    expect(table.get_by_role("link", name=re.compile("revenue_daily$"))).to_have_count(0)
    expect(page.get_by_text(re.compile("Column lineage leads to"))).to_be_visible()


def test_without_a_name_one_is_asked_for(visits: Visits, story: Story) -> None:
    page = visits.open(story.url, "/impact")
    page.get_by_label("Dataset or job").fill("dim_boks")
    page.get_by_role("list", name="Found").get_by_role("link", name=re.compile("dim_books")).first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("dim_books")
    assert WAREHOUSE in page.inner_text("main")
