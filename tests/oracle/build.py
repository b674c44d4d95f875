"""Short words for events enter; bodies of OpenLineage events, as a producer would send them, leave.

Times are seconds after `ZERO`; datasets are names in the namespace `db`, jobs and runs are short names.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from tests.oracle.events import Taken
from tests.oracle.identity import EPOCH, NS, Json, Number

ZERO = datetime(2026, 1, 1, tzinfo=UTC)
PRODUCER = "https://example.org/producer"
SPEC = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/"
NAMESPACE = "db"
JOBS = "jobs"

Body = dict[str, Json]


def at(seconds: float) -> str:
    return (ZERO + timedelta(seconds=seconds)).isoformat().replace("+00:00", "Z")


def ns(seconds: float) -> int:
    """The same moment in nanoseconds."""
    return (ZERO - EPOCH) // timedelta(microseconds=1) * 1000 + round(seconds * NS)


def run_id(run: int) -> str:
    return f"00000000-0000-4000-8000-{run:012d}"


def facet(**content: Json) -> Body:
    return {"_producer": PRODUCER, "_schemaURL": "https://example.org/facet.json", **content}


TOMBSTONE = facet(_deleted=True)


def dataset(name: str, namespace: str = NAMESPACE, **facets: Json) -> Body:
    return {"namespace": namespace, "name": name, "facets": facets}


def start(seconds: float, **parts: Json) -> Body:
    return run_event("START", seconds, **parts)


def running(seconds: float, **parts: Json) -> Body:
    return run_event("RUNNING", seconds, **parts)


def complete(seconds: float, **parts: Json) -> Body:
    return run_event("COMPLETE", seconds, **parts)


def fail(seconds: float, **parts: Json) -> Body:
    return run_event("FAIL", seconds, **parts)


def abort(seconds: float, **parts: Json) -> Body:
    return run_event("ABORT", seconds, **parts)


def run_event(
    kind: str | None,
    seconds: float,
    job: str = "j",
    run: int = 1,
    inputs: Iterable[str | Body] = (),
    outputs: Iterable[str | Body] = (),
    job_facets: Body | None = None,
    run_facets: Body | None = None,
) -> Body:
    body: Body = {
        "eventTime": at(seconds),
        "producer": PRODUCER,
        "schemaURL": SPEC + "RunEvent",
        "run": {"runId": run_id(run), "facets": run_facets or {}},
        "job": {"namespace": JOBS, "name": job, "facets": job_facets or {}},
        "inputs": _datasets(inputs),
        "outputs": _datasets(outputs),
    }
    return body if kind is None else {"eventType": kind, **body}


def job_event(
    seconds: float,
    job: str = "j",
    inputs: Iterable[str | Body] = (),
    outputs: Iterable[str | Body] = (),
    job_facets: Body | None = None,
) -> Body:
    return {
        "eventTime": at(seconds),
        "producer": PRODUCER,
        "schemaURL": SPEC + "JobEvent",
        "job": {"namespace": JOBS, "name": job, "facets": job_facets or {}},
        "inputs": _datasets(inputs),
        "outputs": _datasets(outputs),
    }


def dataset_event(seconds: float, name: str, namespace: str = NAMESPACE, **facets: Json) -> Body:
    return {
        "eventTime": at(seconds),
        "producer": PRODUCER,
        "schemaURL": SPEC + "DatasetEvent",
        "dataset": dataset(name, namespace, **facets),
    }


def _datasets(given: Iterable[str | Body]) -> list[Body]:
    return [dataset(d) if isinstance(d, str) else d for d in given]


# Facets


def schema(*fields: str) -> Body:
    return facet(fields=[{"name": name, "type": "VARCHAR"} for name in fields])


def columns(**sources: str) -> Body:
    """columns(total="orders.amount orders.tax") of the generation with transformations."""
    return facet(
        fields={
            out: {"inputFields": [_input_field(s, transformations=_direct()) for s in listed.split()]}
            for out, listed in sources.items()
        }
    )


def old_columns(**sources: str) -> Body:
    """The generation before: one transformation for each output field."""
    return facet(
        fields={
            out: {
                "inputFields": [_input_field(s) for s in listed.split()],
                "transformationDescription": "as is",
                "transformationType": "IDENTITY",
            }
            for out, listed in sources.items()
        }
    )


def dataset_columns(*sources: str) -> Body:
    """Fields that the dataset as a whole depends on."""
    indirect = [{"type": "INDIRECT", "subtype": "FILTER", "description": "", "masking": False}]
    return facet(fields={}, dataset=[_input_field(s, transformations=indirect) for s in sources])


def _input_field(source: str, **more: Json) -> Body:
    name, _, field = source.rpartition(".")
    return {"namespace": NAMESPACE, "name": name, "field": field, **more}


def _direct() -> list[Body]:
    return [{"type": "DIRECT", "subtype": "IDENTITY", "description": "", "masking": False}]


def symlinks(**kinds: str) -> Body:
    """symlinks(TABLE="t", LOCATION="l1 l2")"""
    return facet(
        identifiers=[
            {"namespace": NAMESPACE, "name": name, "type": kind}
            for kind, listed in kinds.items()
            for name in listed.split()
        ]
    )


def lifecycle(change: str, previous: str | None = None) -> Body:
    content: Body = {"lifecycleStateChange": change}
    if previous is not None:
        content["previousIdentifier"] = {"namespace": NAMESPACE, "name": previous}
    return facet(**content)


def version(name: str) -> Body:
    return facet(datasetVersion=name)


def parent(job: str, root: str | None = None, run: int = 90) -> Body:
    content: Body = {"run": {"runId": run_id(run)}, "job": {"namespace": JOBS, "name": job}}
    if root is not None:
        content["root"] = {"run": {"runId": run_id(run + 1)}, "job": {"namespace": JOBS, "name": root}}
    return facet(**content)


STREAMING = {"jobType": facet(processingType="STREAMING", integration="FLINK", jobType="JOB")}
BATCH = {"jobType": facet(processingType="BATCH", integration="SPARK", jobType="JOB")}
INFERRED = {"lineageHub_inferred": facet(reason="no event for a day")}


def code(url: str, code_version: str | None = None) -> Body:
    return {"sourceCodeLocation": facet(type="git", url=url, version=code_version)}


# Events as taken


def spelled(body: Json) -> bytes:
    """Key order as built, numbers as written."""
    match body:
        case Number():
            return body.encode()
        case dict():
            return b"{" + b", ".join(spelled(k) + b": " + spelled(v) for k, v in body.items()) + b"}"
        case list():
            return b"[" + b", ".join(spelled(v) for v in body) + b"]"
    return json.dumps(body).encode()


def taken(*bodies: Body, known_at: int = 0, tenant: str = "default") -> list[Taken]:
    return [Taken(tenant, known_at, spelled(body)) for body in bodies]
