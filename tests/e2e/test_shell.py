"""What stands around every screen: places, theme, phone, any prefix, no other host, errors that say what to do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.hubs import NIGHT, Story, run_events, send
from tests.e2e.screens import REVENUE_NODE, SCREENS, Screen, lineage, wait_until_drawn
from tests.e2e.visits import PHONE, Visits
from tests.hub_process import HubProcess

PLACES = ("Home", "Datasets", "Jobs", "Pipelines", "Telemetry", "Events")
PREFIX = "/tools/hub"


def _background(page: Page) -> tuple[int, ...]:
    found = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return tuple(int(part) for part in re.findall(r"\d+", found)[:3])


def test_every_place_is_a_link_and_says_where_one_is(visits: Visits, story: Story) -> None:
    page = visits.open(story.url)
    places = page.get_by_role("navigation", name="Places")
    for name in PLACES:
        places.get_by_role("link", name=name, exact=True).click()
        wait_until_drawn(page)
        expect(places.get_by_role("link", name=name, exact=True)).to_have_attribute("aria-current", "page")
        expect(places.locator("[aria-current]")).to_have_count(1)


def test_the_theme_is_the_systems_until_one_is_chosen_and_then_stays(visits: Visits, story: Story) -> None:
    page = visits.open(story.url, theme="dark")
    assert max(_background(page)) < 60
    button = page.get_by_role("button", name=re.compile("^Theme"))
    expect(button).to_have_text("Theme: auto")
    button.click()
    expect(button).to_have_text("Theme: light")
    assert min(_background(page)) > 200
    page.reload()
    expect(button).to_have_text("Theme: light")
    assert min(_background(page)) > 200
    button.click()
    expect(button).to_have_text("Theme: dark")
    assert max(_background(page)) < 60


def test_a_phone_has_a_menu(visits: Visits, story: Story) -> None:
    page = visits.open(story.url, size=PHONE)
    places = page.get_by_role("navigation", name="Places")
    expect(places).to_be_hidden()
    page.get_by_role("button", name="Menu").click()
    places.get_by_role("link", name="Jobs", exact=True).click()
    expect(page.get_by_role("heading", level=1, name="Jobs")).to_be_visible()
    expect(places).to_be_hidden()


def test_an_address_that_leads_nowhere_says_so(visits: Visits, story: Story) -> None:
    page = visits.open(story.url, "/no/such/screen")
    expect(page.get_by_role("heading", level=1)).to_have_text("Nothing here")
    page.get_by_role("link", name="To the home screen").click()
    expect(page).to_have_url(f"{story.url}/")


def test_what_is_not_there_is_told_with_what_to_do_next(visits: Visits, story: Story) -> None:
    visits.expect_trouble("404")
    page = visits.open(story.url, "/datasets/nowhere/bestseller")
    expect(page.get_by_text("There is no dataset of this name")).to_be_visible()
    page.get_by_role("link", name="Look for similar names").click()
    expect(page.get_by_role("link", name="analytics.marts.bestsellers")).to_be_visible()
    page = visits.open(story.url, "/runs/0193b6e0-0000-7000-8000-00000000ffff")
    alert = page.get_by_role("alert").first
    expect(alert).to_contain_text("0193b6e0-0000-7000-8000-00000000ffff")
    expect(alert.get_by_role("button", name="Try again")).to_be_visible()


def test_a_hub_that_is_gone_is_told_and_asked_again(visits: Visits, empty: HubProcess) -> None:
    page = visits.open(empty.url)
    wait_until_drawn(page)
    visits.expect_trouble("net::ERR|Failed to load resource|Failed to fetch")
    page.route("**/api/v1/**", lambda route: route.abort())
    page.get_by_role("navigation", name="Places").get_by_role("link", name="Jobs", exact=True).click()
    alert = page.get_by_role("alert").first
    expect(alert).to_contain_text("The hub doesn't answer")
    page.unroute("**/api/v1/**")
    alert.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("alert")).to_have_count(0)


def test_times_are_those_of_the_viewer_with_utc_on_hover(visits: Visits, story: Story) -> None:
    page = visits.open(story.url, f"/runs/{story.failed_run}")
    wait_until_drawn(page)
    time = page.locator("main time").first
    said, at, shown = time.inner_text(), time.get_attribute("datetime"), time.get_attribute("title")
    assert at is not None
    assert shown is not None
    utc = re.search(r"(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(\.\d+)? UTC", shown)
    assert utc is not None, shown
    assert at.startswith(f"{utc[1]}T{utc[2]}")
    # Winter or summer, Berlin is never at UTC: the hour in front of a person is another one.
    local = page.evaluate("at => new Date(at).toLocaleTimeString('en-GB').slice(0, 5)", at)
    assert local[:2] != utc[2][:2]
    assert local in said or local in shown


@pytest.fixture(scope="module")
def under_a_path(built_page: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with HubProcess(tmp_path_factory.mktemp("prefix") / "data", "--root-path", PREFIX) as hub:
        send(hub.url, "/api/v1/sample")
        yield hub.url + PREFIX


def test_the_page_works_under_a_path(visits: Visits, under_a_path: str) -> None:
    page = visits.open(under_a_path)
    wait_until_drawn(page)
    page.get_by_role("navigation", name="Places").get_by_role("link", name="Datasets").click()
    expect(page).to_have_url(f"{under_a_path}/datasets")
    page.reload()
    page.get_by_role("link", name="revenue_daily").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("revenue_daily")
    assert page.url.startswith(f"{under_a_path}/datasets/")
    page.goto(under_a_path + lineage(REVENUE_NODE))
    expect(page.get_by_text("fct_orders").first).to_be_visible()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.reload()
    expect(page.get_by_text("fct_orders").first).to_be_visible()
    assert asked
    assert [url for url in asked if not url.startswith((f"{under_a_path}/", "data:", "blob:"))] == []


def test_a_live_page_hears_under_a_path(visits: Visits, under_a_path: str) -> None:
    page = visits.open(under_a_path, "/events")
    wait_until_drawn(page)
    for event in run_events("under_a_path", "0193b6e0-0000-7000-8000-000000000001", "START"):
        send(under_a_path, "/api/v1/lineage", json=event)
    expect(page.get_by_text("under_a_path").first).to_be_visible()


@pytest.mark.parametrize("screen", SCREENS, ids=lambda screen: screen.name)
def test_an_address_alone_restores_what_was_seen(visits: Visits, story: Story, screen: Screen) -> None:
    """Going away and back, as with the browser's button, shows the same."""
    page = screen.open(visits, story)
    page.goto(f"{story.url}/no/such/screen")
    page.go_back()
    screen.wait(page, story)


def test_names_with_slashes_and_colons_have_addresses(visits: Visits, story: Story) -> None:
    page = visits.open(story.url, "/datasets/s3%3A%2F%2Fbookshop-lake/raw%2Fclicks")
    expect(page.get_by_role("heading", level=1)).to_contain_text("clicks")
    page = visits.open(story.url, f"/jobs/{NIGHT}/{story.slow.job}")
    expect(page.get_by_role("heading", level=1)).to_contain_text(story.slow.job)
