"""Names of columns enter, as a definition writes them; columns of a frame leave, or an error with the nearest name.

A name is a name: dots, spaces, quotes and any letter belong to it, so it is quoted wherever Spark would read it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf
from pyspark.sql.types import CharType, DataType, StringType, StructType, VarcharType

from lineage_hub.errors import InvalidStage

TEXT = (StringType, CharType, VarcharType)
_MOST_NAMES = 30


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def column(name: str) -> Column:
    return sf.col(quoted(name))


def folding(frame: DataFrame) -> Callable[[str], str]:
    """What makes two names one for the session: upper and lower case are the same unless it is told otherwise."""
    minds_case = frame.sparkSession.conf.get("spark.sql.caseSensitive", "false") == "true"
    return (lambda name: name) if minds_case else str.lower


def spelled(frame: DataFrame, names: Iterable[str]) -> list[str]:
    """The names as the frame spells them; one that it doesn't have, or has twice, is an error."""
    present, folded = frame.columns, folding(frame)
    places: dict[str, list[str]] = {}
    for name in present:
        places.setdefault(folded(name), []).append(name)
    found = []
    for name in names:
        here = places.get(folded(name), [])
        if not here:
            raise missing(name, present)
        if len(here) > 1:
            raise InvalidStage(
                f"{len(here)} columns are called {quoted(name)}",
                subject=name,
                action="rename or drop one of them in an earlier step",
            )
        found.append(here[0])
    return found


def missing(name: str, present: Sequence[str]) -> InvalidStage:
    return InvalidStage(f"there is no column {quoted(name)}", subject=name, action=nearest(name, present, "columns"))


def nearest(name: str, present: Sequence[str], what: str) -> str:
    """What to do about a name that isn't there."""
    by_lower = {one.lower(): one for one in present}
    near = get_close_matches(name.lower(), by_lower, 1)
    shown = ", ".join(quoted(one) for one in present[:_MOST_NAMES]) or "none"
    more = f" and {len(present) - _MOST_NAMES} more" if len(present) > _MOST_NAMES else ""
    there_are = f"the {what} are {shown}{more}"
    return f"did you mean {quoted(by_lower[near[0]])}? {there_are}" if near else there_are


def type_of(frame: DataFrame, name: str) -> DataType:
    """`name` is spelled as the frame spells it."""
    schema: StructType = frame.schema
    return schema.fields[frame.columns.index(name)].dataType


def require_text(frame: DataFrame, name: str) -> None:
    kind = type_of(frame, name)
    if not isinstance(kind, TEXT):
        raise InvalidStage(
            f"{quoted(name)} is {kind.simpleString().upper()}, not text",
            subject=name,
            action="cast it to string before",
        )
