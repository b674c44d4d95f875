"""What users expect of datasets."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    op.create_table(
        "expectation",
        sa.Column("dataset", KEY, primary_key=True, autoincrement=False),
        sa.Column("set_at", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("tenant", sa.String(64), nullable=False),
        sa.Column("body", sa.LargeBinary),
    )
