"""Words that the tests of loads share: a load of rows into a place, and what is there afterwards."""

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from lineage_hub.spark.pipeline.definition import Load
from lineage_hub.spark.pipeline.load import Published, Staged, prepare

SCHEMA = "id INT, v STRING"


def load_of(format: str, mode: str = "overwrite", **more: Any) -> Load:
    path = more.get("path")
    return Load.model_validate(
        {"from": "rows", "format": format, "mode": mode, **more, **({"path": str(path)} if path is not None else {})}
    )


def staged(
    spark: SparkSession,
    rows: Sequence[tuple[Any, ...]] | DataFrame,
    load: Load,
    token: str,
    schema: str = SCHEMA,
    checked: bool = True,
) -> Staged:
    frame = rows if isinstance(rows, DataFrame) else spark.createDataFrame(rows, schema)
    return prepare(spark, frame, load, token, checked=checked)


def loaded(spark: SparkSession, rows: Any, load: Load, token: str, schema: str = SCHEMA) -> Published:
    return staged(spark, rows, load, token, schema).publish()


def rows_in(spark: SparkSession, format: str, path: Path, schema: str = SCHEMA) -> list[tuple[Any, ...]]:
    """Read by Spark alone, as any other program would."""
    reader = spark.read.format("json" if format == "ndjson" else format)
    if format != "delta":
        reader = reader.schema(schema).option("header", True).option("escape", '"')
    names = [field.split()[0] for field in schema.split(", ")]
    return sorted(tuple(row) for row in reader.load(str(path)).select(*names).collect())


def beside(path: Path) -> list[str]:
    """What is in the folder above, other than the target."""
    return [one.name for one in path.parent.iterdir() if one.name != path.name]


@contextmanager
def mounted(folder: Path, options: str) -> Iterator[Path]:
    """A filesystem in memory."""
    if os.geteuid() != 0:
        pytest.fail("a filesystem can only be mounted by root: run `sudo make test`, or run it in a container")
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], check=True)
    try:
        yield folder
    finally:
        # Spark may still hold a file that it couldn't write.
        subprocess.run(["umount", "--lazy", str(folder)], check=True)
