"""A target folder enters; a staging folder beside it and the steps by which staged files become the target leave."""

import json
from collections.abc import Mapping
from typing import Protocol
from urllib.parse import unquote

from pyspark.sql import SparkSession

from lineage_hub.errors import TargetUnwritable
from lineage_hub.spark.pipeline.definition import Format, Load

# Hidden from Spark, pandas and Arrow; says which loads the folder holds.
MARKER = ".lineage-hub"
# A load is tried again soon or never.
KEPT_TOKENS = 1000
_SIDE_FILES = {"_SUCCESS", "_metadata", "_common_metadata", MARKER, f".{MARKER}.crc"}
_SUFFIXES: Mapping[Format, tuple[str, ...]] = {
    "csv": (".csv",),
    "json": (".json", ".ndjson", ".jsonl"),
    "ndjson": (".json", ".ndjson", ".jsonl"),
    "parquet": (".parquet",),
}


class Folder(Protocol):
    """A target on one kind of filesystem, with its staging folder."""

    def begin(self) -> None:
        """Removes what killed runs left, repairs what they broke, and makes the staging folder."""

    def place(self, part: str) -> str:
        """Of a part of the staging folder, for Spark."""

    def target(self) -> str:
        """For Spark."""

    def holds(self, name: str) -> bool:
        """Whether the target has a file or folder of that name."""

    def files(self) -> dict[str, int]:
        """Of the target, by relative path, with sizes; empty when nothing is there."""

    def staged_files(self, part: str) -> dict[str, int]: ...

    def tokens(self) -> list[str]:
        """Of the loads that the target holds, the last at the end."""

    def replace(self, part: str, tokens: list[str], seen: dict[str, int] | None) -> None:
        """The part becomes the target. `seen`: only if the target still has these files."""

    def add(self, part: str, token: str) -> None:
        """The part's files join those of the target."""

    def end(self) -> None:
        """Removes the staging folder."""


def folder_at(spark: SparkSession, load: Load, token: str) -> Folder:
    from lineage_hub.spark.pipeline.load.hadoop_folder import HadoopFolder, filesystem
    from lineage_hub.spark.pipeline.load.local_folder import LocalFolder

    path = load.path or ""
    found, of_hadoop = filesystem(spark, path)
    if found.getScheme() == "file":
        return LocalFolder(unquote(of_hadoop.toUri().getRawPath()), token)
    return HadoopFolder(spark, found, of_hadoop, token)


def data_files(files: Mapping[str, int]) -> dict[str, int]:
    return {name: size for name, size in files.items() if not name.rsplit("/", 1)[-1].startswith((".", "_"))}


def check_ours(path: str, files: Mapping[str, int], format: Format) -> None:
    """A folder is replaced only if it holds nothing but data of the format."""
    for name in files:
        if not _is_data(name, format):
            raise TargetUnwritable(
                f"{path} holds {name}, which is no {format}: the folder is left as it is",
                subject=path,
                action="load into a folder of its own, or take the other files away",
            )


def _is_data(name: str, format: Format) -> bool:
    *folders, file = name.split("/")
    if any("=" not in one for one in folders):
        return False
    if file in _SIDE_FILES or (file.startswith(".") and file.endswith(".crc")):
        return True
    return not file.startswith((".", "_")) and any(suffix in file for suffix in _SUFFIXES[format])


def marker_of(tokens: list[str]) -> bytes:
    return json.dumps({"loads": tokens[-KEPT_TOKENS:]}).encode()


def tokens_in(marker: bytes) -> list[str]:
    try:
        return [str(one) for one in json.loads(marker)["loads"]]
    except (ValueError, KeyError, TypeError):
        return []
