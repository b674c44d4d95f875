"""The parameters and the body of a request to ClickHouse's HTTP interface enter; a `Statement` leaves.

What belongs to HTTP is taken out: what is left are the text, its bound parameters, settings and data.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

DEFAULT_FORMAT = "TabSeparated"
# Of the HTTP interface itself; every other parameter is a setting of the statement.
_OF_HTTP = frozenset(
    (
        "query", "database", "default_format", "user", "password", "quota_key", "query_id", "stacktrace", "role",
        "session_id", "session_timeout", "session_check", "close_session", "client_protocol_version",
        "compress", "decompress", "buffer_size", "wait_end_of_query", "enable_http_compression",
        "send_progress_in_http_headers", "http_headers_progress_interval_ms",
        "cancel_http_readonly_queries_on_client_close",
    )
)  # fmt: skip
_PARAMETER = "param_"
_NAME = rb"(?:`(?:[^`\\]|\\.|``)*`|\"(?:[^\"\\]|\\.)*\"|\w+)"
# An insert whose data follow. Anything else that begins with INSERT (SELECT, VALUES) is a statement like others.
_INSERT = re.compile(
    rb"\s*(?P<head>INSERT\s+INTO\s+(?:TABLE\s+)?%(name)s(?:\.%(name)s)?"
    rb"(?:\s*\(\s*%(name)s(?:\s*,\s*%(name)s)*\s*\))?)"
    rb"\s*FORMAT\s+(?P<format>\w+)[ \t\r]*;?\n?" % {b"name": _NAME},
    re.IGNORECASE,
)
_FORMAT = re.compile(r"\bFORMAT\s+(\w+)\s*;?\s*\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Statement:
    text: str
    format: str
    parameters: Mapping[str, str]
    settings: Mapping[str, str]
    database: str
    data: bytes | None = None

    @property
    def is_insert(self) -> bool:
        """With data of its own."""
        return self.data is not None


def read_statement(arguments: Mapping[str, str], body: bytes) -> Statement:
    """As ClickHouse does it: the statement begins in `query` and goes on in the body."""
    bound = {name[len(_PARAMETER) :]: value for name, value in arguments.items() if name.startswith(_PARAMETER)}
    settings = {
        name: value for name, value in arguments.items() if name not in _OF_HTTP and not name.startswith(_PARAMETER)
    }
    database = arguments.get("database", "")
    query = arguments.get("query", "").encode()
    insert = _INSERT.match(query or body)
    if insert is not None:
        data = query[insert.end() :] + body if query else body[insert.end() :]
        return Statement(insert["head"].decode(), insert["format"].decode(), bound, settings, database, data)
    text = (query + b"\n" + body if query and body else query or body).decode()
    named = _FORMAT.search(text)
    default = arguments.get("default_format") or DEFAULT_FORMAT
    return Statement(text, named[1] if named else default, bound, settings, database)
