"""A request enters as a proxy sent it; it leaves with the path that our routes have, and with the prefix of the hub.

A proxy may cut the prefix off or pass it on: both are the same request.
"""

from __future__ import annotations

import re

from starlette.types import Scope as Connection

from lineage_hub.errors import InvalidSetting
from lineage_hub.settings import Settings

# It is written into a page, and compared with paths as they were sent: nothing in it may need an escape.
_PREFIX = re.compile(r"(/[A-Za-z0-9._~-]+)+")
_DOTS = re.compile(r"/\.{1,2}(/|$)")
_LONGEST = 512
_HEADER = b"x-forwarded-prefix"
# Where the hub's own paths begin. A prefix that begins so can't be told from them.
OWN = frozenset({"api", "assets", "docs", "livez", "metrics", "openapi.json", "readyz", "v1"})


def read_prefix(text: str) -> str | None:
    """Without a slash at its end; empty for the root, None for what is no prefix."""
    trimmed = text.strip().rstrip("/")
    if not trimmed:
        return ""
    if len(trimmed) > _LONGEST or not _PREFIX.fullmatch(trimmed) or _DOTS.search(trimmed):
        return None
    return None if trimmed.split("/")[1] in OWN else trimmed


class Prefixes:
    """`needed` is False where nothing could ever have a prefix, so that a request needn't be looked at."""

    def __init__(self, settings: Settings) -> None:
        found = read_prefix(settings.root_path)
        if found is None:
            raise InvalidSetting(
                f"root_path {settings.root_path!r} is no path that the hub can be served under",
                subject="root_path",
                action=f"use one like /lineage, which begins with none of {', '.join(sorted(OWN))}",
            )
        self._own, self._trusts = found, settings.forwarded_prefix == "trust"
        self.needed = bool(found) or self._trusts

    def cut(self, scope: Connection) -> Connection:
        """`root_path` in what leaves is the prefix."""
        prefix = self._own
        if self._trusts:
            prefix = _forwarded(scope) or prefix
        prefix = prefix or (read_prefix(scope.get("root_path", "")) or "")
        if not prefix:
            return scope
        path, raw = str(scope["path"]), scope.get("raw_path") or b""
        start = prefix.encode("ascii")
        if path == prefix or path.startswith(prefix + "/"):
            path = path[len(prefix) :] or "/"
            raw = raw[len(start) :] or b"/" if raw == start or raw.startswith((start + b"/", start + b"?")) else raw
        return {**scope, "path": path, "raw_path": raw, "root_path": prefix}


def _forwarded(scope: Connection) -> str | None:
    """Proxies behind each other add theirs, separated by commas: the outermost comes first."""
    values = [value.decode("latin-1") for name, value in scope["headers"] if name == _HEADER]
    if not values:
        return None
    parts = [part.strip().rstrip("/") for value in values for part in value.split(",")]
    return read_prefix("".join(parts))
