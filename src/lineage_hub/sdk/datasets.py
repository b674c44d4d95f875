"""What a team writes about a dataset enters: a spec, a mapping or an address; its OpenLineage name leaves.

Names follow OpenLineage's naming rules, so that a table has one name whichever tool tells of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from enum import Enum, StrEnum
from functools import lru_cache
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit

from lineage_hub.errors import InvalidRequest

Name = tuple[str, str]


class AdapterType(StrEnum):
    """Kinds of systems whose datasets have names of their own."""

    MYSQL = "mysql"
    POSTGRES = "postgres"
    CLICKHOUSE = "clickhouse"
    SNOWFLAKE = "snowflake"
    BIGQUERY = "bigquery"
    REDSHIFT = "redshift"
    ICEBERG = "iceberg"
    DELTA = "delta"
    S3 = "s3"
    GCS = "gcs"
    ABFS = "abfs"
    HDFS = "hdfs"
    KAFKA = "kafka"
    FILE = "file"
    EVENT = "event"
    API = "api"
    DATAFRAME = "dataframe"


class DataFormat(StrEnum):
    """How the data of a dataset is written."""

    TABLE = "table"
    JSON = "json"
    AVRO = "avro"
    PARQUET = "parquet"
    CSV = "csv"
    XML = "xml"
    YAML = "yaml"
    TEXT = "text"
    BINARY = "binary"


ADAPTERS = frozenset(one.value for one in AdapterType)
FORMATS = frozenset(one.value for one in DataFormat)
# Other spellings of a scheme, as drivers and tools write them.
_SCHEMES = {
    "postgresql": "postgres", "mariadb": "mysql", "s3a": "s3", "s3n": "s3", "gs": "gcs", "abfss": "abfs",
    "clickhouses": "clickhouse", "http": "api", "https": "api",
}  # fmt: skip
_PORTS = {"mysql": 3306, "postgres": 5432, "clickhouse": 8123, "redshift": 5439, "hdfs": 8020, "kafka": 9092}
_WITH_A_HOST = frozenset(_PORTS)
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


@dataclass(frozen=True, slots=True)
class DatasetSpec:
    """`type` is an adapter, `name` the table, path or topic; an address as name says where it is as well."""

    type: str
    name: str
    format: str | None = None
    namespace: str | None = None

    def validate(self) -> None:
        """Raises for what has no proper name; at run time the same gives a plain name and a warning."""
        if adapter_of(self.type) not in ADAPTERS:
            raise InvalidRequest(
                f"the adapter {self.type!r} is unknown",
                subject=self.type,
                action=f"use one of {', '.join(sorted(ADAPTERS))}",
            )
        if self.format is not None and str(_value(self.format)).lower() not in FORMATS:
            raise InvalidRequest(
                f"the format {self.format!r} is unknown",
                subject=str(self.format),
                action=f"use one of {', '.join(sorted(FORMATS))}",
            )
        if not self.name:
            raise InvalidRequest("a dataset needs a name", subject="name", action="name the table, path or topic")

    @classmethod
    def of(cls, given: Any) -> DatasetSpec:
        """From a spec, a mapping with its keys, or an address such as s3://bucket/path."""
        if isinstance(given, cls):
            return given
        if isinstance(given, str):
            return _of_text(str(given))
        if isinstance(given, Mapping):
            known = {one.name for one in fields(cls)}
            unknown = sorted(set(given) - known)
            if unknown or "name" not in given:
                raise InvalidRequest(
                    f"a dataset is described by {', '.join(sorted(known))}, not by {unknown or sorted(given)}",
                    subject=str(unknown[0] if unknown else "name"),
                    action="correct the keys",
                )
            return cls(**{key: _value(value) for key, value in {"type": AdapterType.DATAFRAME, **given}.items()})
        raise InvalidRequest(
            f"a {type(given).__name__} does not describe a dataset",
            subject=repr(given)[:80],
            action="write a DatasetSpec, a mapping or an address",
        )


@lru_cache(maxsize=4096)
def _of_text(given: str) -> DatasetSpec:
    if _URI.match(given):
        return DatasetSpec(adapter_of(given.split("://", 1)[0]), given)
    return DatasetSpec(AdapterType.FILE.value if "/" in given else AdapterType.DATAFRAME.value, given)


def _value(given: Any) -> Any:
    return given.value if isinstance(given, Enum) else given


def adapter_of(kind: Any) -> str:
    text = str(_value(kind)).lower().split("+", 1)[0]
    return _SCHEMES.get(text, text)


@lru_cache(maxsize=4096)
def resolved(spec: DatasetSpec, default_namespace: str) -> tuple[Name, str | None]:
    """A name, and what is wrong with the spec; a function that is called often says the same each time."""
    try:
        spec.validate()
    except InvalidRequest as error:
        return name_of(spec, default_namespace), f"{error}; {error.action}"
    return name_of(spec, default_namespace), None


def name_of(spec: DatasetSpec, default_namespace: str) -> Name:
    """Namespace and name by OpenLineage's rules; a kind that they don't know gets a plain one of the same form."""
    adapter = adapter_of(spec.type)
    if _URI.match(spec.name):
        address = urlsplit(spec.name)
        named = _BY_ADDRESS.get(adapter_of(address.scheme), _plainly)(address)
        return (spec.namespace, named[1]) if spec.namespace else named
    if spec.namespace:
        return _namespace(spec.namespace), spec.name
    if adapter in ("bigquery", "file"):
        return adapter, spec.name
    if adapter in ("event", "api", "dataframe"):
        return default_namespace, spec.name
    return adapter, spec.name


def _namespace(given: str) -> str:
    """An address as OpenLineage spells it: its scheme, and its port even if it is the usual one."""
    if not _URI.match(given):
        return given
    address = urlsplit(given)
    kind = adapter_of(address.scheme)
    return _authority(kind, address) if kind in _WITH_A_HOST and address.hostname else given.rstrip("/")


def _authority(kind: str, address: SplitResult) -> str:
    return f"{kind}://{address.hostname}:{address.port or _PORTS[kind]}"


def _table(address: SplitResult) -> Name:
    """scheme://user@host:port/database/schema/table, with slashes or dots between the last."""
    return _authority(adapter_of(address.scheme), address), unquote(address.path.strip("/")).replace("/", ".")


def _object(scheme: str) -> Callable[[SplitResult], Name]:
    def named(address: SplitResult) -> Name:
        return f"{scheme}://{address.netloc}", unquote(address.path).strip("/") or "/"

    return named


def _abfs(address: SplitResult) -> Name:
    return f"abfss://{address.netloc}", unquote(address.path).strip("/") or "/"


def _hdfs(address: SplitResult) -> Name:
    return _authority("hdfs", address), unquote(address.path) or "/"


def _file(address: SplitResult) -> Name:
    host = address.netloc
    return (f"file://{host}" if host and host != "localhost" else "file"), unquote(address.path) or "/"


def _bigquery(address: SplitResult) -> Name:
    return "bigquery", ".".join(part for part in (address.netloc, *address.path.strip("/").split("/")) if part)


def _snowflake(address: SplitResult) -> Name:
    account = address.netloc.rpartition("@")[2].removesuffix(".snowflakecomputing.com")
    return f"snowflake://{account}", unquote(address.path.strip("/")).replace("/", ".")


def _topic(address: SplitResult) -> Name:
    return _authority("kafka", address), unquote(address.path.strip("/"))


def _plainly(address: SplitResult) -> Name:
    """Without what follows a question mark: parameters hold secrets."""
    host = address.netloc.rpartition("@")[2]
    return f"{address.scheme}://{host}", unquote(address.path).strip("/") or "/"


_BY_ADDRESS: dict[str, Callable[[SplitResult], Name]] = {
    "mysql": _table, "postgres": _table, "clickhouse": _table, "redshift": _table, "snowflake": _snowflake,
    "bigquery": _bigquery, "s3": _object("s3"), "gcs": _object("gs"), "abfs": _abfs, "hdfs": _hdfs, "kafka": _topic,
    "file": _file,
}  # fmt: skip
