"""What a hub says of the events of each story in tests/fixtures/stories is true, in whichever order they came."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.oracle.identity import NS
from tests.producers.stories import Story, Telling, misspelt, read_stories
from tests.properties.hubs import fresh_hub
from tests.properties.in_process import Client

ALL = read_stories()
LATER = 1_900_000_000 * NS  # no story's clock is ahead of it


@contextmanager
def told(events: list[bytes]) -> Iterator[Client]:
    with fresh_hub() as hub:
        hub.clock.now = LATER
        status, answer = hub.client.post("/api/v1/lineage/batch", b"\n".join(events), "application/x-ndjson")
        assert status in (200, 204), answer
        yield hub.client


def differences(story: Story, client: Client) -> list[str]:
    found = list(Telling(story, client, {}).differences(story.truth))
    for at, truth in (story.truth.get("as_of") or {}).items():
        then = Telling(story, client, {"as_of": at})
        found += [f"as of {at}, {difference}" for difference in then.differences(truth)]
    letters = Telling(story, client, {}).get("dead-letters")["totalCount"]
    if letters != story.truth.get("dead_letters", 0):
        found.append(f"{letters} dead letters")
    return found


def warned(client: Client) -> list[str]:
    [(_, body)] = client.get("/api/v1/events/lineage?limit=1000")
    found = set()
    for event_id in json.loads(body)["ids"]:
        [(_, event)] = client.get(f"/api/v1/events/{event_id}")
        found |= {f"{one['where']} {one['warning']}" for one in json.loads(event)["warnings"]}
    return sorted(found)


def test_there_are_many_stories_of_many_producers() -> None:
    assert len(ALL) >= 60
    assert len({story.path.parent for story in ALL}) >= 10


@pytest.mark.parametrize("story", ALL, ids=lambda story: story.name)
def test_a_story_says_only_what_is_looked_at(story: Story) -> None:
    assert not misspelt(story)
    assert len(story.events) == len(set(story.events)) == story.truth.get("events", len(story.events))


@pytest.mark.parametrize("story", ALL, ids=lambda story: story.name)
def test_the_hub_tells_the_story(story: Story) -> None:
    with told(story.events) as client:
        found = differences(story, client)
        if "warnings" in story.truth:
            assert warned(client) == sorted(story.truth["warnings"])
    assert not found, "\n".join(found)


@pytest.mark.slow
@pytest.mark.parametrize("story", ALL, ids=lambda story: story.name)
def test_the_hub_tells_the_same_when_events_come_backwards_and_twice(story: Story) -> None:
    with told([*reversed(story.events), *story.events]) as client:
        found = differences(story, client)
    assert not found, "\n".join(found)
