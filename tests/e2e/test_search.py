"""A dataset is found from anywhere by keys alone, with a mistake in its name, and what was looked at is remembered."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

from tests.e2e.hubs import Story
from tests.e2e.screens import wait_until_drawn
from tests.e2e.visits import Visits


def _search(page: Page, key: str = "Control+k") -> tuple[Locator, Locator]:
    """The field and the list of what was found."""
    wait_until_drawn(page)
    page.keyboard.press(key)
    box = page.get_by_role("dialog", name="Search")
    expect(box).to_be_visible()
    return box.get_by_role("combobox"), box.get_by_role("listbox")


def test_a_dataset_is_found_with_a_mistake_in_its_name_and_opened_by_keys(visits: Visits, story: Story) -> None:
    page = visits.open(story.url)
    field, found = _search(page)
    expect(field).to_be_focused()
    field.type("revenu_dialy")
    first = found.get_by_role("option").first
    expect(first).to_contain_text("revenue_daily")
    expect(first).to_contain_text("snowflake://bookshop-eu")
    expect(first).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("revenue_daily")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_what_was_looked_at_comes_first_the_next_time(visits: Visits, story: Story) -> None:
    page = visits.open(story.url)
    field, found = _search(page)
    field.type("bestsellers")
    expect(found.get_by_role("option").first).to_contain_text("bestsellers")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("bestsellers")
    field, found = _search(page, "/")
    expect(found.get_by_role("group", name="Recent").get_by_role("option").first).to_contain_text("bestsellers")


def test_a_star_is_kept_in_the_browser(visits: Visits, story: Story) -> None:
    page = visits.open(story.url, "/datasets/snowflake%3A%2F%2Fbookshop-eu/analytics.marts.fct_orders")
    wait_until_drawn(page)
    page.get_by_role("button", name="Star").click()
    page.goto(story.url)
    _, found = _search(page)
    expect(found.get_by_role("group", name="Starred").get_by_role("option")).to_contain_text(["fct_orders"])


def test_a_column_a_tag_and_an_owner_lead_to_their_dataset(visits: Visits, story: Story) -> None:
    page = visits.open(story.url)
    field, found = _search(page)
    field.fill("discount_code is:dataset")
    expect(found.get_by_role("option").first).to_contain_text("column")
    field.fill("tag:tier")
    expect(found.get_by_role("option")).to_contain_text(["revenue_daily"])
    field.fill("is:job owner:finance")
    expect(found.get_by_role("option").filter(has_text="finance_export").first).to_be_visible()


def test_lineage_is_one_key_away_and_nothing_found_says_what_to_try(visits: Visits, story: Story) -> None:
    page = visits.open(story.url)
    field, found = _search(page)
    field.fill("qqqqqqqq")
    expect(page.get_by_text("No dataset and no job matches")).to_be_visible()
    field.fill("fct_orders is:dataset")
    expect(found.get_by_role("option").first).to_contain_text("fct_orders")
    page.keyboard.press("Control+Enter")
    expect(page).to_have_url(re.compile(r"/lineage\?"))
    page.keyboard.press("Control+k")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_screens_are_found_too(visits: Visits, story: Story) -> None:
    page = visits.open(story.url)
    field, found = _search(page)
    field.type("dead let")
    expect(found.get_by_role("option").first).to_contain_text("Dead letters")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1, name="Dead letters")).to_be_visible()
