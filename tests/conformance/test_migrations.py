"""A database is brought to the newest schema, whoever starts first, and a newer one is refused."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, create_engine, text, update

from lineage_hub.errors import InvalidSetting, StoreTooNew
from lineage_hub.store import tables
from lineage_hub.store.counters import Counters
from lineage_hub.store.migrate import HEAD, SCRIPTS, migrate, revision, upgrade
from lineage_hub.store.open import LineageStore, open_store, store_url
from tests.conformance.databases import Database, Databases, count
from tests.oracle.build import complete

SQLITE_SCHEMA = "SELECT name, sql FROM sqlite_master WHERE name NOT LIKE 'alembic%' AND name NOT LIKE 'sqlite%'"
POSTGRES_SCHEMA = """
    SELECT table_name || '.' || column_name,
        concat_ws(' ', data_type, character_maximum_length, is_nullable, column_default)
    FROM information_schema.columns WHERE table_schema = 'public' AND table_name NOT LIKE 'alembic%'
    UNION ALL
    SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename NOT LIKE 'alembic%'
"""


def schema(connection: Connection) -> dict[str, str]:
    """What the database itself says of its tables and indexes."""
    query = SQLITE_SCHEMA if connection.dialect.name == "sqlite" else POSTGRES_SCHEMA
    return {name: " ".join(str(definition).split()) for name, definition in connection.execute(text(query))}


def test_the_newest_migration_is_the_one_that_the_code_expects() -> None:
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS))
    assert ScriptDirectory.from_config(config).get_heads() == [HEAD]


def test_a_fresh_database_gets_the_newest_schema(store: LineageStore) -> None:
    with store.reading() as connection:
        assert revision(connection) == HEAD
        assert connection.execute(text("SELECT value FROM counter")).scalars().all() == [0] * len(Counters._fields)


def test_migrating_again_changes_nothing(database: Database, store: LineageStore) -> None:
    database.sender(store).send([complete(1, outputs=["a"])])
    with store.writing() as connection:
        before = schema(connection)
        migrate(connection)
        assert schema(connection) == before
    again = database.store()
    assert count(again, tables.event) == 1
    with again.reading() as connection:
        assert schema(connection) == before


@pytest.fixture
def migrated(databases: Databases) -> Iterator[Connection]:
    """A database that went through every migration, from the first."""
    engine = create_engine(store_url(databases.new().settings))
    with engine.begin() as connection:
        upgrade(connection)
        yield connection
    engine.dispose()


def test_the_tables_of_the_code_are_those_of_the_migrations(migrated: Connection) -> None:
    context = MigrationContext.configure(migrated, opts={"compare_type": True})
    differences: list[Any] = compare_metadata(context, tables.metadata)
    assert differences == []


def test_a_fresh_database_is_what_the_migrations_make(migrated: Connection, store: LineageStore) -> None:
    """Conditions of indexes, options of tables and first rows too, which are not compared otherwise."""
    with store.reading() as connection:
        assert schema(connection) == schema(migrated)
        for query in ("SELECT * FROM counter", "SELECT * FROM alembic_version"):
            assert connection.execute(text(query)).all() == migrated.execute(text(query)).all()


def test_a_database_that_a_newer_hub_has_changed_is_refused(database: Database, store: LineageStore) -> None:
    with store.writing() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StoreTooNew, match="9999") as refused:
        open_store(database.settings)
    assert refused.value.action
    with store.writing() as connection:
        assert revision(connection) == "9999"
        connection.execute(update(tables.counter).values(value=tables.counter.c.value))


@pytest.mark.parametrize("table", ["task_instance", "alembic_version"])
def test_a_database_of_another_program_is_refused_and_left_alone(database: Database, table: str) -> None:
    engine = create_engine(store_url(database.settings))
    with engine.begin() as connection:
        connection.execute(text(f"CREATE TABLE {table} (version_num VARCHAR(32))"))
        connection.execute(text(f"INSERT INTO {table} VALUES ('686269002441')"))
        before = schema(connection)
    with pytest.raises(InvalidSetting, match="another program") as refused:
        open_store(database.settings)
    assert refused.value.action
    with engine.connect() as connection:
        assert schema(connection) == before
    engine.dispose()


def test_hubs_that_start_on_an_empty_database_at_once_all_get_it(database: Database) -> None:
    with ThreadPoolExecutor(4) as starting:
        opened = [starting.submit(open_store, database.settings) for _ in range(4)]
    stores = [done.result() for done in opened]
    for store in stores:
        assert count(store, tables.counter) == len(Counters._fields)
        store.close()
