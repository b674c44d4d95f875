"""A connection to any database of the hub enters; its schema is current when `migrate` returns.

Alembic does the work; it is imported only when there is work, since a start should be quick.
"""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, inspect, text

from lineage_hub.errors import StoreTooNew

# The newest file in migrations/versions; a test compares.
HEAD = "0001"
SCRIPTS = Path(__file__).parent / "migrations"
# Any number that no other program on the same database is likely to lock.
LOCK = 0x11EA6E


def migrate(connection: Connection) -> None:
    if revision(connection) == HEAD:
        return
    _wait_for_others(connection)
    current = revision(connection)
    if current == HEAD:
        return
    if current is not None and current > HEAD:
        raise StoreTooNew(
            f"the database has schema {current}, this hub knows up to {HEAD}",
            subject=current,
            action="start a newer lineage-hub, or restore a backup made by this version",
        )
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(SCRIPTS))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def _wait_for_others(connection: Connection) -> None:
    """Of hubs that start at once one migrates; SQLite's writers are alone anyway."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": LOCK})
