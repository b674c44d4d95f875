"""A dataset, or all of them, and a moment enter; whether they are fresh, due or late leaves, with the last write.

Writes are the versions of a dataset; what is expected is what users had set by then, or its habit when that is asked.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from lineage_hub.errors import NotFound
from lineage_hub.lineage.expectations import duration, expectation_answer, read_expectation
from lineage_hub.lineage.freshness import SECOND, AsUsual, Expectation, Freshness, freshness
from lineage_hub.lineage.habits import Habit
from lineage_hub.lineage.names import place
from lineage_hub.lineage.shapes import run_id as run_text
from lineage_hub.model import FOREVER
from lineage_hub.query.datasets import find_dataset
from lineage_hub.query.facts import dataset_facts
from lineage_hub.query.horizon import unbroken
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.query.versions import Version, Versions
from lineage_hub.store import expectations, tables
from lineage_hub.store.expectations import Kept
from lineage_hub.wire import instant_text

Answer = dict[str, Any]
USUAL = AsUsual("UTC")
# After every event of its moment.
_LAST = b"\xff" * 17


class _Expected(NamedTuple):
    """`set_at` is None for what nobody has set."""

    expectation: Expectation
    set_at: int | None


def dataset_freshness(snapshot: Snapshot, namespace: str, name: str, now: int, learned: bool) -> Answer:
    """`now` is the present; a question about another moment is answered for that."""
    dataset = find_dataset(snapshot, namespace, name)
    names = snapshot.names_under(dataset)
    kept = expectations.in_force(snapshot.reader.connection, snapshot.scope, snapshot.moment, names)
    expected = _expected(_by_dataset(snapshot, kept).get(dataset), learned)
    at = _moment(snapshot, now)
    if not dataset_facts(snapshot, [dataset])[dataset].alive:
        return _answer(snapshot, dataset, expected, None, Freshness("unknown", reason="it was dropped"), at)
    return _judge(snapshot, Versions(snapshot), dataset, expected, at)


def all_freshness(
    snapshot: Snapshot, now: int, states: Collection[str], learned: bool, limit: int, offset: int
) -> Answer:
    """Of the datasets that something is expected of, by name; with `learned` of the others too that have a habit."""
    set_for = set_expectations(snapshot)
    every = snapshot.spoken_of(snapshot.ordered(tables.DATASET, None)) if learned else list(set_for)
    joined = snapshot.joined(every)
    facts = dataset_facts(snapshot, {joined.of(one) for one in every})
    found = [one for one in facts if facts[one].alive and one not in snapshot.hidden]
    snapshot.load_shapes(found)
    versions, at = Versions(snapshot), _moment(snapshot, now)
    answers = []
    for dataset in sorted(found, key=snapshot.names(found).__getitem__):
        expected = _expected(set_for.get(dataset), learned)
        if expected is None:
            continue
        answer = _judge(snapshot, versions, dataset, expected, at)
        # A history that is too short is no expectation, unless somebody asked to learn from it.
        if (expected.set_at is not None or answer["habit"] is not None) and (not states or answer["state"] in states):
            answers.append(answer)
    return {"freshness": answers[offset : offset + limit], "totalCount": len(answers), "at": instant_text(at)}


def set_expectations(snapshot: Snapshot) -> dict[int, Kept]:
    """By dataset, what users expect of it."""
    return _by_dataset(snapshot, expectations.in_force(snapshot.reader.connection, snapshot.scope, snapshot.moment))


def find_for_removal(snapshot: Snapshot, namespace: str, name: str) -> list[int]:
    """All names under which something is expected of the dataset."""
    names = snapshot.names_under(find_dataset(snapshot, namespace, name))
    kept = expectations.in_force(snapshot.reader.connection, snapshot.scope, snapshot.moment, names)
    if not kept:
        raise NotFound(
            f"nothing is expected of the dataset '{name}'",
            subject=f"{namespace}:{name}",
            action="list what is expected with GET /api/v1/freshness",
        )
    return sorted(kept)


def _by_dataset(snapshot: Snapshot, kept: Mapping[int, Kept]) -> dict[int, Kept]:
    """What was set last for each dataset; a table that was renamed took its expectation along."""
    placed = [(place(one.dataset, (one.set_at, _LAST), True, snapshot.cuts), one) for one in kept.values()]
    joined = snapshot.joined([name for name, _ in placed if name is not None])
    found: dict[int, Kept] = {}
    for name, one in sorted(placed, key=lambda pair: pair[1].set_at):
        if name is not None:
            found[joined.of(name)] = one
    return found


def _expected(kept: Kept | None, learned: bool) -> _Expected | None:
    if kept is not None:
        return _Expected(read_expectation(kept.body), kept.set_at)
    return _Expected(USUAL, None) if learned else None


def _moment(snapshot: Snapshot, now: int) -> int:
    return now if snapshot.moment.as_of == FOREVER else snapshot.moment.as_of


def _judge(snapshot: Snapshot, versions: Versions, dataset: int, expected: _Expected | None, at: int) -> Answer:
    if expected is None:
        return _answer(
            snapshot,
            dataset,
            None,
            _last(versions, dataset, at),
            Freshness("unknown", reason="nothing is expected"),
            at,
        )
    if isinstance(expected.expectation, AsUsual):
        # Clocks of producers may be ahead of ours.
        every = [one for one in versions.all_of(dataset) if one.created[0] <= at]
        last, written_at = every[-1] if every else None, unbroken(snapshot, [one.created[0] for one in every])
    else:
        last = _last(versions, dataset, at)
        written_at = [last.created[0]] if last is not None else []
    judged = freshness(expected.expectation, written_at, expected.set_at or at, at)
    return _answer(snapshot, dataset, expected, last, judged, at)


def _last(versions: Versions, dataset: int, at: int) -> Version | None:
    return versions.last_before(dataset, (at, _LAST))


def _answer(
    snapshot: Snapshot, dataset: int, expected: _Expected | None, last: Version | None, judged: Freshness, at: int
) -> Answer:
    namespace, name = snapshot.name(dataset)
    return {
        "dataset": {"namespace": namespace, "name": name},
        "state": judged.state,
        "reason": judged.reason,
        "at": instant_text(at),
        "dueAt": _text(judged.due_at),
        "lateSince": _text(judged.late_at) if judged.state == "late" else None,
        "lateS": judged.late_s,
        "lateAt": _text(judged.late_at),
        "expectation": None if expected is None else expectation_answer(expected.expectation),
        "setAt": None if expected is None else _text(expected.set_at),
        "habit": None if judged.habit is None else _habit(judged.habit),
        "lastWrite": None if last is None else _write(snapshot, last),
    }


def _text(at: int | None) -> str | None:
    return None if at is None else instant_text(at)


def _habit(habit: Habit) -> Answer:
    gaps = {"weekday": habit.weekday, "weekend": habit.weekend}
    if habit.pattern == "weekdays":
        del gaps["weekend"]
    return {
        "pattern": habit.pattern,
        "gaps": {
            day: {"due": duration(gap.due // SECOND), "late": duration(gap.late // SECOND)} for day, gap in gaps.items()
        },
        "learnedFrom": habit.gaps,
        "confidence": round(habit.confidence, 3),
    }


def _write(snapshot: Snapshot, version: Version) -> Answer:
    run = None
    if version.run is not None:
        namespace, name = snapshot.name(version.run.key[1])
        run = {"id": run_text(version.run.key[2]), "job": {"namespace": namespace, "name": name}}
    return {"at": instant_text(version.created[0]), "version": version.id, "run": run}
