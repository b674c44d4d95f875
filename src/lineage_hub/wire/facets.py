"""Facet bodies that the fold reads enter, the few facts it needs leave; a malformed part of one says nothing.

Only shapes are decoded here. What the facts mean for lineage is decided in `lineage/`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec
from msgspec import Struct

from lineage_hub.wire.fitting import Unfit, decode

Key = tuple[str, str]
# Producers from before the spec settled on the first say the second.
PARENT_FACETS = ("parent", "parentRun")
# Run ids stand in indexes, and an entry of PostgreSQL's holds 2,704 bytes.
MAX_RUN_ID_BYTES = 2_000


class Identifier(Struct, frozen=True):
    namespace: str
    name: str
    type: str


class _Symlinks(Struct):
    identifiers: list[Identifier] = []


class _PreviousIdentifier(Struct):
    namespace: str
    name: str


class _Lifecycle(Struct):
    lifecycleStateChange: str
    previousIdentifier: _PreviousIdentifier | None = None


class _RunRef(Struct):
    runId: str


class _JobRef(Struct):
    namespace: str
    name: str


class _Root(Struct):
    job: _JobRef


class _Parent(Struct):
    run: _RunRef
    job: _JobRef
    root: _Root | None = None


class _JobType(Struct):
    processingType: str = ""
    integration: str = ""
    jobType: str = ""


class Transformation(Struct, frozen=True, gc=False):
    type: str = ""
    subtype: str = ""
    description: str | None = None
    masking: bool | None = None


class InputField(Struct, frozen=True, gc=False):
    namespace: str
    name: str
    field: str
    transformations: tuple[Transformation, ...] = ()


class OutputField(Struct, frozen=True, gc=False):
    inputFields: tuple[InputField, ...] = ()
    transformationDescription: str | None = None
    transformationType: str | None = None


class ColumnLineage(Struct, frozen=True):
    fields: dict[str, OutputField] = {}
    dataset: tuple[InputField, ...] = ()


class _Version(Struct):
    datasetVersion: msgspec.Raw


class _CodeLocation(Struct):
    url: str | None = None
    version: str | None = None


class _Tombstone(Struct):
    deleted: bool = msgspec.field(default=False, name="_deleted")


_BAD = (msgspec.DecodeError, Unfit, RecursionError)
_symlinks = msgspec.json.Decoder(_Symlinks)
_lifecycle = msgspec.json.Decoder(_Lifecycle)
_parent = msgspec.json.Decoder(_Parent)
_job_type = msgspec.json.Decoder(_JobType)
_columns = msgspec.json.Decoder(ColumnLineage)
_version = msgspec.json.Decoder(_Version)
_location = msgspec.json.Decoder(_CodeLocation)
_tombstone = msgspec.json.Decoder(_Tombstone)

NO_COLUMNS = ColumnLineage()
_NUMERIC = [bytes([digit]) for digit in b"-0123456789"]


def symlinks(body: bytes) -> tuple[Identifier, ...]:
    try:
        return tuple(i for i in decode(_symlinks, body).identifiers if is_name(i.namespace) and is_name(i.name))
    except _BAD:
        return ()


def lifecycle(body: bytes) -> tuple[str, Key | None]:
    try:
        found = decode(_lifecycle, body)
    except _BAD:
        return "", None
    before = found.previousIdentifier
    if before is None or not (is_name(before.namespace) and is_name(before.name)):
        return found.lifecycleStateChange.upper(), None
    return found.lifecycleStateChange.upper(), (before.namespace, before.name)


def parent_facet(facets: Mapping[str, bytes]) -> bytes | None:
    """Of a run's facets."""
    return next((facets[name] for name in PARENT_FACETS if facets.get(name, b"")[:1] == b"{"), None)


def parent(body: bytes) -> tuple[Key, str, Key | None] | None:
    """The parent's job, the parent's run id, and the root's job where one is named."""
    try:
        found = None if is_tombstone(body) else decode(_parent, body)
    except _BAD:
        return None
    if found is None or not (is_name(found.job.namespace) and is_name(found.job.name) and is_run_id(found.run.runId)):
        return None
    root = found.root
    if root is None or not (is_name(root.job.namespace) and is_name(root.job.name)):
        return (found.job.namespace, found.job.name), found.run.runId, None
    return (found.job.namespace, found.job.name), found.run.runId, (root.job.namespace, root.job.name)


def job_type(body: bytes) -> tuple[str, str, str]:
    """Processing type (BATCH or STREAMING), integration and job type, as written."""
    try:
        found = decode(_job_type, body)
    except _BAD:
        return "", "", ""
    return found.processingType, found.integration, found.jobType


def column_lineage(body: bytes) -> ColumnLineage:
    try:
        return NO_COLUMNS if is_tombstone(body) else decode(_columns, body)
    except _BAD:
        return NO_COLUMNS


def column_sources(body: bytes) -> tuple[Key, ...]:
    facet = column_lineage(body)
    named = [(each.namespace, each.name) for field in facet.fields.values() for each in field.inputFields]
    return names_of(named + [(each.namespace, each.name) for each in facet.dataset])


def names_of(keys: Iterable[Key]) -> tuple[Key, ...]:
    """Each once, without those that name nothing."""
    return tuple([key for key in dict.fromkeys(keys) if is_name(key[0]) and is_name(key[1])])


def version(body: bytes) -> str:
    """A number names a version by its text."""
    try:
        name = bytes(decode(_version, body).datasetVersion)
        return (
            msgspec.json.decode(name, type=str) if name[:1] == b'"' else name.decode() if name[:1] in _NUMERIC else ""
        )
    except _BAD:
        return ""


def code_location(body: bytes) -> tuple[str, str]:
    try:
        found = decode(_location, body)
    except _BAD:
        return "", ""
    return found.url or "", found.version or ""


def is_tombstone(body: bytes) -> bool:
    if b"_deleted" not in body:
        return False
    try:
        return decode(_tombstone, body).deleted
    except _BAD:
        return False


def is_name(text: str) -> bool:
    """PostgreSQL can't hold NUL in text, so no store is given one."""
    return bool(text) and "\0" not in text


def is_run_id(text: str) -> bool:
    return is_name(text) and len(text.encode()) <= MAX_RUN_ID_BYTES
