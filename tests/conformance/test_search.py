"""Words find jobs and datasets by all that is told of them, at every moment, for every scope, on every database."""

from typing import Any

import pytest

from lineage_hub.model import EVERYTHING, NOW, Moment, Scope
from lineage_hub.query.queries import Queries
from lineage_hub.query.search import indexing as indexing_module
from lineage_hub.query.search.search import Question, search
from lineage_hub.store import statements
from lineage_hub.store.open import LineageStore
from lineage_hub.store.statements import Saying
from tests.conformance.databases import Sender, limited_to
from tests.oracle.build import (
    TOMBSTONE,
    Body,
    at,
    complete,
    dataset,
    dataset_event,
    facet,
    fail,
    lifecycle,
    ns,
    schema,
    symlinks,
)


def tags(*keys: str) -> Body:
    return facet(tags=[{"key": key.partition(":")[0], "value": key.partition(":")[2] or "true"} for key in keys])


def owners(*names: str) -> Body:
    return facet(owners=[{"name": name} for name in names])


def described(text: str) -> Body:
    return facet(description=text)


def ask(
    queries: Queries, text: str = "", moment: Moment = NOW, scope: Scope = EVERYTHING, **parts: Any
) -> dict[str, Any]:
    with queries.at(scope, moment) as snapshot:
        return search(queries.indexing, snapshot, Question(text, **parts))


def names(queries: Queries, text: str = "", **parts: Any) -> list[str]:
    return [one["name"] for one in ask(queries, text, **parts)["results"]]


@pytest.fixture
def queries(store: LineageStore) -> Queries:
    return Queries(store)


@pytest.fixture
def shop(sender: Sender, queries: Queries) -> Queries:
    sender.send(
        [
            complete(
                1,
                job="load_orders",
                inputs=["shop.public.orders"],
                outputs=[
                    dataset(
                        "analytics.fct_orders_daily",
                        schema=schema("order_id", "customerEmail", "amount"),
                        documentation=described("One row for each day and shop, without refunds."),
                        tags=tags("finance", "pii:high"),
                        ownership=owners("team:revenue"),
                    )
                ],
                job_facets={"documentation": described("Loads what was sold."), "ownership": owners("team:platform")},
            ),
            complete(2, job="report", run=2, inputs=["analytics.fct_orders_daily"], outputs=["board/kpi.csv"]),
            complete(3, job="mail", run=3, inputs=["analytics.fct_orders_daily"], outputs=["mail.queue"]),
            fail(4, job="clean_customers", run=4, inputs=["shop.public.customers"], outputs=["staging.Customers2024"]),
        ]
    )
    return queries


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("fct_orders_daily", "analytics.fct_orders_daily"),
        ("orders daily", "analytics.fct_orders_daily"),
        ("ordersdaily", "analytics.fct_orders_daily"),
        ("OrdersDaily", "analytics.fct_orders_daily"),
        ("shop.public.orders", "shop.public.orders"),
        ("ordres daily", "analytics.fct_orders_daily"),
        ("kpi", "board/kpi.csv"),
        ("customers2024", "staging.Customers2024"),
        ("custmers 2024", "staging.Customers2024"),
        ("custom", "shop.public.customers"),
        ("stomers", "shop.public.customers"),
        ("order_id", "analytics.fct_orders_daily"),
        ("customer_email", "analytics.fct_orders_daily"),
        ("refunds", "analytics.fct_orders_daily"),
        ("refnds", "analytics.fct_orders_daily"),
        ("pii", "analytics.fct_orders_daily"),
        ("revenue", "analytics.fct_orders_daily"),
        ("sold", "load_orders"),
        ("platform", "load_orders"),
        ("load", "load_orders"),
        ("CLEAN", "clean_customers"),
    ],
)
def test_the_first_result_is_what_was_meant(shop: Queries, text: str, first: str) -> None:
    assert names(shop, text)[0] == first


def test_what_matched_is_told_with_its_place(shop: Queries) -> None:
    by_name = ask(shop, "ordres")["results"]
    found = next(one for one in by_name if one["name"] == "shop.public.orders")
    assert found["matches"] == [{"field": "name", "value": "shop.public.orders", "highlight": [[12, 18]]}]
    by_column = ask(shop, "email")["results"][0]
    assert by_column["matches"] == [
        {"field": "column", "value": "customerEmail", "highlight": [[8, 13]], "column": "customerEmail"}
    ]
    (by_text,) = ask(shop, "refunds")["results"]
    assert [(one["field"], one["highlight"]) for one in by_text["matches"]] == [("description", [[39, 46]])]
    assert by_text["owners"] == ["team:revenue"]
    assert by_text["tags"] == ["finance", "pii:high"]


def test_an_answer_has_the_members_of_marquez(shop: Queries) -> None:
    answer = ask(shop, "kpi")
    (found,) = answer["results"]
    assert {name: found[name] for name in ("type", "name", "updatedAt", "namespace", "nodeId")} == {
        "type": "DATASET",
        "name": "board/kpi.csv",
        "updatedAt": at(2),
        "namespace": "db",
        "nodeId": "dataset:db:board/kpi.csv",
    }
    assert (answer["totalCount"], answer["notLookedAt"]) == (1, 0)


def test_of_equal_matches_the_one_that_is_used_more_comes_first(sender: Sender, queries: Queries) -> None:
    sender.send([complete(1, outputs=["a.stock", "b.stock"])])
    assert names(queries, "stock") == ["a.stock", "b.stock"]
    for run in (2, 3, 4):
        sender.send([complete(run, job=f"reader{run}", run=run, inputs=["b.stock"])])
    found = ask(queries, "stock")["results"]
    assert [one["name"] for one in found] == ["b.stock", "a.stock"]
    assert found[0]["use"] == {"linked": 4, "lastAt": at(4)}


def test_filters_leave_what_they_say(shop: Queries) -> None:
    assert set(names(shop, "orders", kind="job")) == {"load_orders"}
    assert "load_orders" not in names(shop, "orders", kind="dataset")
    assert names(shop, "orders", namespace="jobs") == ["load_orders"]
    assert names(shop, "orders", namespace="nowhere") == []
    assert names(shop, tags=("pii",)) == names(shop, tags=("PII:high",)) == ["analytics.fct_orders_daily"]
    assert names(shop, tags=("finance", "pii")) == ["analytics.fct_orders_daily"]
    assert names(shop, tags=("finance", "other")) == []
    assert names(shop, owners=("revenue",)) == names(shop, "fct", owners=("team:revenue",))
    assert names(shop, "load", owners=("team:platform",)) == ["load_orders"]
    assert names(shop, "customers", states=("FAILED",)) == ["clean_customers"]
    assert names(shop, "customers", states=("COMPLETED",)) == []
    assert "clean_customers" not in names(shop, "customers", states=("ACTIVE",))
    assert names(shop, "customers", after=ns(5)) == []
    assert set(names(shop, "orders", before=ns(2))) == {"shop.public.orders", "load_orders"}


def test_an_order_of_its_own(shop: Queries) -> None:
    found = names(shop, "orders", sort="name")
    assert found == sorted(found)
    assert len(found) == 3
    assert names(shop, "orders", sort="updated_at")[0] == "analytics.fct_orders_daily"
    assert len(names(shop, "orders", limit=1)) == 1
    assert names(shop, "orders", limit=0) == []


def test_a_dropped_dataset_shows_only_when_asked_for(sender: Sender, queries: Queries) -> None:
    sender.send([complete(1, outputs=[dataset("ledger", documentation=described("Bookings."))])])
    assert names(queries, "ledger") == ["ledger"]
    sender.send([complete(10, run=2, outputs=[dataset("ledger", lifecycleStateChange=lifecycle("DROP"))])])
    assert names(queries, "ledger") == names(queries, "bookings") == []
    (gone,) = ask(queries, "ledger", states=("DELETED",))["results"]
    assert gone["deleted"] is True
    assert names(queries, "bookings", moment=Moment(as_of=ns(5))) == ["ledger"]


def test_a_renamed_dataset_is_found_by_what_is_told_of_it_under_its_new_name(sender: Sender, queries: Queries) -> None:
    sender.send([complete(1, outputs=[dataset("old", documentation=described("Bookings."), tags=tags("silver"))])])
    sender.send([complete(10, run=2, outputs=[dataset("new", lifecycleStateChange=lifecycle("RENAME", "old"))])])
    assert names(queries, "bookings") == names(queries, tags=("silver",)) == ["new"]
    assert names(queries, "old") == []
    assert names(queries, "bookings", moment=Moment(as_of=ns(5))) == ["old"]


def test_joined_names_are_one_result_and_each_finds_it(sender: Sender, queries: Queries) -> None:
    sender.send([complete(1, outputs=[dataset("lake/warehouse/trips", symlinks=symlinks(TABLE="mart.journeys"))])])
    assert names(queries, "journeys") == ["mart.journeys"]
    (found,) = ask(queries, "trips")["results"]
    assert (found["name"], found["matches"][0]["field"]) == ("mart.journeys", "alias")


def test_what_is_no_longer_told_finds_nothing(sender: Sender, queries: Queries) -> None:
    sender.send([dataset_event(1, "t", documentation=described("Zebras."), schema=schema("giraffe"))])
    assert names(queries, "zebras") == names(queries, "giraffe") == ["t"]
    sender.send([dataset_event(2, "t", documentation=TOMBSTONE, schema=schema("lion"))])
    assert names(queries, "zebras") == names(queries, "giraffe") == []
    assert names(queries, "lion") == ["t"]
    assert names(queries, "zebras", moment=Moment(as_of=ns(1))) == ["t"]
    # An event of the past that comes late may bring it back.
    sender.send([dataset_event(3, "t", documentation=described("Zebras."))])
    assert names(queries, "zebras") == ["t"]


def test_a_scope_finds_only_what_its_tenants_told(sender: Sender, queries: Queries) -> None:
    sender.send([complete(1, outputs=[dataset("secret_plans", documentation=described("Alpha."))])], "team-a")
    sender.send([complete(2, job="k", run=2, outputs=["secret_recipes"])], "team-b")
    assert set(names(queries, "secret")) == {"secret_plans", "secret_recipes"}
    assert names(queries, "secret", scope=limited_to("team-b")) == ["secret_recipes"]
    assert names(queries, "alpha", scope=limited_to("team-b")) == []
    assert names(queries, "secret", scope=limited_to()) == []


def test_another_process_finds_what_this_one_wrote(
    store: LineageStore, sender: Sender, queries: Queries, request: pytest.FixtureRequest
) -> None:
    other = Queries(request.getfixturevalue("database").store())
    assert names(other, "nebula") == []
    sender.send([complete(1, outputs=["nebula"])])
    assert names(other, "nebula") == names(queries, "nebula") == ["nebula"]


def test_a_large_store_has_names_at_once_and_the_rest_soon(
    sender: Sender, store: LineageStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    sender.send([
        complete(n, run=n, job=f"j{n}", outputs=[dataset(f"t{n}", schema=schema(f"walrus{n}"))]) for n in range(1, 40)
    ])  # fmt: skip
    monkeypatch.setattr(indexing_module, "AT_ONCE", 5)
    monkeypatch.setattr(indexing_module, "STEP", 3)
    queries = Queries(store)
    first = ask(queries, "t39")
    assert [one["name"] for one in first["results"]] == ["t39"]
    thread = queries.indexing.reading
    assert thread is None or first["preparing"]["of"] == 39
    if thread is not None:
        thread.join(timeout=30)
    answer = ask(queries, "walrus39")
    assert "preparing" not in answer
    assert answer["results"][0]["name"] == "t39"


def test_what_users_tag_is_found_by_it_and_what_they_hide_is_not_found(sender: Sender, queries: Queries) -> None:
    sender.send(
        [
            complete(1, job="load", outputs=[dataset("orders", tags=tags("finance")), "visits"]),
            complete(2, job="report", run=2, inputs=["orders"], outputs=["sales"]),
        ]
    )

    def say(kind: int, *subject: str, body: bytes | None = b"{}") -> None:
        sender.write(lambda connection: statements.put(connection, EVERYTHING, [Saying(kind, subject, body)], ns(5)))

    say(statements.DATASET_TAG, "db", "visits", "golden path")
    say(statements.JOB_TAG, "jobs", "report", "golden")
    assert set(names(queries, "golden")) == {"visits", "report"}
    assert names(queries, "golden", kind="job") == ["report"]
    assert names(queries, tags=("golden path",)) == ["visits"]
    assert names(queries, "finance") == ["orders"]
    say(statements.DATASET_TAG, "db", "orders", "finance", body=None)
    assert names(queries, "finance") == []
    assert names(queries, "visits") == ["visits"]
    say(statements.HIDDEN_DATASET, "db", "visits")
    assert names(queries, "visits") == names(queries, tags=("golden path",)) == []
