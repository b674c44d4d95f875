"""Nothing enters; Debian's Chromium leaves, started the same way for the tests, the pictures and the benchmark."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NAMES = ("chromium", "chromium-browser", "google-chrome")
# No sandbox, because tests may run as root in a container; and nothing that would look outside by itself.
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    # The same letters on every machine, so that pictures differ only where the page does.
    "--font-render-hinting=none",
)


class NoBrowser(Exception):
    """There is no Chromium to look at the page with."""


def executable() -> str:
    """Playwright's own download is not used: the system's browser gets the system's updates."""
    for name in NAMES:
        found = shutil.which(name)
        if found is not None:
            return found
    raise NoBrowser("Chromium is not installed. Run: scripts/system-packages chromium")


@contextmanager
def chromium(*flags: str) -> Iterator[Browser]:
    """Closed when the block ends. While it is open, `asyncio.run` does not work in this thread."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable(), args=[*FLAGS, *flags])
        try:
            yield browser
        finally:
            browser.close()
