"""A folder enters; pictures of every screen in both themes leave into it, from a hub that holds the sample week.

Those that the README and the docs show are put into docs/pictures. `make screenshots` runs it.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from tests.e2e.chromium import chromium
from tests.e2e.hubs import WAREHOUSE, Story, ask, open_shop, run_shop, tell_story
from tests.e2e.screens import ORDERS, REVENUE_NODE, SCREENS, lineage, path_of, wait_until_drawn, week_at
from tests.e2e.visits import Visits
from tests.hub_process import HubProcess

THEMES = ("light", "dark")
# A start of Spark.
PATIENCE_MS = 240_000


def _as_it_is(page: Page) -> None:
    wait_until_drawn(page)
    expect(page.get_by_text("still looking through what there is")).to_have_count(0)
    graph = page.get_by_role("group", name="Lineage graph")
    if graph.count():
        expect(graph).to_have_attribute("data-layout", "fine")
        page.get_by_role("button", name="Show all", exact=True).click()


def _search(page: Page) -> None:
    _as_it_is(page)
    page.keyboard.press("/")
    expect(page.get_by_role("combobox", name=re.compile("^Search"))).to_be_focused()
    page.keyboard.type("revenu_dialy")
    expect(page.get_by_role("listbox").get_by_role("option").first).to_contain_text("revenue_daily")


def _changes(page: Page) -> None:
    _as_it_is(page)
    expect(page.get_by_role("complementary", name="Changes")).to_contain_text("added")


def _run_of_the_shop(story: Story) -> str:
    return f"/pipelines/runs/{ask(story.url, '/pipeline/run')['runs'][0]['run_id']}"


def _ended(page: Page) -> None:
    expect(page.get_by_text("failed", exact=True).first).to_be_visible(timeout=PATIENCE_MS)
    wait_until_drawn(page)


def _opened_letter(page: Page) -> None:
    page.get_by_role("list", name="Dead letters").get_by_role("button").first.click()
    expect(page.get_by_label("Body")).to_be_visible()


@dataclass(frozen=True)
class Picture:
    name: str
    address: Callable[[Story], str]
    prepare: Callable[[Page], None] = _as_it_is


PREPARED = {"dead-letters": _opened_letter, "pipelines": _ended}
PICTURES = (
    *(Picture(screen.name, screen.address, PREPARED.get(screen.name, _as_it_is)) for screen in SCREENS),
    Picture("pipeline-run", _run_of_the_shop, _ended),
    Picture("search", lambda _: "/?hours=168", _search),
    Picture("column", lambda _: lineage(REVENUE_NODE, columns="1", column="revenue", up="2", down="0")),
    Picture("compare", lambda _: lineage(REVENUE_NODE, up="2", down="1", **{"from": week_at(0.4)}), _changes),
    Picture("quality", lambda _: path_of("datasets", WAREHOUSE, ORDERS, tab="quality")),
    Picture("history", lambda _: path_of("datasets", WAREHOUSE, "analytics.raw.order_items", tab="history")),
    Picture("why", lambda story: f"/runs/{story.failed_test}"),
)


def photograph(browser: Any, story: Story, picture: Picture, theme: str, path: Path) -> list[str]:
    """What went wrong in the page meanwhile."""
    visits = Visits(browser)
    try:
        page = visits.open(story.url, picture.address(story), theme=theme)
        picture.prepare(page)
        page.mouse.move(0, 0)
        page.screenshot(path=path)
        return visits.troubles
    finally:
        visits.close()


def main(folder: Path, only: str = "") -> int:
    folder.mkdir(parents=True, exist_ok=True)
    code = 0
    chosen = [(one, theme) for one in PICTURES for theme in THEMES if re.search(only, f"{one.name}-{theme}")]
    with tempfile.TemporaryDirectory(prefix="lineage-hub-pictures-") as made:
        shop = Path(made)
        with HubProcess(shop / "data", environment=open_shop(shop)) as hub, chromium() as browser:
            story = tell_story(hub.url)
            if any(picture.prepare is _ended for picture, _ in chosen):
                run_shop(hub.url, shop)
            for picture, theme in chosen:
                path = folder / f"{picture.name}-{theme}.png"
                troubles = photograph(browser, story, picture, theme, path)
                print(f"{path} {path.stat().st_size / 1000:.0f} kB", flush=True)
                for trouble in troubles:
                    print(f"{path.name}: {trouble}", file=sys.stderr)
                    code = 1
    put_into_docs(folder)
    return code


def put_into_docs(folder: Path) -> None:
    root = Path(__file__).parents[2]
    shown = root / "docs" / "pictures"
    shown.mkdir(exist_ok=True)
    for text in (root / "README.md", root / "docs" / "page.md"):
        for name in re.findall(r"pictures/([\w-]+\.png)", text.read_text()):
            if (folder / name).exists():
                shutil.copyfile(folder / name, shown / name)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), *sys.argv[2:3]))
