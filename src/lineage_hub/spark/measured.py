"""Aggregates enter and ride on whatever job reads the frame; their values leave, without ever waiting for a job."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from pyspark.sql import Column, DataFrame, Observation


class Measured:
    """A frame whose aggregates are counted by the first job that reads it: `DataFrame.observe`.

    Spark's own `Observation.get` waits for ever when the optimiser found that the rows aren't needed.
    """

    def __init__(self, name: str, frame: DataFrame, measures: Mapping[str, Column]) -> None:
        self._measures = dict(measures)
        self._plain = frame
        self._observation = Observation(name)
        columns = [column.alias(each) for each, column in self._measures.items()]
        self.frame = frame.observe(self._observation, *columns)

    def values(self, patience_s: float = 5.0) -> dict[str, Any] | None:
        """After a job: what it counted, or None if it read none of these rows."""
        observation: Any = self._observation
        future = observation._jo.future()
        give_up = time.monotonic() + patience_s
        while not future.isCompleted():
            if time.monotonic() > give_up:
                return None
            time.sleep(0.01)  # a listener of Spark's tells it, soon after the job has ended
        return dict(observation.get)

    def counted(self) -> dict[str, Any]:
        """By a job of its own."""
        columns = [column.alias(each) for each, column in self._measures.items()]
        row = self._plain.agg(*columns).first()
        return row.asDict() if row is not None else {}
