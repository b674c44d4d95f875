"""Fixtures that any test may ask for; a server starts when the first test does."""

from tests.postgres_server import postgres_server, postgres_url

__all__ = ["postgres_server", "postgres_url"]
