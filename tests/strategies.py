"""Hypothesis strategies: histories of events, and the ways in which one history can reach a hub.

The alphabets are small on purpose: a few jobs, datasets, runs and moments meet each other all the time, so
ties, repeats, late events and interactions of rules are the normal case.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass

from hypothesis import strategies as st

from tests.oracle import build
from tests.oracle.build import Body
from tests.oracle.events import Name
from tests.oracle.identity import Json, Number

DAY = 86_400
TENANTS = ["default", "default", "default", "default", "team-b"]
JOBS = ["j1", "j1", "j1", "j2", "j2", "j3.é x"]
DATASETS = [
    ("db", "a"),
    ("db", "b"),
    ("db", "c"),
    ("db", "t"),
    ("s3://bucket", "path/ü: %2F"),
    ("s3://bucket", "l"),
]
A, B, C = DATASETS[:3]
USUAL = [((A,), (B,)), ((A,), (B,)), ((A,), (B,)), ((B,), (C,)), ((A, C), (B,)), ((), (B,)), None, None, None]
FIELDS = ["x", "y", "z z"]
RUNS = [1, 1, 2, 2, 3]
# Seconds after `build.ZERO`. Most are a handful of ties, some lie a nanosecond or weeks away.
MOMENTS = [0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 6, 7, 20 * DAY, 2 + 30 * DAY, 45 * DAY]
EVENT_TYPES = ["START", "START", "RUNNING", "RUNNING", *["COMPLETE"] * 4, "FAIL", "ABORT", "OTHER", None]

NUMBERS = [
    "0",
    "-0",
    "1",
    "1.0",
    "1e0",
    "1E+2",
    "0.1000",
    "-1.5e-3",
    "1e400",
    "123456789012345678901234567890",
]
TEXTS = [
    "",
    "plain",
    "é",
    "e\u0301",
    "\u2028",
    "😀",
    '"\\/',
    "\b\f\n\r\t",
    "\x01\x1f",
    "\x7f",
    "日本",
    "\u200e",
]


@dataclass(frozen=True)
class Sent:
    """One event of a history as it is built, and the tenant it is sent for."""

    tenant: str
    body: Body

    @property
    def raw(self) -> bytes:
        return build.spelled(self.body)


# Facets


weird_json: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.sampled_from(NUMBERS).map(Number) | st.sampled_from(TEXTS),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from([*TEXTS, "k"]), inner, max_size=2),
    max_leaves=4,
)
tombstones = st.just(build.TOMBSTONE)
dataset_names = st.sampled_from([*DATASETS, B, B])


def facets_with(**content: st.SearchStrategy[Json]) -> st.SearchStrategy[Body]:
    return st.builds(build.facet, **content)


def identifiers_with(**content: st.SearchStrategy[Json]) -> st.SearchStrategy[Body]:
    parts = st.fixed_dictionaries(content)
    return st.builds(lambda name, more: {"namespace": name[0], "name": name[1], **more}, dataset_names, parts)


def _now_and_then(rare: st.SearchStrategy[Json], usual: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    return st.integers(0, 7).flatmap(lambda n: rare if n == 7 else usual)


# Where a dataset should be named: producers write null, or leave members out.
broken_names: st.SearchStrategy[Json] = st.sampled_from(
    [
        None,
        "a text",
        {},
        {"namespace": A[0]},
        {"namespace": None, "name": A[1], "field": "x", "type": "TABLE"},
        {"namespace": A[0], "name": A[1], "field": None, "type": None},
        {"namespace": A[0], "name": C[1], "field": Number("1"), "type": []},
    ]
)
schemas = facets_with(
    fields=st.lists(
        st.fixed_dictionaries(
            {"name": st.sampled_from(FIELDS)},
            optional={"type": st.sampled_from(["INT", "VARCHAR"]), "description": st.sampled_from(TEXTS)},
        ),
        max_size=3,
        unique_by=lambda f: f["name"],
    )
)
TRANSFORMATIONS = [
    [{"type": "DIRECT", "subtype": "IDENTITY", "description": "", "masking": False}],
    [{"type": "INDIRECT", "subtype": "JOIN", "description": "on x", "masking": True}, {"type": "DIRECT"}],
]
new_sources = identifiers_with(field=st.sampled_from(FIELDS), transformations=st.sampled_from(TRANSFORMATIONS))
old_sources = identifiers_with(field=st.sampled_from(FIELDS))
some_sources = _now_and_then(broken_names, new_sources)
new_fields = _now_and_then(
    st.sampled_from([None, "a text", {}, {"inputFields": None}, {"inputFields": {}}]),
    st.fixed_dictionaries({"inputFields": st.lists(some_sources, max_size=3)}),
)
old_fields = st.fixed_dictionaries(
    {
        "inputFields": st.lists(old_sources, min_size=1, max_size=2),
        "transformationDescription": st.sampled_from(["as is", "sum"]),
        "transformationType": st.sampled_from(["IDENTITY", "MASKED"]),
    }
)
column_lineage = st.one_of(
    facets_with(fields=st.dictionaries(st.sampled_from(FIELDS), new_fields, min_size=1, max_size=2)),
    facets_with(fields=st.dictionaries(st.sampled_from(FIELDS), old_fields, min_size=1, max_size=2)),
    facets_with(fields=st.sampled_from([{}, {}, None]), dataset=st.lists(some_sources, min_size=1, max_size=2)),
    facets_with(
        fields=st.dictionaries(st.sampled_from(FIELDS), new_fields, max_size=1), dataset=st.lists(some_sources)
    ),
)
symlink_facets = facets_with(
    identifiers=st.lists(
        _now_and_then(broken_names, identifiers_with(type=st.sampled_from(["TABLE", "TABLE", "LOCATION", "ALIAS"]))),
        min_size=1,
        max_size=2,
    )
)
CHANGES = ["DROP", "DROP", "RENAME", "RENAME", "RENAME", "CREATE", "TRUNCATE", "OVERWRITE", "ALTER"]
lifecycle_changes = st.builds(
    lambda change, previous: build.facet(
        lifecycleStateChange=change, **({"previousIdentifier": previous} if previous else {})
    ),
    st.sampled_from(CHANGES),
    st.none() | identifiers_with() | _now_and_then(broken_names, identifiers_with()),
)
versions = facets_with(datasetVersion=st.sampled_from(["v1", "v2", "v1 ü"]))
documentation = facets_with(description=st.sampled_from(TEXTS))
ownership = facets_with(owners=st.lists(st.fixed_dictionaries({"name": st.sampled_from(["team:a", "team:b"])})))
tags = facets_with(tags=st.lists(st.fixed_dictionaries({"key": st.sampled_from(["pii", "tier"]), "value": weird_json})))
unknown = facets_with(anything=weird_json)
not_objects = st.none() | st.just("a text") | st.just([1])

DATASET_FACETS: dict[str, st.SearchStrategy[Json]] = {
    "schema": schemas,
    "columnLineage": column_lineage,
    "symlinks": symlink_facets,
    "lifecycleStateChange": lifecycle_changes,
    "version": versions,
    "documentation": documentation | not_objects,
    "ownership": ownership,
    "tags": tags,
    "custom_ü": unknown,
}
OFTEN = ["schema", "columnLineage", "columnLineage", "symlinks", "lifecycleStateChange", "version"]


@st.composite
def dataset_facets(draw: st.DrawFn) -> Body:
    count = draw(st.sampled_from([0, 0, 1, 1, 2, 3]))
    names = [draw(st.sampled_from([*OFTEN, *DATASET_FACETS])) for _ in range(count)]
    return {name: draw(_now_and_then(tombstones, DATASET_FACETS[name])) for name in names}


job_facets = st.fixed_dictionaries(
    {},
    optional={
        "jobType": st.sampled_from(
            [build.STREAMING["jobType"], build.STREAMING["jobType"], build.BATCH["jobType"], build.TOMBSTONE]
        ),
        "sourceCodeLocation": facets_with(
            type=st.just("git"),
            url=st.sampled_from(["https://git/a", "https://git/b"]),
            version=st.sampled_from(["1", "2", None]),
        )
        | tombstones,
        "documentation": documentation | tombstones,
        "ownership": ownership,
        "tags": tags,
        "sql": facets_with(query=st.sampled_from(["SELECT 1", "SELECT 2"])),
        "custom": unknown,
    },
)
whole_parents = st.builds(build.parent, st.sampled_from(["j1", "dag"]), st.none() | st.sampled_from(["j2", "root"]))
broken_roots = st.sampled_from([None, "a text", {}, {"job": None}, {"job": {"namespace": "jobs", "name": "j2"}}])
parents = st.builds(lambda parent, root: {**parent, "root": root}, whole_parents, broken_roots) | whole_parents
run_facets = st.fixed_dictionaries(
    {},
    optional={
        "parent": parents,
        "nominalTime": facets_with(nominalStartTime=st.just(build.at(0)), nominalEndTime=st.none()),
        "errorMessage": facets_with(message=st.sampled_from(TEXTS), programmingLanguage=st.just("SQL")),
        "custom": unknown | tombstones,
    },
)
inferred = st.integers(0, 9).map(lambda n: build.INFERRED if n == 9 else {})


# Events


@st.composite
def event_times(draw: st.DrawFn) -> str:
    """The same moments again and again, in several spellings, and now and then a nanosecond more."""
    seconds = draw(st.sampled_from(MOMENTS))
    text = build.at(seconds)
    return draw(
        st.sampled_from(
            [
                text,
                text,
                text,
                text[:-1] + ".000Z",
                text[:-1] + ".000000001Z",
                text[:-1] + "+00:00",
                _elsewhere(text),
            ]
        )
    )


def _elsewhere(text: str) -> str:
    """The same moment on a clock that is an hour ahead."""
    hour = int(text[11:13])
    return f"{text[:11]}{hour + 1:02d}{text[13:-1]}+01:00" if hour < 23 else text


@st.composite
def datasets(draw: st.DrawFn, extra: str | None = None, name: Name | None = None) -> Body:
    namespace, own_name = draw(dataset_names) if name is None else name
    body = build.dataset(own_name, namespace, **draw(dataset_facets()))
    if extra is not None and draw(st.integers(0, 5)) == 5:
        body[extra] = draw(st.dictionaries(st.sampled_from(["statistics", "custom"]), unknown, max_size=1))
    return body


@st.composite
def inputs_and_outputs(draw: st.DrawFn) -> tuple[list[Body], list[Body]]:
    """Mostly the same few again and again, so that runs of one version are common; else any, or none."""
    usual = draw(st.sampled_from(USUAL))
    if usual is not None:
        inputs = [draw(datasets("inputFacets", name)) for name in usual[0]]
        return inputs, [draw(datasets("outputFacets", name)) for name in usual[1]]
    return draw(st.lists(datasets("inputFacets"), max_size=3)), draw(st.lists(datasets("outputFacets"), max_size=2))


@st.composite
def run_events(draw: st.DrawFn) -> Body:
    inputs, outputs = draw(inputs_and_outputs())
    job = draw(st.sampled_from(JOBS))
    facets = draw(_mostly_empty(job_facets))
    if job == "j2" and draw(st.booleans()):  # now and then it forgets, or says otherwise
        facets |= build.STREAMING
    body = build.run_event(
        draw(st.sampled_from(EVENT_TYPES)),
        0,
        job=job,
        run=draw(st.sampled_from(RUNS)),
        inputs=inputs,
        outputs=outputs,
        job_facets=facets,
        run_facets=draw(_mostly_empty(run_facets)) | draw(inferred),
    )
    return body | {"eventTime": draw(event_times())}


@st.composite
def job_events(draw: st.DrawFn) -> Body:
    inputs, outputs = draw(inputs_and_outputs())
    job = draw(st.sampled_from(JOBS))
    body = build.job_event(0, job=job, inputs=inputs, outputs=outputs, job_facets=draw(_mostly_empty(job_facets)))
    return body | {"eventTime": draw(event_times())}


@st.composite
def dataset_events(draw: st.DrawFn) -> Body:
    return build.dataset_event(0, "") | {"dataset": draw(datasets()), "eventTime": draw(event_times())}


@st.composite
def ddl_events(draw: st.DrawFn) -> Body:
    """A lifecycle change for sure, told by a dataset itself or by the run that makes it."""
    body = draw(dataset_events() | run_events())
    changed = draw(datasets())
    changed["facets"]["lifecycleStateChange"] = draw(lifecycle_changes)
    if "dataset" in body:
        return body | {"dataset": changed}
    return body | {"outputs": [*body["outputs"], changed]}


def _mostly_empty(facets: st.SearchStrategy[Body]) -> st.SearchStrategy[Body]:
    return st.booleans().flatmap(lambda full: facets if full else st.just({}))


KINDS = [run_events()] * 6 + [job_events(), dataset_events(), ddl_events(), ddl_events()]
events = st.sampled_from(KINDS).flatmap(lambda kind: kind)
SIZES = [1, 2, 4, 6, 8, 10, 12, 14]  # a plain list would mostly be short
histories: st.SearchStrategy[list[Sent]] = st.sampled_from(SIZES).flatmap(
    lambda size: st.lists(st.builds(Sent, st.sampled_from(TENANTS), events), min_size=size, max_size=size)
)


CROWD = [A, B, ("s3://bucket", "l")]
crowd_names = st.sampled_from(CROWD)
CROWD_FACETS: dict[str, st.SearchStrategy[Json]] = {
    "columnLineage": st.builds(
        lambda field, name, source: build.facet(
            fields={field: {"inputFields": [{"namespace": name[0], "name": name[1], "field": source}]}}
        ),
        st.sampled_from(FIELDS),
        dataset_names,
        st.sampled_from(FIELDS),
    ),
    "symlinks": st.builds(
        lambda name: build.facet(identifiers=[{"namespace": name[0], "name": name[1], "type": "TABLE"}]), crowd_names
    ),
    "lifecycleStateChange": st.builds(
        lambda change, name: build.facet(
            lifecycleStateChange=change, previousIdentifier={"namespace": name[0], "name": name[1]}
        ),
        st.sampled_from(["RENAME", "RENAME", "DROP"]),
        crowd_names,
    ),
    "version": versions,
    "schema": schemas,
    "documentation": documentation,
}


@st.composite
def crowded_datasets(draw: st.DrawFn) -> Body:
    namespace, name = draw(crowd_names)
    chosen = draw(st.lists(st.sampled_from(["columnLineage", *CROWD_FACETS]), max_size=3))
    return build.dataset(name, namespace, **{facet: draw(CROWD_FACETS[facet]) for facet in chosen})


@st.composite
def crowded_events(draw: st.DrawFn) -> Body:
    """Three names that are linked and renamed all the time: one event often has several for the same dataset."""
    inputs = draw(st.lists(crowded_datasets(), max_size=2))
    outputs = draw(st.lists(crowded_datasets(), min_size=1, max_size=4))
    facets = draw(st.sampled_from([{}, {}, build.STREAMING]))
    match draw(st.sampled_from(["job", "dataset", "START", "RUNNING", "COMPLETE", "COMPLETE", "COMPLETE"])):
        case "job":
            body = build.job_event(0, job="j1", inputs=inputs, outputs=outputs, job_facets=facets)
        case "dataset":
            body = build.dataset_event(0, "") | {"dataset": outputs[0]}
        case kind:
            run = draw(st.sampled_from([1, 1, 2]))
            body = build.run_event(kind, 0, job="j1", run=run, inputs=inputs, outputs=outputs, job_facets=facets)
    return body | {"eventTime": build.at(draw(st.sampled_from([1, 1, 2, 3])))}


crowded_histories: st.SearchStrategy[list[Sent]] = st.lists(
    st.builds(Sent, st.just("default"), crowded_events()), min_size=1, max_size=4
)


# Ways to reach a hub


@st.composite
def spellings(draw: st.DrawFn, sent: Sent) -> bytes:
    """The same event in other bytes: key order, white space, escapes, a key that is repeated."""
    return respell(sent.body, random.Random(draw(st.integers(0, 2**16)))).encode()


def respell(value: Json, dice: random.Random) -> str:
    space = dice.choice(["", "", " ", "\n\t"])
    match value:
        case Number():
            return str(value)
        case str():
            return json.dumps(value, ensure_ascii=dice.random() < 0.5)
        case list():
            return "[" + space + f",{space}".join(respell(v, dice) for v in value) + space + "]"
        case dict():
            keys = dice.sample(list(value), len(value))
            pairs = [f"{respell(k, dice)}{space}:{space}{respell(value[k], dice)}" for k in keys]
            if keys and dice.random() < 0.1:  # of a repeated key the last value counts
                pairs.insert(0, f'{json.dumps(keys[-1])}: "an earlier value"')
            return "{" + space + f"{space},".join(pairs) + space + "}"
    return json.dumps(value)


@dataclass(frozen=True)
class Arrival:
    """One request's worth of events for one tenant."""

    tenant: str
    raws: tuple[bytes, ...]


@st.composite
def arrivals(draw: st.DrawFn, history: list[Sent], repeats: bool = True) -> list[Arrival]:
    """A permutation of a history with repeats, some spelled otherwise, cut into batches."""
    again = draw(st.lists(st.sampled_from(history), max_size=len(history))) if repeats else []
    order = draw(st.permutations([*history, *again]))
    requests: list[tuple[str, list[bytes]]] = []
    for sent in order:
        raw = draw(spellings(sent)) if draw(st.booleans()) else sent.raw
        if requests and requests[-1][0] == sent.tenant and draw(st.booleans()):
            requests[-1][1].append(raw)
        else:
            requests.append((sent.tenant, [raw]))
    return [Arrival(tenant, tuple(raws)) for tenant, raws in requests]
