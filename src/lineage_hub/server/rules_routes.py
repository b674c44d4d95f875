"""Rules for names and facets enter; they are kept and count from then on, and what they make of history leaves.

Every change makes the next set of rules. History is folded by it in the background; `/api/v1/rules/refold` tells how
far that has come.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Path, Query, Request, Response
from starlette.concurrency import run_in_threadpool

from lineage_hub.errors import Conflict, InvalidRequest, NotFound
from lineage_hub.lineage.rules.model import FacetRule, NameRule, RuleSet, read_rule
from lineage_hub.model import EVERYTHING, NOW
from lineage_hub.query import rule_preview
from lineage_hub.server import openapi_rules
from lineage_hub.server.bodies import RefusedBody, read_body
from lineage_hub.server.hub import Hub, hub_of
from lineage_hub.store import rules as rule_store
from lineage_hub.store.rules import Kept, Refold
from lineage_hub.wire import instant_text

router = APIRouter(prefix="/api/v1/rules", tags=["Rules"])
encode = msgspec.json.Encoder().encode
Kinds = type[NameRule] | type[FacetRule]


class Kind(StrEnum):
    names = "names"
    facets = "facets"


KINDS: dict[Kind, Kinds] = {Kind.names: NameRule, Kind.facets: FacetRule}
OfKind = Annotated[Kind, Path(description="Rules for names, or for facets.")]
RuleId = Annotated[str, Path(description="The rule's id.", max_length=80)]
DryRun = Annotated[bool, Query(description="Only tell what would change.")]


@router.get("", summary="Show all rules")
def get_rules(request: Request) -> Response:
    """Those for names and those for facets, each in the order in which they count."""
    with hub_of(request.scope).store.reading() as connection:
        kept = rule_store.rules_of(connection, EVERYTHING)
    return _json({"number": kept.number, **_both(kept.rules)})


@router.put("", summary="Replace all rules", **openapi_rules.REPLACE)
async def put_rules(request: Request, dry_run: DryRun = False) -> Response:
    """What isn't among the rules given is removed; what is there already stays as it is."""
    given = _documents(await _body(request), ("names", "facets"))
    wanted = RuleSet()
    wanted = wanted.with_rules(NameRule, [read_rule(NameRule, one) for one in given["names"]])
    wanted = wanted.with_rules(FacetRule, [read_rule(FacetRule, one) for one in given["facets"]])
    hub = hub_of(request.scope)
    with hub.store.reading() as connection:
        before = rule_store.rules_of(connection, EVERYTHING)
    kept = before if dry_run else await _change(hub, lambda _: wanted)
    changes = {kind.value: _difference(before.rules.of(KINDS[kind]), wanted.of(KINDS[kind])) for kind in Kind}
    return _json({"number": kept.number, "changed": before.rules != wanted, "dryRun": dry_run, "changes": changes})


@router.get("/refold", summary="Tell how far history is folded by the rules")
def get_refold(request: Request) -> Response:
    with hub_of(request.scope).store.reading() as connection:
        found = rule_store.refold(connection, EVERYTHING)
    return _json(_refold_answer(found))


@router.get("/history", summary="List the changes of the rules, newest first")
def get_history(
    request: Request,
    limit: Annotated[int, Query(ge=1, le=1000, description="Most items in the answer.")] = 100,
    offset: Annotated[int, Query(ge=0, le=2**31, description="Items to pass over.")] = 0,
) -> Response:
    """Each set of rules with the time from which it counted."""
    with hub_of(request.scope).store.reading() as connection:
        sets, total = rule_store.history(connection, EVERYTHING, limit, offset)
    items = [{"number": one.number, "setAt": instant_text(at), **_both(one.rules)} for one, at in sets]
    return _json({"history": items, "totalCount": total})


@router.post("/undo", summary="Take back the last change of the rules", **openapi_rules.UNDO)
async def undo(request: Request) -> Response:
    """The rules before it count again, and history is folded by them."""
    hub = hub_of(request.scope)
    now = hub.clock()
    kept = await hub.intake.write(lambda connection: rule_store.undo(connection, EVERYTHING, now))
    _wake(hub)
    return _json({"number": kept.number, **_both(kept.rules)})


@router.get("/{kind}", summary="List rules")
def list_rules(request: Request, kind: OfKind) -> Response:
    with hub_of(request.scope).store.reading() as connection:
        kept = rule_store.rules_of(connection, EVERYTHING)
    rules = _answers(kept.rules, kind)
    return _json({"number": kept.number, "rules": rules, "totalCount": len(rules)})


@router.post("/{kind}", status_code=201, summary="Add a rule", **openapi_rules.ADD)
async def add_rule(request: Request, kind: OfKind) -> Response:
    """It counts for the next event, and history is folded by it, unless it is switched off."""
    rule = read_rule(KINDS[kind], await _body(request))

    def add(rules: RuleSet) -> RuleSet:
        if any(one.id == rule.id for one in rules.of(type(rule))):
            raise Conflict("there is a rule of that id", subject=rule.id, action="change it with PUT, or name another")
        return rules.with_rules(type(rule), (*rules.of(type(rule)), rule))

    await _change(hub_of(request.scope), add)
    return _json(_answer(rule), 201)


@router.post("/{kind}/preview", summary="Tell what rules would make of stored events", **openapi_rules.PREVIEW)
async def preview(
    request: Request,
    kind: OfKind,
    events: Annotated[int, Query(ge=1, le=100_000, description="Most events to read.")] = 5_000,
    limit: Annotated[int, Query(ge=1, le=10_000, description="Most names in the answer.")] = 200,
) -> Response:
    """Nothing is changed. Rules take the place of those with the same id; `remove` names others that would go."""
    given = _documents(await _body(request), ("rules", "remove"))
    rules = [read_rule(KINDS[kind], one) for one in given["rules"]]
    hub = hub_of(request.scope)

    def look() -> dict[str, Any]:
        with hub.queries.at(EVERYTHING, NOW) as snapshot:
            now = rule_store.rules_of(snapshot.reader.connection, EVERYTHING).rules
            replaced = {rule.id for rule in rules}
            of_kind: Any = KINDS[kind]
            left = [one for one in now.of(of_kind) if one.id not in replaced and one.id not in given["remove"]]
            then = now.with_rules(of_kind, [*left, *rules])
            if kind is Kind.names:
                return rule_preview.preview_names(snapshot, now, then, events, limit)
            return rule_preview.preview_facets(snapshot, now, then, events)

    return _json(await run_in_threadpool(look))


@router.post("/{kind}/apply", summary="Switch rules on", **openapi_rules.APPLY)
async def apply(request: Request, kind: OfKind) -> Response:
    """Those whose ids are given, or all of this kind: in one change, so that history is folded once."""
    given = _documents(await _body(request) or b"{}", ("ids",))["ids"]
    of_kind: Any = KINDS[kind]

    def switch(rules: RuleSet) -> RuleSet:
        there = {rule.id for rule in rules.of(of_kind)}
        for one in given:
            if not isinstance(one, str) or one not in there:
                raise NotFound("no such rule", subject=str(one)[:80], action=f"see GET /api/v1/rules/{kind.value}")
        switched = [
            msgspec.structs.replace(rule, enabled=rule.enabled or not given or rule.id in given)
            for rule in rules.of(of_kind)
        ]
        return rules.with_rules(of_kind, switched)

    kept = await _change(hub_of(request.scope), switch)
    rules = _answers(kept.rules, kind)
    return _json({"number": kept.number, "rules": rules, "totalCount": len(rules)})


@router.put("/{kind}/{rule_id}", summary="Set a rule", **openapi_rules.SET)
async def put_rule(request: Request, kind: OfKind, rule_id: RuleId) -> Response:
    """Added if there is none of that id. To switch it off, send it with `enabled` false."""
    rule = read_rule(KINDS[kind], await _body(request), rule_id)

    def put(rules: RuleSet) -> RuleSet:
        others = [one for one in rules.of(type(rule)) if one.id != rule.id]
        return rules.with_rules(type(rule), (*others, rule))

    await _change(hub_of(request.scope), put)
    return _json(_answer(rule))


@router.delete("/{kind}/{rule_id}", status_code=204, summary="Remove a rule", **openapi_rules.REMOVE)
async def delete_rule(request: Request, kind: OfKind, rule_id: RuleId) -> Response:
    """History is folded back, as if it had never been."""
    of_kind: Any = KINDS[kind]

    def remove(rules: RuleSet) -> RuleSet:
        left = [one for one in rules.of(of_kind) if one.id != rule_id]
        if len(left) == len(rules.of(of_kind)):
            raise NotFound("no such rule", subject=rule_id, action=f"see GET /api/v1/rules/{kind.value}")
        return rules.with_rules(of_kind, left)

    await _change(hub_of(request.scope), remove)
    return Response(status_code=204)


async def _change(hub: Hub, edit: Callable[[RuleSet], RuleSet]) -> Kept:
    now = hub.clock()
    kept = await hub.intake.write(lambda connection: rule_store.change(connection, EVERYTHING, edit, now))
    _wake(hub)
    return kept


def _wake(hub: Hub) -> None:
    if hub.refolding is not None:
        hub.refolding.wake()


async def _body(request: Request) -> bytes:
    hub = hub_of(request.scope)
    try:
        return await read_body(request.scope, request.receive, limit=hub.settings.ingest_max_body_bytes, keep=0)
    except RefusedBody as refused:
        raise refused.error from None


def _documents(body: bytes, members: tuple[str, ...]) -> dict[str, list[Any]]:
    """An object of lists, of which any may be left out."""
    action = "send an object with " + " and ".join(f'a list "{name}"' for name in members)
    try:
        given = msgspec.json.decode(body, type=dict[str, list[Any]])
    except (msgspec.DecodeError, RecursionError, ValueError) as error:
        raise InvalidRequest(f"the body can't be read: {error}", subject="body", action=action) from None
    unknown = given.keys() - set(members)
    if unknown:
        raise InvalidRequest(f"{min(unknown)[:40]!r} is unknown", subject="body", action=action)
    for name in ("rules", "names", "facets"):
        if any(not isinstance(one, dict) for one in given.get(name, ())):
            raise InvalidRequest(f"{name} must hold objects", subject=name, action=action)
    return {name: given.get(name, []) for name in members}


def _difference(before: tuple[Any, ...], after: tuple[Any, ...]) -> dict[str, list[str]]:
    old, new = {rule.id: rule for rule in before}, {rule.id: rule for rule in after}
    return {
        "added": sorted(new.keys() - old.keys()),
        "removed": sorted(old.keys() - new.keys()),
        "changed": sorted(one for one in old.keys() & new.keys() if old[one] != new[one]),
    }


def _answer(rule: NameRule | FacetRule) -> dict[str, Any]:
    answer: dict[str, Any] = msgspec.to_builtins(rule)
    return answer


def _answers(rules: RuleSet, kind: Kind) -> list[dict[str, Any]]:
    return [_answer(rule) for rule in (rules.names if kind is Kind.names else rules.facets)]


def _both(rules: RuleSet) -> dict[str, Any]:
    return {kind.value: _answers(rules, kind) for kind in Kind}


def _refold_answer(found: Refold) -> dict[str, Any]:
    return {
        "number": found.rules,
        "state": "done" if found.done else "running",
        "shapesScanned": found.scanned,
        "shapesTotal": found.shapes,
        "shapesLeft": found.left,
        "eventsLookedAt": found.looked_at,
        "eventsChanged": found.changed,
        "startedAt": instant_text(found.started_at) if found.started_at is not None else None,
        "finishedAt": instant_text(found.finished_at) if found.finished_at is not None else None,
    }


def _json(value: object, status: int = 200) -> Response:
    return Response(encode(value), status, media_type="application/json")
