"""A pipeline whose parameters are filled in enters; it runs on Spark, and the state of the run leaves.

Stages are built lazily in the order of their needs; loads move the rows, those that don't wait for each other at the
same time. What a stage's rows turned out to be is known when the first load that reads them has written.
"""

from __future__ import annotations

import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pyspark import inheritable_thread_target
from pyspark.sql import SparkSession

from lineage_hub.errors import RuleBroken, SchemaChanged, StageFailed
from lineage_hub.sdk import outbox, telemetry_outbox
from lineage_hub.sdk.config import get_config
from lineage_hub.sdk.runs import Run
from lineage_hub.sdk.warnings import warn_once
from lineage_hub.spark.jobs import JobStore
from lineage_hub.spark.pipeline import evolution, graph, load
from lineage_hub.spark.pipeline.blame import essence, guilty
from lineage_hub.spark.pipeline.building import MALFORMED, READ, Built, build
from lineage_hub.spark.pipeline.definition import Pipeline
from lineage_hub.spark.pipeline.kept_rows import KeptRows
from lineage_hub.spark.pipeline.progress import Progress
from lineage_hub.spark.pipeline.quality import RuleResult
from lineage_hub.spark.pipeline.quarantine import write_rejects
from lineage_hub.spark.pipeline.remembered import Known, Memory
from lineage_hub.spark.pipeline.spans import run_span
from lineage_hub.spark.pipeline.stage_runs import StageRun
from lineage_hub.spark.pipeline.status import Board, Far, RunStatus, StageStatus
from lineage_hub.spark.pipeline.targets import target_name
from lineage_hub.spark.plan import DatasetName
from lineage_hub.spark.telling import fields_of

_BEAT_S = 1.0
_PATIENCE_S = 0.2


class Executor:
    """One run of one pipeline."""

    def __init__(
        self,
        spark: SparkSession,
        pipeline: Pipeline,
        *,
        run_id: str | None = None,
        state_folder: Path,
        reused: Iterable[str] = (),
        token: str | None = None,
        parameters: dict[str, str] | None = None,
        on_change: Callable[[RunStatus], None] | None = None,
    ) -> None:
        """`reused` are loads of an earlier run that stay as they are; `token` is that run's id, if it is continued."""
        self._spark, self._pipeline = spark, pipeline
        self._namespace = pipeline.namespace or get_config().namespace
        self.run = Run(self._namespace, pipeline.name, outbox.send, run_id)
        self._token = token or self.run.id
        self._reused = frozenset(reused)
        self._memory = Memory(state_folder)
        self._before: dict[DatasetName, Known | None] = {}
        self._jobs = JobStore(spark.sparkContext)
        self._progress = Progress(self._jobs)
        self._views = {name: DatasetName(self._namespace, f"{pipeline.name}.{name}") for name in pipeline.stages}
        self._built: dict[str, Built] = {}
        self._running: dict[str, StageRun] = {}
        self._kept = KeptRows(spark.sparkContext, self._group)
        self._measuring = threading.RLock()
        self._measured: set[str] = set()
        self._cancelled = threading.Event()
        status = RunStatus(
            run_id=self.run.id,
            pipeline=pipeline.name,
            namespace=self._namespace,
            parameters=parameters or {},
            trace_id=self.run.begin_trace().trace_id,
            application_id=str(spark.sparkContext.applicationId),
            stages=[StageStatus(name, stage.kind) for name, stage in pipeline.stages.items()],
        )
        self.board = Board(status, on_change)

    def cancel(self) -> None:
        """Ends what runs; nothing more begins."""
        self._cancelled.set()
        self._cancel_jobs()

    def _cancel_jobs(self) -> None:
        for name in self._pipeline.stages:
            self._spark.sparkContext.cancelJobGroup(self._group(name))

    def execute(self) -> RunStatus:
        """Never raises for what goes wrong in a stage: the status says it."""
        started_ns = time.time_ns()
        self._describe()
        self.board.begin()
        self.run.start()
        over = threading.Event()
        beating = threading.Thread(target=self._beat, args=(over,), name="lineage-hub pipeline", daemon=True)
        beating.start()
        failure: BaseException | None = None
        try:
            self._run_stages()
        except BaseException as error:
            failure = error
        finally:
            over.set()
            beating.join()
        if self._cancelled.is_set():
            failure = Cancelled("the run was cancelled")
        self._end(failure, started_ns)
        if failure is not None and not isinstance(failure, Exception | Cancelled):
            raise failure
        return self.board.snapshot()

    def _describe(self) -> None:
        if self._pipeline.description:
            self.run.describe(self._pipeline.description)
        if self._pipeline.tags:
            self.run.tag(self._pipeline.tags)
        stages = {
            name: {"kind": stage.kind, "reads": graph.reads(name, stage)}
            for name, stage in self._pipeline.stages.items()
        }
        self.run.add_facet("lineageHub_pipeline", {"stages": stages}, of="job")

    def _end(self, failure: BaseException | None, started_ns: int) -> None:
        for name in self.board.names():
            one = self._running.get(name)
            if one is not None and not one.run.ended:
                one.end(self._jobs, self._group(name), Cancelled(f"stopped: {failure}"), "ABORT")
            elif one is None and self.board.state_of(name) == "WAITING":
                self.board.end_stage(name, "REUSED" if name in self._reused else "SKIPPED")
        stage = failure.subject or "" if isinstance(failure, StageFailed) else ""
        told = StageFailed(f"stage {stage}: {failure}", subject=stage) if stage else failure
        telemetry_outbox.send(run_span(self.run, "pipeline", started_ns, told))
        self.run.end(told)
        state = "COMPLETE" if failure is None else "FAIL" if isinstance(failure, Exception) else "ABORT"
        self.board.end(state, str(failure or ""), stage)  # type: ignore[arg-type]
        self._kept.release()

    def _run_stages(self) -> None:
        """Each stage when what it needs is there. After a failure what runs may end, nothing more begins."""
        needs = graph.waits(self._pipeline.stages)
        done = set(self._reused)
        waiting = [name for level in graph.order(self._pipeline) for name in level if name not in self._reused]
        failure: BaseException | None = None
        with ThreadPoolExecutor(max(1, len(waiting)), thread_name_prefix="lineage-hub stage") as threads:
            running: dict[Future[None], str] = {}
            while waiting or running:
                if failure is None and not self._cancelled.is_set():
                    for name in [one for one in waiting if needs[one] <= done]:
                        waiting.remove(name)
                        work = inheritable_thread_target(self._spark)(self._run_stage)
                        running[threads.submit(work, name)] = name
                if not running:
                    break
                ended, _ = wait(running, return_when=FIRST_COMPLETED)
                for one in ended:
                    name = running.pop(one)
                    error = one.exception()
                    if error is None:
                        done.add(name)
                    elif failure is None or isinstance(failure, Cancelled):
                        failure = error
        if failure is not None:
            raise failure

    def _run_stage(self, name: str) -> None:
        stage = self._pipeline.stages[name]
        run = Run(self._namespace, f"{self._pipeline.name}.{name}", outbox.send, parent=self.run)
        if stage.description:
            run.describe(stage.description)
        telling = StageRun(name, stage.kind, run, self.board, telemetry_outbox.send)
        self._running[name] = telling
        self._spark.sparkContext.setJobGroup(self._group(name), f"{self._pipeline.name}.{name}", True)
        telling.start()
        try:
            before = {one: self._built[one] for one in graph.reads(name, stage)}
            built = build(self._spark, name, stage, before, self._views, self._partitions(name))
            self._built[name] = built
            output = target_name(stage.load) if stage.load is not None else self._views[name]
            # Before the hub hears of this run: it is asked how things were.
            self._check_schema(telling, built, output)
            telling.tell_lineage(built, output, fields_of(built.frame), is_view=stage.load is None)
            if self._moves(built):
                self._move(built)
        except BaseException as error:
            failed = self._failure(name, error)
            # Plain, into the driver's log: a prettier one would show values, and with them passwords.
            traceback.print_exception(error, file=sys.stderr)
            blamed = self._running[str(failed.subject)] if isinstance(failed, StageFailed) else telling
            blamed.end(self._jobs, self._group(blamed.name), failed)
            raise failed from error
        if self._moves(built):
            self._complete(built)

    def _move(self, built: Built) -> None:
        """The rows of a load, or of a transform that nothing reads, for the sake of its rules."""
        through = built.all_upstream()
        for one in through:
            if one.stage.cache and len(self._readers(one.name)) > 1:
                self._kept.keep(one)
        if built.stage.load is None:
            built.frame.write.format("noop").mode("overwrite").save()
            self._measure(through, None)
            return
        checked = any(one.can_fail_by_rule for one in through)
        staged = load.prepare(
            self._spark, built.frame, built.stage.load, f"{self._token}-{built.name}", checked=checked
        )
        counted = self._running[built.name].counted
        # A merge of files writes the rows that were there too.
        is_rewritten = built.stage.load.mode == "merge" and built.stage.load.path is not None
        try:
            counted.rows = staged.rows(self._spark).count() if is_rewritten else self._written_rows(built.name)
            self._measure(through, staged)
        except BaseException:
            staged.discard()
            raise
        published = staged.publish()
        counted.bytes, counted.files = published.bytes, published.files

    def _measure(self, through: list[Built], staged: load.Staged | None) -> None:
        """Once for each stage: what its rows turned out to be, and what the rules say to it."""
        # What isn't observed by now never will be: Spark found beforehand that there are no such rows.
        self._jobs.wait_until_told()
        with self._measuring:
            for built in through:
                if built.name not in self._measured:
                    self._measure_one(
                        built, staged if built.name in (through[-1].name, *_source(through[-1])) else None
                    )
                    self._measured.add(built.name)

    def _measure_one(self, built: Built, staged: load.Staged | None) -> None:
        told = self._running[built.name]
        if built.read is not None:
            found = built.read.values(_PATIENCE_S) or built.read.counted()
            told.counted.rejected = int(found.get(MALFORMED) or 0)
            told.counted.rows = int(found.get(READ) or 0) - told.counted.rejected
            if told.counted.rejected and built.extracted is not None:
                self._quarantine(built, built.extracted.rejects())
        results: list[RuleResult] = []
        if built.measured is not None:
            values = built.measured.values(_PATIENCE_S) or built.measured.counted()
            written = staged.rows(self._spark) if staged is not None and built.rules.later_on_kept else None
            after = built.rules.later(written, twice=True) if written is not None else built.rules.later(built.checked)
            known = self._known(self._output(built))
            results = built.rules.results(values, after, known.rows if known else None, datetime.now(UTC))
            told.tell_results(results)
            rejected = built.rules.rejected(values, after)
            told.counted.rejected += rejected
            told.counted.rows = int(values["rows"]) - rejected
            if rejected:
                self._quarantine(built, built.rules.rejects(built.checked))
        broken = [one for one in results if one.severity == "fail" and not one.passed]
        if broken:
            raise RuleBroken(
                "; ".join(one.says for one in broken),
                subject=built.name,
                action="correct the data or the rule; nothing was published",
            )

    def _quarantine(self, built: Built, rejects: Any) -> None:
        folder = built.stage.quarantine or self._pipeline.quarantine
        if folder is None:
            warn_once(
                f"quarantine {built.name}", "%s rejects rows and names no quarantine: they are dropped", built.name
            )
            return
        write_rejects(rejects, folder, built.name, self.run.id, datetime.now(UTC))

    def _check_schema(self, telling: StageRun, built: Built, output: DatasetName) -> None:
        """Of datasets that outlive the run: files and tables that are read, and those that are written."""
        stage = built.stage
        if stage.extract is not None:
            datasets = {one.name: one.fields for one in built.lineage.inputs}
        else:
            datasets = {output: fields_of(built.frame)} if stage.load is not None else {}
        found: list[evolution.Change] = []
        for dataset, after in datasets.items():
            known = self._known(dataset)
            found += evolution.compare(known.fields, after) if known is not None and known.fields else []
        telling.tell_changes(found)
        verdict = evolution.worst(found, stage.evolution)
        if found and verdict.policy == "fail":
            raise SchemaChanged(
                f"the schema has changed: {verdict.says}",
                subject=built.name,
                action="correct the source, or set `evolution: warn` to go on",
            )

    def _known(self, dataset: DatasetName) -> Known | None:
        """What was known before this run told of it."""
        with self._measuring:
            if dataset not in self._before:
                self._before[dataset] = self._memory.recall(*dataset)
            return self._before[dataset]

    def _remember(self, built: Built, rows: int | None) -> None:
        """Of a stage that has ended well, for the next run."""
        if built.stage.extract is not None:
            for one in built.lineage.inputs:
                self._memory.remember(*one.name, one.fields, None)
        self._memory.remember(*self._output(built), fields_of(built.frame), rows)

    def _complete(self, built: Built) -> None:
        """A load, and those before it that no other load is going to read."""
        self._jobs.wait_until_told()
        for one in reversed(built.all_upstream()):
            if all(self._running[name].run.ended for name in self._readers(one.name) if name not in self._reused):
                told = self._running[one.name]
                told.end(self._jobs, self._group(one.name))
                self._remember(one, told.counted.rows)

    def _failure(self, name: str, error: BaseException) -> BaseException:
        """Whose fault it is: rows that fail to be made fail in the load that wants them."""
        if self._cancelled.is_set() or not isinstance(error, Exception):
            return Cancelled(f"cancelled: {error}")
        if isinstance(error, StageFailed):
            return error
        blamed, cause = guilty(self._built.get(name), name, error)
        return StageFailed(essence(cause), subject=blamed, action=getattr(cause, "action", None))

    def _beat(self, over: threading.Event) -> None:
        """Once a second: a sign of life, and how far the stages are."""
        while not over.wait(_BEAT_S):
            try:
                if self._cancelled.is_set():
                    self._cancel_jobs()  # those that have begun since
                self.board.beat(self._how_far())
            except Exception as error:
                warn_once(f"progress {type(error).__name__}", "progress can't be told: %s", error)

    def _how_far(self) -> dict[str, Far]:
        """By stage. Rows move when they are loaded: as far as a load is, so far is what it reads."""
        groups = self._progress.look()
        found: dict[str, Far] = {}
        for name, built in tuple(self._built.items()):
            far = groups.get(self._group(name))
            if far is not None and self._moves(built):
                found |= {one.name: Far(far.percent, None) for one in built.all_upstream()} | {name: far}
        return found

    def _written_rows(self, name: str) -> int | None:
        """As Spark counted them while they were written."""
        self._jobs.wait_until_told()
        stages = [stage for job in self._jobs.of_group(self._group(name), times=False) for stage in job.stages]
        return sum(one.records_out for one in stages if one.state == "COMPLETE") or None

    def _output(self, built: Built) -> DatasetName:
        return target_name(built.stage.load) if built.stage.load is not None else self._views[built.name]

    def _readers(self, name: str) -> list[str]:
        return [other for other, stage in self._pipeline.stages.items() if name in graph.reads(other, stage)]

    def _partitions(self, name: str) -> list[str]:
        """What its rows are written by, if one load writes them as they are to files and nobody else reads them."""
        last = [name] if self._pipeline.stages[name].load is not None else self._readers(name)
        target = self._pipeline.stages[last[0]].load if len(last) == 1 else None
        if target is None or target.path is None or target.format == "delta" or target.mode == "merge":
            return []
        return target.partition_by or []

    def _moves(self, built: Built) -> bool:
        """Whether its rows are asked for, and with them those of all stages before it."""
        return built.stage.load is not None or not self._readers(built.name)

    def _group(self, name: str) -> str:
        return f"{self.run.id}:{name}"


class Cancelled(BaseException):
    """The run was told to stop: its runs end with ABORT."""


def _source(built: Built) -> list[str]:
    load_ = built.stage.load
    return [load_.from_] if load_ is not None else []
