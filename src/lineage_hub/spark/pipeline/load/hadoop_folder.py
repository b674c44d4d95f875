"""A target on any filesystem that Hadoop knows enters; its files are replaced or added to by renames.

No such filesystem exchanges two folders in one step: `promise` tells what a reader may see.
"""

from typing import Any

from pyspark.sql import SparkSession

from lineage_hub.errors import Conflict, TargetUnwritable
from lineage_hub.spark.jvm import HADOOP_PATH, java_class
from lineage_hub.spark.pipeline.load.folder import MARKER, marker_of, tokens_in
from lineage_hub.spark.pipeline.load.staged import short

_OLD = "old"


def filesystem(spark: SparkSession, path: str) -> tuple[Any, Any]:
    """Hadoop's filesystem of a path, and the path in full."""
    of_hadoop = java_class(spark, HADOOP_PATH)(path)
    found = of_hadoop.getFileSystem(spark._jsparkSession.sessionState().newHadoopConf())
    return found, found.makeQualified(of_hadoop)


class HadoopFolder:
    """`Folder` by Hadoop's FileSystem."""

    def __init__(self, spark: SparkSession, found: Any, path: Any, token: str) -> None:
        self._spark = spark
        self._fs = found
        self._target = path
        self._prefix = f".{path.getName()}.lineage-hub-"
        self._mark = short(token)
        self._staging = self._path(path.getParent(), self._prefix + self._mark)

    def begin(self) -> None:
        if self._fs.exists(self._target) and not self._fs.getFileStatus(self._target).isDirectory():
            raise TargetUnwritable(
                f"{self._target} is a file, a folder is needed",
                subject=str(self._target),
                action="load into another path, or take the file away",
            )
        self._fs.mkdirs(self._target.getParent())
        for status in self._fs.listStatus(self._target.getParent()):
            left = status.getPath()
            if left.getName().startswith(self._prefix):
                self._remove_left(left)
        self._fs.mkdirs(self._staging)

    def place(self, part: str) -> str:
        return str(self._path(self._staging, part).toString())

    def target(self) -> str:
        return str(self._target.toString())

    def holds(self, name: str) -> bool:
        return bool(self._fs.exists(self._path(self._target, name)))

    def files(self) -> dict[str, int]:
        return self._sizes(self._target)

    def staged_files(self, part: str) -> dict[str, int]:
        return self._sizes(self._path(self._staging, part))

    def tokens(self) -> list[str]:
        marker = self._path(self._target, MARKER)
        if not self._fs.exists(marker):
            return []
        stream = self._fs.open(marker)
        try:
            return tokens_in(bytes(stream.readAllBytes()))
        finally:
            stream.close()

    def replace(self, part: str, tokens: list[str], seen: dict[str, int] | None) -> None:
        new = self._path(self._staging, part)
        self._write_marker(new, tokens)
        if seen is not None and seen != self.files():
            raise Conflict(
                f"{self._target} was changed while rows were merged with it",
                subject=str(self._target),
                action="run again",
            )
        old = self._path(self._staging, _OLD)
        if self._fs.exists(self._target):
            self._rename(self._target, old)
        try:
            self._rename(new, self._target)
        except Exception:
            if self._fs.exists(old):
                self._rename(old, self._target)
            raise

    def add(self, part: str, token: str) -> None:
        """One file after the other; the load's mark is in their names, so that a repeat finds those of a killed run."""
        for name in self.files():
            if self._mark in name.rsplit("/", 1)[-1]:
                self._fs.delete(self._path(self._target, name), False)
        for name in self.staged_files(part):
            folder, _, file = name.rpartition("/")
            if file.startswith(("_", ".")):
                continue
            into = self._path(self._target, folder) if folder else self._target
            self._fs.mkdirs(into)
            self._rename(self._path(self._path(self._staging, part), name), self._path(into, f"{self._mark}-{file}"))
        self._write_marker(self._target, [*self.tokens(), token])

    def end(self) -> None:
        self._fs.delete(self._staging, True)

    def _remove_left(self, left: Any) -> None:
        old = self._path(left, _OLD)
        # Killed between the two renames.
        if self._fs.exists(old) and not self._fs.exists(self._target):
            self._rename(old, self._target)
        self._fs.delete(left, True)

    def _rename(self, one: Any, other: Any) -> None:
        if not self._fs.rename(one, other):
            raise TargetUnwritable(
                f"{one} can't be renamed to {other}", subject=str(self._target), action="check the right to write there"
            )

    def _write_marker(self, folder: Any, tokens: list[str]) -> None:
        stream = self._fs.create(self._path(folder, MARKER), True)
        try:
            stream.write(bytearray(marker_of(tokens)))
        finally:
            stream.close()

    def _sizes(self, folder: Any) -> dict[str, int]:
        if not self._fs.exists(folder):
            return {}
        root = self._fs.makeQualified(folder).toUri()
        found, each = {}, self._fs.listFiles(folder, True)
        while each.hasNext():
            status = each.next()
            found[str(root.relativize(status.getPath().toUri()).getPath())] = int(status.getLen())
        return found

    def _path(self, folder: Any, name: str) -> Any:
        return java_class(self._spark, HADOOP_PATH)(folder, name)
