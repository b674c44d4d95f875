"""The files of a source enter; their first bytes leave, decompressed, from any filesystem that Spark reads."""

import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from pyspark.sql import SparkSession

from lineage_hub.spark.jvm import HADOOP_PATH, java_class

HEAD_BYTES = 256 << 10
# Thousands of long column names; what has no line break in this much isn't a table.
LONGEST_HEAD_BYTES = 16 << 20
_COMPRESSED = (".gz", ".bz2", ".deflate", ".lz4", ".snappy", ".zst")


def read_heads(spark: SparkSession, files: Sequence[str]) -> list[bytes]:
    """Of each file as far as the first line goes at least; `files` as `DataFrame.inputFiles` tells them."""
    conf = spark._jsparkSession.sessionState().newHadoopConf()

    def head(file: str) -> bytes:
        read = _read_here if is_here(file) else lambda *asked: _read_by_hadoop(spark, conf, *asked)
        found = read(file, HEAD_BYTES)
        return found if len(found) < HEAD_BYTES or b"\n" in found else read(file, LONGEST_HEAD_BYTES)

    if all(map(is_here, files)):
        return [head(file) for file in files]
    with ThreadPoolExecutor(max_workers=16) as pool:
        return list(pool.map(head, files))


def is_here(file: str) -> bool:
    return urlsplit(file).scheme in ("", "file") and not file.endswith(_COMPRESSED)


def as_path(file: str) -> str:
    """Spark tells files as URIs."""
    return unquote(re.sub(r"^file:/+", "/", file))


def as_pattern(file: str) -> str:
    """A path that Spark's reader takes for this file alone."""
    return re.sub(r"([*?\[\]{}\\])", r"\\\1", as_path(file))


def _read_here(file: str, size: int) -> bytes:
    with Path(unquote(urlsplit(file).path)).open("rb") as opened:
        return opened.read(size)


def _read_by_hadoop(spark: SparkSession, conf: Any, file: str, size: int) -> bytes:
    path = java_class(spark, HADOOP_PATH)(java_class(spark, "java.net.URI")(file))
    streams = java_class(spark, "org.apache.spark.sql.execution.datasources.CodecStreams")
    stream = streams.createInputStream(conf, path)
    try:
        return bytes(stream.readNBytes(size))
    finally:
        stream.close()
