"""Ids of graph nodes as Marquez's API spells them: text enters, kind and names leave.

Namespaces hold colons and slashes, so a text has several readings; `readings` lists them for a look-up to decide.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lineage_hub.errors import InvalidRequest

DATASET = "dataset"
JOB = "job"
FIELD = "datasetField"
RUN = "run"
KINDS = (DATASET, JOB, FIELD, RUN)


@dataclass(frozen=True, slots=True)
class NodeId:
    kind: str
    namespace: str
    name: str
    field: str | None = None

    def __str__(self) -> str:
        text = f"{self.kind}:{self.namespace}:{self.name}"
        return text if self.field is None else f"{text}:{self.field}"


def split_kind(text: str) -> tuple[str, str]:
    kind, colon, rest = text.partition(":")
    if not colon or not rest or kind not in KINDS:
        raise InvalidRequest(
            f"nodeId {text[:200]!r} is not a node id",
            subject=text[:200],
            action="write dataset:{namespace}:{name}, job:{namespace}:{name}, "
            "datasetField:{namespace}:{name}:{field} or run:{id}",
        )
    return kind, rest


def readings(kind: str, rest: str) -> Iterator[NodeId]:
    """Every way to split `rest`; the usual one (names without colons) first."""
    cuts = [i for i, char in enumerate(rest) if char == ":" and 0 < i < len(rest) - 1]
    if kind != FIELD:
        for cut in reversed(cuts):
            yield NodeId(kind, rest[:cut], rest[cut + 1 :])
        return
    for last in reversed(cuts):
        for cut in reversed(cuts):
            if cut < last - 1:
                yield NodeId(kind, rest[:cut], rest[cut + 1 : last], rest[last + 1 :])
