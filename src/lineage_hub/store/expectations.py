"""Datasets with what is expected of them enter; what was expected at a moment leaves.

Rows are only added, so that the past can be asked: a newer one replaces, and one without a body takes back.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, and_, func, insert, select, true

from lineage_hub.model import Moment, Scope
from lineage_hub.store.tables import expectation


class Kept(NamedTuple):
    """`dataset` is the name that it was set for, which may have become an alias since."""

    dataset: int
    set_at: int
    body: bytes


def put(connection: Connection, scope: Scope, dataset: int, body: bytes | None, now: int) -> int:
    """Counts from now on; returns when that is, which is after whatever was set before."""
    newest: int | None = connection.execute(
        select(func.max(expectation.c.set_at)).where(expectation.c.dataset == dataset)
    ).scalar_one()
    set_at = now if newest is None else max(now, newest + 1)
    connection.execute(
        insert(expectation), {"dataset": dataset, "set_at": set_at, "tenant": scope.tenant, "body": body}
    )
    return set_at


def in_force(
    connection: Connection, scope: Scope, moment: Moment, datasets: Collection[int] | None = None
) -> dict[int, Kept]:
    """By dataset, what was expected then; of those given, or of all."""
    seen = and_(expectation.c.set_at <= min(moment.as_of, moment.known_at), _visible(scope))
    if datasets is not None:
        seen = and_(seen, expectation.c.dataset.in_(sorted(datasets)))
    newest = (
        select(expectation.c.dataset, func.max(expectation.c.set_at).label("set_at"))
        .where(seen)
        .group_by(expectation.c.dataset)
        .subquery()
    )
    rows = connection.execute(
        select(expectation.c.dataset, expectation.c.set_at, expectation.c.body).join(
            newest, and_(expectation.c.dataset == newest.c.dataset, expectation.c.set_at == newest.c.set_at)
        )
    )
    return {row.dataset: Kept(row.dataset, row.set_at, bytes(row.body)) for row in rows if row.body is not None}


def _visible(scope: Scope) -> ColumnElement[bool]:
    return true() if scope.tenants is None else expectation.c.tenant.in_(sorted(scope.tenants))
