"""Rows enter; rows with other columns, or fewer rows, leave. What a definition writes as SQL is Spark's SQL."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from lineage_hub.errors import InvalidStage
from lineage_hub.spark.pipeline.columns import column, folding, quoted, spelled
from lineage_hub.spark.pipeline.definition import Window
from lineage_hub.spark.pipeline.steps.surroundings import Surroundings


def select(frame: DataFrame, names: Sequence[str], _: Surroundings) -> DataFrame:
    return frame.select(*(column(name) for name in spelled(frame, names)))


def drop(frame: DataFrame, names: Sequence[str], _: Surroundings) -> DataFrame:
    return frame.drop(*spelled(frame, names))


def rename(frame: DataFrame, names: Mapping[str, str], _: Surroundings) -> DataFrame:
    """All at once, so that two columns can change names with each other."""
    new = dict(zip(spelled(frame, names), names.values(), strict=True))
    after = Counter(map(folding(frame), (new.get(name, name) for name in frame.columns)))
    for name in new.values():
        if after[folding(frame)(name)] > 1:
            raise InvalidStage(
                f"two columns would be called {quoted(name)}", subject=name, action="drop or rename the other one too"
            )
    return frame.select(*(column(name).alias(new[name]) if name in new else column(name) for name in frame.columns))


def filter_rows(frame: DataFrame, condition: str, _: Surroundings) -> DataFrame:
    return frame.filter(condition)


def derive(frame: DataFrame, columns: Mapping[str, str], _: Surroundings) -> DataFrame:
    """One after the other: each may use those before it, and a column of the same name is replaced."""
    for name, sql in columns.items():
        frame = frame.withColumn(name, sf.expr(sql))
    return frame


def window(frame: DataFrame, given: Window, _: Surroundings) -> DataFrame:
    parts = []
    if given.partition_by:
        parts.append(f"PARTITION BY {', '.join(names_or_sql(frame, given.partition_by))}")
    if given.order_by:
        parts.append(f"ORDER BY {', '.join(names_or_sql(frame, given.order_by))}")
    if given.rows:
        parts.append(f"ROWS BETWEEN {_edge(given.rows[0], 'PRECEDING')} AND {_edge(given.rows[1], 'FOLLOWING')}")
    over = " ".join(parts)
    return frame.withColumns({name: sf.expr(f"{sql} OVER ({over})") for name, sql in given.columns.items()})


def _edge(offset: int | None, side: str) -> str:
    """Of the rows around a row; null is unbounded on its side."""
    if offset is None:
        return f"UNBOUNDED {side}"
    if offset == 0:
        return "CURRENT ROW"
    return f"{abs(offset)} {'PRECEDING' if offset < 0 else 'FOLLOWING'}"


def names_or_sql(frame: DataFrame, terms: Sequence[str]) -> list[str]:
    """A term that is a column's name is that column, whatever letters the name has; any other is SQL."""
    present = set(frame.columns)
    return [quoted(term) if term in present else term for term in terms]
