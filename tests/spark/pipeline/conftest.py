"""Fixtures of the pipeline's tests."""

from collections.abc import Iterator

import pytest

from tests.hub_process import HubProcess
from tests.spark.database import database, tcp_postgres

__all__ = ["database", "tcp_postgres"]


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Of a hub that the tests of a module share."""
    with HubProcess(tmp_path_factory.mktemp("hub") / "data") as hub:
        yield hub.url
