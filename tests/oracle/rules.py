"""Rules for names enter as JSON; what they make of the body of an event leaves.

Section "Rules" of docs/fold.md, word for word and without any hurry.
"""

from __future__ import annotations

import re

from tests.oracle.events import Rewrite, identifier, is_text, is_tombstone, objects
from tests.oracle.identity import Json

LONGEST = 65_536


def rewriting(rules: list[Json]) -> Rewrite:
    """`rules` as they are sent to a hub."""
    ordered = sorted(
        (rule for rule in rules if rule.get("enabled", True)), key=lambda r: (r.get("order", 100), r["id"])
    )

    def rewrite(tenant: str, body: Json) -> Json:
        own = [rule for rule in ordered if rule.get("tenant") in (None, tenant)]
        _rewrite(own, body["producer"], body)
        return body

    return rewrite


def _rewrite(rules: list[Json], producer: str, body: Json) -> None:
    if isinstance(body.get("job"), dict):
        _rename(rules, "job", producer, body["job"])
    datasets = [*(body.get("inputs") or []), *(body.get("outputs") or [])]
    if "job" not in body and "run" not in body:
        datasets = [body["dataset"]]
    for dataset in datasets:
        _rename(rules, "dataset", producer, dataset)
        facets = dataset.get("facets")
        for named in _named_by(facets if isinstance(facets, dict) else {}):
            _rename(rules, "dataset", producer, named)
    run = body.get("run")
    facets = run.get("facets") if isinstance(run, dict) else None
    parent = facets.get("parent") if isinstance(facets, dict) else None
    if isinstance(parent, dict) and _names_a_run(parent):
        root = parent.get("root")
        for holder in (parent, root if isinstance(root, dict) else {}):
            if identifier(holder.get("job")) is not None:
                _rename(rules, "job", producer, holder["job"])


def _names_a_run(parent: Json) -> bool:
    run = parent.get("run")
    return identifier(parent.get("job")) is not None and isinstance(run, dict) and is_text(run.get("runId"))


def _named_by(facets: Json) -> list[Json]:
    """The objects in which facets of a dataset name others."""
    found: list[Json] = []
    columns = facets.get("columnLineage")
    if isinstance(columns, dict) and not is_tombstone(columns):
        fields = columns.get("fields")
        for field in fields.values() if isinstance(fields, dict) else ():
            found += objects(field.get("inputFields")) if isinstance(field, dict) else []
        found += objects(columns.get("dataset"))
    links = facets.get("symlinks")
    if isinstance(links, dict) and not is_tombstone(links):
        found += objects(links.get("identifiers"))
    change = facets.get("lifecycleStateChange")
    if isinstance(change, dict) and not is_tombstone(change):
        found.append(change.get("previousIdentifier"))
    return [one for one in found if identifier(one) is not None]


def _rename(rules: list[Json], kind: str, producer: str, named: Json) -> None:
    for rule in rules:
        on = [rule["on"]] if isinstance(rule["on"], str) else rule["on"]
        if rule.get("namespace") is not None and not re.fullmatch(_glob(rule["namespace"]), named["namespace"], re.S):
            continue
        if rule.get("producer") is not None and not re.fullmatch(_glob(rule["producer"]), producer, re.S):
            continue
        for part in ("namespace", "name"):
            if f"{kind}.{part}" in on:
                made = _replaced(rule, named[part])
                if made and "\0" not in made and len(made.encode()) <= LONGEST:
                    named[part] = made


def _replaced(rule: Json, text: str) -> str | None:
    match rule["match"]:
        case "exact":
            return rule["replacement"] if text == rule["pattern"] else None
        case "prefix":
            return (
                rule["replacement"] + text.removeprefix(rule["pattern"]) if text.startswith(rule["pattern"]) else None
            )
        case "glob":
            found = re.fullmatch(_glob(rule["pattern"]), text, re.S)
        case _:
            found = re.fullmatch(rule["pattern"], text)
    if found is None:
        return None
    return re.sub(
        r"\$(\$|\d+|\{\w+\})",
        lambda one: "$" if one[1] == "$" else found[int(one[1].strip("{}"))] or "",
        rule["replacement"],
    )


def _glob(glob: str) -> str:
    return "".join({"*": "(.*)", "?": "(.)"}.get(c, re.escape(c)) for c in glob)
