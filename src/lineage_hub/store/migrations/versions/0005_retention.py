"""How long events stay."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "retention",
        sa.Column("tenant", sa.String(64), primary_key=True),
        sa.Column("days", sa.Integer),
        sa.Column("horizon_at", sa.BigInteger),
        sa.Column("swept_at", sa.BigInteger),
        sa.Column("removed_events", sa.BigInteger, nullable=False),
    )
    op.execute("INSERT INTO counter (name, value) VALUES ('swept', 0)")
