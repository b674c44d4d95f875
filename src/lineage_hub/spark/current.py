"""A run enters; while the block lasts it is the one that the program is inside of."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from lineage_hub.sdk.runs import Run, innermost, leave


@contextmanager
def inside(run: Run) -> Iterator[None]:
    token = innermost.set(run)
    try:
        yield
    finally:
        leave(token)
