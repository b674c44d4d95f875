"""The runs that a list shows with a job are those that are shown of each run by itself, whatever was read together."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from lineage_hub.model import EVERYTHING, NOW, Moment
from lineage_hub.query.jobs import jobs
from lineage_hub.query.queries import Queries
from lineage_hub.query.runs import run, runs_of_job
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.store import tables
from tests.conformance.databases import Database
from tests.oracle.build import Body, abort, complete, dataset, facet, fail, ns, run_event, running, start

# Each reads what those before it write; one run id is now and then that of two jobs.
CHAIN = {"a": ([], ["x"]), "b": (["x"], ["y"]), "c": (["x", "y"], ["z"]), "d": (["z"], ["x"])}
OTHERS = ("job", "sharedWith")


def some_runs(dice: random.Random, first: int, many: int) -> Iterator[Body]:
    for number in range(first, first + many):
        job = dice.choice(list(CHAIN))
        inputs, outputs = CHAIN[job]
        begun = dice.choice([number * 10, number * 10, 400, dice.randrange(number * 10 + 10)])
        ended = begun + dice.choice([0, 1, 5, 50, 500])
        counted = [{**dataset(name), "outputFacets": {"outputStatistics": facet(rowCount=number)}} for name in outputs]
        names = {"run": number, "job": job, "inputs": inputs}
        if dice.random() < 0.9:
            yield start(begun, **names)
        if dice.random() < 0.2:
            yield running(begun + dice.choice([-3, 0, 2, 700]), **names)
        if dice.random() < 0.1:
            yield run_event("OTHER", begun - 5, run=number, job=job)
        end = dice.choice([complete, complete, complete, complete, fail, abort, None])
        if end is not None:
            taken_over = dice.random() < 0.05
            yield end(ended, **{**names, "job": "b" if taken_over else job}, outputs=counted)


def plain(answer: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(answer))


def assert_shown_as_by_themselves(snapshot: Snapshot, alone: Snapshot) -> None:
    for shown in plain(jobs(snapshot, None, 100, 0))["jobs"]:
        found = alone.reader.find(tables.JOB, shown["namespace"], shown["name"])
        assert found is not None
        rows = alone.reader.starts(found, 10)
        assert len(shown["latestRuns"]) == len(rows)
        assert shown["latestRun"] == (shown["latestRuns"] or [None])[0]
        assert shown["latestRuns"] == plain(runs_of_job(alone, found, 10, 0))["runs"]
        for one in shown["latestRuns"]:
            by_itself = plain(run(alone, one["id"]))
            if by_itself["job"]["name"] == shown["name"]:
                assert one == {name: value for name, value in by_itself.items() if name not in OTHERS}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_each_of_the_latest_runs_is_shown_as_by_itself_whoever_writes_when(database: Database, seed: int) -> None:
    dice = random.Random(seed)
    one, other = database.sender(), database.sender()
    remembering = Queries(one.store)
    for turn in range(5):
        dice.choice((one, other)).send(list(some_runs(dice, turn * 24, 24)))
        for moment in (NOW, Moment(ns(dice.randrange(turn * 240 + 240)))):
            with remembering.at(EVERYTHING, moment) as snapshot, Queries(one.store).at(EVERYTHING, moment) as alone:
                assert_shown_as_by_themselves(snapshot, alone)


def test_a_run_that_began_before_those_that_are_shown_is_none_of_them_though_it_ended_last(database: Database) -> None:
    sender = database.sender()
    sender.send([start(0, run=1), start(2, run=2), complete(3, run=2)])
    sender.send([start(10 * number, run=number) for number in range(3, 30)])
    sender.send([complete(1000, run=1, outputs=["t"])])
    with Queries(sender.store).at(EVERYTHING, NOW) as snapshot:
        shown = plain(jobs(snapshot, None, 10, 0))["jobs"][0]
    assert [one["id"][-2:] for one in shown["latestRuns"]] == [f"{number:02d}" for number in range(29, 19, -1)]
    assert shown["outputs"] == [{"namespace": "db", "name": "t"}]
