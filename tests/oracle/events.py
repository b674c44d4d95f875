"""Events as taken enter; typed events, with each dataset they mention and each name they drop, leave.

Section "What an event says" of docs/fold.md. Readings of it that the page leaves open are marked READING.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field

from tests.oracle.identity import Json, canon, event_id, parse, time_ns

Name = tuple[str, str]  # (namespace, name) of a dataset or a job
Ord = tuple[int, str]  # (event_at, event_id)
RunKey = tuple[str, str, str, str]  # (tenant, job namespace, job name, run id)
Facets = dict[str, dict[str, Json]]

ENDS = ("FAIL", "ABORT", "COMPLETE")  # the first of them wins


@dataclass(frozen=True)
class Taken:
    """One acceptance of one text. The same event may be taken many times, in many spellings."""

    tenant: str
    known_at: int
    raw: bytes


@dataclass(eq=False)
class Mention:
    """One dataset in one event."""

    event: Event
    name: Name
    side: str  # in | out | static
    direction: str | None  # in | out | None for a DatasetEvent
    facets: Facets


@dataclass(eq=False)
class Event:
    id: str
    at: int
    tenant: str
    known_at: int
    raw: bytes
    body: Json
    kind: str  # run | job | dataset
    type: str | None = None
    job: Name | None = None
    run: RunKey | None = None
    inferred: bool = False
    job_facets: Facets = field(default_factory=dict)
    run_facets: Facets = field(default_factory=dict)
    mentions: list[Mention] = field(default_factory=list)

    @property
    def ord(self) -> Ord:
        return (self.at, self.id)


# What rules make of the body of an event of a tenant.
Rewrite = Callable[[str, Json], Json]


def distinct(taken: Iterable[Taken], rewrite: Rewrite | None = None) -> list[Event]:
    """One event for each id: known at the least time, kept as the bytewise least text; in order."""
    found: dict[str, Event] = {}
    for one in taken:
        event = read(one, rewrite)
        if (seen := found.get(event.id)) is not None:
            event = seen if seen.raw <= one.raw else event
            event.known_at = min(seen.known_at, one.known_at)
        found[event.id] = event
    return sorted(found.values(), key=lambda e: e.ord)


def visible(events: Iterable[Event], t: int | None, k: int | None, tenants: Collection[str] | None) -> list[Event]:
    return [
        e
        for e in events
        if (t is None or e.at <= t) and (k is None or e.known_at <= k) and (tenants is None or e.tenant in tenants)
    ]


def read(taken: Taken, rewrite: Rewrite | None = None) -> Event:
    body = parse(taken.raw)
    event = Event(
        id=event_id(taken.tenant, body),
        at=time_ns(body["eventTime"]),
        tenant=taken.tenant,
        known_at=taken.known_at,
        raw=taken.raw,
        body=body,
        kind="run" if "run" in body else "job" if "job" in body else "dataset",
    )
    if rewrite is not None:  # the id is that of the event as it was sent, all else is said by what rules make of it
        body = rewrite(taken.tenant, parse(taken.raw))
    if event.kind == "dataset":
        event.mentions = [_mention(event, body["dataset"], "static", None)]
        return event
    event.job = name_of(body["job"])
    event.job_facets = facets_of(body["job"])
    if event.kind == "run":
        event.type = body.get("eventType") or "OTHER"
        event.run = (taken.tenant, *event.job, body["run"]["runId"])
        event.run_facets = facets_of(body["run"])
        event.inferred = "lineageHub_inferred" in event.run_facets
    for direction, key in (("in", "inputs"), ("out", "outputs")):
        side = direction if event.kind == "run" else "static"
        last_of_each_name = {name_of(d): d for d in body.get(key) or []}
        event.mentions += [_mention(event, d, side, direction) for d in last_of_each_name.values()]
    return event


def _mention(event: Event, dataset: Json, side: str, direction: str | None) -> Mention:
    return Mention(event, name_of(dataset), side, direction, facets_of(dataset))


def name_of(entity: Json) -> Name:
    return (entity["namespace"], entity["name"])


def facets_of(entity: Json) -> Facets:
    """READING: a facet that is no object (null, a text, a list) observes nothing."""
    facets = entity.get("facets")
    if not isinstance(facets, dict):
        return {}
    return {name: value for name, value in facets.items() if isinstance(value, dict)}


def is_tombstone(facet: Json) -> bool:
    return facet.get("_deleted") is True


# What single facets say. READING: a part of a facet that hasn't its proper shape says nothing.


def identifier(value: Json) -> Name | None:
    if not isinstance(value, dict):
        return None
    namespace, name = value.get("namespace"), value.get("name")
    return (text(namespace), text(name)) if is_text(namespace) and is_text(name) else None


def is_text(value: Json) -> bool:
    return type(value) is str  # a Number is no text


def text(value: Json) -> str:
    return str(value)


def objects(value: Json) -> list[dict[str, Json]]:
    return [v for v in value if isinstance(v, dict)] if isinstance(value, list) else []


def column_pairs(facet: Json) -> list[tuple[Name, str, str | None]]:
    """(source dataset, source field, field or None for the whole dataset) of a columnLineage facet."""
    if is_tombstone(facet):
        return []
    fields = facet.get("fields")
    by_field = fields.items() if isinstance(fields, dict) else ()
    listed = [
        (out, source)
        for out, value in by_field
        if isinstance(value, dict)
        for source in objects(value.get("inputFields"))
    ]
    listed += [(None, source) for source in objects(facet.get("dataset"))]
    return [
        (name, text(source["field"]), out)
        for out, source in listed
        if (name := identifier(source)) is not None and is_text(source.get("field"))
    ]


def symlink_identifiers(facet: Json) -> list[tuple[Name, str]]:
    """(identifier, type) of a symlinks facet."""
    if is_tombstone(facet):
        return []
    return [
        (name, text(one["type"]))
        for one in objects(facet.get("identifiers"))
        if (name := identifier(one)) is not None and is_text(one.get("type"))
    ]


def version_name(facet: Json) -> str | None:
    """`datasetVersion` of a version facet. READING: a number names a version by its text."""
    value = facet.get("datasetVersion")
    return text(value) if isinstance(value, str) and not is_tombstone(facet) else None


def code_location(facet: Json) -> tuple[str, str]:
    """(url, version) of a sourceCodeLocation facet; READING: an absent one and null are the same."""
    if is_tombstone(facet):
        return ("null", "null")
    return (canon(facet.get("url")), canon(facet.get("version")))


def is_streaming(facet: Json) -> bool:
    return not is_tombstone(facet) and facet.get("processingType") == "STREAMING"


def lifecycle(mention: Mention) -> tuple[str, Name | None] | None:
    """(change, previous name) where a lifecycleStateChange counts: on outputs and static datasets, never of
    a FAIL or an ABORT. READING: a CREATE or RENAME elsewhere doesn't count as one either."""
    facet = mention.facets.get("lifecycleStateChange")
    if facet is None or is_tombstone(facet) or mention.side == "in" or mention.event.type in ("FAIL", "ABORT"):
        return None
    return (str(facet.get("lifecycleStateChange")), identifier(facet.get("previousIdentifier")))


def renamed_from(mention: Mention) -> Name | None:
    """The previous name, if this mention is the target of a RENAME.

    READING: without a previous name, or from a name to itself, nothing is renamed.
    """
    change, previous = lifecycle(mention) or (None, None)
    return previous if change == "RENAME" and previous != mention.name else None


def named_datasets(event: Event) -> set[Name]:
    """READING: every visible facet names, also one that a later facet replaced; symlinks of every type."""
    names: set[Name] = set()
    for mention in event.mentions:
        names |= {source for source, _, _ in column_pairs(mention.facets.get("columnLineage", {}))}
        names |= {other for other, _ in symlink_identifiers(mention.facets.get("symlinks", {}))}
        names |= {previous for previous in [renamed_from(mention)] if previous is not None}
    return names


def named_jobs(event: Event) -> set[Name]:
    parent, root = _parent_and_root(event)
    return {name for name in (identifier(parent.get("job")), identifier(root.get("job"))) if name is not None}


def named_run(event: Event) -> tuple[Name, str] | None:
    """READING: the parent's run exists too, under the parent's job; the root's does not."""
    parent, _ = _parent_and_root(event)
    job, run = identifier(parent.get("job")), parent.get("run")
    run_id = run.get("runId") if isinstance(run, dict) else None
    return (job, text(run_id)) if job is not None and is_text(run_id) else None


def _parent_and_root(event: Event) -> tuple[dict[str, Json], dict[str, Json]]:
    parent = event.run_facets.get("parent", event.run_facets.get("parentRun", {}))
    if is_tombstone(parent):
        return {}, {}
    root = parent.get("root")
    return parent, root if isinstance(root, dict) else {}
