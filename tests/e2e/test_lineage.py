"""The lineage graph: widened, narrowed, lit by a column, moved through time, compared, and taken away."""

from __future__ import annotations

import re
from datetime import datetime
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree

from playwright.sync_api import Locator, Page, expect

from benchmarks.landscape import river_landscape
from lineage_hub.sample import shop_week
from tests.e2e.hubs import RIVER, WAREHOUSE, Story, ask
from tests.e2e.screens import ORDERS, REVENUE, REVENUE_NODE, lineage
from tests.e2e.visits import PHONE, Visits
from tests.hub_process import HubProcess

SVG = "{http://www.w3.org/2000/svg}"


def _graph(visits: Visits, story: Story, node: str = REVENUE_NODE, **question: str) -> Page:
    """All of it in sight: what isn't is not drawn."""
    page = visits.open(story.url, lineage(node, **question))
    wait_until_laid_out(page)
    page.get_by_role("button", name="Show all", exact=True).click()
    return page


def wait_until_laid_out(page: Page) -> None:
    expect(page.get_by_role("group", name="Lineage graph")).to_have_attribute("data-layout", "fine")


def _card(page: Page, name: str) -> Locator:
    """A box of the picture, by the end of its name."""
    return page.get_by_role("group", name="Lineage graph").get_by_role(
        "button", name=re.compile(rf"(dataset|job) \S*{re.escape(name)},")
    )


def _column(columns: Locator, name: str) -> Locator:
    return columns.get_by_role("button", name=re.compile(rf"^column {name}\b"))


def _counts(page: Page) -> tuple[int, int]:
    said = page.get_by_role("status").filter(has_text=re.compile(r"\d+ nodes?,")).inner_text()
    nodes, edges = re.findall(r"([\d,]+) (?:node|edge)", said)[:2]
    return int(nodes.replace(",", "")), int(edges.replace(",", ""))


def _drag_to(page: Page, slider: str, moment: datetime, story: Story) -> None:
    """The slider runs from the first event to the present."""
    first = ask(story.url, "/events/lineage", sortDirection="asc", limit=1)["events"][0]["eventTime"]
    begin = datetime.fromisoformat(first.replace("Z", "+00:00")).timestamp()
    now = page.evaluate("Date.now()") / 1000
    field = page.get_by_role("slider", name=slider)
    most = int(field.get_attribute("max") or "0")
    field.fill(str(round(most * (moment.timestamp() - begin) / (now - begin))))


def test_what_feeds_and_what_is_fed_stands_in_the_picture(visits: Visits, story: Story) -> None:
    page = _graph(visits, story)
    for name in ("revenue_daily", "fct_orders", "dim_books", "stg_orders", "revenue.csv", "board_revenue"):
        expect(_card(page, name).first).to_be_visible()
    nodes, edges = _counts(page)
    page.get_by_label("Direction").select_option("downstream")
    expect(_card(page, "fct_orders")).to_have_count(0)
    expect(_card(page, "board_revenue").first).to_be_visible()
    fewer, fewer_edges = _counts(page)
    assert fewer < nodes
    assert fewer_edges < edges
    page.reload()
    wait_until_laid_out(page)
    assert _counts(page) == (fewer, fewer_edges)


def test_the_rim_says_how_much_is_behind_it_and_opens_in_place(visits: Visits, story: Story) -> None:
    page = _graph(visits, story, up="2", down="0")
    expect(_card(page, "raw.orders")).to_have_count(0)
    more = page.get_by_role("button", name=re.compile("^Show 1 more upstream of stg_orders"))
    before, _ = _counts(page)
    more.click()
    expect(page).to_have_url(re.compile("more="))
    wait_until_laid_out(page)
    after, _ = _counts(page)
    assert after > before
    depth = page.get_by_role("toolbar").get_by_role("button", name="More upstream")
    depth.click()
    depth.click()
    expect(page).to_have_url(re.compile("up=4"))
    wait_until_laid_out(page)
    page.get_by_role("button", name="Show all", exact=True).click()
    expect(_card(page, "shop.public.orders").first).to_be_visible()


def test_a_column_lights_its_whole_way_and_tells_how_it_is_made(visits: Visits, story: Story) -> None:
    page = _graph(visits, story, columns="1", up="4", down="1")
    own = page.get_by_role("list", name=f"Columns of {REVENUE}")
    _column(own, "revenue").hover()
    panel = page.get_by_role("complementary", name="revenue")
    expect(panel).to_contain_text("fct_orders.net_amount → revenue_daily.revenue")
    expect(panel).to_contain_text(re.compile("aggregation", re.IGNORECASE))
    expect(panel).to_contain_text("order_items.unit_price → order_items.unit_price")
    orders = page.get_by_role("list", name=f"Columns of {ORDERS}")
    expect(_column(orders, "net_amount")).to_have_attribute("data-lit", "true")
    expect(_column(orders, "order_id")).to_have_attribute("data-lit", "false")
    # The file that the accountants get is made from it, and its own source is the shop's table.
    source = page.get_by_role("list", name="Columns of shop.public.order_items")
    expect(_column(source, "unit_price")).to_have_attribute("data-lit", "true")
    _column(own, "revenue").click()
    assert parse_qs(urlsplit(page.url).query)["column"][0].endswith("revenue")
    page.reload()
    wait_until_laid_out(page)
    expect(_column(source, "unit_price")).to_have_attribute("data-lit", "true")


def test_the_time_slider_shows_the_graph_as_it_was(visits: Visits, story: Story) -> None:
    page = _graph(visits, story, down="0")
    expect(_card(page, "dim_books").first).to_be_visible()
    _drag_to(page, "As of", shop_week().midweek_at, story)
    expect(page).to_have_url(re.compile("at="))
    expect(_card(page, "dim_books")).to_have_count(0)
    expect(_card(page, "fct_orders").first).to_be_visible()
    page.get_by_role("button", name="Now", exact=True).click()
    expect(_card(page, "dim_books").first).to_be_visible()


def test_a_moment_before_all_says_so_and_leads_back(visits: Visits, story: Story) -> None:
    visits.expect_trouble("404")
    page = visits.open(story.url, lineage(REVENUE_NODE, at="2020-01-01T00:00:00Z"))
    expect(page.get_by_role("alert")).to_be_visible()
    page.get_by_role("button", name="To the present").click()
    wait_until_laid_out(page)
    expect(_card(page, "revenue_daily").first).to_be_visible()


def test_two_moments_are_compared_with_signs_and_a_list(visits: Visits, story: Story) -> None:
    page = _graph(visits, story, down="0")
    page.get_by_role("button", name="Compare", exact=True).click()
    _drag_to(page, "Compare with", shop_week().midweek_at, story)
    changes = page.get_by_role("complementary", name="Changes")
    # The release of the week joined the catalogue of books to the revenue.
    expect(changes).to_contain_text("genre")
    expect(changes).to_contain_text(re.compile(r"added.*dim_books → .*revenue_daily", re.DOTALL))
    expect(changes.get_by_role("status")).to_contain_text(re.compile(r"[1-9]\d* added"))
    added = page.get_by_role("group", name="Lineage graph").get_by_role("button", name=re.compile("^added: "))
    expect(added.filter(has_text="dataset analytics.marts.dim_books")).to_be_visible()
    page.reload()
    expect(changes).to_contain_text("genre")


def test_an_edge_has_evidence(visits: Visits, story: Story) -> None:
    page = _graph(visits, story)
    _card(page, "fct_orders").first.click()
    details = page.get_by_role("complementary", name="fct_orders")
    expect(details).to_contain_text("analytics")
    details.get_by_role("button", name=re.compile("^Evidence of the edge from")).first.click()
    panel = page.get_by_role("complementary", name=re.compile("→"))
    expect(panel).to_contain_text("First seen")
    expect(panel).to_contain_text(re.compile(r"[1-9]\d* runs?, [1-9]\d* events?"))
    panel.get_by_role("link", name=re.compile("^complete")).first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile(": complete$"))


def test_groups_count_exactly_what_they_hide(visits: Visits, story: Story) -> None:
    page = _graph(visits, story)
    nodes, _ = _counts(page)
    page.get_by_label("Group").select_option("namespace")
    groups = page.get_by_role("group", name="Lineage graph").get_by_role("button", name=re.compile("^Open namespace"))
    expect(groups.first).to_be_visible()
    wait_until_laid_out(page)
    labels = [str(one.text_content()) for one in groups.all()]
    kinds = [found for label in labels for kind in ("dataset", "job") if (found := re.search(rf"(\d+) {kind}", label))]
    hidden = sum(int(found[1]) for found in kinds)
    said = page.get_by_role("status").filter(has_text="closed group").inner_text()
    assert f"{hidden} nodes and" in said
    assert _counts(page)[0] == nodes
    warehouse = groups.filter(has_text=WAREHOUSE)
    warehouse.click()
    expect(_card(page, "fct_orders").first).to_be_visible()
    page.get_by_role("button", name="Close groups").click()
    expect(_card(page, "fct_orders")).to_have_count(0)


def test_a_path_between_two_nodes_is_lit_and_listed(visits: Visits, story: Story) -> None:
    page = _graph(visits, story)
    page.get_by_role("button", name="Path", exact=True).click()
    panel = page.get_by_role("complementary")
    panel.get_by_role("textbox", name="To").fill("stg_order_items")
    panel.get_by_role("list", name="Nodes to choose").get_by_role("button").filter(
        has_text="stg_order_items"
    ).last.click()
    expect(panel).to_contain_text("are on a path from stg_order_items to revenue_daily")
    shortest = panel.get_by_role("listitem")
    expect(shortest.first).to_contain_text("stg_order_items")
    expect(shortest.last).to_contain_text("revenue_daily")
    expect(shortest.filter(has_text="fct_orders").first).to_be_visible()
    page.reload()
    expect(panel).to_contain_text("are on a path")


def test_a_filter_counts_what_it_finds(visits: Visits, story: Story) -> None:
    page = _graph(visits, story)
    nodes, _ = _counts(page)
    page.get_by_role("toolbar").get_by_label("Filter").fill("dim_books")
    found = page.get_by_role("toolbar").get_by_role("status").filter(has_text="match")
    expect(found).to_have_text(re.compile(rf"^[1-9]\d* of {nodes} match$"))


def test_the_whole_picture_is_saved(visits: Visits, story: Story) -> None:
    page = _graph(visits, story)
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save SVG").click()
    svg = ElementTree.fromstring(saved.value.path().read_text())
    assert svg.tag == f"{SVG}svg"
    words = " ".join("".join(text.itertext()) for text in svg.iter(f"{SVG}text"))
    for name in ("revenue_daily", "fct_orders", "dim_books"):
        assert name in words
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save PNG").click()
    png = saved.value.path().read_bytes()
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    assert int.from_bytes(png[16:20], "big") > 800


def test_the_list_has_the_same_nodes_and_a_phone_begins_with_it(visits: Visits, story: Story) -> None:
    page = _graph(visits, story)
    nodes, _ = _counts(page)
    page.get_by_role("button", name="List").click()
    expect(page.get_by_role("table", name="Nodes")).to_have_attribute("aria-rowcount", str(nodes + 1))
    phone = visits.open(story.url, lineage(REVENUE_NODE), size=PHONE)
    table = phone.get_by_role("table", name="Nodes")
    expect(table).to_have_attribute("aria-rowcount", str(nodes + 1))
    phone.get_by_role("button", name="List").click()
    expect(phone.get_by_role("group", name="Lineage graph")).to_be_visible()


def test_five_thousand_nodes_are_grouped_and_can_be_opened(visits: Visits, estate: HubProcess) -> None:
    spring = river_landscape(RIVER)
    page = visits.open(estate.url, lineage(spring.tables[0].node_id, up="20", down="20"))
    expect(page.get_by_role("status").filter(has_text="closed group")).to_be_visible(timeout=60_000)
    assert _counts(page)[0] == len(spring.tables) + len(spring.tasks)
    graph = page.get_by_role("group", name="Lineage graph")
    expect(graph.get_by_role("button", name=re.compile("^Open ")).first).to_be_visible()
    before = _counts(page)
    graph.get_by_role("button", name=re.compile("^Open ")).first.click()
    expect(page).to_have_url(re.compile("open="))
    assert _counts(page) == before
