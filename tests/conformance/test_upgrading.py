"""A store of an older hub, with data in it, is brought up to date by the start of this one, and tells what it told.

`tests/fixtures/stores/0001.json` holds events and the rows that a hub made of them, in the tables of the first schema
(written while the second was the newest, which only adds a table). Stores of later schemas are made from it by the
migrations in between, so that one more migration is one more case.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, MetaData, Table, create_engine, inspect

from lineage_hub.model import EVERYTHING, NOW, Moment
from lineage_hub.query.queries import Queries
from lineage_hub.store import dead_letters, tables
from lineage_hub.store.migrate import HEAD, SCRIPTS, revision, upgrade
from lineage_hub.store.open import store_url
from tests.conformance.asking import answers, assert_equal
from tests.conformance.databases import Database, Databases, count
from tests.oracle.build import complete, taken
from tests.oracle.events import Taken, distinct

STORE = Path(__file__).parents[1] / "fixtures" / "stores" / "0001.json"


def revisions() -> list[str]:
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS))
    return [script.revision for script in ScriptDirectory.from_config(config).walk_revisions()][::-1]


@cache
def stored() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(STORE.read_text())
    return found


def sent() -> list[Taken]:
    return [Taken(one["tenant"], one["known_at"], one["event"].encode()) for one in stored()["events"]]


def load(connection: Connection) -> None:
    """Into the tables as they are there, whatever the code calls its own."""
    for name, content in stored()["tables"].items():
        table = Table(name, MetaData(), autoload_with=connection)
        connection.execute(table.delete())
        rows = [
            {
                column: bytes.fromhex(value["hex"]) if isinstance(value, dict) else value
                for column, value in zip(content["columns"], row, strict=True)
            }
            for row in content["rows"]
        ]
        if rows:
            connection.execute(table.insert(), rows)


def older_store(database: Database, schema: str) -> None:
    engine = create_engine(store_url(database.settings))
    with engine.begin() as connection:
        upgrade(connection, stored()["revision"])
        load(connection)
    with engine.begin() as connection:
        upgrade(connection, schema)
        assert revision(connection) == schema
        assert "event" in inspect(connection).get_table_names()
    engine.dispose()


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("schema", revisions())
def test_a_store_of_each_older_schema_tells_after_the_upgrade_what_was_sent(databases: Databases, schema: str) -> None:
    plain = databases.new().sender()
    plain.send_taken(sent())
    database = databases.new()
    older_store(database, schema)

    store = database.store()
    with store.reading() as connection:
        assert revision(connection) == HEAD
    told = distinct(sent())
    middle = sorted(event.at for event in told)[len(told) // 2]
    for moment in (NOW, Moment(as_of=middle)):
        expected = answers(Queries(plain.store), EVERYTHING, moment, told)
        assert_equal(answers(Queries(store), EVERYTHING, moment, told), expected)
    with store.reading() as connection:
        assert dead_letters.count(connection, EVERYTHING) == 1


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("schema", revisions())
def test_an_upgraded_store_takes_what_comes_next(databases: Databases, schema: str) -> None:
    """What it has is a repeat, and what is new gets numbers that follow those of the older hub."""
    database = databases.new()
    older_store(database, schema)
    sender = database.sender()
    events = count(sender.store, tables.event)
    sender.send_taken(sent())
    assert count(sender.store, tables.event) == events == len(distinct(sent()))
    new = taken(complete(10**6, job="new", run=77, inputs=["new in"], outputs=["new out"]))
    sender.send_taken(new)
    assert count(sender.store, tables.event) == events + 1
    everything = [*sent(), *new]
    plain = databases.new().sender()
    plain.send_taken(everything)
    told = distinct(everything)
    expected = answers(Queries(plain.store), EVERYTHING, NOW, told)
    assert_equal(answers(Queries(sender.store), EVERYTHING, NOW, told), expected)


def test_the_store_of_the_first_schema_is_one() -> None:
    assert stored()["revision"] == revisions()[0]
    assert len(sent()) > len(distinct(sent())) > 10
    assert stored()["tables"]["cut"]["rows"]
    assert stored()["tables"]["link"]["rows"]
