"""A run's folder enters; its driver, a process of its own, is started and leaves as its handle.

The driver is a Python that has spark-submit start Spark's JVM, rather than one that spark-submit starts: so the JVM
comes up while the driver loads what it needs. When the driver dies, however that is, the JVM ends with it.
"""

from __future__ import annotations

import os
import shlex
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
    check_java()
    given = dict(os.environ if environment is None else environment)
    # Jars are fetched as the JVM starts, before the driver asks for what is in them.
    conf = [part for name, value in required_conf(pipeline).items() for part in ("--conf", f"{name}={value}")]
    asked = ["--master", master or "local[*]", "--name", pipeline.name, *conf, "pyspark-shell"]
    given["PYSPARK_SUBMIT_ARGS"] = shlex.join(asked)
    if given.get("SPARK_HOME"):
        # Of a Spark that was installed by itself: its Python part is the one that fits its JVM.
        home = Path(given["SPARK_HOME"]) / "python"
        parts = [str(home), *map(str, (home / "lib").glob("py4j-*.zip")), given.get("PYTHONPATH", "")]
        given["PYTHONPATH"] = os.pathsep.join(filter(None, parts))
    elif find_spec("pyspark") is None:
        raise ExtraMissing.of("spark", "a pipeline")
    # Workers need the same version of Python as the driver, which is ours, with what is installed here.
    python = given.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
    given.setdefault("PYSPARK_PYTHON", sys.executable)
    command = [python, "-P", "-m", "lineage_hub.spark.pipeline.driver", str(folder.path)]
    with folder.log.open("ab") as log:
        started = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, env=given, start_new_session=True
        )
    folder.keep_pid(started.pid)
    return started


def check_java() -> None:
    home = os.environ.get("JAVA_HOME")
    if (home and (Path(home) / "bin" / "java").exists()) or which("java"):
        return
    raise InvalidSetting(
        "Spark needs Java 17 or newer, and there is no `java`",
        subject="java",
        action="install it (Debian: apt-get install openjdk-17-jre-headless), or set JAVA_HOME",
    )
