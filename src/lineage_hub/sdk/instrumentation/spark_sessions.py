"""pyspark's builder of sessions enters; it leaves as it was, but that the sessions it makes are followed.

By the package that knows Spark, which is imported by its name once there is a session: the SDK itself never sees it.
"""

from __future__ import annotations

import functools
from importlib import import_module
from types import ModuleType
from typing import Any

from lineage_hub.sdk.instrumentation.capture import trouble

_FOLLOWS = "lineage_hub.spark.instrumentation"


def install(sql: ModuleType) -> None:
    builder = sql.SparkSession.Builder
    make = builder.getOrCreate
    if hasattr(make, "_lineage_hub"):
        return

    @functools.wraps(make)
    def made(self: Any) -> Any:
        session = make(self)
        try:
            import_module(_FOLLOWS).instrument(session)
        except Exception as error:
            trouble(error)
        return session

    made._lineage_hub = True  # type: ignore[attr-defined]
    builder.getOrCreate = made
