"""Rules for names and facets enter, by flags or from a file; what they would change, or did, leaves."""

import json
from collections.abc import Iterable
from typing import Annotated, Any
from urllib.parse import quote

import typer
from msgspec import Struct

from lineage_hub.cli.app import app
from lineage_hub.cli.groups import ListByDefault
from lineage_hub.cli.hub import Hub
from lineage_hub.cli.options import HUB, takes_settings
from lineage_hub.cli.rule_files import read_rules
from lineage_hub.cli.rule_progress import Refold, print_refold, wait_until_folded
from lineage_hub.errors import InvalidRequest, NotFound
from lineage_hub.settings import Settings
from lineage_hub.terminal import print_json, print_table

rules = typer.Typer(
    help="Rules that rename jobs and datasets, or keep facets small; without a command they are listed.",
    cls=ListByDefault,
)
app.add_typer(rules, name="rules")

EXAMPLES = """Examples:

lineage-hub rules add prod --on dataset.namespace --exact "postgres://10.0.0.7:5432" --to "postgres://shop:5432"

lineage-hub rules add no-env --on job.namespace --regex "(.*)-(dev|prod)" --to '$1' --off

lineage-hub rules add-facet plans --facet "spark.logicalPlan" --action aside --over-bytes 10000

lineage-hub rules preview rules.yaml

lineage-hub rules load rules.yaml --wait

lineage-hub rules remove prod

lineage-hub rules undo"""

KINDS = ("names", "facets")
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Wait = Annotated[bool, typer.Option("--wait", help="Until history is folded by the rules.")]
Id = Annotated[str, typer.Argument(metavar="ID", help="The rule's id.", show_default=False)]
File = Annotated[str, typer.Argument(metavar="FILE", help="YAML or JSON; - reads stdin.", show_default=False)]
Order = Annotated[int, typer.Option(help="Rules count from the least to the greatest.")]
Off = Annotated[bool, typer.Option("--off", help="Keep the rule without its counting; see `rules apply`.")]
Tenant = Annotated[str | None, typer.Option(help="Only events of this tenant.")]
Note = Annotated[str | None, typer.Option(help="Why it is there.")]


class Rules(Struct, frozen=True):
    number: int
    names: list[dict[str, Any]]
    facets: list[dict[str, Any]]


class Loaded(Struct, frozen=True):
    number: int
    changed: bool
    changes: dict[str, dict[str, list[str]]]


@rules.command("list", epilog=EXAMPLES)
@takes_settings(*HUB)
def list_rules(settings: Settings, as_json: Json = False) -> None:
    """List rules in the order in which they count; with --json, as `load` takes them."""
    with Hub(settings) as hub:
        found = hub.read(Rules, "/rules")
    if as_json:
        print_json({"names": found.names, "facets": found.facets})
        return
    if not found.names and not found.facets:
        print("No rules.")
        return
    rows = [("names", one, _said_of_name(one)) for one in found.names]
    rows += [("facets", one, _said_of_facet(one)) for one in found.facets]
    print_table(
        ("kind", "order", "id", "state", "rule"),
        [(kind, str(one["order"]), one["id"], "on" if one["enabled"] else "off", said) for kind, one, said in rows],
    )


@rules.command("add", epilog=EXAMPLES)
@takes_settings(*HUB)
def add_rule(
    settings: Settings,
    rule: Id,
    on: Annotated[
        list[str],
        typer.Option(help="dataset.namespace, dataset.name, job.namespace or job.name; may be given several times."),
    ],
    to: Annotated[str, typer.Option("--to", help="The new text; $1 is a group, or a wildcard of a glob.")],
    exact: Annotated[str | None, typer.Option(help="Texts that are this one.")] = None,
    prefix: Annotated[str | None, typer.Option(help="Texts that begin so; the rest stays.")] = None,
    glob: Annotated[str | None, typer.Option(help="Texts like this, with * and ?.")] = None,
    regex: Annotated[str | None, typer.Option(help="Texts that match as a whole, in RE2's syntax.")] = None,
    namespace: Annotated[str | None, typer.Option(help="Only in namespaces like this (a glob).")] = None,
    producer: Annotated[str | None, typer.Option(help="Only in events of producers like this (a glob).")] = None,
    tenant: Tenant = None,
    order: Order = 100,
    off: Off = False,
    description: Note = None,
    wait: Wait = False,
    as_json: Json = False,
) -> None:
    """Rename jobs or datasets, in events to come and in history; raw events stay as they are."""
    given = [(match, text) for match, text in
             (("exact", exact), ("prefix", prefix), ("glob", glob), ("regex", regex)) if text is not None]  # fmt: skip
    if len(given) != 1:
        raise InvalidRequest(
            "a rule has one of --exact, --prefix, --glob and --regex", subject=rule, action="say what is replaced"
        )
    body = {"id": rule, "on": on, "match": given[0][0], "pattern": given[0][1], "replacement": to, "order": order,
            "namespace": namespace, "producer": producer, "tenant": tenant, "enabled": not off,
            "description": description}  # fmt: skip
    _add(settings, "names", body, wait, as_json)


@rules.command("add-facet", epilog=EXAMPLES)
@takes_settings(*HUB)
def add_facet_rule(
    settings: Settings,
    rule: Id,
    facet: Annotated[str, typer.Option(help="The facet's name; * and ? are wildcards.")],
    action: Annotated[str, typer.Option(help="drop, trim or aside.")],
    place: Annotated[
        list[str] | None, typer.Option(help="run, job, dataset, input or output; several times; default all.")
    ] = None,
    over_bytes: Annotated[int, typer.Option(help="Only facets that are larger.", min=0)] = 0,
    keep_bytes: Annotated[int, typer.Option(help="What trim leaves of a text.", min=0)] = 1024,
    keep_elements: Annotated[int, typer.Option(help="What trim leaves of a list or an object.", min=0)] = 100,
    raw_drop: Annotated[
        bool, typer.Option("--raw-drop", help="In raw events that are still to come, too; can't be undone for those.")
    ] = False,
    tenant: Tenant = None,
    order: Order = 100,
    off: Off = False,
    description: Note = None,
    wait: Wait = False,
    as_json: Json = False,
) -> None:
    """Drop, trim or set aside facets; raw events keep them whole, unless --raw-drop is given."""
    body = {"id": rule, "facet": facet, "action": action, "overBytes": over_bytes, "keepBytes": keep_bytes,
            "keepElements": keep_elements, "raw": "drop" if raw_drop else "keep", "tenant": tenant, "order": order,
            "enabled": not off, "description": description}  # fmt: skip
    _add(settings, "facets", body | ({"place": place} if place else {}), wait, as_json)


@rules.command("preview", epilog=EXAMPLES)
@takes_settings(*HUB)
def preview_rules(
    settings: Settings,
    file: File,
    remove: Annotated[list[str] | None, typer.Option(help="A rule that would go; several times.")] = None,
    events: Annotated[int, typer.Option(help="Most events to read.", min=1, max=100_000)] = 5_000,
    limit: Annotated[int, typer.Option(help="Most names to show.", min=1, max=10_000)] = 50,
    as_json: Json = False,
) -> None:
    """Tell what the rules of a file would make of the stored events; nothing is changed."""
    given = read_rules(file)
    found: dict[str, Any] = {}
    with Hub(settings) as hub:
        for kind in KINDS:
            if given[kind] or remove:
                body = json.dumps({"rules": given[kind], "remove": remove or []}).encode()
                asked = {"events": events, "limit": limit}
                answer = hub.ask("POST", f"/rules/{kind}/preview", asked, body=body)
                found[kind] = hub.decode(object, answer)
    if as_json:
        print_json(found)
        return
    if "names" in found:
        _print_names(found["names"])
    if "facets" in found:
        _print_facets(found["facets"])


@rules.command("load", epilog=EXAMPLES)
@takes_settings(*HUB)
def load_rules(
    settings: Settings,
    file: File,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")] = False,
    wait: Wait = False,
    as_json: Json = False,
) -> None:
    """Make the rules those of a file: what isn't in it goes. A second time nothing changes."""
    body = json.dumps(read_rules(file)).encode()
    with Hub(settings) as hub:
        answer = hub.ask("PUT", "/rules", {"dry_run": dry_run}, body=body)
        if as_json:
            print_json(hub.decode(object, answer))
        else:
            _print_changes(hub.decode(Loaded, answer), dry_run)
        _finish(hub, wait and not dry_run)


@rules.command("apply", epilog=EXAMPLES)
@takes_settings(*HUB)
def apply_rules(
    settings: Settings,
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="[ID]...", help="Rules; all without one.", show_default=False)
    ] = None,
    wait: Wait = False,
    as_json: Json = False,
) -> None:
    """Switch rules on that were added with --off."""
    with Hub(settings) as hub:
        before = hub.read(Rules, "/rules")
        _refuse_unknown(ids or (), before)
        for kind in KINDS:
            present = {one["id"] for one in getattr(before, kind)}
            wanted = [one for one in ids or () if one in present]
            if present and (wanted or not ids):
                hub.ask("POST", f"/rules/{kind}/apply", body=json.dumps({"ids": wanted}).encode())
        found = hub.read(Rules, "/rules")
        if as_json:
            print_json({"names": found.names, "facets": found.facets})
        else:
            print(f"{sum(one['enabled'] for one in found.names + found.facets)} rules are on")
        _finish(hub, wait)


@rules.command("remove", epilog=EXAMPLES)
@takes_settings(*HUB)
def remove_rule(settings: Settings, rule: Id, wait: Wait = False, as_json: Json = False) -> None:
    """Remove a rule; history is folded back, as if it had never been."""
    with Hub(settings) as hub:
        found = hub.read(Rules, "/rules")
        _refuse_unknown([rule], found)
        for kind in KINDS:
            if any(one["id"] == rule for one in getattr(found, kind)):
                hub.ask("DELETE", f"/rules/{kind}/{quote(rule, safe='')}")
        print_json({"removed": rule}) if as_json else print(f"rule {rule} removed")
        _finish(hub, wait)


@rules.command("undo", epilog=EXAMPLES)
@takes_settings(*HUB)
def undo_rules(settings: Settings, wait: Wait = False, as_json: Json = False) -> None:
    """Take back the last change of the rules."""
    with Hub(settings) as hub:
        answer = hub.ask("POST", "/rules/undo")
        if as_json:
            print_json(hub.decode(object, answer))
        else:
            found = hub.decode(Rules, answer)
            print(f"{len(found.names)} rules for names and {len(found.facets)} for facets count again")
        _finish(hub, wait)


@rules.command("status", epilog=EXAMPLES)
@takes_settings(*HUB)
def show_status(settings: Settings, wait: Wait = False, as_json: Json = False) -> None:
    """Show how far history is folded by the rules."""
    with Hub(settings) as hub:
        _finish(hub, wait)
        if as_json:
            print_json(hub.read_object("/rules/refold"))
        else:
            print_refold(hub.read(Refold, "/rules/refold"))


def _add(settings: Settings, kind: str, body: dict[str, Any], wait: bool, as_json: bool) -> None:
    with Hub(settings) as hub:
        answer = hub.ask("POST", f"/rules/{kind}", body=json.dumps(body).encode())
        print_json(hub.decode(object, answer)) if as_json else print(f"rule {body['id']} added")
        _finish(hub, wait)


def _finish(hub: Hub, wait: bool) -> None:
    if wait:
        wait_until_folded(hub)


def _refuse_unknown(ids: Iterable[str], found: Rules) -> None:
    known = {one["id"] for one in found.names + found.facets}
    for one in ids:
        if one not in known:
            raise NotFound("no such rule", subject=one, action="list them with `lineage-hub rules`")


def _said_of_name(rule: dict[str, Any]) -> str:
    said = f"{', '.join(rule['on'])}: {rule['match']} {rule['pattern']} → {rule['replacement']}"
    conditions = [f"{name} {rule[name]}" for name in ("namespace", "producer", "tenant") if rule[name]]
    return said + (f" ({', '.join(conditions)})" if conditions else "")


def _said_of_facet(rule: dict[str, Any]) -> str:
    over = f" over {rule['overBytes']} bytes" if rule["overBytes"] else ""
    raw = ", in raw events too" if rule["raw"] == "drop" else ""
    return f"{rule['action']} {rule['facet']}{over} of {', '.join(rule['place'])}{raw}"


def _print_changes(loaded: Loaded, dry_run: bool) -> None:
    for kind, changes in loaded.changes.items():
        for how, sign in (("added", "+"), ("removed", "-"), ("changed", "~")):
            for rule in changes[how]:
                print(f"{sign} {kind} {rule}")
    if not loaded.changed:
        print("Nothing changes.")
    elif dry_run:
        print("Nothing was changed; leave --dry-run out to load them.")


def _print_names(found: dict[str, Any]) -> None:
    if found["names"]:
        print_table(
            ("kind", "events", "from", "to"),
            [(one["kind"], str(one["events"]), _name(one["from"]), _name(one["to"])) for one in found["names"]],
        )
    for one in found["merges"]:
        names = ", ".join(map(_name, one["from"]))
        print(f"{one['kind']} {_name(one['into'])} would {'take in' if one['exists'] else 'be made of'} {names}")
    print(f"{found['totalCount']} names, {found['events']} events, {found['edges']} edges{_cut(found)}")


def _print_facets(found: dict[str, Any]) -> None:
    if found["facets"]:
        print_table(
            ("place", "facet", "action", "rule", "count", "bytes", "left"),
            [
                (one["place"], one["facet"], one["action"], one["rule"], str(one["count"]), str(one["bytes"]),
                 str(one["bytesLeft"]))
                for one in found["facets"]
            ],
        )  # fmt: skip
    print(f"{found['bytesSaved']} bytes less in {found['eventsLookedAt']} events{_cut(found)}")


def _cut(found: dict[str, Any]) -> str:
    return "; not all events were looked at: raise --events" if found["truncated"] else ""


def _name(name: dict[str, str]) -> str:
    return f"{name['namespace']}:{name['name']}"
