"""What a program reads and writes by pandas, SQLAlchemy and Spark is told of without a change to it.

`instrument()` switches that on for this process; none of them is imported by it, nor anything else that is heavy.
"""

from __future__ import annotations

import threading

from lineage_hub.sdk.instrumentation.imports import when_imported

_lock = threading.Lock()
_on = False


def instrument() -> None:
    """Once for a process; again it does nothing. Best before `from pandas import …`: such names stay as they are."""
    global _on  # noqa: PLW0603
    with _lock:
        if _on:
            return
        _on = True
    when_imported("pandas", _follow_pandas)
    when_imported("sqlalchemy", _follow_sqlalchemy)
    when_imported("pyspark.sql", _follow_spark)


def _follow_pandas(module: object) -> None:
    from lineage_hub.sdk.instrumentation import pandas_io

    pandas_io.install(module)  # type: ignore[arg-type]


def _follow_sqlalchemy(module: object) -> None:
    from lineage_hub.sdk.instrumentation import sqlalchemy_engine

    sqlalchemy_engine.install(module)  # type: ignore[arg-type]


def _follow_spark(module: object) -> None:
    from lineage_hub.sdk.instrumentation import spark_sessions

    spark_sessions.install(module)  # type: ignore[arg-type]
