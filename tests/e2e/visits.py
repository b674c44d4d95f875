"""A browser enters; pages of a hub leave, each in a context of its own, and all that went wrong in them is kept.

Trouble is an error on the console, an exception, a violation of the policy of content, a request to another host, an
answer of 5xx; a test that provokes some says so with `expect_trouble`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, Response

WIDE = (1280, 800)
PHONE = (390, 844)
PATIENCE_MS = 15_000
# Not the zone of most machines, and not UTC: times must be those of the viewer.
ZONE, LOCALE = "Europe/Berlin", "en-GB"
_OWN_SCHEMES = ("data", "blob", "about", "chrome-error")


class Visits:
    """`open` gives a page of a hub; `troubles` what nobody expected."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._contexts: list[BrowserContext] = []
        self._heard: list[str] = []
        self._expected: list[re.Pattern[str]] = []

    def open(
        self,
        hub_url: str,
        path: str = "/",
        *,
        theme: str = "light",
        size: tuple[int, int] = WIDE,
        scripts: tuple[Path, ...] = (),
        **more: Any,
    ) -> Page:
        """`scripts` run before those of the page, where no policy of content forbids them."""
        context = self._browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme=theme,  # type: ignore[arg-type]
            locale=LOCALE,
            timezone_id=ZONE,
            reduced_motion="reduce",
            has_touch=size[0] < 600,
            **more,
        )
        context.set_default_timeout(PATIENCE_MS)
        for script in scripts:
            context.add_init_script(path=script)
        self._contexts.append(context)
        self._watch(context, urlsplit(hub_url).netloc)
        page = context.new_page()
        page.goto(hub_url.rstrip("/") + path)
        return page

    def expect_trouble(self, pattern: str) -> None:
        self._expected.append(re.compile(pattern))

    @property
    def troubles(self) -> list[str]:
        return [said for said in self._heard if not any(known.search(said) for known in self._expected)]

    def photograph(self, folder: Path) -> list[Path]:
        """Every page as it stands, for whoever looks into a test that failed."""
        pages = [page for context in self._contexts for page in context.pages if not page.is_closed()]
        shots = [folder / f"page-{number}.png" for number in range(len(pages))]
        for page, shot in zip(pages, shots, strict=True):
            page.screenshot(path=shot)
        return shots

    def close(self) -> None:
        for context in self._contexts:
            context.close()

    def _watch(self, context: BrowserContext, host: str) -> None:
        def on_console(message: ConsoleMessage) -> None:
            if message.type in ("error", "warning"):
                self._heard.append(f"console {message.type}: {message.text} ({message.location.get('url', '')})")

        def on_request(request: Request) -> None:
            where = urlsplit(request.url)
            if where.scheme not in _OWN_SCHEMES and where.netloc != host:
                self._heard.append(f"a request to elsewhere: {request.url}")

        def on_response(response: Response) -> None:
            if response.status >= 500:
                self._heard.append(f"{response.status} of {response.request.method} {response.url}")

        def on_page(page: Page) -> None:
            page.on("pageerror", lambda error: self._heard.append(f"exception: {error}"))

        context.on("console", on_console)
        context.on("request", on_request)
        context.on("response", on_response)
        context.on("page", on_page)


Open = Callable[..., Page]
