"""What depends on a dataset or a column, counted by hand, on every database."""

from typing import Any

import pytest

from lineage_hub.errors import NotFound
from lineage_hub.model import EVERYTHING, NOW, Moment
from lineage_hub.query.impact import impact
from lineage_hub.query.queries import Queries
from lineage_hub.store.open import LineageStore
from tests.conformance.databases import Sender
from tests.oracle.build import (
    Body,
    at,
    columns,
    complete,
    dataset,
    dataset_columns,
    dataset_event,
    facet,
    fail,
    lifecycle,
    ns,
    run_id,
    schema,
    start,
)

MANY = 1000


def owned(*names: str) -> Body:
    return facet(owners=[{"name": name} for name in names])


def ask(store: LineageStore, node: str, moment: Moment = NOW, depth: int = MANY, limit: int = MANY) -> dict[str, Any]:
    with Queries(store).at(EVERYTHING, moment) as snapshot:
        return impact(snapshot, node, depth, limit)


def by_name(answer: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {one["name"]: one for one in answer["affected"]}


@pytest.fixture
def world(sender: Sender, store: LineageStore) -> LineageStore:
    """src → clean → stage → build → mart and wide; report reads mart; src → copy → plain, which tells of no columns."""
    sender.send(
        [
            complete(
                1,
                job="clean",
                inputs=[dataset("src", schema=schema("amount", "country", "note"))],
                outputs=[dataset("stage", columnLineage=columns(total="src.amount", place="src.country"))],
                job_facets={"ownership": owned("team:a")},
            ),
            complete(
                2,
                job="build",
                run=2,
                inputs=["stage"],
                outputs=[
                    dataset("mart", columnLineage=columns(revenue="stage.total"), ownership=owned("team:b", "team:a")),
                    dataset("wide", columnLineage=columns(where="stage.place")),
                ],
            ),
            complete(3, job="copy", run=3, inputs=["src"], outputs=["plain"]),
            start(4, job="report", run=4, inputs=["mart"]),
            fail(5, job="report", run=4, inputs=["mart"]),
        ]
    )
    return store


def test_all_that_is_downstream_of_a_dataset_is_counted(world: LineageStore) -> None:
    answer = ask(world, "dataset:db:src")
    assert answer["node"] == "dataset:db:src"
    assert answer["counts"] == {"datasets": 4, "jobs": 4, "namespaces": 2, "owners": 2, "withoutOwner": 6}
    assert answer["byNamespace"] == [
        {"namespace": "db", "datasets": 4, "jobs": 0},
        {"namespace": "jobs", "datasets": 0, "jobs": 4},
    ]
    assert answer["byOwner"] == [
        {"owner": "team:a", "datasets": 1, "jobs": 1},
        {"owner": "team:b", "datasets": 1, "jobs": 0},
        {"owner": None, "datasets": 3, "jobs": 3},
    ]
    found = [(one["distance"], one["type"], one["name"]) for one in answer["affected"]]
    assert found == [
        (1, "JOB", "clean"),
        (1, "JOB", "copy"),
        (1, "DATASET", "plain"),
        (1, "DATASET", "stage"),
        (2, "JOB", "build"),
        (2, "DATASET", "mart"),
        (2, "DATASET", "wide"),
        (3, "JOB", "report"),
    ]
    assert "byColumns" not in answer


def test_the_last_use_is_the_last_run_that_read_it(world: LineageStore) -> None:
    found = by_name(ask(world, "dataset:db:src"))
    read = {"namespace": "jobs", "name": "report"}
    assert found["mart"]["lastUse"] == {"at": at(5), "job": read, "runId": run_id(4), "state": "FAILED"}
    assert found["stage"]["lastUse"]["job"]["name"] == "build"
    assert found["plain"]["lastUse"] is None
    assert found["copy"]["lastUse"] == {
        "at": at(3), "job": {"namespace": "jobs", "name": "copy"}, "runId": run_id(3), "state": "COMPLETED",
    }  # fmt: skip


def test_of_a_column_what_columns_reach_is_told_apart(world: LineageStore) -> None:
    answer = ask(world, "datasetField:db:src:amount")
    assert answer["node"] == "datasetField:db:src:amount"
    assert answer["byColumns"] == {"datasets": 2, "jobs": 2, "columns": 2}
    assert answer["byTablesOnly"] == {"datasets": 2, "jobs": 2, "datasetsWithoutColumnLineage": 1}
    assert answer["counts"]["datasets"] == 4
    found = by_name(answer)
    assert {name: one["via"] for name, one in found.items()} == {
        "clean": "columns", "stage": "columns", "build": "columns", "mart": "columns",
        "wide": "tables", "copy": "tables", "plain": "tables", "report": "tables",
    }  # fmt: skip
    assert (found["mart"]["columns"], found["wide"]["columns"]) == (["revenue"], [])
    assert (found["wide"]["columnLineage"], found["plain"]["columnLineage"]) == (True, False)


def test_a_column_that_decides_about_rows_reaches_every_column(sender: Sender, store: LineageStore) -> None:
    sender.send([
        complete(1, job="f", inputs=["src"], outputs=[dataset("kept", columnLineage=dataset_columns("src.flag"))]),
        complete(2, job="g", run=2, inputs=["kept"], outputs=[dataset("end", columnLineage=columns(x="kept.y"))]),
    ])  # fmt: skip
    found = by_name(ask(store, "datasetField:db:src:flag"))
    assert (found["kept"]["columns"], found["kept"]["wholeDataset"]) == ([], True)
    assert (found["end"]["columns"], found["end"]["via"]) == (["x"], "columns")


def test_a_column_reaches_a_dataset_that_no_job_is_known_to_write(sender: Sender, store: LineageStore) -> None:
    sender.send([complete(1, inputs=[dataset("src", schema=schema("a"))], outputs=["x"])])
    sender.send([dataset_event(2, "view", columnLineage=columns(b="src.a"))])
    found = by_name(ask(store, "datasetField:db:src:a"))
    assert (found["view"]["via"], found["view"]["distance"], found["view"]["columns"]) == ("columns", 1, ["b"])


def test_the_past_depth_and_limit_bound_the_answer(world: LineageStore) -> None:
    then = ask(world, "dataset:db:src", Moment(as_of=ns(1)))
    assert (then["counts"]["datasets"], then["counts"]["jobs"]) == (1, 1)
    near = ask(world, "dataset:db:src", depth=1)
    assert set(by_name(near)) == {"clean", "copy", "stage", "plain"}
    cut = ask(world, "dataset:db:src", limit=3)
    assert (len(cut["affected"]), cut["truncated"], cut["hidden_nodes"]) == (3, True, 5)
    assert cut["counts"] == ask(world, "dataset:db:src")["counts"]


def test_a_cycle_ends_and_the_start_is_no_part_of_its_impact(sender: Sender, store: LineageStore) -> None:
    sender.send(
        [complete(1, job="f", inputs=["a"], outputs=["b"]), complete(2, job="g", run=2, inputs=["b"], outputs=["a"])]
    )
    assert set(by_name(ask(store, "dataset:db:a"))) == {"f", "b", "g"}


def test_a_reading_before_a_drop_is_no_use_of_the_new_table(sender: Sender, store: LineageStore) -> None:
    sender.send([
        complete(1, job="w", inputs=["src"], outputs=["t"]),
        complete(2, job="r", run=2, inputs=["t"]),
        complete(3, job="d", run=3, outputs=[dataset("t", lifecycleStateChange=lifecycle("DROP"))]),
        complete(4, job="w", run=4, inputs=["src"], outputs=["t"]),
    ])  # fmt: skip
    assert by_name(ask(store, "dataset:db:src"))["t"]["lastUse"] is None
    assert by_name(ask(store, "dataset:db:src", Moment(as_of=ns(2))))["t"]["lastUse"]["job"]["name"] == "r"


def test_what_is_not_there_is_said(world: LineageStore) -> None:
    with pytest.raises(NotFound, match="nowhere"):
        ask(world, "dataset:db:nowhere")
    with pytest.raises(NotFound) as error:
        ask(world, "datasetField:db:src:ammount")
    assert "did you mean 'amount'?" in str(error.value.action)
