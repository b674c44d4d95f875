"""A story enters; the address of every screen leaves, with data behind each, for axe and for the pictures.

A test holds the list against the page's own routes, so that no screen is forgotten.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from playwright.sync_api import Page, expect

from lineage_hub.sample import shop_week
from tests.e2e.hubs import NIGHT, WAREHOUSE, Story
from tests.e2e.visits import Visits

REVENUE = "analytics.marts.revenue_daily"
REVENUE_NODE = f"dataset:{WAREHOUSE}:{REVENUE}"
ORDERS = "analytics.marts.fct_orders"
ORDERS_NODE = f"dataset:{WAREHOUSE}:{ORDERS}"


@dataclass(frozen=True)
class Screen:
    """`route` is that of the page's table of routes; `address` leads to a view of it, which has this `heading`."""

    name: str
    route: str
    address: Callable[[Story], str]
    heading: str | Callable[[Story], str]

    def open(self, visits: Visits, story: Story, **more: Any) -> Page:
        """As it stands when all of it is there."""
        page = visits.open(story.url, self.address(story), **more)
        self.wait(page, story)
        return page

    def wait(self, page: Page, story: Story) -> None:
        heading = self.heading if isinstance(self.heading, str) else self.heading(story)
        expect(page.get_by_role("heading", level=1)).to_have_text(re.compile(heading))
        wait_until_drawn(page)


def path_of(kind: str, namespace: str, name: str, **question: str) -> str:
    path = f"/{kind}/{quote(namespace, safe='')}/{quote(name, safe='')}"
    return f"{path}?{urlencode(question)}" if question else path


def lineage(node: str, **question: str) -> str:
    return f"/lineage?{urlencode({'node': node, **question})}"


def week_at(share: float) -> str:
    """A moment of the sample week."""
    week = shop_week()
    return (week.start_at + share * (week.end_at - week.start_at)).isoformat().replace("+00:00", "Z")


def _same(path: str) -> Callable[[Story], str]:
    return lambda _: path


def _slow_job(story: Story) -> str:
    return re.escape(story.slow.job)


SCREENS = (
    Screen("home", "/", _same("/?hours=168"), "things? needs? a look"),
    Screen("lineage", "/lineage", _same(lineage(REVENUE_NODE)), "^revenue_daily$"),
    Screen("datasets", "/datasets", _same("/datasets"), "^Datasets$"),
    Screen("dataset", "/datasets/:namespace/:name", _same(path_of("datasets", WAREHOUSE, ORDERS)), f"^{ORDERS}$"),
    Screen("jobs", "/jobs", _same("/jobs"), "^Jobs$"),
    Screen("job", "/jobs/:namespace/:name", lambda story: path_of("jobs", NIGHT, story.slow.job), _slow_job),
    Screen("run", "/runs/:run", lambda story: f"/runs/{story.slow.run}", _slow_job),
    Screen(
        "run-comparison",
        "/runs/:run/compare/:other",
        lambda story: f"/runs/{story.slow.before}/compare/{story.slow.run}",
        "^Two runs of ",
    ),
    Screen("impact", "/impact", _same(f"/impact?{urlencode({'node': ORDERS_NODE})}"), "What depends on fct_orders"),
    Screen("pipelines", "/pipelines", _same("/pipelines"), "^Pipelines$"),
    Screen("telemetry", "/telemetry", _same("/telemetry?range=7d"), "^Telemetry$"),
    Screen("traces", "/traces", _same("/traces?range=7d"), "^Traces$"),
    Screen("trace", "/traces/:trace", lambda story: f"/traces/{story.slow.trace}", _slow_job),
    Screen("services", "/services", _same("/services?range=7d"), "^Services$"),
    Screen("events", "/events", _same("/events"), "^Events$"),
    Screen("event", "/events/:event", lambda story: f"/events/{story.event}", "^.+: [a-z]+$"),
    Screen("dead-letters", "/dead-letters", _same("/dead-letters"), "^Dead letters$"),
)


def _of_orders(tab: str) -> Callable[[Story], str]:
    return _same(path_of("datasets", WAREHOUSE, ORDERS, tab=tab))


# What else screens show: their tabs, and the ways to look at the graph.
VIEWS = (
    *(
        Screen(f"dataset-{tab}", "", _of_orders(tab), f"^{ORDERS}$")
        for tab in ("history", "quality", "statistics", "runs", "freshness", "facets")
    ),
    Screen("lineage-columns", "", _same(lineage(REVENUE_NODE, columns="1", column="revenue")), "^revenue_daily$"),
    Screen("lineage-list", "", _same(lineage(REVENUE_NODE, **{"as": "list"})), "^revenue_daily$"),
    Screen("lineage-groups", "", _same(lineage(REVENUE_NODE, group="namespace")), "^revenue_daily$"),
    Screen("lineage-compared", "", _same(lineage(REVENUE_NODE, **{"from": week_at(0.4)})), "^revenue_daily$"),
    Screen("failed-run", "", lambda story: f"/runs/{story.failed_run}", "extract_payments"),
    Screen("code-of-a-run", "", lambda story: f"/runs/{story.failed_test}?tab=facets", "test"),
    *(
        Screen(f"telemetry-{view}", "", _same(f"/telemetry?range=7d&view={view}"), "^Telemetry$")
        for view in ("resources", "operations", "metrics")
    ),
    Screen("nowhere", "*", _same("/no/such/screen"), "^Nothing here$"),
)


def wait_until_drawn(page: Page) -> None:
    """The screen has its heading, and nothing of it is still being fetched."""
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.get_by_role("status").filter(has_text="…")).to_have_count(0)
