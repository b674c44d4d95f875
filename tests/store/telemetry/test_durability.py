"""What was inserted survives a kill of the engine; a full disk is told, and is no end."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Thread

import pytest

from lineage_hub.errors import StorageFull, StoreUnavailable
from lineage_hub.settings import Settings
from lineage_hub.store.telemetry.clients import EmbeddedClients
from lineage_hub.store.telemetry.open import TelemetryStore, open_telemetry
from tests.telemetry_rows import AT, HOUR_NS, spans

pytestmark = [pytest.mark.slow, pytest.mark.serial]
COUNT = "SELECT count() AS n FROM traces"


def engine_of(store: TelemetryStore) -> int:
    clients = store._clients
    assert isinstance(clients, EmbeddedClients)
    pid = clients.child.pid
    assert pid is not None
    return pid


def test_an_engine_that_is_killed_is_started_again_and_nothing_is_lost(tmp_path: Path):
    store = open_telemetry(Settings(data_dir=tmp_path))
    store.insert("traces", spans(1000), 1)
    first = engine_of(store)
    os.kill(first, signal.SIGKILL)
    assert store.ask(COUNT) == [{"n": 1000}]
    assert store.ask("SELECT sum(spans) AS n FROM operation_hours") == [{"n": 1000}]
    store.insert("traces", spans(1000), 2)
    assert store.ask(COUNT) == [{"n": 2000}]
    assert engine_of(store) != first
    store.close()


def test_a_merge_that_a_full_disk_left_empty_is_undone(tmp_path: Path):
    """As the engine leaves it: the merged part is the active one, and its files are empty."""
    store = open_telemetry(Settings(data_dir=tmp_path))
    for batch in range(3):
        store.insert("traces", spans(1000), batch)
    hashes = "SELECT sum(cityHash64(*)) AS n FROM traces"
    before, first = store.ask(hashes), engine_of(store)
    store.run("OPTIMIZE TABLE traces FINAL")
    active = store.ask("SELECT path FROM system.parts WHERE table = 'traces' AND active")
    assert len(active) == 1
    for path in Path(active[0]["path"]).iterdir():
        path.write_bytes(b"")
    assert store.ask(hashes) == before
    assert store.ask(COUNT) == [{"n": 3000}]
    assert engine_of(store) != first
    store.insert("traces", spans(1000), 4)
    assert store.ask(COUNT) == [{"n": 4000}]
    store.close()


def test_a_delete_that_a_full_disk_cut_off_does_not_keep_a_table_closed(tmp_path: Path):
    store = open_telemetry(Settings(data_dir=tmp_path))
    store.insert("traces", spans(1000), 1)
    (table,) = store.ask("SELECT data_paths[1] AS path FROM system.tables WHERE name = 'traces'")
    (Path(table["path"]) / "mutation_77.txt").write_bytes(b"")
    os.kill(engine_of(store), signal.SIGKILL)
    assert store.ask(COUNT) == [{"n": 1000}]
    store.remove(1, ["traces"])
    assert store.ask(COUNT) == [{"n": 0}]
    store.close()


def test_inserts_under_kills_are_there_or_told_and_can_be_taken_back(tmp_path: Path):
    store = open_telemetry(Settings(data_dir=tmp_path))
    store.insert("traces", spans(100), 0)
    kept, told = {0}, set()
    pid = engine_of(store)
    killer = Thread(target=lambda: (store.ask("SELECT sleep(0.3)"), os.kill(pid, signal.SIGKILL)))
    killer.start()
    for batch in range(1, 60):
        try:
            store.insert("traces", spans(100), batch)
            kept.add(batch)
        except StoreUnavailable:
            told.add(batch)
    killer.join()
    assert len(told) <= 1
    for batch in told:
        store.remove(batch, ["traces"])
    store.rebuild([AT // HOUR_NS])
    found = store.ask("SELECT batch, count() AS n FROM traces GROUP BY batch ORDER BY batch")
    assert found == [{"batch": batch, "n": 100} for batch in sorted(kept)]
    assert store.ask("SELECT sum(spans) AS n FROM operation_minutes") == [{"n": 100 * len(kept)}]
    store.close()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "small"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", str(folder)], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_is_told_and_room_lets_it_go_on(small_disk: Path):
    store = open_telemetry(Settings(data_dir=small_disk))
    store.insert("traces", spans(100), 0)
    ballast = small_disk / "ballast"
    with pytest.raises(StorageFull):
        fill(store, ballast)
    ballast.unlink()
    assert store.ask("SELECT count() AS n FROM traces WHERE batch = 0") == [{"n": 100}]
    store.insert("traces", spans(100), 1000)
    assert store.ask("SELECT count() AS n FROM traces WHERE batch = 1000") == [{"n": 100}]
    store.close()


def fill(store: TelemetryStore, ballast: Path) -> None:
    with ballast.open("wb", buffering=0) as out:
        for batch in range(1, 200):
            with suppress(OSError):
                out.write(os.urandom(256 << 10))
            store.insert("traces", spans(2000, status_message=[os.urandom(32).hex() for _ in range(2000)]), batch)
