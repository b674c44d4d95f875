"""What happened in the bookshop's platform enters, run by run; OpenLineage events leave in sending order.

An event is sent when it happens unless the caller says otherwise: a late one still carries its own time.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from uuid import UUID

from lineage_hub.sample import facets
from lineage_hub.sample.facets import EVENT_SCHEMA, Json
from lineage_hub.sample.tables import Table


@dataclass(frozen=True, slots=True)
class Job:
    producer: str
    namespace: str
    name: str
    facets: Json


@dataclass(frozen=True, slots=True)
class Run:
    job: Job
    id: str
    facets: Json
    root: "Run | None"

    @property
    def named(self) -> tuple[str, str, str]:
        return self.id, self.job.namespace, self.job.name


def written(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def mention(table: Table, producer: str, *, side: str = "", side_facets: Json | None = None, **more: Json) -> Json:
    """A dataset as an event lists it; `side` is "inputFacets" or "outputFacets"."""
    dataset: Json = {
        "namespace": table.namespace,
        "name": table.name,
        "facets": {
            "schema": facets.schema(producer, table.columns),
            "dataSource": facets.data_source(producer, table.namespace),
        }
        | more,
    }
    if side_facets:
        dataset[side] = side_facets
    return dataset


class Diary:
    """Collects events; `rng` makes run ids, durations and row counts, so a seed decides them all."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self._entries: list[tuple[datetime, Json]] = []

    def run(self, job: Job, *, nominal: tuple[datetime, datetime] | None = None, parent: Run | None = None) -> Run:
        run_facets: Json = {}
        if nominal is not None:
            run_facets["nominalTime"] = facets.nominal_time(job.producer, *map(written, nominal))
        root = None
        if parent is not None:
            root = parent.root or parent
            run_facets["parent"] = facets.parent(job.producer, parent.named, root.named)
        return Run(job, str(UUID(int=self.rng.getrandbits(128), version=4)), run_facets, root)

    def seconds(self, around: float) -> timedelta:
        return timedelta(milliseconds=int(around * self.rng.uniform(0.7, 1.5) * 1000))

    def rows(self, around: int) -> int:
        return int(around * self.rng.uniform(0.9, 1.15))

    def tell(
        self,
        kind: str,
        at: datetime,
        run: Run,
        inputs: list[Json] | None = None,
        outputs: list[Json] | None = None,
        *,
        sent_at: datetime | None = None,
        **run_facets: Json,
    ) -> None:
        event: Json = {
            "eventType": kind,
            "eventTime": written(at),
            "run": {"runId": run.id, "facets": run.facets | run_facets},
            "job": {"namespace": run.job.namespace, "name": run.job.name, "facets": run.job.facets},
            "inputs": inputs or [],
            "outputs": outputs or [],
            "producer": run.job.producer,
            "schemaURL": f"{EVENT_SCHEMA}RunEvent",
        }
        self._entries.append((sent_at or at, event))

    def tell_of_dataset(self, at: datetime, producer: str, dataset: Json) -> None:
        event: Json = {"eventTime": written(at), "dataset": dataset, "producer": producer}
        self._entries.append((at, event | {"schemaURL": f"{EVENT_SCHEMA}DatasetEvent"}))

    def tell_of_job(self, at: datetime, job: Job, inputs: list[Json], outputs: list[Json]) -> None:
        event: Json = {
            "eventTime": written(at),
            "job": {"namespace": job.namespace, "name": job.name, "facets": job.facets},
            "inputs": inputs,
            "outputs": outputs,
            "producer": job.producer,
            "schemaURL": f"{EVENT_SCHEMA}JobEvent",
        }
        self._entries.append((at, event))

    def repeat_some(self, count: int) -> None:
        """A sender that saw no answer sends again: the same event, half a minute later."""
        for at, event in self.rng.sample(self._entries, count):
            self._entries.append((at + timedelta(seconds=30), event))

    def in_order_sent(self) -> list[Json]:
        return [event for _, event in sorted(self._entries, key=lambda entry: entry[0])]
