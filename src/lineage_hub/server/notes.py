"""What is learned of a request on its way enters; the log line and the metrics of the request read it."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.types import Scope as Connection

from lineage_hub.model import DEFAULT_TENANT

_KEY = "lineage_hub.note"


@dataclass(slots=True)
class RequestNote:
    correlation_id: str
    tenant: str = DEFAULT_TENANT
    error: str | None = None


def note_of(connection: Connection) -> RequestNote:
    note = connection.get(_KEY)
    if isinstance(note, RequestNote):
        return note
    return attach(connection, RequestNote("unknown"))


def attach(connection: Connection, note: RequestNote) -> RequestNote:
    connection[_KEY] = note
    return note
