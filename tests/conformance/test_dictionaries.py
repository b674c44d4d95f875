"""Texts packed with a dictionary that one writer trained are read by every other store on the database."""

import hashlib
import json
import os
import subprocess
import sys
import threading

import pytest

from lineage_hub.model import EVERYTHING, NOW
from lineage_hub.query.queries import Queries
from lineage_hub.store import tables
from lineage_hub.store.codec import SAMPLES
from lineage_hub.store.open import LineageStore
from tests.conformance.databases import Database, Sender, count
from tests.oracle.build import Body, complete, dataset, facet, schema, spelled

pytestmark = pytest.mark.slow

BATCH = 500
READ_IN_ANOTHER_PROCESS = """
import hashlib, json, os
from lineage_hub.settings import load_settings
from lineage_hub.store.open import open_store
from lineage_hub.model import EVERYTHING, NOW
from lineage_hub.query.queries import Queries

store = open_store(load_settings(json.loads(os.environ["FLAGS"]), environ={}))
with Queries(store).at(EVERYTHING, NOW) as snapshot:
    rows = snapshot.reader.page_events(-(2**63), 2**63 - 1, False, 100_000, 0)
    texts = snapshot.reader.texts(rows)
store.close()
digest = hashlib.sha256()
for row in rows:
    digest.update(texts[row.seq])
print(len(rows), digest.hexdigest())
"""


def event(number: int) -> Body:
    documented = facet(description=f"what the table of step {number % 7} holds, at length and in full")
    made = dataset(f"table_{number % 50}", schema=schema("id", "amount"), documentation=documented)
    return complete(number, job=f"load_{number % 50}", run=number, inputs=["raw"], outputs=[made])


def send_until_trained(sender: Sender) -> int:
    """Enough events for a dictionary, and then some that are packed with it."""
    for first in range(0, SAMPLES, BATCH):
        sender.send([event(number) for number in range(first, first + BATCH)])
    for thread in threading.enumerate():
        if thread.name == "dictionary":
            thread.join()
    sender.send([event(number) for number in range(SAMPLES, SAMPLES + BATCH)])
    return SAMPLES + BATCH


def texts(store: LineageStore) -> list[bytes]:
    with Queries(store).at(EVERYTHING, NOW) as snapshot:
        rows = snapshot.reader.page_events(-(2**63), 2**63 - 1, False, 100_000, 0)
        found = snapshot.reader.texts(rows)
    return [found[row.seq] for row in rows]


def test_stores_that_were_open_or_open_later_read_what_is_packed_with_a_new_dictionary(database: Database) -> None:
    open_before = database.store()
    assert texts(open_before) == []
    sender = database.sender()
    number = send_until_trained(sender)
    assert count(sender.store, tables.dictionary) == 1
    sent = [spelled(event(at)) for at in range(number)]
    assert texts(sender.store) == sent
    assert texts(open_before) == sent
    assert texts(database.store()) == sent


def test_another_process_reads_what_is_packed_with_a_new_dictionary(database: Database) -> None:
    number = send_until_trained(database.sender())
    flags = {"data_dir": str(database.settings.data_dir), "database_url": database.settings.database_url}
    done = subprocess.run(
        [sys.executable, "-c", READ_IN_ANOTHER_PROCESS],
        env={**os.environ, "FLAGS": json.dumps(flags)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    digest = hashlib.sha256(b"".join(spelled(event(at)) for at in range(number)))
    assert done.stdout.split() == [str(number), digest.hexdigest()]


def test_a_writer_that_was_open_before_takes_a_repeat_that_is_packed_with_a_new_dictionary(
    database: Database,
) -> None:
    open_before = database.sender()
    number = send_until_trained(database.sender())
    respelled = json.dumps(json.loads(spelled(event(number - 1))), separators=(",", ":")).encode()
    (outcome,) = open_before.send([respelled])
    assert outcome.repeated
    assert texts(open_before.store)[-1] == min(respelled, spelled(event(number - 1)))


def test_two_writers_may_each_train_a_dictionary(database: Database) -> None:
    one, two = database.sender(), database.sender()
    number = send_until_trained(one)
    for first in range(0, SAMPLES, BATCH):
        two.send([event(10_000 + at) for at in range(first, first + BATCH)])
    for thread in threading.enumerate():
        if thread.name == "dictionary":
            thread.join()
    two.send([event(20_000)])
    assert count(one.store, tables.dictionary) == 2
    sent = [spelled(event(at)) for at in (*range(number), *range(10_000, 10_000 + SAMPLES), 20_000)]
    for store in (one.store, two.store, database.store()):
        assert texts(store) == sent
