"""`lineage-hub events` lists and shows events."""

import json

from lineage_hub.sample import Week
from tests.cli.conftest import Cli


def test_the_latest_events_are_listed_first(ask: Cli) -> None:
    shown = ask("events", "list", "--limit", "5")
    assert shown.code == 0, shown.err
    header, *rows = shown.out.splitlines()
    assert header.split() == ["TIME", "EVENT", "ABOUT", "IN", "OUT", "ID"]
    assert len(rows) == 5
    assert [row.split()[0] for row in rows] == sorted((row.split()[0] for row in rows), reverse=True)
    assert "more; use --limit and --offset to see them" in shown.err


def test_without_a_command_events_are_listed(ask: Cli) -> None:
    assert ask("events", "--limit", "3").out == ask("events", "list", "--limit", "3").out
    assert len(ask("events").out.splitlines()) == 26


def test_before_and_after_bound_the_list(ask: Cli, week: Week) -> None:
    first = week.start_at.date().isoformat()
    listed = ask("events", "--before", f"{first}T00:00:05Z", "--after", "2026-01-01", "--json").json()["events"]
    assert 0 < len(listed) <= 6
    assert all("dataset" in event for event in listed)


def test_an_event_from_the_list_is_shown_as_it_was_sent(ask: Cli) -> None:
    listed = ask("events", "list", "--limit", "1")
    event_id = listed.out.splitlines()[1].split()[-1]
    shown = ask("events", "show", event_id)
    head, _, body = shown.out.partition("\n\n")
    assert head.startswith(f"event {event_id}\nknown since ")
    assert json.loads(body) == ask("events", "list", "--limit", "1", "--json").json()["events"][0]
    assert ask("events", "show", event_id, "--json").json()["id"] == event_id


def test_an_event_that_is_not_there_is_not_found(ask: Cli) -> None:
    assert ask("events", "show", "0" * 48).code == 1
    assert ask("events", "show", "what").code == 2
