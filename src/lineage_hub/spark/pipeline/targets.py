"""A load enters; the dataset that it writes leaves, under the name that a reader of it will have."""

from __future__ import annotations

from pathlib import Path

from lineage_hub.spark.names import DatasetName, of_jdbc, of_path
from lineage_hub.spark.pipeline.definition import Load


def target_name(load: Load) -> DatasetName:
    if load.url is not None and load.table is not None:
        return of_jdbc(load.url, load.table)
    path = str(load.path)
    # A path without a scheme is a local one, from the folder that the driver runs in.
    return of_path(path if ":" in path.partition("/")[0] else str(Path(path).absolute()))
