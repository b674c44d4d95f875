"""Rejected bodies enter with their reason; pages and items that a person can read, mend and replay leave.

At the bound the oldest go first, and the count of those that went is returned so that no loss is silent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    and_,
    delete,
    func,
    insert,
    select,
    true,
    update,
)

from lineage_hub.errors import LineageHubError, NotFound
from lineage_hub.model.scope import Scope
from lineage_hub.store.tables import dead_letter

EXCERPT_BYTES = 400
# A count alone doesn't bound the disk: ten thousand bodies of 32 MB would be 320 GB.
MAX_BYTES = 1 << 30
_LARGE = 1 << 20

_COLUMNS = (
    dead_letter.c.id,
    dead_letter.c.received_at,
    dead_letter.c.tenant,
    dead_letter.c.source,
    dead_letter.c.error,
    dead_letter.c.reason,
    dead_letter.c.subject,
    dead_letter.c.size,
    dead_letter.c.edited_at,
)
_KEPT_SIZE: ColumnElement[int] = func.length(dead_letter.c.body)


@dataclass(frozen=True, slots=True)
class Rejected:
    """What is about to be kept; `size` is what was sent, `body` what is kept of it."""

    received_at: int
    source: str
    error: str
    reason: str
    subject: str | None
    size: int
    body: bytes

    @classmethod
    def because(
        cls, error: LineageHubError, body: bytes, source: str, received_at: int, *, size: int | None = None
    ) -> Rejected:
        sent = len(body) if size is None else size
        return cls(received_at, source, error.code, error.message, error.subject, sent, body)


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """One that is kept; on a page `body` is its beginning."""

    id: int
    received_at: int
    tenant: str
    source: str
    error: str
    reason: str
    subject: str | None
    size: int
    edited_at: int | None
    kept: int
    body: bytes

    @property
    def truncated(self) -> bool:
        return self.kept < self.size


def add(
    connection: Connection,
    scope: Scope,
    letters: Sequence[Rejected],
    bound: int,
    *,
    max_bytes: int = MAX_BYTES,
) -> int:
    """Keep the letters under the scope's tenant; returns how many old ones of any tenant had to go."""
    if not letters:
        return 0
    rows = [
        {
            "received_at": letter.received_at,
            "tenant": scope.tenant,
            "source": letter.source,
            "error": letter.error,
            # PostgreSQL holds no NUL and no lone surrogate in text, and reasons quote what was sent.
            "reason": _storable(letter.reason),
            "subject": None if letter.subject is None else _storable(letter.subject),
            "size": letter.size,
            "body": letter.body,
        }
        for letter in letters
    ]
    connection.execute(insert(dead_letter), rows)
    added_bytes = sum(len(letter.body) for letter in letters)
    return _evict(connection, bound, max_bytes, len(letters), added_bytes)


def page(connection: Connection, scope: Scope, limit: int, offset: int) -> list[DeadLetter]:
    """Newest first, each with the beginning of its body."""
    found = connection.execute(
        _select(func.substr(dead_letter.c.body, 1, EXCERPT_BYTES))
        .where(_visible(scope))
        .order_by(dead_letter.c.id.desc())
        .limit(limit)
        .offset(offset)
    )
    return [_letter(row) for row in found]


def get(connection: Connection, scope: Scope, letter_id: int) -> DeadLetter:
    row = connection.execute(
        _select(dead_letter.c.body).where(dead_letter.c.id == letter_id, _visible(scope))
    ).one_or_none()
    if row is None:
        raise _missing(letter_id)
    return _letter(row)


def ids(connection: Connection, scope: Scope) -> list[int]:
    """Oldest first: the order in which they came is the order to replay them in."""
    found = connection.execute(select(dead_letter.c.id).where(_visible(scope)).order_by(dead_letter.c.id))
    return [row[0] for row in found]


def replace_body(connection: Connection, scope: Scope, letter_id: int, body: bytes, edited_at: int) -> DeadLetter:
    """The mended body is whole, so what was sent counts no longer."""
    _change(connection, scope, letter_id, body=body, size=len(body), edited_at=edited_at)
    return get(connection, scope, letter_id)


def replace_reason(connection: Connection, scope: Scope, letter_id: int, error: LineageHubError) -> None:
    """After a replay that failed: what is wrong with it now."""
    subject = None if error.subject is None else _storable(error.subject)
    _change(connection, scope, letter_id, error=error.code, reason=_storable(error.message), subject=subject)


def remove(connection: Connection, scope: Scope, letter_id: int) -> None:
    gone = connection.execute(delete(dead_letter).where(dead_letter.c.id == letter_id, _visible(scope)))
    if gone.rowcount == 0:
        raise _missing(letter_id)


def count(connection: Connection, scope: Scope) -> int:
    return int(connection.execute(select(func.count()).select_from(dead_letter).where(_visible(scope))).scalar_one())


def tenants(connection: Connection, scope: Scope) -> list[str]:
    """Those of whom there is any."""
    return [row[0] for row in connection.execute(select(dead_letter.c.tenant).where(_visible(scope)).distinct())]


def remove_older(connection: Connection, scope: Scope, received_before: int, limit: int) -> int:
    """The oldest of the scope's own tenant first; how many went leaves."""
    oldest = (
        select(dead_letter.c.id)
        .where(dead_letter.c.tenant == scope.tenant, dead_letter.c.received_at < received_before)
        .order_by(dead_letter.c.id)
        .limit(limit)
    )
    numbers = [row[0] for row in connection.execute(oldest)]
    return int(connection.execute(delete(dead_letter).where(dead_letter.c.id.in_(numbers))).rowcount) if numbers else 0


def _select(body: ColumnElement[bytes]) -> Select[tuple[object, ...]]:
    return select(*_COLUMNS, _KEPT_SIZE.label("kept"), body.label("body"))


def _letter(row: Row[tuple[object, ...]]) -> DeadLetter:
    values = dict(row._mapping)
    # SQLite's substr of an empty body is NULL.
    values["body"] = bytes(values["body"] or b"")
    return DeadLetter(**values)


def _visible(scope: Scope) -> ColumnElement[bool]:
    return true() if scope.tenants is None else dead_letter.c.tenant.in_(sorted(scope.tenants))


def _change(connection: Connection, scope: Scope, letter_id: int, **values: str | int | bytes | None) -> None:
    changed = connection.execute(
        update(dead_letter).where(and_(dead_letter.c.id == letter_id, _visible(scope))).values(**values)
    )
    if changed.rowcount == 0:
        raise _missing(letter_id)


def _missing(letter_id: int) -> NotFound:
    return NotFound(
        f"there is no dead letter {letter_id}",
        subject=str(letter_id),
        action="list them with GET /api/v1/dead-letters; at the bound the oldest go",
    )


def _evict(connection: Connection, bound: int, max_bytes: int, added: int, added_bytes: int) -> int:
    # Two look-ups at the ends of the table; asked for in one select, SQLite would read all of it.
    newest = int(connection.execute(select(func.max(dead_letter.c.id))).scalar_one())
    oldest = int(connection.execute(select(func.min(dead_letter.c.id))).scalar_one())
    # Counting reads the whole table, so it is done when ids leave it open whether the bound is met, and for
    # the bytes at every hundredth letter or a large one.
    if newest - oldest < bound and newest % 100 >= added and added_bytes < _LARGE:
        return 0
    totals = connection.execute(select(func.count(), func.sum(_KEPT_SIZE)).select_from(dead_letter)).one()
    kept, bytes_kept = int(totals[0]), int(totals[1])
    if kept <= bound and bytes_kept <= max_bytes:
        return 0
    # A little more than needed goes, so that the next letter needn't count again.
    bound -= bound // 100
    evicted = last = 0
    oldest_first = select(dead_letter.c.id, _KEPT_SIZE).order_by(dead_letter.c.id)
    for row in connection.execute(oldest_first):
        if kept <= bound and bytes_kept <= max_bytes:
            break
        last, kept, bytes_kept, evicted = row[0], kept - 1, bytes_kept - row[1], evicted + 1
    connection.execute(delete(dead_letter).where(dead_letter.c.id <= last))
    return evicted


def _storable(text: str) -> str:
    return text.replace("\0", "\\0").encode("utf-8", "backslashreplace").decode()
