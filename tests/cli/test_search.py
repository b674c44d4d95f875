"""`lineage-hub search` finds a table of the sample week by any words, and says what matched."""

from tests.cli.conftest import Cli


def test_the_best_match_comes_first_with_what_matched(ask: Cli) -> None:
    shown = ask("search", "revnue", "daily")
    assert shown.code == 0, shown.err
    lines = shown.out.splitlines()
    assert lines[0].split() == ["NODE", "MATCHES", "LAST", "HEARD", "OF"]
    assert "analytics.marts.revenue_daily" in lines[1]
    assert " name " in lines[1]
    assert "\x1b" not in shown.out


def test_filters_and_json(ask: Cli) -> None:
    found = ask("search", "orders", "--kind", "dataset", "--limit", "50", "--json").json()["results"]
    assert {one["type"] for one in found} == {"DATASET"}
    namespace = "kafka://kafka.bookshop.example:9092"
    found = ask("search", "orders", "--namespace", namespace, "--json").json()["results"]
    assert {one["namespace"] for one in found} == {namespace}
    jobs = ask("search", "orders", "--kind", "job", "--state", "COMPLETED", "--sort", "name", "--json").json()[
        "results"
    ]
    names = [one["name"] for one in jobs]
    assert names == sorted(names) != []


def test_a_column_is_named_as_what_matched(ask: Cli) -> None:
    results = ask("search", "order_id", "--kind", "dataset", "--json").json()["results"]
    assert all(any(place["field"] in ("name", "column") for place in one["matches"]) for one in results)
    assert "column order_id" in ask("search", "order_id", "--kind", "dataset").out


def test_nothing_found_and_nothing_asked(ask: Cli) -> None:
    assert ask("search", "xyzzy").out == "Nothing found.\n"
    refused = ask("search")
    assert refused.code == 2
    assert "--tag" in refused.err
    assert ask("search", "a", "--state", "LOST").code == 2
