"""A load enters; what a reader may see of it besides the old and the new content leaves, in a sentence, or nothing."""

from pathlib import Path
from urllib.parse import unquote, urlsplit

from pyspark.sql import SparkSession

from lineage_hub.spark.pipeline.definition import Load
from lineage_hub.spark.pipeline.load.exchange import can_exchange

_ADVICE = "use `format: delta` where that matters"
# Their CREATE TABLE commits whatever was begun.
_COMMITS_ON_CREATE = ("jdbc:mysql:", "jdbc:mariadb:", "jdbc:oracle:")


def promise(load: Load) -> str | None:
    """None: readers see the old or the new content, never a mixture."""
    if load.format == "delta":
        return None
    if load.format == "jdbc":
        if (load.url or "").startswith(_COMMITS_ON_CREATE):
            return f"{load.table}: when the first load makes the table, readers see it empty until the rows are in"
        return None
    if load.partition_by:
        return f"{load.path}: a reader that is listing the partitions at that moment may see some of the new; {_ADVICE}"
    here = _local(load.path or "")
    if here is None and load.mode == "append":
        return f"{load.path}: a reader may see some of the new files before the others; {_ADVICE}"
    if here is None or not can_exchange(here):
        return f"{load.path}: for a moment between two renames a reader finds nothing there; {_ADVICE}"
    return None


def _local(path: str) -> Path | None:
    """The path on this machine. Without a scheme Spark's default filesystem decides, where a session is running."""
    scheme = urlsplit(path).scheme
    session = SparkSession.getActiveSession()
    if not scheme and session is not None:
        hadoop = session._jsparkSession.sessionState().newHadoopConf()
        scheme = urlsplit(str(hadoop.get("fs.defaultFS"))).scheme
    if scheme not in ("", "file"):
        return None
    return Path(unquote(urlsplit(path).path) if path.startswith("file:") else path).absolute()
