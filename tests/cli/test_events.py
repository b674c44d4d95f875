"""`lineage-hub events` lists, shows and sends events, and says which of them were refused."""

import io
import json
import sys
from pathlib import Path

import pytest

from lineage_hub.sample import Week
from tests.cli.conftest import Cli
from tests.hub_process import HubProcess


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


def test_a_file_is_sent_in_batches_and_can_be_read_back(
    cli: Cli, spare: HubProcess, tmp_path: Path, week: Week
) -> None:
    file = tmp_path / "week.ndjson"
    file.write_text("\n".join(json.dumps(event) for event in week.events[:50]))
    sent = cli("events", "send", file, "--batch", "20", "--url", spare.url)
    assert (sent.code, sent.out) == (0, "50 events accepted, 0 refused\n")
    listed = cli("events", "--limit", "1000", "--url", spare.url, "--json").json()["events"]
    assert all(event in listed for event in week.events[:50])


def test_refused_events_are_named_by_their_place_in_the_file(
    cli: Cli, spare: HubProcess, tmp_path: Path, week: Week
) -> None:
    lines = [json.dumps(event) for event in week.events[:5]]
    lines[1], lines[3] = "not json", '{"eventTime": "2026-11-11T00:00:00Z"}'
    file = tmp_path / "some.ndjson"
    file.write_text("\n".join(lines))
    sent = cli("events", "send", file, "--batch", "2", "--url", spare.url, "--json")
    assert sent.code == 1
    assert sent.json()["accepted"] == 3
    assert [one["event"] for one in sent.json()["refused"]] == [2, 4]
    assert "2 refused" in cli("events", "send", file, "--url", spare.url).out


def test_stdin_is_read(cli: Cli, spare: HubProcess, monkeypatch: pytest.MonkeyPatch, week: Week) -> None:
    text = io.TextIOWrapper(io.BytesIO(json.dumps(week.events[:3], indent=2).encode()))
    monkeypatch.setattr(sys, "stdin", text)
    sent = cli("events", "send", "-", "--url", spare.url)
    assert (sent.out, sent.err) == ("3 events accepted, 0 refused\n", "")


def test_a_file_that_is_not_there_is_refused(cli: Cli) -> None:
    shown = cli("events", "send", "nowhere.ndjson")
    assert shown.code == 2
    assert "nowhere.ndjson can't be read" in shown.err
