"""A backup is whole while the hub writes, a restore checks first, and neither overwrites by accident."""

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from lineage_hub.sample import Week
from tests.cli.conftest import Cli
from tests.hub_process import HubProcess


def count(url: str) -> int:
    return int(httpx.get(f"{url}/api/v1/events/lineage?limit=1").json()["totalCount"])


def send(hub: HubProcess, events: list[dict[str, object]]) -> None:
    assert httpx.post(f"{hub.url}/api/v1/lineage/batch", json=events, timeout=60).status_code == 204


@pytest.mark.slow
def test_a_backup_of_a_running_hub_restores_to_the_same_answers(cli: Cli, shop: HubProcess, tmp_path: Path) -> None:
    file = tmp_path / "shop.db"
    made = cli("backup", file, "--data", shop.data)
    assert made.code == 0, made.err
    assert "integrity checked" in made.out
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith("shop.db")] == ["shop.db"]
    restored = cli("restore", file, "--data", tmp_path / "new", "--json")
    assert restored.code == 0, restored.err
    assert restored.json()["previous"] is None
    question = "/api/v1/lineage?nodeId=dataset:snowflake://bookshop-eu:analytics.marts.revenue_daily"
    with HubProcess(tmp_path / "new") as hub:
        assert count(hub.url) == count(shop.url)
        assert httpx.get(hub.url + question).json() == httpx.get(shop.url + question).json()


@pytest.mark.slow
def test_a_backup_under_load_is_a_moment_that_was(cli: Cli, spare: HubProcess, tmp_path: Path, week: Week) -> None:
    """Batches of ten are committed whole, so any snapshot holds a multiple of ten."""
    stop = threading.Event()
    done = 0

    def load() -> None:
        nonlocal done
        number = 0
        # Not as fast as it can: what a backup has to copy must not grow with the time that it takes.
        while not stop.wait(0.02):
            batch = [
                {**week.events[0], "eventTime": f"2026-11-01T00:00:00.{number * 10 + at:09d}Z"} for at in range(10)
            ]
            send(spare, batch)
            number += 1
            done = number * 10

    loader = threading.Thread(target=load)
    loader.start()
    try:
        for number in range(5):
            before = done
            file = tmp_path / f"{number}.db"
            made = cli("backup", file, "--data", spare.data)
            assert made.code == 0, made.err
            with closing(sqlite3.connect(file)) as copy:
                held = copy.execute("SELECT count(*) FROM event").fetchone()[0]
            assert held % 10 == 0
            assert before <= held <= done + 10
    finally:
        stop.set()
        loader.join()


def test_a_backup_replaces_no_file_unless_forced(cli: Cli, shop: HubProcess, tmp_path: Path) -> None:
    file = tmp_path / "kept.db"
    file.write_text("dear to someone")
    refused = cli("backup", file, "--data", shop.data)
    assert refused.code == 1
    assert "--force" in refused.err
    assert file.read_text() == "dear to someone"
    assert cli("backup", file, "--data", shop.data, "--force").code == 0


def test_a_backup_of_nothing_is_refused(cli: Cli, tmp_path: Path) -> None:
    shown = cli("backup", tmp_path / "x.db", "--data", tmp_path / "nowhere")
    assert shown.code == 1
    assert "there is no database at" in shown.err
    assert not (tmp_path / "x.db").exists()


def test_a_backup_that_can_not_be_written_says_why(cli: Cli, shop: HubProcess, tmp_path: Path) -> None:
    shown = cli("backup", tmp_path / "no" / "folder" / "x.db", "--data", shop.data)
    assert shown.code == 3
    assert "could not be written" in shown.err


def test_a_damaged_store_is_called_so_and_replaces_no_backup(cli: Cli, shop: HubProcess, tmp_path: Path) -> None:
    file = tmp_path / "shop.db"
    (tmp_path / "data").mkdir()
    assert cli("backup", file, "--data", shop.data).code == 0
    sound = file.read_bytes()
    for damaged in (sound[:40_000] + b"\xff" * 60_000 + sound[100_000:], b"no database" * 1000):
        (tmp_path / "data" / "lineage.db").write_bytes(damaged)
        refused = cli("backup", file, "--data", tmp_path / "data", "--force")
        assert refused.code == 2
        assert "lineage.db is damaged and was not copied" in refused.err
        assert len(refused.err.splitlines()) == 2
        assert "***" not in refused.err
        assert file.read_bytes() == sound
        found = cli("doctor", "--data", tmp_path / "data", "--json").json()
        (integrity,) = [one for one in found if one["check"] == "integrity"]
        assert integrity["result"] == "fail"
        assert "\n" not in integrity["found"]
    assert [one.name for one in tmp_path.iterdir() if ".partial" in one.name] == []


def test_a_restore_of_nothing_or_to_nowhere_is_refused(cli: Cli, shop: HubProcess, tmp_path: Path) -> None:
    missing = cli("restore", tmp_path / "no.db", "--data", tmp_path / "new")
    assert missing.code == 1
    assert "name a file that `lineage-hub backup` made" in missing.err
    file = tmp_path / "shop.db"
    assert cli("backup", file, "--data", shop.data).code == 0
    nowhere = cli("restore", file, "--data", file)
    assert nowhere.code == 2
    assert "can't be made: File exists" in nowhere.err


@pytest.mark.slow
def test_a_restore_keeps_the_store_it_replaces(cli: Cli, shop: HubProcess, tmp_path: Path, week: Week) -> None:
    file = tmp_path / "shop.db"
    cli("backup", file, "--data", shop.data)
    with HubProcess(tmp_path / "other") as hub:
        send(hub, week.events[:3])
        busy = cli("restore", file, "--data", hub.data, "--force")
        assert busy.code == 1
        assert "a hub is using" in busy.err
        assert count(hub.url) == 3
    refused = cli("restore", file, "--data", tmp_path / "other")
    assert refused.code == 1
    assert "is not empty" in refused.err
    forced = cli("restore", file, "--data", tmp_path / "other", "--force", "--json")
    assert forced.code == 0, forced.err
    with closing(sqlite3.connect(forced.json()["previous"])) as kept:
        assert kept.execute("SELECT count(*) FROM event").fetchone() == (3,)
    with HubProcess(tmp_path / "other") as hub:
        assert count(hub.url) == count(shop.url)


def test_a_restore_refuses_what_is_no_sound_backup_of_this_version(cli: Cli, shop: HubProcess, tmp_path: Path) -> None:
    target = tmp_path / "target"
    text = tmp_path / "text.db"
    text.write_text("not a database, although it is long enough to be looked at" * 100)
    assert cli("restore", text, "--data", target).code == 2
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as strange:
        strange.execute("CREATE TABLE t (x)")
    assert "is not a backup of a hub" in cli("restore", other, "--data", target).err
    newer = tmp_path / "newer.db"
    cli("backup", newer, "--data", shop.data)
    with closing(sqlite3.connect(newer)) as changed, changed:
        changed.execute("UPDATE alembic_version SET version_num = '9999'")
    refused = cli("restore", newer, "--data", target)
    assert refused.code == 4
    assert "has schema 9999" in refused.err
    damaged = tmp_path / "damaged.db"
    cli("backup", damaged, "--data", shop.data)
    content = bytearray(damaged.read_bytes())
    content[8192 : 8192 + 40_000] = b"\x55" * 40_000
    damaged.write_bytes(content)
    refused = cli("restore", damaged, "--data", target)
    assert refused.code == 2
    assert "is not a sound backup" in refused.err
    assert not target.exists()


@pytest.mark.parametrize(
    ("command", "tool"),
    [
        ("backup", "pg_dump --format=custom --file=x.dump postgresql://me@db.example/lineage"),
        ("restore", "pg_restore --clean --if-exists --dbname=postgresql://me@db.example/lineage x.dump"),
    ],
)
def test_postgresql_is_left_to_its_own_tools(cli: Cli, command: str, tool: str) -> None:
    shown = cli(command, "x.dump", "--database-url", "postgresql+psycopg://me:secret@db.example/lineage")
    assert shown.code == 2
    assert tool in shown.err
    assert "secret" not in shown.err
