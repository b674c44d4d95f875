"""Fixtures of the pipeline's tests."""

from tests.spark.database import database, tcp_postgres

__all__ = ["database", "tcp_postgres"]
