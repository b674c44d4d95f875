"""The foundation: names, shapes, events, dead letters."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer, "sqlite")
HASH = sa.LargeBinary(16)


def where(condition: str) -> dict[str, Any]:
    return {"sqlite_where": sa.text(condition), "postgresql_where": sa.text(condition)}


def upgrade() -> None:
    op.create_table(
        "tenant",
        sa.Column("id", KEY, primary_key=True, autoincrement=False),
        sa.Column("name", sa.String(64), nullable=False, unique=True),
    )
    op.create_table(
        "space",
        sa.Column("id", KEY, primary_key=True, autoincrement=False),
        sa.Column("hash", HASH, nullable=False, unique=True),
        sa.Column("name", sa.Text, nullable=False),
    )
    op.create_table(
        "entity",
        sa.Column("id", KEY, primary_key=True, autoincrement=False),
        sa.Column("hash", HASH, nullable=False, unique=True),
        sa.Column("kind", sa.SmallInteger, nullable=False),
        sa.Column("space", KEY, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
    )
    op.create_index("entity_space", "entity", ["space", "kind"])
    op.create_table(
        "blob",
        sa.Column("id", KEY, primary_key=True, autoincrement=False),
        sa.Column("hash", HASH, nullable=False, unique=True),
        sa.Column("body", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "shape",
        sa.Column("id", KEY, primary_key=True, autoincrement=False),
        sa.Column("hash", HASH, nullable=False, unique=True),
        sa.Column("subject", KEY, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "mention",
        sa.Column("entity", KEY, primary_key=True, autoincrement=False),
        sa.Column("shape", KEY, primary_key=True, autoincrement=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "event",
        sa.Column("subject", KEY, primary_key=True, autoincrement=False),
        sa.Column("event_at", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("event_id", HASH, primary_key=True),
        sa.Column("seq", KEY, nullable=False),
        sa.Column("known_at", sa.BigInteger, nullable=False),
        sa.Column("tenant", KEY, nullable=False),
        sa.Column("type", sa.SmallInteger, nullable=False),
        sa.Column("flags", sa.SmallInteger, nullable=False),
        sa.Column("shape", KEY, nullable=False),
        sa.Column("run", sa.LargeBinary),
        sa.Column("parent", KEY),
        sa.Column("parent_run", sa.LargeBinary),
        sqlite_with_rowid=False,
    )
    op.create_index("event_run", "event", ["run"], **where("run IS NOT NULL"))
    op.create_index("event_shape", "event", ["shape", "event_at"])
    op.create_index("event_time", "event", ["event_at"])
    op.create_index("event_parent", "event", ["parent", "parent_run"], **where("parent IS NOT NULL"))
    op.create_table(
        "raw",
        sa.Column("seq", KEY, primary_key=True, autoincrement=False),
        sa.Column("shape", KEY, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "cut",
        sa.Column("dataset", KEY, primary_key=True, autoincrement=False),
        sa.Column("event_at", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("event_id", HASH, primary_key=True),
        sa.Column("subject", KEY, nullable=False),
        sa.Column("continues_as", KEY),
    )
    op.create_table(
        "link",
        sa.Column("dataset", KEY, primary_key=True, autoincrement=False),
        sa.Column("other", KEY, primary_key=True, autoincrement=False),
        sa.Column("type", sa.String(32), primary_key=True),
    )
    op.create_table(
        "dictionary",
        sa.Column("id", KEY, primary_key=True, autoincrement=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
    )
    counter = op.create_table(
        "counter",
        sa.Column("name", sa.String(32), primary_key=True),
        sa.Column("value", sa.BigInteger, nullable=False),
    )
    op.bulk_insert(counter, [{"name": "seq", "value": 0}])
    op.create_table(
        "dead_letter",
        sa.Column("id", KEY, primary_key=True, autoincrement=True),
        sa.Column("received_at", sa.BigInteger, nullable=False),
        sa.Column("tenant", sa.String(64), nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("error", sa.String(64), nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("subject", sa.Text),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("edited_at", sa.BigInteger),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sqlite_autoincrement=True,
    )
