"""`lineage-hub dead-letters` shows why an event was rejected, mends it, replays it or drops it."""

import json
import stat
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from lineage_hub.sample import Week
from tests.cli.conftest import Answer, Cli
from tests.hub_process import HubProcess


@dataclass(frozen=True)
class Letters:
    """The command on a hub with two dead letters; `broken` is no event, `binary` no text."""

    cli: Cli
    url: str
    broken: str
    binary: str

    def __call__(self, *arguments: str | Path) -> Answer:
        return self.cli("dead-letters", *arguments, "--url", self.url)

    def count(self) -> int:
        return int(self("list", "--json").json()["totalCount"])


@pytest.fixture
def letters(cli: Cli, spare: HubProcess) -> Letters:
    cli("dead-letters", "delete", "--all", "--yes", "--url", spare.url)
    for body in (b'{"eventTime": 5}', b"\xff\xfe not text"):
        assert httpx.post(f"{spare.url}/api/v1/lineage", content=body).status_code == 400
    listed = cli("dead-letters", "--json", "--url", spare.url).json()["deadLetters"]
    binary, broken = (str(one["id"]) for one in listed)
    return Letters(cli, spare.url, broken, binary)


def test_a_hub_without_dead_letters_says_so(letters: Letters) -> None:
    letters("delete", "--all", "--yes")
    assert letters().out == "No dead letters.\n"


def test_they_are_listed_with_their_reason_the_newest_first(letters: Letters) -> None:
    header, *rows = letters().out.splitlines()
    assert header.split()[0] == "ID"
    assert [row.split()[0] for row in rows] == [letters.binary, letters.broken]
    assert all("invalid_event" in row for row in rows)
    assert letters("list", "--limit", "1").err == "… 1 more; use --limit and --offset to see them\n"
    assert letters.count() == 2


def test_one_is_shown_with_its_body(letters: Letters) -> None:
    assert letters("show", letters.broken).out.endswith('{"eventTime": 5}\n')
    assert "not text" in letters("show", letters.binary).out
    assert letters("show", letters.binary, "--json").json()["encoding"] == "base64"
    assert letters("show", "999999").code == 1


def test_one_is_mended_from_a_file_and_replayed(letters: Letters, tmp_path: Path, week: Week) -> None:
    mended = tmp_path / "mended.json"
    mended.write_text(json.dumps(week.events[0]))
    edited = letters("edit", letters.broken, "--file", mended)
    assert edited.code == 0, edited.err
    assert f"lineage-hub dead-letters replay {letters.broken}" in edited.out
    assert letters("replay", letters.broken).out == "1 replayed\n"
    assert letters.count() == 1


def test_one_is_mended_in_the_editor(
    letters: Letters, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, week: Week
) -> None:
    editor = tmp_path / "editor"
    (tmp_path / "event.json").write_text(json.dumps(week.events[0]))
    editor.write_text(f'#!/bin/sh\ncp {tmp_path}/event.json "$1"\n')
    editor.chmod(editor.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("VISUAL", str(editor))
    assert letters("edit", letters.broken).code == 0
    assert letters("replay", letters.broken, "--json").json()[0]["eventId"]
    monkeypatch.setenv("VISUAL", "true")
    assert "was not changed" in letters("edit", letters.binary).err
    monkeypatch.setenv("VISUAL", "false")
    assert "the editor failed" in letters("edit", letters.binary).err


def test_one_that_is_still_wrong_stays_and_fails(letters: Letters) -> None:
    assert letters("replay", letters.broken).code == 1
    everything = letters("replay", "--all")
    assert (everything.code, everything.out) == (1, "0 replayed, 2 failed again\n")
    assert letters.count() == 2


def test_they_are_deleted_one_by_one_or_all(letters: Letters) -> None:
    assert letters("delete", letters.broken).out == "1 deleted\n"
    assert letters("delete", letters.broken).code == 1
    assert letters("delete", "--all", "--yes", "--json").json() == {"deleted": [int(letters.binary)]}
    assert letters.count() == 0


def test_ids_or_all_is_required_and_not_both(letters: Letters) -> None:
    assert letters("delete").code == 2
    assert letters("replay", letters.broken, "--all").code == 2
