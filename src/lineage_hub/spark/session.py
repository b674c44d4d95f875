"""A pipeline enters; a Spark session that has what its formats need leaves, the running one if there is one."""

import os
import sys
import tempfile

from pyspark.sql import SparkSession

from lineage_hub.spark.pipeline.definition import Pipeline
from lineage_hub.spark.requirements import required_conf


def session(pipeline: Pipeline, *, master: str | None = None) -> SparkSession:
    """Without `master`, what spark-submit or its defaults say; a session that is running is taken as it is."""
    running = SparkSession.getActiveSession()
    if running is not None:
        return running
    if "PYSPARK_GATEWAY_PORT" not in os.environ and (master is None or master.startswith("local")):
        # Python functions run in this environment, not in whichever python3 comes first.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName(pipeline.name)
    if master is not None:
        builder = builder.master(master)
    for name, value in required_conf(pipeline).items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def quiet_session(pipeline: Pipeline) -> SparkSession:
    """For a person who asked for something else than Spark's log: it is shown only if no session comes of it."""
    sys.stderr.flush()
    shown = os.dup(2)
    with tempfile.TemporaryFile() as log:
        # The JVM keeps what is its stderr at the start.
        os.dup2(log.fileno(), 2)
        try:
            return session(pipeline)
        except BaseException:
            log.seek(0)
            os.write(shown, log.read())
            raise
        finally:
            os.dup2(shown, 2)
            os.close(shown)
