"""Names and facets of any size and script come back as they were, each kept once."""

import json
import random

import pytest
from msgspec.json import encode
from sqlalchemy import select

from lineage_hub.model import EVERYTHING, NOW, Scope
from lineage_hub.query.datasets import dataset as dataset_answer
from lineage_hub.query.jobs import job as job_answer
from lineage_hub.query.queries import Queries
from lineage_hub.query.runs import run as run_answer
from lineage_hub.store import naming, tables
from lineage_hub.store.open import LineageStore
from lineage_hub.store.reader import Reader
from tests.conformance.databases import Database, Sender, count
from tests.oracle.build import (
    PRODUCER,
    columns,
    complete,
    dataset,
    dataset_event,
    facet,
    parent,
    schema,
    spelled,
    symlinks,
)

LONG = 65_536
NAMES = {
    "plain": "a",
    "with every ASCII sign": "".join(map(chr, range(1, 128))),
    "of 64 KB that pack well": "x" * LONG,
    "of 64 KB that don't": random.Random(1).randbytes(LONG // 2).hex(),
    "of 64 KB in four-byte characters": "😀" * (LONG // 4),
    "composed": "é",
    "decomposed": "e\u0301",
    "right to left": "\u202eאב\u200f",
    "without width": "\u200b\u2060\ufeff",
    "at the end of Unicode": "\U0010ffff\uffff\ufdd0",
    "with blanks around": " \t\n",
    "like SQL": "'; DROP TABLE event; -- %s %(x)s :x ? \\",
}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES.keys())
def test_a_name_comes_back_as_it_was(store: LineageStore, sender: Sender, name: str) -> None:
    body = complete(1, job=name, inputs=[dataset(name, name)], outputs=[dataset(name, "elsewhere")])
    (outcome,) = sender.send([body])
    assert outcome.error is None
    with Queries(store).at(EVERYTHING, NOW) as snapshot:
        assert job_answer(snapshot, "jobs", name)["name"] == name
        found = dataset_answer(snapshot, name, name)
    assert found["id"] == {"namespace": name, "name": name}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES.keys())
def test_any_text_may_be_the_id_of_a_run_and_of_its_parent(store: LineageStore, sender: Sender, name: str) -> None:
    above = {**parent("dag"), "run": {"runId": name}}
    body = complete(1, outputs=["a"], run_facets={"parent": above}) | {
        "run": {"runId": name, "facets": {"parent": above}}
    }
    (outcome,) = sender.send([body])
    if outcome.error is not None:
        assert len(name.encode()) > 1000, outcome.error
        return
    with Queries(store).at(EVERYTHING, NOW) as snapshot:
        assert run_answer(snapshot, name)["id"] == name
        assert [run["id"] for run in job_answer(snapshot, "jobs", "dag")["latestRuns"]] == [name]


def test_names_that_look_alike_are_different(store: LineageStore, sender: Sender) -> None:
    names = ["é", "e\u0301", "E", "e", "ｅ", "e ", "ß", "ss", "ﬁ", "fi"]
    sender.send([complete(1, outputs=[dataset(name) for name in names])])
    with Queries(store).at(EVERYTHING, NOW) as snapshot:
        told = [dataset_answer(snapshot, "db", name)["name"] for name in names]
    assert told == names
    assert count(store, tables.entity) == len(names) + 2, "with the job and the producer"


def test_the_same_name_as_job_and_as_dataset_is_two_entities(store: LineageStore) -> None:
    names = [(tables.JOB, "n", "x"), (tables.DATASET, "n", "x"), (tables.DATASET, "x", "n")]
    with store.writing() as connection:
        found = naming.intern_entities(connection, names)
        assert naming.intern_entities(connection, names) == found
    assert len(set(found.values())) == 3
    assert count(store, tables.space) == 2


def test_ten_thousand_columns_come_back_in_their_order(store: LineageStore, sender: Sender) -> None:
    fields = [f"column_{number}_ü" for number in range(10_000)]
    random.Random(2).shuffle(fields)
    made_of = columns(**{name: f"a.{name}" for name in fields})
    sender.send([complete(1, inputs=["a"], outputs=[dataset("wide", schema=schema(*fields), columnLineage=made_of)])])
    with Queries(store).at(EVERYTHING, NOW) as snapshot:
        found = dataset_answer(snapshot, "db", "wide")
    told = json.loads(encode(found))
    assert [field["name"] for field in told["fields"]] == fields
    assert len(told["columnLineage"]) == 10_000


def test_thousands_of_names_in_one_event_are_interned_once(store: LineageStore, sender: Sender) -> None:
    body = complete(1, inputs=[f"in_{number}" for number in range(3_000)], outputs=["out"])
    sender.send([body])
    sender.send([body | {"eventType": "START"}])
    assert count(store, tables.entity) == 3_003, "with the job and the producer"
    assert count(store, tables.shape) == 1
    assert count(store, tables.mention) == 3_003


def test_a_facet_of_a_megabyte_is_kept_once(store: LineageStore, sender: Sender) -> None:
    text = random.Random(3).randbytes(500_000).hex()
    big = facet(description=text)
    for number in (1, 2):
        sender.send([dataset_event(number, f"d{number}", documentation=big)])
    assert count(store, tables.blob) == 1
    with Queries(store).at(EVERYTHING, NOW) as snapshot:
        assert dataset_answer(snapshot, "db", "d2")["description"] == text


def test_equal_facets_share_a_blob_and_equal_events_a_shape(store: LineageStore, sender: Sender) -> None:
    for number in range(5):
        sender.send([complete(number, run=number, inputs=[dataset("a", schema=schema("x"))], outputs=["b"])])
    assert count(store, tables.event) == 5
    assert count(store, tables.shape) == count(store, tables.blob) == 1


def test_two_writers_give_a_name_the_same_number(database: Database) -> None:
    one, two = database.store(), database.store()
    with one.writing() as connection:
        first = naming.intern_entities(connection, [(tables.DATASET, "db", "a"), (tables.DATASET, "db", "b")])
    with two.writing() as connection:
        second = naming.intern_entities(connection, [(tables.DATASET, "db", "b"), (tables.DATASET, "db", "c")])
    assert first[(tables.DATASET, "db", "b")] == second[(tables.DATASET, "db", "b")]
    with one.reading() as connection:
        reader = Reader(connection, one.library, Scope(), NOW)
        assert reader.names(second.values()) == {second[key]: key[1:] for key in second}


def test_names_that_only_facets_hold_are_interned(store: LineageStore, sender: Sender) -> None:
    sender.send([
        dataset_event(1, "l", symlinks=symlinks(TABLE="t"), columnLineage=columns(x="source.y")),
        complete(2, run_facets={"parent": parent("dag", "root")}),
    ])  # fmt: skip
    with store.reading() as connection:
        names = connection.execute(select(tables.entity.c.kind, tables.entity.c.name)).all()
    assert sorted(map(tuple, names)) == sorted([
        (tables.DATASET, "l"), (tables.DATASET, "t"), (tables.DATASET, "source"),
        (tables.JOB, "j"), (tables.JOB, "dag"), (tables.JOB, "root"),
        (tables.PRODUCER, PRODUCER),
    ])  # fmt: skip


def test_a_name_with_nul_is_refused_before_it_reaches_a_store(store: LineageStore, sender: Sender) -> None:
    (outcome,) = sender.send([spelled(complete(1, outputs=["a\0b"]))])
    assert outcome.error is not None
    assert count(store, tables.event) == 0
