"""A select enters once; from then on values enter and plain rows leave, without its text being made again each time.

Lists are filled up to a power of two with their last value: few texts, so the driver finds each in its cache.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, Select
from sqlalchemy.exc import DBAPIError

from lineage_hub.store.dialects import compiled_select

_LIST = re.compile(r"__\[POSTCOMPILE_(\w+)\]")
Row = tuple[Any, ...]


class Prepared:
    """One statement for every dialect; rows are the driver's own. A transaction must have begun."""

    def __init__(self, statement: Select[Any]) -> None:
        self._statement = statement
        self._dialects: dict[str, _Text] = {}

    def rows(self, connection: Connection, values: Mapping[str, Any]) -> list[Row]:
        dialect = connection.dialect.name
        text = self._dialects.get(dialect)
        if text is None:
            text = self._dialects[dialect] = _Text(dialect, self._statement)
        # By the driver itself: what SQLAlchemy does around a cursor costs more than most of these reads.
        words, given = text.with_values(values)
        driver = connection.dialect.loaded_dbapi
        cursor = connection.connection.cursor()
        try:
            cursor.execute(words, given)
            return list(cursor.fetchall())
        except driver.Error as error:
            raise DBAPIError.instance(words, None, error, driver.Error, dialect=connection.dialect) from error
        finally:
            cursor.close()


class _Text:
    def __init__(self, dialect: str, statement: Select[Any]) -> None:
        compiled = compiled_select(dialect, statement)
        self._text, self._mark = str(compiled), "?" if dialect == "sqlite" else "%s"
        self._order = list(compiled.positiontup or ())
        self._defaults = {name: value for name, value in compiled.params.items() if value is not None}
        self._of_sizes: dict[tuple[int, ...], str] = {}

    def with_values(self, values: Mapping[str, Any]) -> tuple[str, tuple[Any, ...]]:
        given: list[Any] = []
        sizes: list[int] = []
        for name in self._order:
            value = values[name] if name in values else self._defaults[name]
            if isinstance(value, list | tuple):
                size = 1 << (len(value) - 1).bit_length() if value else 1
                given.extend(value)
                given.extend([value[-1] if value else None] * (size - len(value)))
                sizes.append(size)
            else:
                given.append(value)
        key = tuple(sizes)
        text = self._of_sizes.get(key)
        if text is None:
            left = iter(key)
            text = _LIST.sub(lambda _: ", ".join([self._mark] * next(left)), self._text)
            self._of_sizes[key] = text
        return text, tuple(given)
