"""What is hidden and what is back is what a plain count of events and deletions says, at any moment, from any hub."""

import random
from dataclasses import dataclass, field

import pytest

from tests.conformance.databases import Database
from tests.conformance.reference import Api
from tests.oracle.build import Body, at, complete, dataset, ns

JOBS, SPACES, TABLES = ("j0", "j1", "j2"), ("db", "lake"), ("a", "b", "c")
STEPS = 60
pytestmark = pytest.mark.slow


@dataclass
class Model:
    """All that was sent and said, with the times at which the hub learned of it."""

    mentions: list[tuple[int, int, tuple[str, str, str]]] = field(default_factory=list)  # happened, known, node
    hidden: list[tuple[int, tuple[str, ...]]] = field(default_factory=list)
    sent: list[Body] = field(default_factory=list)

    def visible(self, as_of: int, known_at: int) -> set[tuple[str, str, str]]:
        seen: dict[tuple[str, str, str], int] = {}
        for happened, known, node in self.mentions:
            if happened <= as_of and known <= known_at:
                seen[node] = max(known, seen.get(node, known))
        stated = [(s, what) for s, what in self.hidden if s <= min(as_of, known_at)]
        return {
            node
            for node, last in seen.items()
            if not any(s >= last and what in (node, ("namespace", node[1])) for s, what in stated)
        }


def told(api: Api, **moment: str) -> set[tuple[str, str, str]]:
    jobs = {("job", one["namespace"], one["name"]) for one in api.get("jobs", **moment)["jobs"]}
    found = set(jobs)
    for space in SPACES:
        answer = api.call("GET", "namespaces", space, "datasets", **moment)
        assert answer.status_code in (200, 404)
        found |= {("dataset", space, one["name"]) for one in answer.json().get("datasets", ())}
    return found


def drawn(api: Api, node: tuple[str, str, str]) -> set[tuple[str, ...]] | None:
    """The nodes of all that hangs together with one, or None if it isn't there."""
    answer = api.call("GET", "lineage", nodeId=":".join(node))
    if answer.status_code == 404:
        return None
    return {tuple(one["id"].split(":")) for one in answer.json()["graph"]}


@pytest.mark.parametrize("seed", [1, 2])
def test_hidden_things_come_back_with_events_that_the_hub_learns_of_later(database: Database, seed: int) -> None:
    dice, model = random.Random(seed), Model()
    hubs = [Api(database.hub()) for _ in range(2)]
    clock = 10_000
    for step in range(STEPS):
        writer, reader = dice.sample(hubs, 2)
        clock += 10
        for api in hubs:
            api.now(clock - 1)  # each call comes a second later
        known = model.visible(2**62, 2**62)
        draw = dice.random()
        if draw < 0.5 or not known:
            tables = [dataset(dice.choice(TABLES), dice.choice(SPACES)) for _ in range(2)]
            happened = dice.randrange(clock)
            event = complete(happened, job=dice.choice(JOBS), run=step, inputs=tables[:1], outputs=tables[1:])
            writer.send(event)
            model.sent.append(event)
            nodes = [("dataset", table["namespace"], table["name"]) for table in tables]
            for node in (("job", "jobs", event["job"]["name"]), *nodes):
                model.mentions.append((ns(happened), ns(clock), node))
        elif draw < 0.6:
            writer.send(dice.choice(model.sent))
        elif draw < 0.9:
            kind, space, name = dice.choice(sorted(known))
            writer.ok("DELETE", "namespaces", space, kind + "s", name)
            model.hidden.append((ns(clock), (kind, space, name)))
        else:
            space = dice.choice(sorted({space for _, space, _ in known}))
            writer.ok("DELETE", "namespaces", space)
            model.hidden.append((ns(clock), ("namespace", space)))
        expected = model.visible(2**62, 2**62)
        assert told(reader) == expected, step
        assert told(writer) == expected, step
        node = ("dataset", dice.choice(SPACES), dice.choice(TABLES))
        graph = drawn(reader, node)
        assert (graph is not None) == (node in expected)
        assert graph is None or graph <= expected
        then = dice.randrange(9_000, clock + 1)
        for moment in ({"as_of": at(then)}, {"known_at": at(then)}):
            bounds = [ns(then) if name in moment else 2**62 for name in ("as_of", "known_at")]
            assert told(reader, **moment) == model.visible(*bounds), (step, moment)
    assert len(model.hidden) > 10
