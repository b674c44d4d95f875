"""Names in paths enter escaped, and leave as they are, slashes included.

Paths are routed as they were sent: a server that unescapes first can't tell a name's slash from the path's own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import quote, unquote

from starlette.convertors import Convertor, register_url_convertor
from starlette.routing import BaseRoute, Route, Router
from starlette.types import Receive, Scope, Send

from lineage_hub.errors import InvalidRequest

BENEATH = (
    b"/api/v1/namespaces/",
    b"/api/v1/jobs/runs/",
    b"/api/v1/runs/",
    b"/api/v1/sources/",
    b"/api/v1/tags/",
    b"/api/v1/traces/",
    b"/api/v1/telemetry/metrics/",
)


class NameConvertor(Convertor[str]):
    regex = "[^/]+"

    def convert(self, value: str) -> str:
        try:
            return unquote(value, errors="strict")
        except UnicodeDecodeError:
            raise InvalidRequest(
                f"{value[:200]!r} is not UTF-8", subject=value[:200], action="escape the bytes of the name in UTF-8"
            ) from None

    def to_string(self, value: str) -> str:
        return quote(value, safe="")


register_url_convertor("name", NameConvertor())
RUN, TRACE = "{run_id:name}", "{trace_id:name}"
NAMESPACE, JOB, DATASET = "{namespace:name}", "{job:name}", "{dataset:name}"
SOURCE, TAG, FIELD = "{source:name}", "{tag:name}", "{field:name}"


def keep_escapes(scope: Scope) -> None:
    """Let paths that hold names be routed by what was sent."""
    raw: bytes = scope.get("raw_path") or b""
    if raw.startswith(BENEATH):
        scope["path"] = raw.partition(b"?")[0].decode("ascii", "replace")


class SlashesInNames:
    """For paths that no route takes as they are: names whose slashes were not escaped.

    A table may be called `jobs`, and `datasets/jobs` is no part of a namespace as long as it can be something else.
    """

    def __init__(self, router: Router) -> None:
        self._router, self._otherwise = router, router.default
        self._patterns: list[tuple[re.Pattern[str], frozenset[str]]] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        escaped = self._escaped(scope["path"], scope["method"]) if scope["type"] == "http" else None
        if escaped is None:
            await self._otherwise(scope, receive, send)
            return
        scope["path"] = escaped
        await self._router(scope, receive, send)

    def _escaped(self, path: str, method: str) -> str | None:
        """With the slashes of names escaped, by the first route that has the method, else by the first."""
        if not path.encode().startswith(BENEATH):
            return None
        if self._patterns is None:
            self._patterns = loose_patterns(self._router.routes)
        fitting = [(found, methods) for one, methods in self._patterns if (found := one.match(path)) is not None]
        if not fitting:
            return None
        found = next((one for one, methods in fitting if method in methods), fitting[0][0])
        pieces: list[str] = []
        at = 0
        for number in range(1, found.re.groups + 1):
            start, end = found.span(number)
            pieces += path[at:start], path[start:end].replace("/", "%2F")
            at = end
        return "".join(pieces) + path[at:]


def loose_patterns(routes: Sequence[BaseRoute]) -> list[tuple[re.Pattern[str], frozenset[str]]]:
    """What the routes with names take if names may hold slashes, with their methods."""
    found = []
    for route in routes:
        if isinstance(route, Route) and any(isinstance(one, NameConvertor) for one in route.param_convertors.values()):
            # Not greedy: the first /jobs/ or /datasets/ ends the namespace.
            loose = route.path_regex.pattern.replace(f">{NameConvertor.regex})", ">.+?)")
            found.append((re.compile(loose), frozenset(route.methods or ())))
    return found
