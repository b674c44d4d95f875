"""Spark work enters: DataFrames, plans, pipelines; lineage, quality and traces of it leave.

This package is the only one that imports pyspark; `pip install 'lineage-hub[spark]'` brings it.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lineage_hub.spark.decorating import DatasetInfo, openlineage_job
    from lineage_hub.spark.instrumentation import instrument

__all__ = ["DatasetInfo", "instrument", "openlineage_job"]

# Loaded when first used: the driver of a pipeline needs none of them.
_MODULES = {"DatasetInfo": "decorating", "instrument": "instrumentation", "openlineage_job": "decorating"}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
