"""Rules on every database: whenever they come or go, by whichever hub, the answers are those of rules that count."""

import itertools
import random
from typing import Any

import pytest
from sqlalchemy import select

from lineage_hub.errors import Conflict, InvalidRequest
from lineage_hub.lineage.rules.model import FacetRule, NameRule, RuleSet, read_rule
from lineage_hub.model import EVERYTHING, NOW, Moment
from lineage_hub.query.queries import Queries
from lineage_hub.query.rule_preview import preview_names
from lineage_hub.store import rules, tables
from lineage_hub.store.open import LineageStore
from tests.conformance.asking import answers, assert_equal, differing
from tests.conformance.databases import Database, Databases, Sender, count, limited_to
from tests.conformance.histories import taken_over_time
from tests.conformance.test_same_answers import week
from tests.oracle.build import complete, dataset, facet
from tests.oracle.events import Event, Name, Rewrite, Taken, distinct, identifier, named_datasets, named_jobs
from tests.oracle.rules import rewriting

NAMES: list[dict[str, Any]] = [
    # Two databases become one, a warehouse's tables lose their schema, jobs lose where they run.
    {"id": "host", "on": "dataset.namespace", "match": "prefix", "pattern": "postgres://db.bookshop.example:5432",
     "replacement": "snowflake://bookshop-eu"},
    {"id": "place", "on": "job.namespace", "match": "regex", "pattern": "([a-z]+)-prod", "replacement": "$1"},
    {"id": "schema", "on": "dataset.name", "match": "glob", "pattern": "*.*", "replacement": "$2", "order": 200},
    {"id": "b", "on": "dataset.name", "match": "exact", "pattern": "b", "replacement": "a", "tenant": "team-a"},
    {"id": "j", "on": ["job.name", "dataset.name"], "match": "regex", "pattern": "j1?|c", "replacement": "one"},
]  # fmt: skip
FACETS: list[dict[str, Any]] = [
    {"id": "docs", "facet": "doc*", "action": "drop", "place": ["dataset", "job"]},
    {"id": "large", "facet": "*", "action": "aside", "overBytes": 900},
    {"id": "lists", "facet": "schema", "action": "trim", "keepElements": 1, "keepBytes": 3, "order": 1},
]


def rule_set(names: list[dict[str, Any]], facets: list[dict[str, Any]]) -> RuleSet:
    made = RuleSet().with_rules(NameRule, [read_rule(NameRule, one) for one in names])
    return made.with_rules(FacetRule, [read_rule(FacetRule, one) for one in facets])


SOME = rule_set(NAMES[1:4], FACETS[2:])
ALL = rule_set(NAMES, FACETS)
HISTORIES = {"hand-made": lambda: taken_over_time(seed=7, most=20), "a week of the bookshop": lambda: week()[::9]}


def told(taken: list[Taken]) -> list[Event]:
    """With names as they were sent, and as rules make them; few enough to ask about them all."""
    sent, made = distinct(taken), distinct(taken, rewriting(NAMES))
    chosen = random.Random(5).sample(range(len(sent)), min(len(sent), 16))
    return [events[at] for at in sorted(chosen) for events in (sent, made)]


def ask(store: LineageStore, taken: list[Taken], moment: Moment = NOW) -> dict[str, bytes]:
    return answers(Queries(store), EVERYTHING, moment, told(taken))


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("history", HISTORIES)
def test_rules_that_come_late_or_go_leave_no_trace(databases: Databases, history: str) -> None:
    taken = HISTORIES[history]()
    early = databases.new().sender()
    early.set_rules(ALL)
    early.send_taken(taken)
    expected = ask(early.store, taken)
    early.fold_all_again()
    assert_equal(expected, ask(early.store, taken))
    late = databases.new().sender()
    late.send_taken(taken)
    plain = ask(late.store, taken)
    assert len(differing(plain, expected)) > len(plain) / 3
    late.set_rules(ALL)
    late.fold_all_again()
    assert_equal(expected, ask(late.store, taken))
    middle = Moment(as_of=distinct(taken)[len(taken) // 3].at)
    assert_equal(ask(early.store, taken, middle), ask(late.store, taken, middle))
    late.write(lambda connection: rules.undo(connection, EVERYTHING, 0))
    late.fold_all_again()
    assert_equal(plain, ask(late.store, taken))
    with late.store.reading() as connection:
        assert connection.execute(select(tables.raw.c.rules).where(tables.raw.c.rules.is_not(None))).all() == []


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_two_hubs_that_take_events_while_history_is_folded_agree(databases: Databases) -> None:
    """Events come for the first time and again, through both, between any two steps; rules change meanwhile."""
    taken, dice = taken_over_time(seed=11, most=20), random.Random(11)
    early = databases.new().sender()
    early.set_rules(ALL)
    early.send_taken(taken)
    expected = ask(early.store, taken)
    database = databases.new()
    hubs = [database.sender(), database.sender()]
    readers = [Queries(hub.store) for hub in hubs]
    arriving = iter([*taken, *dice.sample(taken, len(taken) // 2)])
    hubs[0].set_rules(SOME)
    for sent in itertools.islice(arriving, len(taken) // 2):
        dice.choice(hubs).send_taken([sent])
    for wanted in (RuleSet(), SOME, ALL):
        dice.choice(hubs).set_rules(wanted)
        for sent in itertools.islice(arriving, len(taken) // 4):
            dice.choice(hubs).send_taken([sent])
            dice.choice(hubs).fold_again()
            if dice.random() < 0.05:  # what it says now is remembered, and must not be said later on
                answers(dice.choice(readers), EVERYTHING, NOW, told(taken)[:4])
    for sent in arriving:
        dice.choice(hubs).send_taken([sent])
    hubs[1].fold_all_again()
    assert count(hubs[0].store, tables.event) == count(hubs[0].store, tables.raw) == len(distinct(taken))
    for queries in readers:
        assert_equal(expected, answers(queries, EVERYTHING, NOW, told(taken)))


def test_a_repeat_is_recognised_while_its_first_copy_stands_under_another_job(sender: Sender) -> None:
    first = complete(1, job="old", outputs=["a"])
    sender.send([first])
    sender.set_rules(
        rule_set([{"id": "r", "on": "job.name", "match": "exact", "pattern": "old", "replacement": "new"}], [])
    )
    (outcome,) = sender.send([first])
    assert outcome.repeated
    sender.fold_all_again()
    with sender.store.reading() as connection:
        assert connection.execute(select(tables.event.c.seq)).all() == [(1,)]


def test_history_is_folded_in_small_steps_that_tell_how_far_it_is(sender: Sender, store: LineageStore) -> None:
    sender.send([complete(at, job="old", outputs=[dataset("a", columnLineage=facet(fields={}))]) for at in range(250)])
    sender.set_rules(
        rule_set([{"id": "r", "on": "job.name", "match": "exact", "pattern": "old", "replacement": "new"}], [])
    )
    sender.fold_again()
    sender.fold_again()
    with store.reading() as connection:
        before = rules.refold(connection, EVERYTHING)
    assert (before.done, before.looked_at, before.changed) == (False, 100, 100)
    sender.fold_all_again()
    with store.reading() as connection:
        after = rules.refold(connection, EVERYTHING)
    assert (after.done, after.looked_at, after.changed) == (True, 250, 250)


def test_what_a_preview_tells_is_what_happens(sender: Sender, store: LineageStore) -> None:
    taken = taken_over_time(seed=3, most=30)
    sender.send_taken(taken)
    sender.set_rules(SOME)
    sender.fold_all_again()
    with Queries(store).at(EVERYTHING, NOW) as snapshot:
        told = preview_names(snapshot, SOME, ALL, 10_000, 10_000)
        cut_short = preview_names(snapshot, SOME, ALL, 3, 1)
    before, after = rewriting(NAMES[1:4]), rewriting(NAMES)
    expected: dict[tuple[str, Name, Name], int] = {}
    touched = 0
    for event in distinct(taken):
        jobs = named_jobs(event) | ({event.job} if event.job else set())
        named = [("job", one) for one in jobs] + [("dataset", one) for one in _datasets(event)]
        changed = {
            (kind, was, becomes)
            for kind, name in named
            if (was := _renamed(before, event, kind, name)) != (becomes := _renamed(after, event, kind, name))
        }
        touched += bool(changed)
        for one in changed:
            expected[one] = expected.get(one, 0) + 1
    assert told["events"] == touched > 10
    assert {(one["kind"], _key(one["from"]), _key(one["to"])): one["events"] for one in told["names"]} == expected
    into = {(kind, becomes) for kind, _, becomes in expected}
    assert {(one["kind"], _key(one["into"])) for one in told["merges"]} <= into
    assert told["truncated"] is False
    assert cut_short["truncated"] is True
    assert len(cut_short["names"]) <= 1


def _key(name: dict[str, str]) -> Name:
    return name["namespace"], name["name"]


def _datasets(event: Event) -> set[Name]:
    previous = [m.facets.get("lifecycleStateChange", {}).get("previousIdentifier") for m in event.mentions]
    names = {name for one in previous if (name := identifier(one)) is not None}
    return {mention.name for mention in event.mentions} | named_datasets(event) | names


def _renamed(rewrite: Rewrite, event: Event, kind: str, name: Name) -> Name:
    body = {"producer": event.body["producer"], kind: {"namespace": name[0], "name": name[1]}}
    return _key(rewrite(event.tenant, body)[kind])


def test_who_may_see_some_tenants_only_sees_and_changes_their_rules(sender: Sender, store: LineageStore) -> None:
    own, others = (
        read_rule(NameRule, {"id": f"of-{tenant}", "on": "job.name", "match": "exact", "pattern": "x",
                             "replacement": "y", "tenant": tenant})
        for tenant in ("team-a", "team-b")
    )  # fmt: skip
    sender.set_rules(RuleSet((own, others)))
    scope = limited_to("team-a")
    with store.reading() as connection:
        assert rules.rules_of(connection, scope).rules == RuleSet((own,))
    with pytest.raises(InvalidRequest, match="may not write"):
        sender.write(lambda connection: rules.change(connection, scope, lambda _: RuleSet((others,)), 0))
    sender.write(lambda connection: rules.change(connection, scope, lambda _: RuleSet(), 0))
    with store.reading() as connection:
        assert rules.rules_of(connection, EVERYTHING).rules == RuleSet((others,))


def test_what_was_never_changed_cannot_be_undone(sender: Sender) -> None:
    with pytest.raises(Conflict):
        sender.write(lambda connection: rules.undo(connection, EVERYTHING, 0))


def test_a_hub_goes_on_where_another_left_off(database: Database) -> None:
    first = database.sender()
    first.send([complete(at, job="old", run=at, outputs=["a"]) for at in range(150)])
    first.set_rules(
        rule_set([{"id": "r", "on": "job.name", "match": "exact", "pattern": "old", "replacement": "new"}], [])
    )
    first.fold_again()
    first.fold_again()
    hub = database.hub()
    while b'"state":"done"' not in hub.get("/api/v1/rules/refold")[1]:
        pass
    assert hub.get("/api/v1/namespaces/jobs/jobs/old")[0] == 404
    assert b'"totalCount":150' in hub.get("/api/v1/namespaces/jobs/jobs/new/runs?limit=1")[1]
