"""Rules enter as JSON of users; checked values leave, and the set of all rules as one text.

A set never changes once written: a change makes the next one, so that every event can say which it was folded by.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from lineage_hub.errors import InvalidRequest
from lineage_hub.lineage.rules.patterns import matching, replacing
from lineage_hub.model.scope import is_tenant_name

TARGETS = ("dataset.namespace", "dataset.name", "job.namespace", "job.name")
PLACES = ("run", "job", "dataset", "input", "output")
ACTIONS = ("drop", "trim", "aside")
MOST_RULES = 1_000
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
_LIMIT = 2**53


class NameRule(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    id: str
    on: tuple[str, ...]
    match: str
    pattern: str
    replacement: str
    order: int = 100
    # Globs: of the namespace as it is when the rule's turn comes, and of the event's producer.
    namespace: str | None = None
    producer: str | None = None
    # Whose events it is for; all, where there is none.
    tenant: str | None = None
    enabled: bool = True
    description: str | None = None

    def check(self) -> None:
        _check_common(self, self.on, TARGETS, "on")
        replacing(self.match, self.pattern, self.replacement, self.id)
        for glob, what in ((self.namespace, "namespace"), (self.producer, "producer")):
            if glob is not None:
                matching(glob, f"{self.id}.{what}")
        if self.match in ("exact", "prefix") and not self.pattern:
            raise InvalidRequest("the pattern is empty", subject=f"{self.id}.pattern", action="say what is replaced")


class FacetRule(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, rename="camel"):
    id: str
    # A glob.
    facet: str
    action: str
    place: tuple[str, ...] = PLACES
    over_bytes: int = 0
    keep_bytes: int = 1_024
    keep_elements: int = 100
    # Whether the raw event keeps it: keep, or drop.
    raw: str = "keep"
    order: int = 100
    tenant: str | None = None
    enabled: bool = True
    description: str | None = None

    def check(self) -> None:
        _check_common(self, self.place, PLACES, "place")
        matching(self.facet, f"{self.id}.facet")
        for value, allowed, what in ((self.action, ACTIONS, "action"), (self.raw, ("keep", "drop"), "raw")):
            if value not in allowed:
                raise _unknown(value, allowed, f"{self.id}.{what}")
        for number, what in (
            (self.over_bytes, "overBytes"),
            (self.keep_bytes, "keepBytes"),
            (self.keep_elements, "keepElements"),
        ):
            if not 0 <= number <= _LIMIT:
                raise InvalidRequest(
                    f"{what} is out of bounds", subject=f"{self.id}.{what}", action=f"use 0 to {_LIMIT}"
                )


Rule = TypeVar("Rule", bound=NameRule | FacetRule)


class RuleSet(Struct, frozen=True):
    names: tuple[NameRule, ...] = ()
    facets: tuple[FacetRule, ...] = ()

    def of(self, kind: type[Rule]) -> tuple[Rule, ...]:
        found: Any = self.names if kind is NameRule else self.facets
        return tuple(found)

    def with_rules(self, kind: type[Rule], rules: Iterable[Rule]) -> RuleSet:
        """In their order."""
        ordered: Any = tuple(sorted(rules, key=lambda rule: (rule.order, rule.id)))
        if len({rule.id for rule in ordered}) < len(ordered):
            raise InvalidRequest("two rules have one id", subject="id", action="give each rule an id of its own")
        if len(ordered) > MOST_RULES:
            raise InvalidRequest(f"more than {MOST_RULES} rules", subject="rules", action="make one pattern of several")
        return RuleSet(ordered, self.facets) if kind is NameRule else RuleSet(self.names, ordered)


encode_set = msgspec.json.Encoder().encode
decode_set = msgspec.json.Decoder(RuleSet).decode
_SHAPES: dict[type, str] = {
    NameRule: '{"id": "prod", "on": "dataset.namespace", "match": "exact", "pattern": "db-1:5432", '
    '"replacement": "warehouse"}',
    FacetRule: '{"id": "plans", "facet": "spark.logicalPlan", "action": "aside", "overBytes": 10000}',
}


def read_rule(kind: type[Rule], body: bytes | dict[str, Any], known_id: str | None = None) -> Rule:
    """`known_id` is given by the path; the body may repeat it."""
    shape = f"send a rule like {_SHAPES[kind]}"
    try:
        given = msgspec.json.decode(body, type=dict[str, Any]) if isinstance(body, bytes) else dict(body)
    except (msgspec.DecodeError, RecursionError, ValueError) as error:
        raise InvalidRequest(f"the rule can't be read: {error}", subject="body", action=shape) from None
    if known_id is not None and given.setdefault("id", known_id) != known_id:
        raise InvalidRequest("the id in the body is not that of the path", subject="id", action="leave it out")
    several = "on" if kind is NameRule else "place"
    if isinstance(given.get(several), str):
        given[several] = [given[several]]
    try:
        rule: Rule = msgspec.convert(given, type=kind)
    except msgspec.ValidationError as error:
        raise InvalidRequest(f"the rule can't be read: {error}", subject="body", action=shape) from None
    rule.check()
    return rule


def _check_common(rule: NameRule | FacetRule, several: tuple[str, ...], allowed: tuple[str, ...], what: str) -> None:
    if not _ID.fullmatch(rule.id):
        raise InvalidRequest(
            f"{rule.id[:80]!r} is not an id", subject="id", action="use up to 80 letters, digits, dots, - and _"
        )
    if not several:
        raise InvalidRequest(f"{what} is empty", subject=f"{rule.id}.{what}", action="use " + ", ".join(allowed))
    for one in several:
        if one not in allowed:
            raise _unknown(one, allowed, f"{rule.id}.{what}")
    if not -_LIMIT <= rule.order <= _LIMIT:
        raise InvalidRequest("order is out of bounds", subject=f"{rule.id}.order", action="use a smaller number")
    if rule.tenant is not None and not is_tenant_name(rule.tenant):
        raise InvalidRequest(
            f"{rule.tenant[:80]!r} is not a tenant", subject=f"{rule.id}.tenant", action="leave it out for all tenants"
        )


def _unknown(value: str, allowed: tuple[str, ...], subject: str) -> InvalidRequest:
    return InvalidRequest(f"{value[:40]!r} is unknown", subject=subject, action="use " + ", ".join(allowed))
