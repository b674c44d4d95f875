"""Parts of a name enter; the name as the code gives it leaves, or the format and path that it stands for."""

from __future__ import annotations

from collections.abc import Sequence

from lineage_hub.connectors.databricks.sql.splitting import UNKNOWN

FILE_FORMATS = frozenset({"csv", "json", "parquet", "text", "avro", "orc", "xml", "binaryfile"})
PATH_FORMATS = FILE_FORMATS | {"delta", "iceberg", "hudi"}


def spelled(parts: Sequence[str]) -> str | None:
    """Without quotes, but where a part has a dot of its own; None if a part isn't wholly known."""
    if not parts or any(not part or UNKNOWN in part for part in parts):
        return None
    return ".".join(f"`{part}`" if "." in part else part for part in parts)


def parts_of(name: str) -> list[str]:
    """The parts of a name in a string, as `IDENTIFIER('a.b')` has it."""
    parts = [""]
    quoted = False
    for letter in name.strip():
        if letter == "`":
            quoted = not quoted
        elif letter == "." and not quoted:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def format_and_path(parts: Sequence[str], *, quoted: bool) -> tuple[str, str] | None:
    """Of delta.`/path` the kind of the read and the path."""
    if len(parts) != 2 or parts[0].lower() not in PATH_FORMATS:
        return None
    if not quoted and "/" not in parts[1] and ":" not in parts[1]:
        return None
    format = parts[0].lower()
    return ("files" if format in FILE_FORMATS else format), parts[1]


def is_live(parts: Sequence[str]) -> bool:
    """A table of the pipeline itself, by the schema that stands for it."""
    return len(parts) == 2 and parts[0].lower() == "live"


def is_global_view(parts: Sequence[str]) -> bool:
    """A temporary view of the whole cluster, whose schema is of no catalog."""
    return len(parts) == 2 and parts[0].lower() == "global_temp"
