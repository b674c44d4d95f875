"""`lineage-hub impact` shows what depends on a table of the sample week, in every format."""

import csv
import io

from tests.cli.conftest import Cli

ORDERS = "dataset:postgres://db.bookshop.example:5432:shop.public.orders"


def test_what_depends_on_a_table_is_counted_and_listed(ask: Cli) -> None:
    shown = ask("impact", ORDERS)
    assert shown.code == 0, shown.err
    answer = ask("impact", ORDERS, "--json").json()
    counts = answer["counts"]
    assert shown.out.startswith(f"{ORDERS}: {counts['datasets']} datasets and {counts['jobs']} jobs depend on it")
    assert "analytics.marts.revenue_daily" in shown.out
    assert len(shown.out.splitlines()) == 2 + len(answer["affected"])
    assert "\x1b" not in shown.out


def test_the_count_is_that_of_the_lineage_graph(ask: Cli) -> None:
    answer = ask("impact", ORDERS, "--json").json()
    graph = ask("lineage", ORDERS, "--direction", "downstream", "--depth", "1000", "--json").json()["graph"]
    assert {one["nodeId"] for one in answer["affected"]} == {node["id"] for node in graph} - {ORDERS}


def test_a_column_follows_column_lineage(ask: Cli) -> None:
    shown = ask("impact", ORDERS, "--column", "order_id")
    assert shown.code == 0, shown.err
    answer = ask("impact", ORDERS, "--column", "order_id", "--json").json()
    told = answer["byColumns"]
    assert f"By columns {told['datasets']} datasets ({told['columns']} columns)" in shown.out
    assert told["datasets"] + answer["byTablesOnly"]["datasets"] == answer["counts"]["datasets"]
    node = "datasetField" + ORDERS.removeprefix("dataset") + ":order_id"
    graph = ask("lineage", node, "--columns", "--direction", "downstream", "--depth", "1000", "--json").json()["graph"]
    below = {(n["data"]["dataset"], n["data"]["field"]) for n in graph if n["id"] != node}
    told_of = {(one["name"], column) for one in answer["affected"] for column in one.get("columns", ())}
    assert told_of >= {pair for pair in below if pair[1] is not None}


def test_formats_and_limits(ask: Cli) -> None:
    rows = list(csv.DictReader(io.StringIO(ask("impact", "shop.public.orders", "--format", "csv").out)))
    assert len(rows) == len(ask("impact", ORDERS, "--json").json()["affected"])
    assert ask("impact", ORDERS, "--format", "markdown").out.startswith("# What depends on ")
    cut = ask("impact", ORDERS, "--limit", "2")
    assert "more are not shown" in cut.err
    assert ask("impact", "job:a:b", "--column", "x").code == 2
    assert ask("impact", "dataset:a:b").code == 1
