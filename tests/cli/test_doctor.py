"""`lineage-hub doctor` finds what is wrong with a data folder or a hub and says what to do."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.hub_process import HubProcess

NOBODY = "http://127.0.0.1:9"


def results(cli: Cli, *arguments: str | Path) -> dict[str, tuple[str, str, str]]:
    found = cli("doctor", *arguments, "--json").json()
    return {one["check"]: (one["result"], one["found"], one["action"]) for one in found}


def test_a_running_hub_is_well(cli: Cli, shop: HubProcess) -> None:
    shown = cli("doctor", "--data", shop.data, "--url", shop.url)
    assert shown.code == 0, shown.out
    assert "fail" not in shown.out
    found = results(cli, "--data", shop.data, "--url", shop.url, "--deep")
    assert found["database"][0] == "ok"
    assert found["integrity"] == ("ok", "integrity_check passed", "")
    assert found["write-ahead log"][0] == "ok"
    assert found["hub"] == ("ok", f"{shop.url} says healthy", "")
    assert found["hub's store"][0] == "ok"


def test_before_the_first_start_nothing_fails(cli: Cli, tmp_path: Path) -> None:
    found = results(cli, "--data", tmp_path / "new", "--url", NOBODY)
    assert found["database"][0] == found["hub"][0] == "off"
    assert "lineage-hub serve" in found["hub"][2]
    assert not (tmp_path / "new").exists()


def test_a_damaged_database_fails(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "lineage.db").write_bytes(b"SQLite format 3\0" + b"\x11" * 20_000)
    shown = cli("doctor", "--data", tmp_path, "--url", NOBODY)
    assert shown.code == 1
    assert "lineage-hub restore FILE --force" in shown.out


@pytest.mark.parametrize(("revision", "result"), [("9999", "fail"), ("0000", "warn")])
def test_a_schema_of_another_version_is_told(cli: Cli, tmp_path: Path, revision: str, result: str) -> None:
    with closing(sqlite3.connect(tmp_path / "lineage.db")) as made, made:
        made.execute("CREATE TABLE alembic_version (version_num TEXT)")
        made.execute("INSERT INTO alembic_version VALUES (?)", (revision,))
    found = results(cli, "--data", tmp_path, "--url", NOBODY)
    assert found["database"][0] == result
    assert found["write-ahead log"][0] == "warn"


def test_a_folder_that_is_a_file_fails(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert results(cli, "--data", tmp_path / "file", "--url", NOBODY)["data folder"][0] == "fail"


def test_a_database_that_does_not_answer_fails(cli: Cli) -> None:
    url = "postgresql://me:secret@127.0.0.1:9/lineage"
    shown = cli("doctor", "--database-url", url, "--url", NOBODY)
    assert shown.code == 1
    assert "secret" not in shown.out
