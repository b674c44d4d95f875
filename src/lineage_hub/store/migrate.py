"""A connection to any database of the hub enters; its schema is current when `migrate` returns.

Alembic does the work; it is imported only when there is work, since a start should be quick.
"""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, insert, inspect, text

from lineage_hub.errors import InvalidSetting, StoreTooNew
from lineage_hub.store import tables
from lineage_hub.store.counters import Counters
from lineage_hub.store.postgres import require_unicode, wait_for_migrations

# The newest file in migrations/versions; a test compares.
HEAD = "0005"
SCRIPTS = Path(__file__).parent / "migrations"
# Of the first schema on; a database without them is not the hub's.
OWN = {"alembic_version", "counter", "entity", "event", "raw", "shape"}
# Any number that no other program on the same database is likely to lock.
LOCK = 0x11EA6E


def migrate(connection: Connection) -> None:
    if revision(connection) == HEAD:
        return
    _wait_for_others(connection)
    current = revision(connection)
    if current == HEAD:
        return
    present = set(inspect(connection).get_table_names())
    if present and not present >= OWN:
        shown = ", ".join(sorted(present - OWN or present)[:3])
        raise InvalidSetting(
            f"the database holds tables of another program ({shown})",
            subject="database_url" if connection.dialect.name != "sqlite" else "data_dir",
            action="give the hub a database of its own",
        )
    if current is not None and current > HEAD:
        raise StoreTooNew(
            f"the database has schema {current}, this hub knows up to {HEAD}",
            subject=current,
            action="start a newer lineage-hub, or restore a backup made by this version",
        )
    if not present:
        _create(connection)
        return
    upgrade(connection)


def upgrade(connection: Connection, to: str = "head") -> None:
    """Step by step through the migrations, from wherever the database is."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(SCRIPTS))
    config.attributes["connection"] = connection
    command.upgrade(config, to)


def _create(connection: Connection) -> None:
    """An empty database gets the newest schema at once; a test holds it equal to what the migrations make."""
    tables.metadata.create_all(connection)
    connection.execute(insert(tables.counter), [{"name": name, "value": 0} for name in Counters._fields])
    connection.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)"))
    connection.execute(text("INSERT INTO alembic_version VALUES (:head)"), {"head": HEAD})


def revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def _wait_for_others(connection: Connection) -> None:
    """Of hubs that start at once one migrates; SQLite's writers are alone anyway."""
    if connection.dialect.name == "postgresql":
        require_unicode(connection)
        wait_for_migrations(connection, LOCK)
