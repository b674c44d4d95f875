"""A pipeline enters; the jars and settings that its formats need of Spark leave.

Without pyspark, which is slow to load: who only starts a driver doesn't need it.
"""

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


def _places(pipeline: Pipeline) -> list[Extract | Load]:
    return [part for stage in pipeline.stages.values() if (part := stage.extract or stage.load) is not None]


def _uses_delta(pipeline: Pipeline) -> bool:
    return any(part.format == "delta" for part in _places(pipeline))


def _artifact(coordinates: str) -> str:
    return coordinates.rpartition(":")[0]
