"""Fixtures that any test may ask for; a server starts when the first test does."""

import signal

import hypothesis

from tests.postgres_server import postgres_server, postgres_url

__all__ = ["postgres_server", "postgres_url"]

# How long an example takes says something of the machine, not of the code.
hypothesis.settings.register_profile("whatever the pace", deadline=None)
hypothesis.settings.load_profile("whatever the pace")

# A shell that starts something in the background lets it ignore Ctrl-C, and so do all that it starts: programs that
# tests interrupt would not end.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
