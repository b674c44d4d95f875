"""A pipeline is started from the page, watched stage by stage, and its column traced to the file; one is cancelled."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.axe import AXE, violations
from tests.e2e.hubs import open_shop
from tests.e2e.visits import Visits
from tests.hub_process import HubProcess

pytestmark = pytest.mark.timeout(400)
# A start of Spark on a machine that does much else.
PATIENCE_MS = 240_000


@pytest.fixture(scope="module")
def shop(built_page: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """A hub that may run the shop's pipeline, and the folder of its files."""
    folder = tmp_path_factory.mktemp("shop")
    environment = open_shop(folder)
    (folder / "pipelines" / "broken.yaml").write_text("version: 1\nname: broken\nstages: 3\n")
    with HubProcess(folder / "data", environment=environment) as hub:
        yield hub.url, folder


def _start(page: Page, folder: Path) -> None:
    page.get_by_role("button", name="Start retail").click()
    form = page.get_by_role("dialog", name="Start retail")
    form.get_by_role("button", name="Start the run").click()
    expect(form.get_by_label(re.compile("^raw"))).to_have_attribute("aria-invalid", "true")
    form.get_by_label(re.compile("^raw")).fill(str(folder / "tuesday"))
    form.get_by_label(re.compile("^lake")).fill(str(folder / "lake"))
    form.get_by_role("button", name="Start the run").click()


def test_a_run_is_started_watched_and_explained(visits: Visits, shop: tuple[str, Path]) -> None:
    url, folder = shop
    page = visits.open(url, "/pipelines", scripts=(AXE,))
    listed = page.get_by_role("list", name="Pipelines")
    expect(listed.get_by_role("listitem").filter(has_text="broken")).to_contain_text("stages")
    expect(listed.get_by_role("button", name="Start broken")).to_be_disabled()
    _start(page, folder)
    expect(page).to_have_url(re.compile("/pipelines/runs/"))
    heading = page.get_by_role("heading", level=1)
    stages = page.get_by_role("table", name="Stages")
    raw = stages.get_by_role("row").filter(has_text="raw_orders").first
    expect(raw).to_contain_text("complete", timeout=PATIENCE_MS)
    # The shop's files have changed over night, and a rule stops them.
    expect(heading).to_contain_text("fail", timeout=PATIENCE_MS)
    expect(page.get_by_role("alert")).to_contain_text("orders")
    rules = page.get_by_role("table", name="Quality")
    expect(rules.get_by_role("row").filter(has_text="customers are known")).to_contain_text("broken")
    assert "\n".join(violations(page)) == ""
    page.get_by_role("link", name="the run and why it went so").click()
    expect(page.get_by_role("heading", name="Why")).to_be_visible()
    expect(page.get_by_role("tree", name="Stages of the run").get_by_role("treeitem").nth(1)).to_be_visible()


def test_a_column_of_the_lake_comes_from_the_file(visits: Visits, shop: tuple[str, Path]) -> None:
    """What the run before has written, down to the file that the shop exports."""
    url, folder = shop
    page = visits.open(url, f"/datasets/file/{str(folder / 'lake/bronze/orders').replace('/', '%2F')}")
    row = page.get_by_role("table", name="Columns").get_by_role("row", name=re.compile("^quantity"))
    row.get_by_role("link", name="raw_orders.quantity").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("raw_orders")
    row.get_by_role("link", name="orders.csv.quantity").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(str(folder / "tuesday/orders.csv"))


def test_a_run_is_cancelled_when_one_says_so_twice(visits: Visits, shop: tuple[str, Path]) -> None:
    url, folder = shop
    page = visits.open(url, "/pipelines")
    _start(page, folder)
    page.get_by_role("button", name="Cancel the run").click()
    page.get_by_role("dialog").get_by_role("button", name="Let it run").click()
    page.get_by_role("button", name="Cancel the run").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel it").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("abort", timeout=PATIENCE_MS)
