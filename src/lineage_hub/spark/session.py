"""A pipeline enters; a Spark session that has what its formats need leaves, the running one if there is one."""

import os
import sys
import tempfile

from pyspark.sql import SparkSession

from lineage_hub.spark.pipeline.definition import Extract, Load, Pipeline
from lineage_hub.spark.pipeline.options import as_texts

DELTA_PACKAGE = "io.delta:delta-spark_2.13:4.0.1"
POSTGRES_PACKAGE = "org.postgresql:postgresql:42.7.7"
_EXTENSIONS = "spark.sql.extensions"
_DELTA_EXTENSION = "io.delta.sql.DeltaSparkSessionExtension"
_DELTA_CATALOG = {"spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog"}
_DEFAULTS = {
    "spark.ui.enabled": "false",
    "spark.sql.adaptive.enabled": "true",
    # A time without a zone means the same on every machine.
    "spark.sql.session.timeZone": "UTC",
    # Spark 4 reads files in seven encodings unless it is told that Java knows more, such as cp1252.
    "spark.sql.legacy.javaCharsets": "true",
}


def required_packages(pipeline: Pipeline) -> list[str]:
    """Maven coordinates for `--packages`; of two versions of one package the pipeline's own counts."""
    parts = _places(pipeline)
    needed = [
        *([DELTA_PACKAGE] if _uses_delta(pipeline) else []),
        *([POSTGRES_PACKAGE] if any((part.url or "").startswith("jdbc:postgresql:") for part in parts) else []),
    ]
    chosen = {_artifact(one): one for one in [*needed, *pipeline.spark.packages]}
    return list(chosen.values())


def required_conf(pipeline: Pipeline) -> dict[str, str]:
    """What the session is made with; the pipeline's own values count before the defaults."""
    given = as_texts(pipeline.spark.conf)
    conf = {**_DEFAULTS, **(_DELTA_CATALOG if _uses_delta(pipeline) else {}), **given}
    if _uses_delta(pipeline) and _DELTA_EXTENSION not in conf.get(_EXTENSIONS, ""):
        conf[_EXTENSIONS] = ",".join(filter(None, [conf.get(_EXTENSIONS), _DELTA_EXTENSION]))
    packages = [*filter(None, given.get("spark.jars.packages", "").split(",")), *required_packages(pipeline)]
    if packages:
        conf["spark.jars.packages"] = ",".join(dict.fromkeys(packages))
    return conf


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


def _places(pipeline: Pipeline) -> list[Extract | Load]:
    return [part for stage in pipeline.stages.values() if (part := stage.extract or stage.load) is not None]


def _uses_delta(pipeline: Pipeline) -> bool:
    return any(part.format == "delta" for part in _places(pipeline))


def _artifact(coordinates: str) -> str:
    return coordinates.rpartition(":")[0]
