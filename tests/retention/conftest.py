"""Tests here that ask for databases run on each kind of them."""

from tests.conformance.conftest import backend, databases

__all__ = ["backend", "databases"]
