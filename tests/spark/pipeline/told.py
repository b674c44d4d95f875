"""A pipeline runs against a real hub and a recording receiver of OTLP; what they were told leaves, for tests."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
from pyspark.sql import SparkSession

from lineage_hub.sdk import configure, flush, reset_config, telemetry_outbox
from lineage_hub.spark.pipeline.executor import Executor
from lineage_hub.spark.pipeline.parameters import resolve
from lineage_hub.spark.pipeline.reading import read_pipeline
from lineage_hub.spark.pipeline.status import RunStatus, StageStatus
from tests.transports.recorder import Recorder

WAIT_S = 60.0
OnChange = Callable[[RunStatus], None]


@dataclass
class Told:
    """What came of the runs of one test."""

    spark: SparkSession
    url: str
    receiver: Recorder
    folder: Path
    statuses: list[RunStatus] = field(default_factory=list)

    def run(self, definition: str, **parameters: str) -> RunStatus:
        return self.execute(self.executor(definition, **parameters))

    def executor(
        self, definition: str, reused: tuple[str, ...] = (), on_change: OnChange | None = None, **parameters: str
    ) -> Executor:
        given = {"at": str(self.folder), **parameters}
        pipeline = resolve(read_pipeline(definition), given, {})
        return Executor(
            self.spark,
            pipeline,
            state_folder=self.folder / "state",
            reused=reused,
            on_change=on_change or self.statuses.append,
        )

    def execute(self, executor: Executor) -> RunStatus:
        status = executor.execute()
        assert flush(WAIT_S)
        return status

    def ask(self, path: str, **question: str) -> dict[str, Any]:
        answer = httpx.get(f"{self.url}/api/v1{path}", params=question, timeout=30)
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def run_of(self, run_id: str) -> dict[str, Any]:
        return self.ask(f"/jobs/runs/{run_id}")

    def origins(self, path: str, column: str) -> set[tuple[str, str]]:
        """Every column upstream, as (last part of the dataset's name, field)."""
        answer = self.ask("/column-lineage", nodeId=f"datasetField:file:{self.folder / path}:{column}", depth="50")
        found = {(one["data"]["dataset"], one["data"]["field"]) for one in answer["graph"]}
        return {(name.removeprefix(f"{self.folder}/"), field) for name, field in found}

    def runs(self) -> list[dict[str, Any]]:
        """All runs of all jobs."""
        jobs = self.ask("/jobs", limit="1000")["jobs"]
        found = []
        for job in jobs:
            where = f"/namespaces/{quote(job['namespace'], safe='')}/jobs/{quote(job['name'], safe='')}/runs"
            found += [{**run, "job": job["name"]} for run in self.ask(where, limit="1000")["runs"]]
        return found

    def spans(self) -> list[dict[str, Any]]:
        bodies = [json.loads(one.body) for one in self.receiver.requests if one.path == "/v1/traces"]
        return [
            {**span, "attributes": {one["key"]: _value(one["value"]) for one in span["attributes"]}}
            for body in bodies
            for resource in body["resourceSpans"]
            for scope in resource["scopeSpans"]
            for span in scope["spans"]
        ]

    def metrics(self) -> list[dict[str, Any]]:
        bodies = [json.loads(one.body) for one in self.receiver.requests if one.path == "/v1/metrics"]
        return [
            metric
            for body in bodies
            for resource in body["resourceMetrics"]
            for scope in resource["scopeMetrics"]
            for metric in scope["metrics"]
        ]


def _value(told: dict[str, Any]) -> Any:
    kind, value = next(iter(told.items()))
    return int(value) if kind == "intValue" else value


def stage(status: RunStatus, name: str) -> StageStatus:
    return next(one for one in status.stages if one.name == name)


@contextmanager
def telling(spark: SparkSession, url: str, folder: Path, monkeypatch: Any) -> Iterator[Told]:
    with Recorder(lambda _: (200, {}, b"{}")) as receiver:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.url)
        configure(hub_endpoint=url, namespace="tests", spool_folder=str(folder / "spool"), flush_interval=0.2)
        try:
            yield Told(spark, url, receiver, folder)
        finally:
            assert telemetry_outbox.close(WAIT_S)
            reset_config()
