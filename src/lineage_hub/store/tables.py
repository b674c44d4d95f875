"""The tables of the lineage store; statements are built from them and migrations create them.

Only grow-only sets and minimum registers: no row is read and written back, so order and repetition can't matter.

    space, entity     names of jobs, datasets and producers, as integers (kinds below)
    blob              facet bodies, each distinct one once
    shape             what an event says beyond its run: job, mentions, facets; each distinct one once
    mention           which shapes speak of an entity, or were told by it if it is a producer
    event             one row an event, pointing to its shape; raw holds its text
    cut, link         where a name's history ends; which names ever stood in a symlinks facet
    expectation       what users expect of datasets; the newest one counts, and one without a body takes it back
    statement         what users say beside events: owners, sources, tags, what is hidden; the newest one counts
    ruleset           rules for names and facets, all that counted at one time; the newest set counts
    retention         how long a tenant's events stay, and up to where they were removed
    counter           how far the store is (counters.py)

Rules that change are the exception: an event is folded again, and its row then points to another subject and shape
(`refolding.py`). `raw.rules` says by which set an event was folded, if that changed anything; `refold` and
`refold_shape` how far it has come and what is still to be looked at.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    String,
    Table,
    Text,
    text,
)
from sqlalchemy.event import listens_for

metadata = MetaData()

# A 64-bit key that SQLite keeps as its rowid.
Key = BigInteger().with_variant(Integer, "sqlite")

JOB, DATASET, PRODUCER = 1, 2, 3


def _where(condition: str) -> dict[str, Any]:
    """An index of the rows for which this holds."""
    return {"sqlite_where": text(condition)}


@listens_for(metadata, "before_create")
def _the_same_for_postgresql(_metadata: MetaData, connection: Connection, **_options: Any) -> None:
    """An option that names a dialect imports all of it, so PostgreSQL's are set when it is the one in use."""
    if connection.dialect.name == "postgresql":
        for index in (index for table in metadata.tables.values() for index in table.indexes):
            index.dialect_options["postgresql"]["where"] = index.dialect_options["sqlite"]["where"]


tenant = Table(
    "tenant",
    metadata,
    Column("id", Key, primary_key=True, autoincrement=False),
    Column("name", String(64), nullable=False, unique=True),
)

space = Table(
    "space",
    metadata,
    Column("id", Key, primary_key=True, autoincrement=False),
    # Names may be longer than an index entry of PostgreSQL, so a digest of them is what's unique.
    Column("hash", LargeBinary(16), nullable=False, unique=True),
    Column("name", Text, nullable=False),
)

entity = Table(
    "entity",
    metadata,
    Column("id", Key, primary_key=True, autoincrement=False),
    Column("hash", LargeBinary(16), nullable=False, unique=True),
    Column("kind", SmallInteger, nullable=False),
    Column("space", Key, nullable=False),
    Column("name", Text, nullable=False),
    Index("entity_space", "space", "kind"),
)

blob = Table(
    "blob",
    metadata,
    Column("id", Key, primary_key=True, autoincrement=False),
    Column("hash", LargeBinary(16), nullable=False, unique=True),
    Column("body", LargeBinary, nullable=False),
)

shape = Table(
    "shape",
    metadata,
    Column("id", Key, primary_key=True, autoincrement=False),
    Column("hash", LargeBinary(16), nullable=False, unique=True),
    Column("subject", Key, nullable=False),
    Column("body", LargeBinary, nullable=False),
)

mention = Table(
    "mention",
    metadata,
    Column("entity", Key, primary_key=True, autoincrement=False),
    Column("shape", Key, primary_key=True, autoincrement=False),
    sqlite_with_rowid=False,
)

event = Table(
    "event",
    metadata,
    Column("subject", Key, primary_key=True, autoincrement=False),
    Column("event_at", BigInteger, primary_key=True, autoincrement=False),
    Column("event_id", LargeBinary(16), primary_key=True),
    Column("seq", Key, nullable=False),
    Column("known_at", BigInteger, nullable=False),
    Column("tenant", Key, nullable=False),
    Column("type", SmallInteger, nullable=False),
    Column("flags", SmallInteger, nullable=False),
    Column("shape", Key, nullable=False),
    Column("run", LargeBinary),
    Column("parent", Key),
    Column("parent_run", LargeBinary),
    Index("event_run", "run", **_where("run IS NOT NULL")),
    Index("event_shape", "shape", "event_at"),
    Index("event_time", "event_at"),
    Index("event_parent", "parent", "parent_run", **_where("parent IS NOT NULL")),
    sqlite_with_rowid=False,
)

raw = Table(
    "raw",
    metadata,
    Column("seq", Key, primary_key=True, autoincrement=False),
    Column("shape", Key, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Column("rules", Key),
    Index("raw_rules", "rules", **_where("rules IS NOT NULL")),
)

cut = Table(
    "cut",
    metadata,
    Column("dataset", Key, primary_key=True, autoincrement=False),
    Column("event_at", BigInteger, primary_key=True, autoincrement=False),
    Column("event_id", LargeBinary(16), primary_key=True),
    Column("subject", Key, nullable=False),
    # The dataset that the content goes on as; none after a DROP.
    Column("continues_as", Key),
)

link = Table(
    "link",
    metadata,
    Column("dataset", Key, primary_key=True, autoincrement=False),
    Column("other", Key, primary_key=True, autoincrement=False),
    Column("type", String(32), primary_key=True),
)

dictionary = Table(
    "dictionary",
    metadata,
    Column("id", Key, primary_key=True, autoincrement=False),
    Column("body", LargeBinary, nullable=False),
)

counter = Table(
    "counter",
    metadata,
    Column("name", String(32), primary_key=True),
    Column("value", BigInteger, nullable=False),
)

dead_letter = Table(
    "dead_letter",
    metadata,
    Column("id", Key, primary_key=True, autoincrement=True),
    Column("received_at", BigInteger, nullable=False),
    Column("tenant", String(64), nullable=False),
    Column("source", Text, nullable=False),
    Column("error", String(64), nullable=False),
    Column("reason", Text, nullable=False),
    Column("subject", Text),
    Column("size", BigInteger, nullable=False),
    Column("edited_at", BigInteger),
    Column("body", LargeBinary, nullable=False),
    sqlite_autoincrement=True,
)

expectation = Table(
    "expectation",
    metadata,
    Column("dataset", Key, primary_key=True, autoincrement=False),
    Column("set_at", BigInteger, primary_key=True, autoincrement=False),
    Column("tenant", String(64), nullable=False),
    Column("body", LargeBinary),
)

statement = Table(
    "statement",
    metadata,
    Column("id", Key, primary_key=True, autoincrement=False),
    # Of the kind and the subject; names may be longer than an index entry.
    Column("hash", LargeBinary(16), nullable=False),
    Column("stated_at", BigInteger, nullable=False),
    Column("tenant", String(64), nullable=False),
    Column("kind", SmallInteger, nullable=False),
    Column("subject", LargeBinary, nullable=False),
    Column("body", LargeBinary),
    Index("statement_subject", "hash", "stated_at", unique=True),
)

ruleset = Table(
    "ruleset",
    metadata,
    Column("id", Key, primary_key=True, autoincrement=False),
    Column("set_at", BigInteger, nullable=False),
    Column("body", LargeBinary, nullable=False),
)

refold = Table(
    "refold",
    metadata,
    # Of the set that history is folded by.
    Column("rules", Key, primary_key=True, autoincrement=False),
    # Shapes are looked through from the first to the last that there was at the beginning.
    Column("last_shape", Key, nullable=False),
    Column("scanned", Key, nullable=False),
    Column("looked_at", BigInteger, nullable=False),
    Column("changed", BigInteger, nullable=False),
    Column("started_at", BigInteger, nullable=False),
    Column("finished_at", BigInteger),
)

refold_shape = Table(
    "refold_shape",
    metadata,
    Column("shape", Key, primary_key=True, autoincrement=False),
    # Up to which event of it all were looked at.
    Column("event_at", BigInteger, nullable=False),
    Column("event_id", LargeBinary(16), nullable=False),
)

retention = Table(
    "retention",
    metadata,
    Column("tenant", String(64), primary_key=True),
    # None leaves it to the settings, 0 keeps everything.
    Column("days", Integer),
    # Up to here nothing but what the present rests on is left.
    Column("horizon_at", BigInteger),
    Column("swept_at", BigInteger),
    Column("removed_events", BigInteger, nullable=False),
)
