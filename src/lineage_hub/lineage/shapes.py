"""What an event says beyond its run and its time, as one value that equal events share.

Names stand as entity numbers and facets as blob numbers; blob 0 marks a facet whose value stays in the raw event.
"""

from __future__ import annotations

import re
from functools import cached_property, lru_cache

import msgspec
from msgspec import Struct

RUN_EVENT, JOB_EVENT, DATASET_EVENT = 1, 2, 3
KINDS = {"RunEvent": RUN_EVENT, "JobEvent": JOB_EVENT, "DatasetEvent": DATASET_EVENT}

START, RUNNING, COMPLETE, FAIL, ABORT, OTHER, JOB, DATASET = range(1, 9)
TYPES = {
    "START": START,
    "RUNNING": RUNNING,
    "COMPLETE": COMPLETE,
    "FAIL": FAIL,
    "ABORT": ABORT,
    "OTHER": OTHER,
    "JOB": JOB,
    "DATASET": DATASET,
}
TYPE_NAMES = {number: name for name, number in TYPES.items()}

# Sides of a mention.
IN, OUT, STATIC_IN, STATIC_OUT, STATIC = 1, 2, 3, 4, 5
WRITTEN = (OUT, STATIC_OUT)
# Marks of a mention.
CREATES, RENAMED_HERE, CUTS = 1, 2, 4
# Flags of an event.
INFERRED, STREAMING = 1, 2
# What a shape's jobType facet says.
UNSAID, BATCH, STREAM = 0, 1, 2

IN_RAW = 0
_HEX = re.compile("[0-9a-f]+")


class Mention(Struct, frozen=True, array_like=True, gc=False):
    dataset: int
    side: int
    marks: int
    facets: dict[str, int]
    sources: tuple[int, ...] = ()


class Shape(Struct, frozen=True, array_like=True, dict=True):
    subject: int
    kind: int
    processing: int
    # "url NUL version" of the event's sourceCodeLocation.
    location: str | None
    job_facets: dict[str, int]
    mentions: tuple[Mention, ...]
    named: tuple[int, ...]
    parent: int = 0

    @property
    def has_datasets(self) -> bool:
        return self.kind != DATASET_EVENT and bool(self.mentions)

    @cached_property
    def by_dataset(self) -> dict[int, list[Mention]]:
        """To look through thousands of mentions for each of thousands of datasets would be a square."""
        found: dict[int, list[Mention]] = {}
        for mention in self.mentions:
            found.setdefault(mention.dataset, []).append(mention)
        return found

    @cached_property
    def speaks_of(self) -> frozenset[int]:
        """Datasets that it mentions, and those that its columns come from."""
        return frozenset(self.by_dataset).union(*(mention.sources for mention in self.mentions))


encode = msgspec.msgpack.Encoder().encode
decode = msgspec.msgpack.Decoder(Shape).decode


@lru_cache(maxsize=4096)
def run_key(run_id: str) -> bytes:
    """16 bytes for a UUID in its usual spelling; any other text in UTF-8 with an end mark, never 16 bytes long."""
    if len(run_id) == 36 and run_id[8] == run_id[13] == run_id[18] == run_id[23] == "-":
        digits = run_id.replace("-", "")
        if len(digits) == 32 and _HEX.fullmatch(digits):
            return bytes.fromhex(digits)
    key = run_id.encode() + b"\xff"
    return key if len(key) != 16 else key + b"\xff"


def run_id(key: bytes) -> str:
    if len(key) == 16:
        digits = key.hex()
        return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
    return key.rstrip(b"\xff").decode()
