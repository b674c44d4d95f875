"""A method of a client and its arguments enter; its result leaves, from the awaited client and from the plain one."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from lineage_hub.sdk import (
    LineageHubClient,
    LineageHubConfig,
    SyncLineageHubClient,
    SyncTelemetryClient,
    TelemetryClient,
)

Ask = Callable[..., Any]
TWINS = {
    LineageHubClient: SyncLineageHubClient,
    TelemetryClient: SyncTelemetryClient,
}


def quick(**more: Any) -> LineageHubConfig:
    """A configuration for a test's own server: it waits hardly at all between attempts."""
    return LineageHubConfig(**{"timeout": 5.0, "retry_delay": 0.01, "namespace": "team-a", **more})


def ask(kind: str, client: Any, method: str, *args: Any, made: dict[str, Any], **kwargs: Any) -> Any:
    """`client` is the awaited class, `made` what it is made of."""
    if kind == "plain":
        with TWINS[client](**made) as plain:
            return getattr(plain, method)(*args, **kwargs)

    async def main() -> Any:
        async with client(**made) as awaited:
            return await getattr(awaited, method)(*args, **kwargs)

    return asyncio.run(main())


both_kinds = pytest.mark.parametrize("kind", ["awaited", "plain"])
