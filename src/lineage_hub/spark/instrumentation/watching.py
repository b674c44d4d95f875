"""pyspark's writers and sessions enter; they leave as they were, but that an application which is followed is told.

While a writer writes, a stand-in is in the place of its JVM object: it sees the one call that does the work, after
pyspark has checked and set everything, and passes on all others.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from pyspark.sql import DataFrameWriter, DataFrameWriterV2, SparkSession
from pyspark.sql.merge import MergeIntoWriter

from lineage_hub.spark.instrumentation import statements
from lineage_hub.spark.instrumentation.application import Application, quietly
from lineage_hub.spark.instrumentation.writers import RULES, Write, action_of

# Called with the JVM's writer, the method, its arguments and the call itself.
Act = Callable[[Any, str, tuple[Any, ...], Callable[[], Any]], Any]
Find = Callable[[Any], Application | None]
_ORIGINAL = "lineage_hub_original"
_WRITERS: tuple[tuple[type, str, tuple[str, ...]], ...] = (
    (
        DataFrameWriter,
        "_jwrite",
        ("save", "saveAsTable", "insertInto", "csv", "json", "orc", "parquet", "text", "xml", "jdbc"),
    ),
    (
        DataFrameWriterV2,
        "_jwriter",
        ("create", "replace", "createOrReplace", "append", "overwrite", "overwritePartitions"),
    ),
    (MergeIntoWriter, "_jwriter", ("merge",)),
)


class Watched:
    """In the place of a writer in the JVM, whose other methods give the writer again."""

    def __init__(self, jwriter: Any, methods: frozenset[str], act: Act) -> None:
        self.jwriter, self._methods, self._act = jwriter, methods, act

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.jwriter, name)
        if name in self._methods:
            return lambda *given: self._act(self.jwriter, name, given, lambda: method(*given))
        return lambda *given: Watched(method(*given), self._methods, self._act)


def install(find: Find) -> None:
    """`find` says which application a SparkContext belongs to, if that is followed."""
    for cls, attribute, names in _WRITERS:
        for name in names:
            replace(cls, name, functools.partial(_writing, attribute, find))
    replace(SparkSession, "sql", functools.partial(_asking, find))


def uninstall() -> None:
    for cls, _, names in _WRITERS:
        for name in names:
            restore(cls, name)
    restore(SparkSession, "sql")


def replace(cls: type, name: str, by: Callable[[Any], Any]) -> None:
    """Once, whatever is there; a method that this version of Spark hasn't got is left out."""
    original = cls.__dict__.get(name)
    if original is not None and not hasattr(original, _ORIGINAL):
        replaced = by(original)
        setattr(replaced, _ORIGINAL, original)
        setattr(cls, name, replaced)


def restore(cls: type, name: str) -> None:
    """What others have put in its place since stays."""
    original = getattr(cls.__dict__.get(name), _ORIGINAL, None)
    if original is not None:
        setattr(cls, name, original)


def watched_call(self: Any, attribute: str, methods: frozenset[str], act: Act, call: Callable[[], Any]) -> Any:
    setattr(self, attribute, Watched(getattr(self, attribute), methods, act))
    try:
        return call()
    finally:
        found = getattr(self, attribute)
        if isinstance(found, Watched):
            setattr(self, attribute, found.jwriter)


def followed(self: Any, attribute: str, find: Find) -> Application | None:
    """None also while this very writer is being watched: what it calls of itself is told already."""
    if isinstance(getattr(self, attribute, None), Watched):
        return None
    return find(self._spark.sparkContext)


def _writing(attribute: str, find: Find, original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def told(self: Any, *args: Any, **kwargs: Any) -> Any:
        application = quietly(lambda: followed(self, attribute, find))
        if application is None:
            return original(self, *args, **kwargs)

        def act(jwriter: Any, name: str, given: tuple[Any, ...], call: Callable[[], Any]) -> Any:
            write = Write(self._spark, getattr(self, "_df", None), jwriter, name, given)
            return application.perform(action_of(write), call)

        return watched_call(self, attribute, _METHODS, act, lambda: original(self, *args, **kwargs))

    return told


_METHODS = frozenset(RULES)


def _asking(find: Find, original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def sql(self: SparkSession, sqlQuery: str, args: Any = None, **kwargs: Any) -> Any:  # noqa: N803
        def action() -> Any:
            application = find(self.sparkContext)
            found = statements.action_of(self, sqlQuery, args, kwargs) if application is not None else None
            return (application, found) if found is not None else None

        told = quietly(action) if statements.may_write(sqlQuery) else None
        if told is None:
            return original(self, sqlQuery, args, **kwargs)
        return told[0].perform(told[1], lambda: original(self, sqlQuery, args, **kwargs))

    return sql
