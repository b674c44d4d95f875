"""Writes of a connection enter as they happen; they are told when they are committed, or never.

All that one run writes to one table is kept as one, so that a long transaction stays small.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from lineage_hub.sdk.datasets import Name
from lineage_hub.sdk.instrumentation.capture import MOST_STATEMENTS, Dataset, merged, tell
from lineage_hub.sdk.instrumentation.tables import Temporaries
from lineage_hub.sdk.runs import Run, current_run


@dataclass(slots=True)
class _Write:
    run: Run | None
    output: Dataset
    dialect: str
    inputs: dict[Name, Dataset] = field(default_factory=dict)
    statements: dict[str, None] = field(default_factory=dict)


@dataclass(slots=True)
class _Part:
    """Of a transaction: what came after a savepoint, or before the first."""

    savepoint: str = ""
    writes: dict[tuple[Name, str], _Write] = field(default_factory=dict)


@dataclass(slots=True)
class Session:
    """What a connection of the driver holds: tables of its own, and writes that are not committed."""

    temporaries: Temporaries = field(default_factory=dict)
    _parts: list[_Part] = field(default_factory=list)

    def add(self, inputs: Iterable[Dataset], output: Dataset, text: str, dialect: str) -> None:
        if not self._parts:
            self._parts.append(_Part())
        run, writes = current_run(), self._parts[-1].writes
        key = (output.name, run.id if run is not None else "")
        write = writes.get(key)
        if write is None:
            write = writes[key] = _Write(run, output, dialect)
        else:
            write.output = merged(write.output, output)
        write.inputs |= {one.name: one for one in inputs}
        if len(write.statements) < MOST_STATEMENTS:
            write.statements[text] = None

    def commit(self) -> None:
        """Each write is told by the run that made it."""
        parts, self._parts = self._parts, []
        for one in (write for part in parts for write in part.writes.values()):
            tell(one.inputs.values(), [one.output], statements=one.statements, dialect=one.dialect, run=one.run)

    def roll_back(self) -> None:
        self._parts.clear()

    def savepoint(self, name: str) -> None:
        self._parts.append(_Part(name))

    def roll_back_to(self, name: str) -> None:
        """What came after the savepoint never was. In doubt nothing is told."""
        del self._parts[next((at for at, part in enumerate(self._parts) if part.savepoint == name), 0) :]
