"""Paths, JDBC addresses and Kafka options as Spark knows them enter; names by OpenLineage's naming rules leave.

A file has the name that the SDK gives it, so that a dataset has one name whichever part of a program tells of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import NamedTuple
from urllib.parse import parse_qsl, quote, urlsplit

from lineage_hub.sdk.datasets import DatasetSpec, name_of


class DatasetName(NamedTuple):
    namespace: str
    name: str


_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(?://([^/]*))?(.*)", re.DOTALL)
# Schemes of JDBC addresses with the name and port that OpenLineage gives the system, and the schema that a table
# without one is in.
_JDBC = {
    "postgresql": ("postgres", 5432, "public"),
    "redshift": ("redshift", 5439, "public"),
    "mysql": ("mysql", 3306, ""),
    "mariadb": ("mysql", 3306, ""),
    "sqlserver": ("sqlserver", 1433, "dbo"),
    "oracle": ("oracle", 1521, ""),
    "db2": ("db2", 50000, ""),
    "teradata": ("teradata", 1025, ""),
    "clickhouse": ("clickhouse", 8123, ""),
    "trino": ("trino", 8080, ""),
    "crate": ("crate", 5432, "doc"),
    "snowflake": ("snowflake", None, ""),
}
_ORACLE = re.compile(r"oracle:thin:(?:[^@]*)@(?://)?([^:/]+)(?::(\d+))?[:/](\w[\w.$]*)", re.IGNORECASE)
_WORD = re.compile(r'"((?:[^"]|"")*)"|`([^`]*)`|\[([^\]]*)\]|([^."`\[\]]+)')


def of_path(path: str) -> DatasetName:
    """Of a Hadoop path: nothing in it is escaped, and a question mark is part of a name."""
    match = _SCHEME.fullmatch(path)
    scheme, authority, rest = match.groups() if match else ("file", None, path)
    rest = rest.rstrip("/") or "/"
    if scheme == "file" or not authority:
        return DatasetName(scheme, rest)
    return DatasetName(*name_of(DatasetSpec(scheme, f"{scheme}://{authority}{quote(rest)}"), scheme))


def of_paths(paths: Iterable[str]) -> list[DatasetName]:
    """Files of one folder, or partitions of one table, are that folder: a thousand files are one dataset."""
    given = list(dict.fromkeys(path.rstrip("/") or "/" for path in paths))
    if len(given) < 2:
        return [of_path(one) for one in given]
    folders = {one.rpartition("/")[0] for one in given if _is_part(one)}
    whole = {folder for folder in folders if sum(one.rpartition("/")[0] == folder for one in given) > 1}
    named = [folder if (folder := one.rpartition("/")[0]) in whole and _is_part(one) else one for one in given]
    return [of_path(one) for one in dict.fromkeys(named)]


def _is_part(path: str) -> bool:
    last = PurePosixPath(path).name
    return "=" in last or "." in last.strip(".")


def of_jdbc(url: str, table: str) -> DatasetName:
    """A password in the address goes nowhere."""
    kind, _, rest = url.removeprefix("jdbc:").partition(":")
    kind = kind.lower()
    if kind == "derby":
        return DatasetName(f"derby:{rest.split(';')[0]}", ".".join(_words(table)))
    if kind == "sqlite":
        return DatasetName(f"sqlite:{rest}", ".".join(_words(table)))
    scheme, port, schema = _JDBC.get(kind, (kind, None, ""))
    host, database, schema = _oracle(url) if kind == "oracle" else _address(kind, rest, schema)
    hosts = ",".join(one if port is None or re.search(r":\d+$", one) else f"{one}:{port}" for one in host.split(","))
    words = _words(table)
    before = [database] if database else []
    if schema and len(words) == 1:
        before.append(schema)
    full = words if len(words) > 2 or (len(words) == 2 and kind in ("mysql", "mariadb")) else [*before, *words]
    return DatasetName(f"{scheme}://{hosts}", ".".join(full))


def _oracle(url: str) -> tuple[str, str, str]:
    match = _ORACLE.search(url)
    if match is None:
        return _address("oracle", url.partition("oracle:")[2], "")
    host, port, service = match.groups()
    return f"{host}:{port or 1521}", service, ""


def _address(kind: str, rest: str, schema: str) -> tuple[str, str, str]:
    address = urlsplit(rest.partition(";")[0].removeprefix("thin:"))
    host = address.netloc.rpartition("@")[2]
    options = {key.lower(): value for key, value in parse_qsl(address.query)}
    options |= {
        key.lower(): value for key, found, value in (one.partition("=") for one in rest.split(";")[1:]) if found
    }
    if kind == "sqlserver":
        host = host.partition("\\")[0]
    host = host.removesuffix(".snowflakecomputing.com")
    database = address.path.strip("/") or options.get("databasename") or options.get("database") or options.get("db")
    return host, (database or "").replace("/", "."), options.get("currentschema") or options.get("schema") or schema


def _words(table: str) -> list[str]:
    """The parts of a name as SQL writes it, without quotes."""
    return [next(part for part in found if part).strip() for found in _WORD.findall(table) if any(found)] or [table]


def is_query(table: str) -> bool:
    """Whether what Spark reads by JDBC is a query in parentheses instead of a table."""
    return table.lstrip().startswith("(")


def of_kafka(options: Mapping[str, str]) -> list[DatasetName]:
    """Of the options of a reader or a writer; their case doesn't matter."""
    given = {key.lower(): value for key, value in options.items()}
    server = given.get("kafka.bootstrap.servers", "").split(",")[0].strip()
    server = server.rpartition("://")[2]
    namespace = f"kafka://{server if ':' in server else server + ':9092'}"
    if "assign" in given:
        topics = list(json.loads(given["assign"]))
    else:
        named = given.get("topic") or given.get("subscribe") or ""
        topics = [one.strip() for one in named.split(",") if one.strip()]
    return [DatasetName(namespace, one) for one in topics or [given.get("subscribepattern", "")] if one]
