"""Migrations are applied once, in order; tables of a newer hub are refused."""

from pathlib import Path

import pytest

from lineage_hub.errors import StoreTooNew
from lineage_hub.settings import Settings
from lineage_hub.store.telemetry.migrate import every_migration
from lineage_hub.store.telemetry.open import TelemetryStore, open_telemetry


def test_migrations_are_numbered_without_a_gap():
    assert [migration.number for migration in every_migration()] == list(range(1, len(every_migration()) + 1))


@pytest.mark.slow
def test_tables_are_made_once_and_found_again(tmp_path: Path):
    for _ in range(2):
        store = open_telemetry(Settings(data_dir=tmp_path))
        assert store.ask("SELECT number, name FROM schema_migrations ORDER BY number") == [
            {"number": migration.number, "name": migration.name} for migration in every_migration()
        ]
        store.close()


@pytest.mark.slow
def test_a_migration_that_was_cut_short_is_applied_again(tmp_path: Path):
    store = open_telemetry(Settings(data_dir=tmp_path))
    tables = "SELECT name FROM system.tables WHERE database = 'otel' ORDER BY name"
    made = store.ask(tables)
    store.run("TRUNCATE TABLE schema_migrations")
    store.run("DROP TABLE pipeline_runs")
    store.close()
    again = open_telemetry(Settings(data_dir=tmp_path))
    assert again.ask(tables) == made
    again.close()


@pytest.mark.slow
def test_tables_of_a_newer_hub_are_refused(tmp_path: Path):
    store = open_telemetry(Settings(data_dir=tmp_path))
    store.run("INSERT INTO schema_migrations (number, name) SELECT 9999, 'later'")
    store.close()
    older = open_telemetry(Settings(data_dir=tmp_path))
    _refused(older)
    _refused(older)
    older.close()


def _refused(store: TelemetryStore) -> None:
    with pytest.raises(StoreTooNew, match="9999"):
        store.ask("SELECT 1")
