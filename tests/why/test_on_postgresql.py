"""Lineage in PostgreSQL, spans in the engine: asked why, a hub names the same causes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.hub_process import HubProcess
from tests.postgres_server import PostgresServer
from tests.why.test_over_http import Told, check

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def told(postgres_server: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    # Weeks of spans.
    data, flags = tmp_path_factory.mktemp("postgres") / "data", ("--telemetry-retention-days", "90")
    with postgres_server.database() as url, HubProcess(data, *flags, "--database-url", url) as hub:
        yield Told(hub, True)
        assert not (data / "lineage.db").exists()


@pytest.mark.parametrize("kind", ["failed_dependency", "late_upstream", "schema_change", "slow_stage"])
def test_the_hub_names_the_cause(told: Told, kind: str) -> None:
    answer = check(told, kind)
    # Not every incident has spans.
    assert answer["telemetry"]["runs"] > 0 or kind != "slow_stage"
