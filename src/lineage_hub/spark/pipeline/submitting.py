"""A run's folder enters; its driver, a process of its own under spark-submit, is started and leaves as its handle."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from shutil import which

from lineage_hub.errors import ExtraMissing, InvalidSetting
from lineage_hub.spark.pipeline.definition import Pipeline
from lineage_hub.spark.pipeline.run_folder import RunFolder
from lineage_hub.spark.requirements import required_conf


def submit(
    folder: RunFolder,
    pipeline: Pipeline,
    *,
    master: str | None = None,
    environment: Mapping[str, str] | None = None,
) -> subprocess.Popen[bytes]:
    """Returns at once; the driver tells of itself in the folder, and lives on when we end."""
    command = [str(spark_submit()), "--master", master or "local[*]", "--name", pipeline.name]
    # Jars are fetched before the driver's Python starts, so that it may ask for them.
    command += [part for name, value in required_conf(pipeline).items() for part in ("--conf", f"{name}={value}")]
    command += [str(Path(__file__).with_name("driver.py")), str(folder.path)]
    given = dict(os.environ if environment is None else environment)
    # The driver's Python is ours, with what is installed there; workers need the same version.
    given.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
    given.setdefault("PYSPARK_PYTHON", sys.executable)
    with folder.log.open("ab") as log:
        started = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, env=given, start_new_session=True
        )
    folder.keep_pid(started.pid)
    return started


def spark_submit() -> Path:
    """Of pyspark, unless SPARK_HOME names another Spark."""
    check_java()
    home = os.environ.get("SPARK_HOME")
    if home:
        return Path(home) / "bin" / "spark-submit"
    spec = find_spec("pyspark")
    if spec is None or spec.origin is None:
        raise ExtraMissing.of("spark", "a pipeline")
    return Path(spec.origin).with_name("bin") / "spark-submit"


def check_java() -> None:
    home = os.environ.get("JAVA_HOME")
    if (home and (Path(home) / "bin" / "java").exists()) or which("java"):
        return
    raise InvalidSetting(
        "Spark needs Java 17 or newer, and there is no `java`",
        subject="java",
        action="install it (Debian: apt-get install openjdk-17-jre-headless), or set JAVA_HOME",
    )
