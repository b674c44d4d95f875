"""Facts that name a thing enter, the UUID that answers give it leaves; the same facts give the same id on every hub."""

from __future__ import annotations

import base64
import uuid
from functools import lru_cache

from lineage_hub.lineage.rows import Ord
from lineage_hub.lineage.runs import RunFacts
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.wire.canonical import digest

# 16 bytes in base64 without padding.
HALF = 22


def uuid_of(*parts: str) -> str:
    """A UUID of version 8: made from a digest, not from a clock or chance."""
    number = int.from_bytes(digest("\0".join(parts).encode()), "big")
    number = number & ~(0xF << 76) | (8 << 76)
    number = number & ~(0x3 << 62) | (2 << 62)
    return str(uuid.UUID(int=number))


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
