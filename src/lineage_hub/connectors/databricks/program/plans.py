"""A frame and a method enter; the columns of the new frame leave."""

from __future__ import annotations

from lineage_hub.connectors.databricks.program.frames import Frame
from lineage_hub.connectors.databricks.program.machine import Machine
from lineage_hub.connectors.databricks.program.schemas import Schema
from lineage_hub.connectors.databricks.program.values import Arguments


def derive(machine: Machine, frame: Frame, method: str, arguments: Arguments) -> tuple[Schema | None, object]:
    return None, None
