"""`lineage-hub lineage` finds a node by any name, draws what is around it, and prints every format."""

import csv
import io

import pytest

from lineage_hub.sample import HEADLINE, Week
from tests.cli.conftest import Cli
from tests.hub_process import HubProcess


def test_the_tree_shows_what_feeds_a_table_and_what_it_feeds(ask: Cli) -> None:
    shown = ask("lineage", "revenue_daily")
    assert shown.code == 0, shown.err
    lines = shown.out.splitlines()
    assert lines[0].startswith("dataset analytics.marts.revenue_daily  snowflake://bookshop-eu")
    assert lines[1] == "├── upstream"
    upstream, downstream = shown.out.split("└── downstream")
    assert "job analytics.marts.revenue_daily.bookshop.revenue_daily  dbt-prod" in upstream
    assert "dataset shop.public.orders  postgres://db.bookshop.example:5432" in upstream
    assert "exports/finance/revenue.csv" in downstream
    assert "board_revenue" in downstream


def test_what_is_met_again_is_marked(ask: Cli) -> None:
    shown = ask("lineage", "customers_360", "--direction", "upstream").out
    assert "dataset analytics.staging.stg_orders  snowflake://bookshop-eu  (see above)" in shown


def test_a_pipe_gets_no_colours(ask: Cli) -> None:
    assert "\x1b" not in ask("lineage", "revenue_daily").out


def test_a_direction_and_a_depth_bound_the_tree(ask: Cli) -> None:
    shown = ask("lineage", "revenue_daily", "--direction", "upstream", "--depth", "1").out
    assert "downstream" not in shown
    assert "fct_orders" in shown
    assert "stg_orders" not in shown


def test_the_past_is_shown_as_it_was(ask: Cli, week: Week) -> None:
    midweek = week.midweek_at.isoformat()
    question = ("lineage", "revenue_daily", "--direction", "upstream", "--depth", "1")
    assert "dim_books" in ask(*question).out
    assert "dim_books" not in ask(*question, "--as-of", midweek).out


@pytest.mark.parametrize("name", [HEADLINE, "analytics.marts.revenue_daily", "revenue_daily"])
def test_a_node_is_found_by_id_by_name_and_by_its_last_part(ask: Cli, name: str) -> None:
    assert ask("lineage", name, "--json").json()["graph"]


def test_a_name_of_several_nodes_is_refused_with_the_list(ask: Cli) -> None:
    shown = ask("lineage", "orders")
    assert shown.code == 1
    assert "dataset:kafka://kafka.bookshop.example:9092:shop.orders" in shown.err
    assert "dataset:postgres://db.bookshop.example:5432:shop.public.orders" in shown.err


def test_a_name_of_no_node_is_refused_with_what_is_near(ask: Cli) -> None:
    shown = ask("lineage", "revenue_dayly")
    assert shown.code == 1
    assert "no job or dataset is called 'revenue_dayly'" in shown.err
    assert ask("lineage", "revenue").err.count("dataset:") >= 1


def test_an_id_that_the_hub_does_not_know_is_not_found(ask: Cli) -> None:
    shown = ask("lineage", "dataset:nowhere:nothing")
    assert shown.code == 1
    assert "Traceback" not in shown.err


def test_what_is_cut_is_counted(ask: Cli) -> None:
    whole = len(ask("lineage", "revenue_daily", "--json").json()["graph"])
    shown = ask("lineage", "revenue_daily", "--limit", "5")
    assert shown.code == 0
    assert f"… {whole - 5} more nodes are not shown; raise --limit to see them" in shown.out


def test_every_format_is_printed(ask: Cli) -> None:
    assert ask("lineage", "revenue_daily", "--format", "mermaid").out.startswith(("graph ", "flowchart "))
    assert ask("lineage", "revenue_daily", "--format", "dot").out.startswith("digraph")
    rows = list(csv.reader(io.StringIO(ask("lineage", "revenue_daily", "--format", "csv").out)))
    assert len({len(row) for row in rows}) == 1
    assert len(rows) > 10


def test_columns_are_followed(ask: Cli) -> None:
    shown = ask("lineage", "revenue_daily", "--columns", "--direction", "upstream")
    assert shown.code == 0, shown.err
    assert "column analytics.marts.revenue_daily.revenue" in shown.out
    assert "column shop.public.order_items.unit_price" in shown.out
    assert "(cycle)" not in shown.out
    one = "datasetField:snowflake://bookshop-eu:analytics.marts.revenue_daily:genre"
    of_one = ask("lineage", one, "--columns", "--direction", "upstream").out
    assert "shop.public.books.genre" in of_one
    assert "unit_price" not in of_one


def test_columns_are_drawn_for_other_tools_too(ask: Cli) -> None:
    question = ("lineage", "revenue_daily", "--columns", "--direction", "upstream", "--depth", "1", "--format")
    ends = [f"datasetField:snowflake://bookshop-eu:analytics.marts.{one}" for one in ("dim_books", "revenue_daily")]
    assert f"{ends[0]}:genre,{ends[1]}:genre," in ask(*question, "csv").out.splitlines()
    assert ask(*question, "mermaid").out.startswith("flowchart LR\n")
    assert f'"{ends[0]}:genre" -> "{ends[1]}:genre";' in ask(*question, "dot").out


def test_a_drawing_says_how_much_it_leaves_out(ask: Cli) -> None:
    for style, comment in (("mermaid", "%%"), ("dot", "//")):
        last = ask("lineage", "revenue_daily", "--limit", "3", "--format", style).out.splitlines()[-1]
        assert last == f"{comment} 27 more nodes are not shown"
        assert "not shown" not in ask("lineage", "revenue_daily", "--format", style).out


def test_a_job_has_no_columns(ask: Cli) -> None:
    shown = ask("lineage", "job:airflow-prod:ingest_shop", "--columns")
    assert shown.code == 2
    assert "has no columns" in shown.err


def test_a_renamed_table_keeps_its_lineage_under_the_new_name(ask: Cli) -> None:
    shown = ask("lineage", "customers_360").out
    assert "sync_crm.build_profiles" in shown
    assert "sync_crm.push_contacts" in shown
    assert "customer_profiles" not in shown


def test_a_bad_time_is_refused_before_anything_is_asked(cli: Cli) -> None:
    shown = cli("lineage", HEADLINE, "--as-of", "yesterday", "--url", "http://127.0.0.1:9")
    assert shown.code == 2
    assert "--as-of 'yesterday' is not a time" in shown.err


def test_without_a_hub_the_command_says_how_to_start_one(cli: Cli) -> None:
    shown = cli("lineage", HEADLINE, "--url", "http://127.0.0.1:9")
    assert shown.code == 3
    assert "no hub answers at http://127.0.0.1:9" in shown.err
    assert "lineage-hub serve" in shown.err


def test_an_address_that_is_none_is_refused(cli: Cli) -> None:
    assert cli("lineage", HEADLINE, "--url", "localhost:8000").code == 2


def test_an_empty_hub_says_that_it_is_empty(cli: Cli, spare: HubProcess) -> None:
    shown = cli("lineage", "orders", "--url", spare.url)
    assert shown.code == 1
    assert "send events to it first" in shown.err
