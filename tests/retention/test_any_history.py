"""Whatever happened, and wherever the horizon lies: answers about the present are the same before and after a sweep."""

from __future__ import annotations

import random
from functools import partial

import pytest

from lineage_hub.lineage.habits import WRITES_KEPT
from lineage_hub.model import EVERYTHING, Moment
from lineage_hub.query.queries import Queries
from lineage_hub.settings import load_settings
from lineage_hub.store import expectations
from lineage_hub.store.open import LineageStore, open_store
from lineage_hub.store.tables import DATASET
from tests.conformance.asking import answers
from tests.conformance.databases import Databases, Sender, limited_to, sending
from tests.oracle import build
from tests.oracle.events import distinct
from tests.properties.hubs import Clock, folder
from tests.properties.sizes import SOAK, TIMEOUT_S
from tests.retention.routines import NAMES, Routine
from tests.retention.sweeps import Loss, sweep

pytestmark = [pytest.mark.slow, pytest.mark.timeout(TIMEOUT_S)]
SEEDS = range(2000 if SOAK else 14)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_present_is_the_same_before_and_after_a_sweep(seed: int) -> None:
    with folder() as data_dir:
        store = open_store(load_settings({"data_dir": data_dir, "log_level": "error"}, environ={}))
        try:
            assert_the_same_after_a_sweep(store, seed)
        finally:
            store.close()


@pytest.mark.parametrize("backend", ["postgresql"])
@pytest.mark.parametrize("seed", [5, 9])
def test_so_it_is_on_postgresql(databases: Databases, seed: int) -> None:
    assert_the_same_after_a_sweep(databases.new().store(), seed)


def expect_writes(store: LineageStore, sender: Sender, every_s: int) -> None:
    """Of two of the datasets; the others have habits."""
    for name in NAMES[1:3]:
        with Queries(store).at(EVERYTHING, Moment()) as snapshot:
            found = snapshot.reader.find(DATASET, build.NAMESPACE, name)
        if found is not None:
            body = b'{"every":"%ds"}' % every_s
            sender.write(partial(expectations.put, scope=EVERYTHING, dataset=found, body=body, now=build.ns(0)))


def assert_the_same_after_a_sweep(store: LineageStore, seed: int) -> None:
    dice = random.Random(seed)
    taken = Routine(seed).taken(dice.choice([20, 120]))
    told = distinct(taken)
    times = sorted({event.at for event in told})
    horizon_at = dice.choice(times) + dice.choice([0, 0, 2 * 10**9])
    later = [at for at in times if at >= horizon_at]
    moments = [Moment(), Moment(as_of=horizon_at), Moment(known_at=horizon_at)]
    moments += [Moment(as_of=dice.choice(later))] if later else []
    views = [(EVERYTHING, dice.choice(moments)), (limited_to("default"), dice.choice(moments))]
    with sending(store, load_settings({}, environ={}), Clock()) as sender:
        sender.send_taken(taken)
        expect_writes(store, sender, dice.choice([1, 10, 60]))
    queries = Queries(store)
    before = [answers(queries, scope, moment, told) for scope, moment in views]
    progress = sweep(
        store, horizon_at, slice_events=dice.choice([5, 1000]), writes_kept=dice.choice([1, 1, 3, WRITES_KEPT])
    )
    asked = dice.choice([queries, Queries(store)])
    for (scope, moment), was in zip(views, before, strict=True):
        loss = Loss(horizon_at)
        loss.compare(was, answers(asked, scope, moment, told))
        where = f"horizon {horizon_at}, {moment}, {scope}, {progress}"
        assert not loss.found, f"{where}: {len(loss.found)} differ:\n" + "\n".join(loss.found[:2])
