"""Without a mouse: from home to the source of a column, in the tables and in the picture."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

from tests.e2e.hubs import Story
from tests.e2e.screens import REVENUE, wait_until_drawn
from tests.e2e.visits import Visits


def _tab_to(page: Page, wanted: Locator, most: int = 60) -> None:
    """Press Tab until it has the focus, which must be seen."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if wanted.evaluate("one => one === document.activeElement"):
            outline = wanted.evaluate(
                "one => { const s = getComputedStyle(one); return s.outlineStyle !== 'none' || s.boxShadow !== 'none' }"
            )
            assert outline, "the focus can't be seen"
            return
    raise AssertionError(f"{most} presses of Tab did not reach it")


def test_the_first_tab_leads_past_the_places_to_the_content(visits: Visits, story: Story) -> None:
    page = visits.open(story.url)
    wait_until_drawn(page)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="To the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()


def test_from_home_to_the_source_of_a_column_by_keys_alone(visits: Visits, story: Story) -> None:
    page = visits.open(story.url)
    wait_until_drawn(page)
    page.keyboard.press("/")
    expect(page.get_by_role("combobox", name=re.compile("^Search"))).to_be_focused()
    page.keyboard.type("revenue_daily is:dataset")
    expect(page.get_by_role("listbox").get_by_role("option").first).to_contain_text("revenue_daily")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text(REVENUE)
    for dataset, column in (
        ("fct_orders", "net_amount"),
        ("stg_order_items", "unit_price"),
        ("order_items", "unit_price"),
    ):
        # The links of the row lead on to what the column is made from.
        link = page.get_by_role("table", name="Columns").get_by_role("link", name=f"{dataset}.{column}").first
        expect(link).to_be_visible()
        _tab_to(page, link)
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text(re.compile(rf"{dataset}$"))
    expect(page.get_by_role("heading", level=1)).to_have_text("analytics.raw.order_items")


def test_the_graph_is_walked_by_arrows_and_a_column_lights_by_focus(visits: Visits, story: Story) -> None:
    page = visits.open(story.url)
    wait_until_drawn(page)
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name=re.compile("^Search"))).to_be_focused()
    page.keyboard.type("revenue_daily is:dataset")
    expect(page.get_by_role("listbox").get_by_role("option").first).to_contain_text("revenue_daily")
    page.keyboard.press("Control+Enter")
    graph = page.get_by_role("group", name="Lineage graph")
    expect(graph).to_have_attribute("data-layout", "fine")
    page.keyboard.press("c")
    expect(page.get_by_role("button", name="Columns", exact=True)).to_have_attribute("aria-pressed", "true")
    expect(graph).to_have_attribute("data-layout", "fine")
    card = graph.get_by_role("button", name=re.compile(rf"^dataset {re.escape(REVENUE)},"))
    _tab_to(page, card)
    _tab_to(
        page,
        page.get_by_role("list", name=f"Columns of {REVENUE}").get_by_role(
            "button", name=re.compile(r"^column revenue\b")
        ),
    )
    panel = page.get_by_role("complementary", name="revenue")
    expect(panel).to_contain_text("fct_orders.net_amount → revenue_daily.revenue")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("column="))
    _tab_to(page, panel.get_by_role("button", name=re.compile("fct_orders.net_amount → revenue_daily.revenue")), 400)
    page.keyboard.press("Escape")
    card.focus()
    page.keyboard.press("ArrowLeft")
    # To what feeds it: the job that writes it, or where columns lead, the table that they come from.
    expect(page.locator(":focus")).to_contain_text(re.compile("^(job |dataset .*(fct_orders|dim_books))"))
    page.keyboard.press("Enter")
    expect(
        page.get_by_role("complementary").get_by_role("link", name=re.compile("^Open (job|dataset)"))
    ).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys in the graph")).to_be_visible()
