"""What was made of all programs of a scan enters with all that decided it; it leaves again while none of that changed.

Which tables the catalog is asked for is kept apart: what it answers has a say in the rest.
"""

from __future__ import annotations

import gc
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

import msgspec

from lineage_hub import __version__, sdk
from lineage_hub.connectors.databricks.cache import Cache
from lineage_hub.connectors.databricks.config import ScanConfig
from lineage_hub.connectors.databricks.lineage import Facets, ToldJob
from lineage_hub.connectors.databricks.names import DatasetName
from lineage_hub.connectors.databricks.programs import Work
from lineage_hub.connectors.databricks.reading import Problem
from lineage_hub.connectors.databricks.report import Finding, Report

_KIND = "outcomes"
_Datasets = list[tuple[str, str, Facets]]


class _Job(msgspec.Struct, array_like=True):
    namespace: str
    name: str
    facets: Facets
    inputs: _Datasets
    outputs: _Datasets
    modified_at: int
    flow: str
    work: int
    digest: str


class _Kept(msgspec.Struct, array_like=True):
    programs: int
    tables: int
    findings: list[tuple[str, str, int, str, str, str, str, float, tuple[str, ...]]]
    problems: list[tuple[int, str, str]]
    jobs: list[_Job]


class Memo:
    """Of one scan. `readings` are the keys of what is read, with the name of the work and the time of each."""

    def __init__(
        self, cache: Cache, config: ScanConfig, works: Sequence[Work], readings: Iterable[tuple[str, str, int]]
    ):
        self._cache, self._works = cache, works
        settings = (config.resolved_namespace, config.clusters, config.default_cluster, config.include_kafka_lineage)
        digest = hashlib.sha256(f"{_version()} {settings!r}".encode())
        for work in works:
            digest.update(repr(work).encode(errors="surrogatepass"))
        for key, work_name, modified_at in readings:
            digest.update(f"{key} {work_name!r} {modified_at} ".encode())
        self._key = digest.hexdigest()

    def table_names(self) -> list[str] | None:
        kept = self._cache.blob("tables", self._key)
        return None if kept is None else msgspec.msgpack.decode(kept, type=list[str])

    def keep_table_names(self, names: list[str]) -> None:
        self._cache.keep_blob("tables", self._key, msgspec.msgpack.encode(names))

    def outcome(self, facts: object) -> Report | None:
        """`facts` is what the workspace says of tables and folders. Names for runs are not among what is kept."""
        kept = self._cache.blob(_KIND, self._with(facts))
        if kept is None:
            return None
        with _only_building():
            try:
                found = msgspec.msgpack.decode(kept, type=_Kept)
            except msgspec.MsgspecError:
                return None
            return Report(
                programs=found.programs,
                tables=found.tables,
                findings=[Finding(*one) for one in found.findings],
                problems=[Problem(*one) for one in found.problems],
                jobs=[self._job(one) for one in found.jobs],
            )

    def keep(self, facts: object, report: Report) -> None:
        numbers = {id(work): at for at, work in enumerate(self._works)}
        findings = [
            (one.work, one.path, one.line, one.kind, one.source, one.place, one.target, one.confidence, one.unresolved)
            for one in report.findings
        ]
        jobs = [
            _Job(
                one.namespace, one.name, one.facets, _listed(one.inputs), _listed(one.outputs), one.modified_at,
                one.flow, numbers.get(id(one.work), -1), one.digest(),
            )
            for one in report.jobs
        ]  # fmt: skip
        problems = [(one.line, one.reason, one.path) for one in report.problems]
        kept = _Kept(report.programs, report.tables, findings, problems, jobs)
        self._cache.keep_blob(_KIND, self._with(facts), msgspec.msgpack.encode(kept))

    def _with(self, facts: object) -> str:
        return self._key + hashlib.sha256(msgspec.json.encode(facts, order="deterministic")).hexdigest()

    def _job(self, one: _Job) -> ToldJob:
        return ToldJob(
            one.namespace,
            one.name,
            one.facets,
            {DatasetName(namespace, name): facets for namespace, name, facets in one.inputs},
            {DatasetName(namespace, name): facets for namespace, name, facets in one.outputs},
            one.modified_at,
            one.flow,
            self._works[one.work] if one.work >= 0 else None,
            one.digest,
        )


def _listed(datasets: dict[DatasetName, Facets]) -> _Datasets:
    return [(name.namespace, name.name, facets) for name, facets in datasets.items()]


@contextmanager
def _only_building() -> Iterator[None]:
    """Of all that is built here nothing is garbage: to look for it takes as long as the building.

    Nobody looks at it afterwards either, until the next time: what was garbage then is found after all.
    """
    looks = gc.isenabled()
    gc.unfreeze()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if looks:
            gc.enable()


@lru_cache(maxsize=1)
def _version() -> str:
    """A digest of everything that has a say in what is told of a reading: facets name the version that made them."""
    digest = hashlib.sha256(__version__.encode())
    for path in sorted([*Path(__file__).parent.glob("*.py"), *Path(sdk.__file__).parent.glob("*.py")]):
        digest.update(path.read_bytes())
    return digest.hexdigest()
