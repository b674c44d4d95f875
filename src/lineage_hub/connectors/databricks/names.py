"""What code calls a topic, a path or a table enters; its name by OpenLineage's rules leaves.

Tables have the workspace's namespace and the name that Unity Catalog gives them: catalog.schema.table in lower case.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

from lineage_hub.connectors.databricks.clusters import Clusters, brokers_of
from lineage_hub.connectors.databricks.programs import Work
from lineage_hub.connectors.databricks.reading import DefinedTable, StreamSource
from lineage_hub.sdk.datasets import DatasetSpec, name_of

# Reads of messages, which `includeKafkaLineage` is about.
STREAMS = ("kafka", "eventhubs", "kinesis", "pulsar", "pubsub")
_WORD = re.compile(r"`((?:[^`]|``)*)`|([^.`]+)")
_JDBC_PORTS = {"sqlserver": 1433, "oracle": 1521, "db2": 50000, "teradata": 1025, "trino": 8080}
_KNOWN_JDBC = {"postgresql": "public", "redshift": "public", "mysql": "", "mariadb": "", "clickhouse": ""}


class DatasetName(NamedTuple):
    namespace: str
    name: str


@lru_cache(maxsize=100_000)
def words_of(table: str) -> tuple[str, ...]:
    """The parts of a name, without backticks; LIVE before a name means nothing."""
    words = tuple((quoted or plain).replace("``", "`").strip() for quoted, plain in _WORD.findall(table))
    return words[1:] if len(words) == 2 and words[0].upper() == "LIVE" else words


@lru_cache(maxsize=100_000)
def spelling(name: str) -> str:
    """By which two spellings of a name are compared."""
    return name.rstrip("/") if "/" in name else ".".join(words_of(name)).lower()


def is_path(name: str) -> bool:
    return "/" in name and "`" not in name


class Namer:
    """For the programs of one pipeline, task or file."""

    def __init__(self, work: Work, namespace: str, clusters: Clusters, tables: Iterable[DefinedTable]) -> None:
        self._work, self._namespace, self.clusters = work, namespace, clusters
        self._named: dict[str, DatasetName | None] = {}
        defined = list(tables)
        # A view of a decorator has one word for a name; CREATE VIEW in a schema is for everybody.
        passing = (
            one for one in defined if one.kind == "temporary_view" or (one.kind == "view" and not _is_apart(one))
        )
        self._views = {spelling(one.name) for one in passing}
        self._own = {spelling(one.name) for one in defined}

    def is_view(self, name: str) -> bool:
        """Whether rows only pass through it: nobody else can read it."""
        return spelling(name) in self._views

    def table(self, name: str) -> DatasetName | None:
        if name not in self._named:
            self._named[name] = self._table(name)
        return self._named[name]

    def _table(self, name: str) -> DatasetName | None:
        if path := _path_of_format(name):
            return self.path(path)
        if is_path(name):
            return self.path(name)
        words = [one.lower() for one in words_of(name)]
        if not words or not all(words):
            return None
        work = self._work
        is_private = len(words) == 1 and not work.is_published and words[0] in self._own
        if self.is_view(name) or is_private:
            return DatasetName(self._namespace, f"{work.name}.{words[-1]}")
        before = [one.lower() for one in (work.catalog, work.schema)]
        if len(words) == 1 and all(before):
            words = [*before, *words]
        elif len(words) == 1 and before[1]:
            words = [before[1], *words]
        elif len(words) == 2 and before[0]:
            words = [before[0], *words]
        return DatasetName(self._namespace, ".".join(words))

    def path(self, path: str) -> DatasetName:
        """Of files: a pattern means the folder before its first star."""
        plain = re.split(r"/[^/]*[*?\[{]", path, maxsplit=1)[0] or path
        if plain.startswith("/Volumes/"):
            return DatasetName(self._namespace, plain.rstrip("/"))
        if plain.startswith(("dbfs:/", "/")):
            host = self._namespace.partition("://")[2] or self._namespace
            return DatasetName(f"dbfs://{host}", "/" + plain.removeprefix("dbfs:").strip("/"))
        if "://" in plain:
            scheme, rest = plain.split("://", 1)
            if not rest.partition("/")[0]:
                return DatasetName(scheme, rest.rstrip("/") or "/")
            return DatasetName(*name_of(DatasetSpec(scheme, plain), self._namespace))
        return DatasetName("file", plain.removeprefix("file:").rstrip("/") or "/")

    def of_source(self, source: StreamSource) -> list[DatasetName]:
        """None where it can't be named: its topics or its path are unknown."""
        kind = source.kind.removesuffix("_sink")
        if kind == "rate":
            return []
        if kind in STREAMS:
            return self._of_topics(kind, source)
        if kind == "table":
            found = self.table(source.path or source.source_table or "") if source.path or source.source_table else None
            return [found] if found is not None else []
        if source.kind == "delta_sink" and source.path and not is_path(source.path):
            found = self.table(source.path)  # a pipeline's sink may be a table
            return [found] if found is not None else []
        if kind in ("files", "delta"):
            return [self.path(source.path)] if source.path else []
        if kind == "jdbc":
            found = of_jdbc(source.bootstrap or "", source.path or "")
            return [found] if found is not None else []
        named = source.topics or ([source.path] if source.path else [])
        place = (source.bootstrap or "").rpartition("@")[2].rpartition("://")[2] or f"unresolved/{self._work.name}"
        return [DatasetName(f"{kind}://{place}", one) for one in named]

    def _of_topics(self, kind: str, source: StreamSource) -> list[DatasetName]:
        named = source.topics or ([source.pattern] if source.pattern else [])
        place = source.bootstrap or f"unresolved/{self._work.name}"
        if kind == "kafka":
            namespace = self.clusters.of(source.bootstrap, self._work.name).namespace
        elif kind == "eventhubs" and source.bootstrap:
            # Event Hubs speak Kafka: by that protocol the same hub has this name.
            host = brokers_of(source.bootstrap)
            namespace = f"kafka://{host[0].rpartition(':')[0]}:9093" if host else f"eventhubs://{place}"
        elif kind == "pubsub":
            return [DatasetName("pubsub", f"subscription:{source.bootstrap or 'unresolved'}:{one}") for one in named]
        else:
            namespace = place if "://" in place else f"{kind}://{place}"
        return [DatasetName(namespace, one) for one in named]


def _is_apart(view: DefinedTable) -> bool:
    return len(words_of(view.name)) > 1


def _path_of_format(name: str) -> str:
    """Of delta.`s3://…`, which names files in the place of a table."""
    if "`" not in name or "/" not in name:
        return ""
    words = _WORD.findall(name)
    return words[1][0] if len(words) == 2 and "/" in words[1][0] else ""


def of_jdbc(url: str, table: str) -> DatasetName | None:
    """None for a query, and where the address is unknown. A password in the address goes nowhere."""
    words = words_of(table.replace('"', "`"))
    if not url or not words or table.lstrip().startswith("(") or re.match(r"\s*(select|with)\s", table, re.IGNORECASE):
        return None
    kind, _, rest = url.removeprefix("jdbc:").partition(":")
    kind = kind.lower()
    address = urlsplit(rest.partition(";")[0].removeprefix("thin:").removeprefix("@"))
    options = {key.lower(): value for key, value in parse_qsl(address.query)}
    options |= {
        key.lower(): value for key, found, value in (one.partition("=") for one in rest.split(";")[1:]) if found
    }
    database = unquote(address.path.strip("/")) or options.get("databasename") or options.get("database") or ""
    host = address.netloc.rpartition("@")[2].partition("\\")[0]
    if not host:
        return None
    if kind in _KNOWN_JDBC:
        namespace = name_of(DatasetSpec(kind, f"{kind}://{host}/x"), "")[0]
        schema = _KNOWN_JDBC[kind]
    else:
        port = _JDBC_PORTS.get(kind)
        namespace = f"{kind}://{host}" + (f":{port}" if port and not re.search(r":\d+$", host) else "")
        schema = "dbo" if kind == "sqlserver" else ""
    before = [database] if database else []
    if schema and len(words) == 1:
        before.append(schema)
    is_whole = len(words) > 2 or (len(words) == 2 and kind in ("mysql", "mariadb"))
    full = words if is_whole else (*before, *words)
    return DatasetName(namespace, ".".join(full))
