"""The name of a dataset enters; its schema and its rows as the last finished run left them leave, from hub or disk.

The hub is asked first, briefly. When it is down, or doesn't know the dataset, a file in a folder answers: one for each
dataset, written as a whole. What can't be read is as good as nothing: a run never fails for want of its past.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal
from urllib.parse import quote

import msgspec

from lineage_hub.errors import InvalidSetting, LineageHubError
from lineage_hub.logs import get_logger
from lineage_hub.sdk.config import LineageHubConfig
from lineage_hub.sdk.conversation import Request, Talk, ask, decoded
from lineage_hub.sdk.destination import Destination
from lineage_hub.sdk.hub_api import NAMESPACES
from lineage_hub.sdk.shells import SyncTalker
from lineage_hub.spark.pipeline.type_text import FieldLike

TIMEOUT_S = 3.0
# Runs that failed since the last finished one stand before it.
_VERSIONS = 10
_log = get_logger("pipeline")


class KnownField(msgspec.Struct, frozen=True):
    """As the schema facet has it."""

    name: str
    type: str | None = None
    fields: tuple[KnownField, ...] = ()


class Known(msgspec.Struct, frozen=True):
    """What is known of a dataset; each may be missing."""

    fields: tuple[KnownField, ...] | None = None
    rows: int | None = None
    source: Literal["hub", "disk"] = "disk"


class _Schema(msgspec.Struct):
    fields: tuple[KnownField, ...] = ()


class _Statistics(msgspec.Struct):
    rowCount: int | None = None  # noqa: N815


class _Facets(msgspec.Struct):
    schema: _Schema | None = None
    outputStatistics: _Statistics | None = None  # noqa: N815


class _Dataset(msgspec.Struct):
    facets: _Facets = msgspec.field(default_factory=_Facets)


class _VersionId(msgspec.Struct):
    namespace: str
    name: str
    version: str | None = None


class _Written(msgspec.Struct):
    datasetVersionId: _VersionId  # noqa: N815
    facets: _Facets = msgspec.field(default_factory=_Facets)


class _Run(msgspec.Struct):
    state: str = ""
    outputDatasetVersions: list[_Written] = []  # noqa: N815


class _Version(msgspec.Struct):
    version: str
    createdByRun: _Run | None = None  # noqa: N815


class _Versions(msgspec.Struct):
    versions: list[_Version] = []


class _Asker(SyncTalker):
    """Asks a hub of one dataset, once and briefly."""

    def known(self, namespace: str, name: str) -> Known:
        return self._shell.run(_ask_of(self.destination, namespace, name))


def _ask_of(to: Destination, namespace: str, name: str) -> Talk[Known]:
    path = f"{NAMESPACES}/{quote(namespace, safe='')}/datasets/{quote(name, safe='')}"
    dataset = decoded(to, (yield from ask(to, Request("GET", path))), _Dataset)
    answer = yield from ask(to, Request("GET", f"{path}/versions?limit={_VERSIONS}"))
    schema = dataset.facets.schema
    return Known(schema.fields if schema else None, _last_rows(decoded(to, answer, _Versions)), "hub")


def _last_rows(found: _Versions) -> int | None:
    """Of the last run that completed and counted them."""
    for version in found.versions:
        run = version.createdByRun
        if run is None or run.state != "COMPLETED":
            continue
        for written in run.outputDatasetVersions:
            counted = written.facets.outputStatistics
            if written.datasetVersionId.version == version.version and counted is not None:
                return counted.rowCount
    return None


class Memory:
    """What is known of datasets. Without a configured hub the folder alone answers."""

    def __init__(self, folder: Path, config: LineageHubConfig | None = None) -> None:
        self._folder = folder
        self._hub = _asker(config) if config is not None and config.hub_endpoint else None

    def recall(self, namespace: str, name: str) -> Known | None:
        """What the hub doesn't say, the folder may; None where neither knows the dataset."""
        kept = self._read(namespace, name)
        told = self._ask(namespace, name)
        if told is None or kept is None:
            return told or kept
        return Known(
            told.fields if told.fields is not None else kept.fields,
            told.rows if told.rows is not None else kept.rows,
            "hub",
        )

    def remember(self, namespace: str, name: str, fields: Sequence[FieldLike], rows: int | None) -> None:
        """For the next run. A folder that can't be written is told in the log."""
        known = Known(tuple(map(_plain, fields)), rows)
        try:
            _write(self._file(namespace, name), msgspec.json.encode(known))
        except OSError as error:
            _log.warning("schema_not_remembered", dataset=f"{namespace}:{name}", error=str(error))

    def close(self) -> None:
        if self._hub is not None:
            self._hub.close()

    def _ask(self, namespace: str, name: str) -> Known | None:
        if self._hub is None:
            return None
        try:
            return self._hub.known(namespace, name)
        except LineageHubError as error:
            _log.info("hub_not_asked", dataset=f"{namespace}:{name}", error=str(error))
            return None

    def _read(self, namespace: str, name: str) -> Known | None:
        file = self._file(namespace, name)
        try:
            return msgspec.json.decode(file.read_bytes(), type=Known)
        except FileNotFoundError:
            return None
        except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
            _log.warning("schema_not_read", file=str(file), error=str(error))
            return None

    def _file(self, namespace: str, name: str) -> Path:
        """By a digest, since names are longer and stranger than names of files may be; the end is for people."""
        digest = hashlib.sha256(f"{namespace}\0{name}".encode()).hexdigest()[:24]
        readable = re.sub(r"[^A-Za-z0-9_.-]+", "-", name)[-60:].strip("-.")
        return self._folder / f"{digest}-{readable}.json"


def _asker(config: LineageHubConfig) -> _Asker | None:
    brief = replace(config, timeout=min(config.timeout, TIMEOUT_S), retry_attempts=1)
    try:
        return _Asker(Destination.of(config=brief))
    except InvalidSetting as error:
        _log.warning("hub_not_asked", error=str(error))
        return None


def _plain(field: FieldLike) -> KnownField:
    return KnownField(field.name, field.type, tuple(_plain(one) for one in field.fields or ()))


def _write(file: Path, content: bytes) -> None:
    """The old content or the new, whatever happens in between."""
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, beside = tempfile.mkstemp(dir=file.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
        Path(beside).replace(file)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise
