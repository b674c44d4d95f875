"""Real hubs that serve the built page, one browser for all, and for each test pages in fresh contexts."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from lineage_hub.server.page import FOLDER
from tests.e2e.chromium import chromium
from tests.e2e.hubs import Story, fill_estate, tell_story
from tests.e2e.visits import PATIENCE_MS, Visits
from tests.hub_process import HubProcess

FAILED = pytest.StashKey[bool]()

expect.set_options(timeout=PATIENCE_MS)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.slow)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.when == "call":
        item.stash[FAILED] = report.failed
    return report


# Of the package, not of the session: while a browser is open, tests elsewhere could not use asyncio.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


@pytest.fixture
def visits(browser: Browser, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Visits]:
    made = Visits(browser)
    try:
        yield made
        if request.node.stash.get(FAILED, False):
            print("As it stood:", *made.photograph(tmp_path))
            print("Troubles:", *made.troubles, sep="\n  ")
        else:
            assert made.troubles == []
    finally:
        made.close()


@pytest.fixture(scope="package")
def built_page() -> Path:
    assert (FOLDER / "index.html").exists(), "the page is not built; run: make page"
    return FOLDER


@pytest.fixture(scope="package")
def story(built_page: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    """A hub that holds the sample week and its telemetry. Don't write to it: tests share it."""
    with HubProcess(tmp_path_factory.mktemp("story") / "data") as hub:
        yield tell_story(hub.url)


@pytest.fixture(scope="package")
def spare(built_page: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[HubProcess]:
    """A hub that tests may write to, each under names of its own."""
    with HubProcess(tmp_path_factory.mktemp("spare") / "data") as hub:
        yield hub


@pytest.fixture(scope="package")
def estate(built_page: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[HubProcess]:
    """Two thousand jobs of the benchmarks' generator."""
    with HubProcess(tmp_path_factory.mktemp("estate") / "data") as hub:
        fill_estate(hub.url)
        yield hub


@pytest.fixture
def empty(built_page: Path, tmp_path: Path) -> Iterator[HubProcess]:
    with HubProcess(tmp_path / "data") as hub:
        yield hub
