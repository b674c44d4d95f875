"""A client of ClickHouse enters; its database has the tables of this hub when the call returns.

Migrations are files of SQL with a number, applied once each and recorded; a database of a newer hub is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING

from lineage_hub.errors import StoreTooNew

if TYPE_CHECKING:
    from clickhouse_connect.driver.client import Client

_FILE = re.compile(r"(\d{4})_(\w+)\.sql")
_COMMENT = re.compile(r"^\s*--.*$", re.MULTILINE)
# A statement below such a line is for servers that know the setting of MergeTree tables.
_NEEDS = re.compile(r"^-- needs the setting (\w+)$", re.MULTILINE)
_RECORD = """
    CREATE TABLE IF NOT EXISTS schema_migrations
    (number UInt32, name String, applied_at DateTime64(3, 'UTC') DEFAULT now64(3))
    ENGINE = ReplacingMergeTree ORDER BY number SETTINGS fsync_after_insert = 1, fsync_part_directory = 1
"""


@dataclass(frozen=True, slots=True)
class Statement:
    text: str
    needs: str | None = None
    """A setting without which it is left out."""


@dataclass(frozen=True, slots=True)
class Migration:
    number: int
    name: str
    statements: tuple[Statement, ...]


def every_migration() -> list[Migration]:
    return sorted(_found(), key=lambda migration: migration.number)


def _found() -> Iterator[Migration]:
    for file in (files("lineage_hub.store.telemetry") / "migrations").iterdir():
        named = _FILE.fullmatch(file.name)
        if named:
            yield Migration(int(named[1]), named[2], tuple(_statements(file.read_text(encoding="utf-8"))))


def _statements(text: str) -> Iterator[Statement]:
    for part in text.split(";\n"):
        needed, statement = _NEEDS.search(part), _COMMENT.sub("", part).strip()
        if statement:
            yield Statement(statement, needed[1] if needed else None)


def migrate(client: Client, database: str) -> None:
    """A migration that was cut short is applied again: each of its statements makes only what isn't there."""
    from clickhouse_connect.driver.binding import quote_identifier

    client.command(f"CREATE DATABASE IF NOT EXISTS {quote_identifier(database)}", use_database=False)
    client.database = database
    client.command(_RECORD)
    applied = {row[0] for row in client.query("SELECT number FROM schema_migrations").result_rows}
    known = every_migration()
    newest = known[-1].number
    if max(applied, default=0) > newest:
        raise StoreTooNew(
            f"the telemetry tables have migration {max(applied)}, and this hub knows {newest}",
            subject=database,
            action="start the hub with the version that last wrote them, or a newer one",
        )
    for migration in known:
        if migration.number not in applied:
            for statement in migration.statements:
                if statement.needs is None or _knows(client, statement.needs):
                    client.command(statement.text)
            client.command(
                "INSERT INTO schema_migrations (number, name) SELECT {number:UInt32}, {name:String}",
                parameters={"number": migration.number, "name": migration.name},
            )


def _knows(client: Client, setting: str) -> bool:
    found = client.query(
        "SELECT 1 FROM system.merge_tree_settings WHERE name = {setting:String}", parameters={"setting": setting}
    )
    return bool(found.result_rows)
