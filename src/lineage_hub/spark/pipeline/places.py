"""The places that extracts read and loads write enter; whether two of them hold the same rows leaves."""

import functools
import posixpath
import re
from fnmatch import fnmatchcase

from lineage_hub.spark.pipeline.definition import Extract, Load


def reads_from(extract: Extract, load: Load) -> bool:
    """Whether the rows that the extract reads are among those that the load writes."""
    if extract.format == "jdbc" or load.format == "jdbc":
        if not (extract.format == load.format and _database(extract.url) == _database(load.url)):
            return False
        if extract.table is not None:
            return _table(extract.table) == _table(load.table)
        # A query may name the table anywhere. Waiting for nothing costs little, missing rows are wrong.
        name = re.escape(_table(load.table).split(".")[-1])
        return re.search(rf"(?<!\w){name}(?!\w)", _table(extract.query)) is not None
    paths = [extract.path] if isinstance(extract.path, str) else extract.path or []
    return any(overlap(path, load.path or "") for path in paths)


def same_target(one: Load, other: Load) -> bool:
    if one.format == "jdbc" or other.format == "jdbc":
        return (
            one.format == other.format
            and _database(one.url) == _database(other.url)
            and _table(one.table) == _table(other.table)
        )
    return overlap(one.path or "", other.path or "")


def overlap(one: str, other: str) -> bool:
    """Whether two paths are the same, or one lies inside the other; wildcards match as in a shell."""
    pairs = zip(_parts(one), _parts(other), strict=False)
    return all(a == b or fnmatchcase(a, b) or fnmatchcase(b, a) for a, b in pairs)


@functools.lru_cache(maxsize=4096)
def _parts(path: str) -> tuple[str, ...]:
    """The scheme and host are one part; a local path is the same with and without `file:`."""
    scheme, separator, rest = path.partition("://")
    if separator and scheme.lower() != "file":
        host, _, rest = rest.partition("/")
        root = f"{scheme.lower()}://{host.lower()}"
    else:
        rest = rest if separator else re.sub(r"^file:", "", path)
        root = "/" if rest.startswith("/") else "."
    normal = posixpath.normpath("/" + rest).strip("/")
    # `{a,b}` may be either; `${…}` is a value that isn't known yet, equal only to itself.
    loose = [re.sub(r"(?<!\$)\{[^}]*\}", "*", part) for part in normal.split("/") if part]
    return (root, *loose)


def _database(url: str | None) -> str:
    return (url or "").split("?")[0].rstrip("/")


def _table(name: str | None) -> str:
    return re.sub(r'["`\[\]]', "", name or "").lower()
