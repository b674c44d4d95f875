"""Fixtures that any test may ask for; a server starts when the first test does."""

import hypothesis

from tests.postgres_server import postgres_server, postgres_url

__all__ = ["postgres_server", "postgres_url"]

# How long an example takes says something of the machine, not of the code.
hypothesis.settings.register_profile("whatever the pace", deadline=None)
hypothesis.settings.load_profile("whatever the pace")
