"""A set of rules enters and counts from then on; the set that counts, and any that ever did, leave.

History is folded by it afterwards (`folding.py`); the counters tell how far that is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, delete, func, select

from lineage_hub.errors import Conflict, InvalidRequest, NotFound
from lineage_hub.lineage.rules.model import FacetRule, NameRule, RuleSet, decode_set, encode_set
from lineage_hub.model import EVERYTHING, Scope
from lineage_hub.store import tables
from lineage_hub.store.counters import count_up, counters, set_counter, take
from lineage_hub.store.inserting import insert
from lineage_hub.store.prepared import Prepared

_BODY = Prepared(select(tables.ruleset.c.body).where(tables.ruleset.c.id == bindparam("number")))


class Kept(NamedTuple):
    """A set of rules with its number; the first is 0 and empty."""

    number: int
    rules: RuleSet


def rules_of(connection: Connection, scope: Scope, number: int | None = None) -> Kept:
    """The set that counts, or one that did; who may see some tenants only sees no other tenant's rules."""
    if number is None:
        number = counters(connection).rules
    found = _BODY.rows(connection, {"number": number}) if number else [(b"{}",)]
    if not found:
        raise NotFound("no such set of rules", subject=str(number), action="see GET /api/v1/rules/history")
    return Kept(number, _part(decode_set(bytes(found[0][0])), scope, visible=True))


def _part(rules: RuleSet, scope: Scope, *, visible: bool) -> RuleSet:
    tenants = scope.tenants
    if tenants is None:
        return rules if visible else RuleSet()
    return RuleSet(
        tuple([rule for rule in rules.names if (rule.tenant in tenants) == visible]),
        tuple([rule for rule in rules.facets if (rule.tenant in tenants) == visible]),
    )


def change(connection: Connection, scope: Scope, edit: Callable[[RuleSet], RuleSet], now: int) -> Kept:
    """What `edit` makes of the rules counts from here on; a change that changes nothing makes no new set."""
    at = take(connection, 0)
    whole = rules_of(connection, EVERYTHING, at.rules)
    edited = edit(_part(whole.rules, scope, visible=True))
    foreign = _part(edited, scope, visible=False)
    if foreign != RuleSet():
        raise InvalidRequest(
            "a rule is for a tenant that you may not write to",
            subject=(foreign.names + foreign.facets)[0].id,
            action="name your own tenant in it",
        )
    others = _part(whole.rules, scope, visible=False)
    after = edited.with_rules(NameRule, (*edited.names, *others.names))
    after = after.with_rules(FacetRule, (*edited.facets, *others.facets))
    if after == whole.rules:
        return Kept(at.rules, edited)
    number = at.rules + 1
    insert(connection, tables.ruleset, [(number, now, encode_set(after))], if_new=False)
    set_counter(connection, "rules", number)
    last_shape = connection.execute(select(func.max(tables.shape.c.id))).scalar() or 0
    # What was still to be looked at for the set before is found again.
    connection.execute(delete(tables.refold_shape))
    insert(connection, tables.refold, [(number, last_shape, 0, 0, 0, now, None)], if_new=False)
    count_up(connection, "fold")
    return Kept(number, edited)


def undo(connection: Connection, scope: Scope, now: int) -> Kept:
    """The set before the one that counts counts again; told of as a change like any other."""
    number = take(connection, 0).rules
    if not number:
        raise Conflict("no rule was ever changed", subject="rules", action="see GET /api/v1/rules/history")
    before = rules_of(connection, scope, number - 1).rules
    return change(connection, scope, lambda _: before, now)


def history(connection: Connection, scope: Scope, limit: int, offset: int) -> tuple[list[tuple[Kept, int]], int]:
    """Sets with the time from which they counted, the newest first; and how many there are."""
    s = tables.ruleset.c
    rows = connection.execute(select(s.id, s.set_at, s.body).order_by(s.id.desc()).limit(limit).offset(offset))
    found = [(Kept(row.id, _part(decode_set(bytes(row.body)), scope, visible=True)), row.set_at) for row in rows]
    return found, int(connection.execute(select(func.count()).select_from(tables.ruleset)).scalar_one())


class Refold(NamedTuple):
    """How far history is folded by the rules that count: first shapes are looked through, then events."""

    rules: int
    done: bool
    scanned: int = 0
    shapes: int = 0
    # Of the shapes that were found: those whose events are still to be looked at.
    left: int = 0
    looked_at: int = 0
    changed: int = 0
    started_at: int | None = None
    finished_at: int | None = None


def refold(connection: Connection, scope: Scope) -> Refold:
    del scope  # how far it is says nothing of what anyone's events are
    at = counters(connection)
    row = connection.execute(select(tables.refold).where(tables.refold.c.rules == at.rules)).first()
    if row is None:
        return Refold(at.rules, done=not at.refolding)
    left = connection.execute(select(func.count()).select_from(tables.refold_shape)).scalar_one()
    return Refold(
        at.rules, not at.refolding, row.scanned, row.last_shape, int(left), row.looked_at, row.changed,
        row.started_at, row.finished_at,
    )  # fmt: skip
