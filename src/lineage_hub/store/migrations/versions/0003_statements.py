"""What users say of namespaces, sources, tags and names, beside events."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    op.create_table(
        "statement",
        sa.Column("id", KEY, primary_key=True, autoincrement=False),
        sa.Column("hash", sa.LargeBinary(16), nullable=False),
        sa.Column("stated_at", sa.BigInteger, nullable=False),
        sa.Column("tenant", sa.String(64), nullable=False),
        sa.Column("kind", sa.SmallInteger, nullable=False),
        sa.Column("subject", sa.LargeBinary, nullable=False),
        sa.Column("body", sa.LargeBinary),
    )
    op.create_index("statement_subject", "statement", ["hash", "stated_at"], unique=True)
