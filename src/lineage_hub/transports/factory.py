"""A configuration enters, the transport that it names leaves.

Types are aliases, without regard to case, or names of classes with their module; packages add aliases by entry points
of the group `lineage_hub.transports`. Without a configuration, OpenLineage's files and variables decide.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from typing import Any

from lineage_hub.errors import InvalidSetting
from lineage_hub.transports.base import Transport

GROUP = "lineage_hub.transports"
OURS = {
    "spool": "lineage_hub.transports.spool.SpoolTransport",
    "batch": "lineage_hub.transports.batch.BatchTransport",
    "hub": "lineage_hub.transports.hub.HubTransport",
    "console": "lineage_hub.transports.console.ConsoleTransport",
}
THEIRS = (
    "http", "async_http", "kafka", "msk-iam", "file", "noop", "composite", "transform", "datadog", "gcplineage",
    "amazon_datazone_api",
)  # fmt: skip


class TransportFactory:
    """Makes transports from configurations."""

    def create(self, config: Mapping[str, Any] | None = None) -> Transport:
        """From the content of a `transport:` section, or of a whole document that has one."""
        params = dict(config) if config else configured()
        if isinstance(params.get("transport"), Mapping) and "type" not in params:
            params = dict(params["transport"])
        kind = params.get("type")
        if not isinstance(kind, str) or not kind.strip():
            raise InvalidSetting("the transport has no type", subject="type", action=f"name one of {_known()}")
        return self._of(kind.strip(), params)

    def _of(self, kind: str, params: dict[str, Any]) -> Transport:
        alias = kind.lower()
        if alias in OURS:
            return _made(_load(OURS[alias]), params)
        if alias in (name.lower() for name in THEIRS):
            from lineage_hub.transports.openlineage import OpenLineageTransport

            return OpenLineageTransport({**params, "type": alias})
        plugin = _plugins().get(alias)
        if plugin is not None:
            return _made(plugin.load(), params)
        if "." in kind:
            found = _load(kind)
            if isinstance(found, type) and issubclass(found, Transport):
                return _made(found, params)
            from lineage_hub.transports.openlineage import OpenLineageTransport

            return OpenLineageTransport(params)
        near = get_close_matches(alias, [*OURS, *THEIRS, *_plugins()], 1)
        raise InvalidSetting(
            f"there is no transport {kind!r}",
            subject=kind,
            action=(f"did you mean {near[0]!r}? " if near else "") + f"known are {_known()}",
        )


def _known() -> str:
    return ", ".join(sorted({*OURS, *THEIRS, *_plugins()})) + ", or the full name of a class"


@cache
def _plugins() -> dict[str, Any]:
    # Half of what importing the SDK would cost, for what few have.
    from importlib.metadata import entry_points

    return {one.name.lower(): one for one in entry_points(group=GROUP)}


def _load(path: str) -> Any:
    module, _, name = path.rpartition(".")
    try:
        return getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise InvalidSetting(
            f"the transport {path!r} can't be loaded: {error}", subject=path, action="check the name of the class"
        ) from error


def _made(kind: Any, params: Mapping[str, Any]) -> Transport:
    config_class = getattr(kind, "config_class", None)
    made: Transport = kind(config_class.from_dict(params)) if config_class is not None else kind(params)
    return made


def configured() -> dict[str, Any]:
    """What OpenLineage's files and variables say; http from OPENLINEAGE_URL; the console when there is nothing."""
    from openlineage.client import OpenLineageClient
    from openlineage.client.transport import NoopTransport
    from openlineage.client.transport.noop import NoopConfig

    before = dict(os.environ)
    try:
        found = OpenLineageClient(transport=NoopTransport(NoopConfig())).config.transport or {}
    finally:
        # The client writes what it read from one variable into others.
        for name in os.environ.keys() - before.keys():
            del os.environ[name]
    if found.get("type"):
        return dict(found)
    if url := os.environ.get("OPENLINEAGE_URL"):
        params = {"type": "http", "url": url}
        if endpoint := os.environ.get("OPENLINEAGE_ENDPOINT"):
            params["endpoint"] = endpoint
        if key := os.environ.get("OPENLINEAGE_API_KEY"):
            params["api_key"] = key
        return params
    _say_once()
    return {"type": "console"}


@cache
def _say_once() -> None:
    import logging

    logging.getLogger("lineage_hub.transports").warning(
        "no transport is configured, so events are printed; set OPENLINEAGE_URL=http://host:8000 to send them to a hub"
    )
