"""The runs that a run is made of: the same on every database, and what a look through all events finds."""

from __future__ import annotations

import random
from typing import Any

import pytest

from lineage_hub.errors import NotFound
from lineage_hub.model import EVERYTHING, NOW, Moment
from lineage_hub.query import run_children
from lineage_hub.query.queries import Queries
from lineage_hub.query.run_children import children_of_run
from lineage_hub.store.open import LineageStore
from tests.conformance.databases import Sender
from tests.oracle.build import JOBS, Body, abort, at, complete, facet, fail, ns, run_id, running, start

ENDS = {complete: "COMPLETED", fail: "FAILED", abort: "ABORTED", running: "RUNNING", None: "RUNNING"}


def part_of(run: int, job: str) -> Body:
    return {"parent": facet(run={"runId": run_id(run)}, job={"namespace": JOBS, "name": job})}


def asked(store: LineageStore, run: int, depth: int = 20, moment: Moment = NOW, **page: int) -> Any:
    with Queries(store).at(EVERYTHING, moment) as snapshot:
        return children_of_run(snapshot, run_id(run), depth, page.get("limit", 1_000), page.get("offset", 0))


def family(seed: int, many: int) -> tuple[list[Body], dict[int, list[int]], dict[int, tuple[int, int | None, str]]]:
    """Events of a tree of runs, the parts of each run in the order of their starts, and when and how each went."""
    dice = random.Random(seed)
    events: list[Body] = [start(0, job="j0", run=0)]
    parts: dict[int, list[int]] = {}
    went: dict[int, tuple[int, int | None, str]] = {}
    for run in range(1, many):
        above = dice.randrange(run)
        named = part_of(above, f"j{above}")
        began, lasted = 10 * run, dice.randint(1, 1_000)
        ends = dice.choice(list(ENDS))
        events.append(start(began, job=f"j{run}", run=run, run_facets=named))
        if ends is not None:
            # Not every event says again what its run is a part of.
            more = named if dice.random() < 0.5 else {}
            events.append(ends(began + lasted, job=f"j{run}", run=run, run_facets=more))
        parts.setdefault(above, []).append(run)
        went[run] = began, began + lasted if ends in (complete, fail, abort) else None, ENDS[ends]
    dice.shuffle(events)
    return events, parts, went


@pytest.mark.parametrize("seed", range(3))
def test_a_tree_of_runs_is_told_whole_a_run_before_its_parts(store: LineageStore, sender: Sender, seed: int) -> None:
    events, parts, went = family(seed, 40)
    sender.send([*events, *events[::7]])

    def expected(run: int, depth: int, deepest: int) -> list[dict[str, Any]]:
        found = []
        for part in parts.get(run, []) if depth <= deepest else []:
            began, ended, state = went[part]
            found.append(
                {
                    "id": run_id(part),
                    "parent": run_id(run),
                    "depth": depth,
                    "job": {"namespace": JOBS, "name": f"j{part}"},
                    "state": state,
                    "createdAt": at(began),
                    "startedAt": at(began),
                    "endedAt": at(ended) if ended is not None else None,
                    "durationMs": (ended - began) * 1_000 if ended is not None else None,
                }
            )
            found += expected(part, depth + 1, deepest)
        return found

    for run in (0, 1, 5):
        for deepest in (1, 2, 20):
            answer = asked(store, run, deepest)
            assert answer["children"] == expected(run, 1, deepest)
            assert (answer["totalCount"], answer["truncated"]) == (len(answer["children"]), False)
    whole = expected(0, 1, 20)
    assert asked(store, 0, limit=4, offset=3)["children"] == whole[3:7]
    assert asked(store, 0, limit=4, offset=3)["totalCount"] == len(whole)


def test_a_moment_before_a_part_began_has_none(store: LineageStore, sender: Sender) -> None:
    sender.send([start(0, job="a", run=1), start(10, job="b", run=2, run_facets=part_of(1, "a"))])
    sender.send([complete(20, job="b", run=2)])
    assert asked(store, 1, moment=Moment(as_of=ns(5)))["children"] == []
    assert [one["state"] for one in asked(store, 1, moment=Moment(as_of=ns(15)))["children"]] == ["RUNNING"]
    assert [one["state"] for one in asked(store, 1)["children"]] == ["COMPLETED"]


def test_the_last_word_about_the_parent_counts_and_circles_end(store: LineageStore, sender: Sender) -> None:
    sender.send([
        start(0, job="a", run=1),
        start(1, job="b", run=2, run_facets=part_of(1, "a")),
        start(2, job="c", run=3, run_facets=part_of(1, "a")),
        running(3, job="c", run=3, run_facets=part_of(2, "b")),
        # Each other's parents, and one that names itself.
        running(4, job="a", run=1, run_facets=part_of(3, "c")),
        start(5, job="d", run=4, run_facets=part_of(4, "d")),
        # Another job's run has the same id, and is meant by nobody.
        start(6, job="other", run=2),
    ])  # fmt: skip
    assert [(one["id"], one["depth"]) for one in asked(store, 1)["children"]] == [(run_id(2), 1), (run_id(3), 2)]
    assert asked(store, 4)["children"] == []
    # A job of another name is not the parent, whatever the id of its run is.
    sender.send([start(7, job="e", run=5, run_facets=part_of(4, "not d"))])
    assert asked(store, 4)["children"] == []


def test_a_part_whose_job_was_renamed_meanwhile_is_told_once(store: LineageStore, sender: Sender) -> None:
    above = part_of(1, "a")
    sender.send([
        start(0, job="a", run=1),
        start(1, job="old name", run=2, run_facets=above),
        start(2, job="inside", run=3, run_facets=part_of(2, "old name")),
        complete(9, job="new name", run=2, run_facets=above),
    ])  # fmt: skip
    told = [(one["job"]["name"], one["startedAt"], one["endedAt"], one["depth"]) for one in asked(store, 1)["children"]]
    assert told == [("new name", at(1), at(9), 1), ("inside", at(2), None, 2)]


def test_more_parts_than_one_answer_reads_are_said(
    store: LineageStore, sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    sender.send([start(0, job="a", run=1)])
    sender.send([start(one, job=f"p{one}", run=10 + one, run_facets=part_of(1, "a")) for one in range(1, 8)])
    monkeypatch.setattr(run_children, "MOST_RUNS", 5)
    answer = asked(store, 1)
    assert (answer["totalCount"], answer["truncated"]) == (5, True)


def test_a_run_that_nobody_told_of_is_not_found(store: LineageStore) -> None:
    with pytest.raises(NotFound, match="not found"):
        asked(store, 77)
