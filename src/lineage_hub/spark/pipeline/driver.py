"""A run's folder enters on the command line; the pipeline in it runs."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lineage_hub.spark.pipeline.definition import Pipeline
    from lineage_hub.spark.pipeline.run_folder import Asked, RunFolder
    from lineage_hub.spark.pipeline.status import RunStatus

# Events that don't get through in this time wait in the spool; spans are given up.
_EVENTS_S, _SPANS_S = 10.0, 5.0


def main(folder: RunFolder) -> int:
    """0 complete, 1 failed, 3 cancelled."""
    from lineage_hub.errors import LineageHubError
    from lineage_hub.sdk import outbox, telemetry_outbox
    from lineage_hub.spark.pipeline.parameters import resolve
    from lineage_hub.spark.pipeline.reading import read_pipeline

    asked = folder.asked()
    if asked.folder:
        os.chdir(asked.folder)
    try:
        pipeline = resolve(read_pipeline(asked.definition), asked.parameters, os.environ)
        if asked.confined is not None:
            pipeline = _confined(pipeline, asked)
        status = _run(folder, pipeline)
    except LineageHubError as error:
        told = folder.status()
        told.state, told.error = "FAIL", error.message
        folder.tell(told)
        sys.stderr.write(f"{error.message}\n{error.action or ''}\n")
        return 1
    finally:
        outbox.flush(_EVENTS_S)
        telemetry_outbox.flush(_SPANS_S)
    return {"COMPLETE": 0, "ABORT": 3}.get(status.state, 1)


def _confined(pipeline: Pipeline, asked: Asked) -> Pipeline:
    """Once more here: a link may have been moved since the run was asked for."""
    from lineage_hub.spark.pipeline.confinement import confine

    allowed = dict(asked.confined or {})
    roots = [Path(one) for one in allowed.pop("roots")]
    return confine(pipeline, roots, base=Path(asked.folder) if asked.folder else None, **allowed)


def _run(folder: RunFolder, pipeline: Pipeline) -> RunStatus:
    from lineage_hub.spark.pipeline.executor import Executor
    from lineage_hub.spark.pipeline.reruns import loads_to_keep
    from lineage_hub.spark.pipeline.run_folder import RunFolders
    from lineage_hub.spark.session import session

    asked = folder.asked()
    before = RunFolders(folder.path.parent).find(asked.continues).status().stages if asked.continues else []
    finished = [one.name for one in before if one.kind == "load" and one.state in ("COMPLETE", "REUSED")]
    spark = session(pipeline)
    executor = Executor(
        spark,
        pipeline,
        run_id=asked.run_id,
        state_folder=folder.path.parent.parent / "state",
        reused=loads_to_keep(pipeline, asked.from_stage, finished),
        token=asked.continues,
        parameters=asked.parameters,
        on_change=folder.tell,
    )
    signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=executor.cancel, daemon=True).start())
    over = threading.Event()
    threading.Thread(target=_watch, args=(folder, executor.cancel, over), daemon=True).start()
    try:
        return executor.execute()
    finally:
        over.set()
        spark.stop()


def _watch(folder: RunFolder, cancel: Callable[[], None], over: threading.Event) -> None:
    while not over.wait(0.5):
        if folder.is_cancelled:
            cancel()
            return


if __name__ == "__main__":
    # First of all: the JVM takes a second or two to come up, in which the rest is loaded. Whoever asks for a session
    # waits for it. It must not load modules of pyspark itself: two threads that do see each other's half-made ones.
    from pyspark import SparkContext

    threading.Thread(target=SparkContext._ensure_initialized, name="jvm").start()
    from lineage_hub.spark.pipeline.run_folder import RunFolder

    sys.exit(main(RunFolder(Path(sys.argv[1]))))
