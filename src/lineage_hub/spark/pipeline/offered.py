"""A pipeline's file enters; what a person needs to start it leaves: its parameters, and its stages in order.

Nothing is filled in: a default that names a variable of the environment is told as it is written.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from lineage_hub.errors import LineageHubError

Offer = dict[str, Any]


def offered(name: str, file: Path) -> Offer:
    """With `problem` in place of the rest, if the file can't be read as a pipeline."""
    try:
        facts = file.stat()
        return {"name": name, **_read(file, facts.st_mtime_ns, facts.st_size)}
    except OSError as error:
        return {"name": name, "problem": f"the file can't be read: {error.strerror}"}


@lru_cache(maxsize=200)
def _read(file: Path, changed_at: int, size: int) -> Offer:
    from lineage_hub.spark.pipeline.graph import order, waits
    from lineage_hub.spark.pipeline.parameter_values import declaration
    from lineage_hub.spark.pipeline.reading import read_pipeline

    try:
        pipeline = read_pipeline(file.read_text())
        levels = order(pipeline)
    except (LineageHubError, UnicodeDecodeError) as error:
        return {"problem": str(error)}
    edges = waits(pipeline.stages)
    parameters = [(name, declaration(one)) for name, one in pipeline.parameters.items()]
    return {
        "pipeline": pipeline.name,
        "description": pipeline.description,
        "owners": list(pipeline.owners),
        "parameters": [
            {
                "name": name,
                "type": one.type,
                "default": one.default,
                "description": one.description,
                "pattern": one.pattern,
                "choices": one.choices,
            }
            for name, one in parameters
        ],
        "stages": [
            {"name": name, "kind": pipeline.stages[name].kind, "after": sorted(edges[name])}
            for level in levels
            for name in level
        ],
    }
