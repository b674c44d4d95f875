"""A receiver of telemetry that remembers what it was given, and refuses it when a test says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lineage_hub.errors import LineageHubError
from lineage_hub.wire.otlp import Kind
from tests.wire.otlp.messages import rows_of


@dataclass
class Submission:
    kind: Kind
    namespace: str
    identity: bytes
    columns: Mapping[str, Sequence[Any]]
    size: int | None


@dataclass
class RecordingTaker:
    refusal: LineageHubError | None = None
    most_names: int = 1000
    submissions: list[Submission] = field(default_factory=list)
    names: set[str] = field(default_factory=set)

    async def submit(
        self,
        kind: Kind,
        namespace: str,
        identity: bytes,
        columns: Mapping[str, Sequence[Any]],
        *,
        size: int | None = None,
    ) -> None:
        if self.refusal is not None:
            raise self.refusal
        self.submissions.append(Submission(kind, namespace, identity, columns, size))

    async def admit(self, namespace: str, names: Sequence[str]) -> set[str]:
        room = self.most_names - len(self.names)
        new = [name for name in names if name not in self.names]
        self.names |= set(new[:room])
        return set(new[room:])

    def rows(self, kind: Kind) -> list[dict[str, Any]]:
        return [row for one in self.submissions if one.kind == kind for row in rows_of(dict(one.columns))]
