"""What users say beside events enters; rows leave, in the order in which they were said.

Rows are only added, so that the past can be asked: of one subject the newest counts, and one without a body takes back.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import msgspec
from sqlalchemy import Connection, Select, bindparam, func, insert, select

from lineage_hub.model import Moment, Scope
from lineage_hub.store.counters import count_up
from lineage_hub.store.prepared import Prepared
from lineage_hub.store.tables import statement
from lineage_hub.wire.canonical import digest

# Kinds of statements, and what their subjects are.
NAMESPACE = 1  # (namespace): its owner and description
SOURCE = 2  # (source)
TAG = 3  # (tag): its description
DATASET_TAG = 4  # (namespace, dataset, tag)
FIELD_TAG = 5  # (namespace, dataset, field, tag)
JOB_TAG = 6  # (namespace, job, tag)
HIDDEN_NAMESPACE = 7  # (namespace)
HIDDEN_JOB = 8  # (namespace, job)
HIDDEN_DATASET = 9  # (namespace, dataset)

Subject = tuple[str, ...]
_encode = msgspec.json.Encoder().encode
_subject = msgspec.json.Decoder(tuple[str, ...]).decode


class Saying(NamedTuple):
    """To be stated; without a body it takes back."""

    kind: int
    subject: Subject
    body: bytes | None


class Stated(NamedTuple):
    id: int
    kind: int
    subject: Subject
    stated_at: int
    body: bytes | None


def put(connection: Connection, scope: Scope, sayings: Iterable[Saying], now: int) -> int:
    """Counts from now on; returns when the last one was said, which is after all that was said of it before."""
    # As a writer of events does: one writes at a time, and readers elsewhere learn that something is new.
    count_up(connection, "seq")
    last = last_id(connection)
    stated_at = now
    for number, saying in enumerate(sayings, last + 1):
        key = digest(b"%d\0" % saying.kind, _encode(saying.subject))
        newest = _NEWEST.rows(connection, {"hash": key})[0][0]
        stated_at = now if newest is None else max(now, int(newest) + 1)
        row = {
            "id": number, "hash": key, "stated_at": stated_at, "tenant": scope.tenant, "kind": saying.kind,
            "subject": _encode(saying.subject), "body": saying.body,
        }  # fmt: skip
        connection.execute(insert(statement), row)
    return stated_at


def last_id(connection: Connection) -> int:
    return int(_LAST.rows(connection, {})[0][0] or 0)


def stated_after(connection: Connection, scope: Scope, number: int) -> list[Stated]:
    """All that was said since the statement of that number."""
    return _rows(connection, scope, _ROWS.where(statement.c.id > number))


def stated_by(connection: Connection, scope: Scope, moment: Moment) -> list[Stated]:
    """All that had been said then; a statement happens when the hub learns of it."""
    return _rows(connection, scope, _ROWS.where(statement.c.stated_at <= min(moment.as_of, moment.known_at)))


def _rows(connection: Connection, scope: Scope, wanted: Select[tuple[int, int, bytes, int, bytes]]) -> list[Stated]:
    if scope.tenants is not None:
        wanted = wanted.where(statement.c.tenant.in_(sorted(scope.tenants)))
    return [
        Stated(row.id, row.kind, _subject(bytes(row.subject)), row.stated_at, _body(row.body))
        for row in connection.execute(wanted)
    ]


def _body(kept: bytes | None) -> bytes | None:
    return None if kept is None else bytes(kept)


_NEWEST = Prepared(select(func.max(statement.c.stated_at)).where(statement.c.hash == bindparam("hash")))
_LAST = Prepared(select(func.max(statement.c.id)))
_ROWS = select(
    statement.c.id, statement.c.kind, statement.c.subject, statement.c.stated_at, statement.c.body
).order_by(statement.c.id)  # fmt: skip
