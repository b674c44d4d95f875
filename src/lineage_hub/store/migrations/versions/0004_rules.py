"""Rules for names and facets, and how far history is folded by them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    op.add_column("raw", sa.Column("rules", KEY))
    condition = sa.text("rules IS NOT NULL")
    op.create_index("raw_rules", "raw", ["rules"], sqlite_where=condition, postgresql_where=condition)
    op.create_table(
        "ruleset",
        sa.Column("id", KEY, primary_key=True, autoincrement=False),
        sa.Column("set_at", sa.BigInteger, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "refold",
        sa.Column("rules", KEY, primary_key=True, autoincrement=False),
        sa.Column("last_shape", KEY, nullable=False),
        sa.Column("scanned", KEY, nullable=False),
        sa.Column("looked_at", sa.BigInteger, nullable=False),
        sa.Column("changed", sa.BigInteger, nullable=False),
        sa.Column("started_at", sa.BigInteger, nullable=False),
        sa.Column("finished_at", sa.BigInteger),
    )
    op.create_table(
        "refold_shape",
        sa.Column("shape", KEY, primary_key=True, autoincrement=False),
        sa.Column("event_at", sa.BigInteger, nullable=False),
        sa.Column("event_id", sa.LargeBinary(16), nullable=False),
    )
    counter = sa.table("counter", sa.column("name"), sa.column("value"))
    op.bulk_insert(counter, [{"name": name, "value": 0} for name in ("fold", "refolded", "rules")])
