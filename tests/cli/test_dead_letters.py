"""`lineage-hub dead-letters` shows why an event was rejected, mends it, replays it or drops it."""

import json
import stat
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from lineage_hub.sample import Week
from tests.cli.conftest import Answer, Cli
from tests.hub_process import HubProcess

Letters = Callable[..., Answer]


@pytest.fixture
def letters(cli: Cli, empty: HubProcess) -> Letters:
    """The command on a hub with two dead letters."""
    for body in (b'{"eventTime": 5}', b"\xff\xfe not text"):
        assert httpx.post(f"{empty.url}/api/v1/lineage", content=body).status_code == 400
    return lambda *arguments: cli("dead-letters", *arguments, "--url", empty.url)


def test_a_hub_without_dead_letters_says_so(cli: Cli, empty: HubProcess) -> None:
    assert cli("dead-letters", "--url", empty.url).out == "No dead letters.\n"


def test_they_are_listed_with_their_reason_the_newest_first(letters: Letters) -> None:
    header, *rows = letters().out.splitlines()
    assert header.split()[0] == "ID"
    assert [row.split()[0] for row in rows] == ["2", "1"]
    assert all("invalid_event" in row for row in rows)
    assert letters("list", "--limit", "1").err == "… 1 more; use --limit and --offset to see them\n"
    assert letters("list", "--json").json()["totalCount"] == 2


def test_one_is_shown_with_its_body(letters: Letters) -> None:
    assert letters("show", "1").out.endswith('{"eventTime": 5}\n')
    assert "not text" in letters("show", "2").out
    assert letters("show", "2", "--json").json()["encoding"] == "base64"
    assert letters("show", "99").code == 1


def test_one_is_mended_from_a_file_and_replayed(letters: Letters, tmp_path: Path, week: Week) -> None:
    mended = tmp_path / "mended.json"
    mended.write_text(json.dumps(week.events[0]))
    edited = letters("edit", "1", "--file", mended)
    assert edited.code == 0, edited.err
    assert "lineage-hub dead-letters replay 1" in edited.out
    assert letters("replay", "1").out == "1 replayed\n"
    assert letters("list", "--json").json()["totalCount"] == 1


def test_one_is_mended_in_the_editor(
    letters: Letters, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, week: Week
) -> None:
    editor = tmp_path / "editor"
    (tmp_path / "event.json").write_text(json.dumps(week.events[0]))
    editor.write_text(f'#!/bin/sh\ncp {tmp_path}/event.json "$1"\n')
    editor.chmod(editor.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("VISUAL", str(editor))
    assert letters("edit", "1").code == 0
    assert letters("replay", "1", "--json").json()[0]["eventId"]
    monkeypatch.setenv("VISUAL", "true")
    assert "was not changed" in letters("edit", "2").err
    monkeypatch.setenv("VISUAL", "false")
    assert "the editor failed" in letters("edit", "2").err


def test_one_that_is_still_wrong_stays_and_fails(letters: Letters) -> None:
    assert letters("replay", "1").code == 1
    everything = letters("replay", "--all")
    assert (everything.code, everything.out) == (1, "0 replayed, 2 failed again\n")
    assert letters("list", "--json").json()["totalCount"] == 2


def test_they_are_deleted_one_by_one_or_all(letters: Letters) -> None:
    assert letters("delete", "1").out == "1 deleted\n"
    assert letters("delete", "1").code == 1
    assert letters("delete", "--all", "--yes", "--json").json() == {"deleted": [2]}
    assert letters("list", "--json").json()["totalCount"] == 0


def test_ids_or_all_is_required_and_not_both(letters: Letters) -> None:
    assert letters("delete").code == 2
    assert letters("replay", "1", "--all").code == 2
