"""A frame and what a definition says of one step enter, the changed frame leaves; nothing runs.

One table says which function does which kind of step: a kind that is added gets a line here and one in `Step`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyspark.sql import DataFrame

from lineage_hub.spark.pipeline.steps.cleaning import cast, drop_duplicates, fill, normalise, trim
from lineage_hub.spark.pipeline.steps.functions import call
from lineage_hub.spark.pipeline.steps.joining import join
from lineage_hub.spark.pipeline.steps.shaping import derive, drop, filter_rows, rename, select, window
from lineage_hub.spark.pipeline.steps.statements import query
from lineage_hub.spark.pipeline.steps.surroundings import Surroundings

STEPS: dict[str, Callable[[DataFrame, Any, Surroundings], DataFrame]] = {
    "trim": trim,
    "cast": cast,
    "fill": fill,
    "normalise": normalise,
    "drop_duplicates": drop_duplicates,
    "rename": rename,
    "select": select,
    "drop": drop,
    "filter": filter_rows,
    "derive": derive,
    "join": join,
    "window": window,
    "sql": query,
    "python": call,
}
