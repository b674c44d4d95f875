"""Names in paths enter escaped, and leave as they are, slashes included.

Paths are routed as they were sent: a server that unescapes first can't tell a name's slash from the path's own.
"""

from __future__ import annotations

from urllib.parse import quote, unquote

from starlette.convertors import Convertor, register_url_convertor
from starlette.types import Scope

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
    # Not greedy: in an unescaped path the first /jobs/ or /datasets/ ends the namespace.
    regex = ".+?"

    def convert(self, value: str) -> str:
        return unquote(value)

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
