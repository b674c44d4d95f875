"""Facts that name a thing enter, the UUID that answers give it leaves; the same facts give the same id on every hub."""

from __future__ import annotations

import base64
from functools import lru_cache

from lineage_hub.lineage.rows import Ord
from lineage_hub.lineage.runs import RunFacts
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.wire.canonical import digest

# 16 bytes in base64 without padding.
HALF = 22
# The first digit of a UUID's fourth group, whose first two bits are 10.
_VARIANTS = {digit: "89ab"[int(digit, 16) & 3] for digit in "0123456789abcdef"}


def uuid_of(*parts: str) -> str:
    """A UUID of version 8: made from a digest, not from a clock or chance."""
    digits = digest("\0".join(parts).encode()).hex()
    variant = _VARIANTS[digits[16]]
    return f"{digits[:8]}-{digits[8:12]}-8{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}"


@lru_cache(maxsize=4096)
def job_uuid(namespace: str, name: str) -> str:
    return uuid_of("job", namespace, name)


def half_of_edge_id(entity_hash: bytes) -> bytes:
    """An edge's id names its origin, then its destination, by the hashes that the store finds them with."""
    return base64.urlsafe_b64encode(entity_hash)[:HALF]


def hashes_of_edge(edge: str) -> tuple[bytes, bytes] | None:
    halves = edge[:HALF], edge[HALF:]
    try:
        origin, destination = (base64.urlsafe_b64decode(half.encode("ascii") + b"==") for half in halves)
    except ValueError:
        return None
    return (origin, destination) if len(origin) == len(destination) == 16 else None


def job_version(snapshot: Snapshot, job: int, run: RunFacts) -> str:
    names = snapshot.names({job, *run.inputs, *run.outputs})
    parts = [*names[job]]
    for label, datasets in (("in", run.inputs), ("out", run.outputs)):
        parts.append(label)
        for namespace, name in sorted(names[dataset] for dataset in datasets):
            parts += (namespace, name)
    return uuid_of("job version", *parts, "at", run.location or "\0")


def dataset_version(name: tuple[str, str], opened_by: Ord | None, kind: str, *what: str) -> str:
    history = "" if opened_by is None else f"{opened_by[0]}/{opened_by[1].hex()}"
    return uuid_of("dataset version", *name, history, kind, *what)
