"""axe finds nothing wrong with any screen, in either theme, on a wide window and on a phone."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.axe import AXE, violations
from tests.e2e.hubs import Story
from tests.e2e.screens import SCREENS, VIEWS, Screen, wait_until_drawn
from tests.e2e.visits import PHONE, WIDE, Visits
from tests.hub_process import HubProcess

APP = AXE.parents[2] / "src" / "App.tsx"
# Without data behind them, or shown by a test of their own.
ELSEWHERE = {"/pipelines/runs/:run", "*"}
BOTH = pytest.mark.parametrize("theme", ["light", "dark"])


def test_every_route_of_the_page_is_looked_at() -> None:
    routes = set(re.findall(r'^  \["([^"]+)", \(\) => import', APP.read_text(), re.MULTILINE))
    assert len(routes) > 10
    assert routes - ELSEWHERE == {screen.route for screen in SCREENS}


@BOTH
@pytest.mark.parametrize("screen", SCREENS, ids=lambda screen: screen.name)
def test_axe_finds_nothing(visits: Visits, story: Story, screen: Screen, theme: str) -> None:
    page = screen.open(visits, story, theme=theme, scripts=(AXE,))
    assert "\n".join(violations(page)) == ""


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.name)
def test_axe_finds_nothing_in_their_parts(visits: Visits, story: Story, view: Screen) -> None:
    page = view.open(visits, story, scripts=(AXE,))
    assert "\n".join(violations(page)) == ""


@BOTH
def test_axe_finds_nothing_in_the_search(visits: Visits, story: Story, theme: str) -> None:
    page = visits.open(story.url, theme=theme, scripts=(AXE,))
    wait_until_drawn(page)
    page.keyboard.press("/")
    page.get_by_role("combobox", name=re.compile("^Search")).fill("orders")
    expect(page.get_by_role("listbox").get_by_role("option").first).to_contain_text("orders")
    assert "\n".join(violations(page)) == ""


@pytest.mark.parametrize("screen", SCREENS, ids=lambda screen: screen.name)
def test_a_phone_needs_no_scrolling_to_the_side(visits: Visits, story: Story, screen: Screen) -> None:
    page = screen.open(visits, story, size=PHONE, scripts=(AXE,))
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    assert "\n".join(violations(page)) == ""


@BOTH
def test_axe_finds_nothing_in_an_empty_hub(visits: Visits, empty: HubProcess, theme: str) -> None:
    page = visits.open(empty.url, "/", theme=theme, size=WIDE, scripts=(AXE,))
    wait_until_drawn(page)
    assert "\n".join(violations(page)) == ""
