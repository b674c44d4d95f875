"""A scope and a moment enter; the conditions leave that rows of events meet which are visible to it then."""

from __future__ import annotations

from sqlalchemy import ColumnElement, select
from sqlalchemy.sql.selectable import NamedFromClause

from lineage_hub.model import FOREVER, Moment, Scope
from lineage_hub.store import tables


def seen(scope: Scope, moment: Moment, table: NamedFromClause = tables.event) -> list[ColumnElement[bool]]:
    """`table` is that of events, or an alias of it."""
    conditions: list[ColumnElement[bool]] = []
    if moment.as_of != FOREVER:
        conditions.append(table.c.event_at <= moment.as_of)
    if moment.known_at != FOREVER:
        conditions.append(table.c.known_at <= moment.known_at)
    if scope.tenants is not None:
        named = select(tables.tenant.c.id).where(tables.tenant.c.name.in_(sorted(scope.tenants)))
        conditions.append(table.c.tenant.in_(named))
    return conditions
