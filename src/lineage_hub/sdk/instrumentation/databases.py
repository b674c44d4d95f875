"""Where a database is enters: a URL without its password, or a driver's connection; the names of its tables leave.

Names follow OpenLineage's rules. SQLite has none there: like DuckDB's in OpenLineage's dbt integration, its namespace
is the scheme and the file's absolute path, and a table's name is the table. What is in memory has no name at all.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lineage_hub.sdk.datasets import DatasetSpec, Name, name_of
from lineage_hub.sdk.instrumentation.flows import Table


@dataclass(frozen=True, slots=True)
class _System:
    scheme: str
    dialect: str
    """As sqlglot names it."""
    port: int | None = None
    parts: int = 3
    """Of a table's full name."""
    folds: str = ""
    """`upper` or `lower`, where names without quotes are folded."""


_POSTGRES = _System("postgres", "postgres", 5432, folds="lower")
_SYSTEMS: dict[str, _System] = {
    "postgresql": _POSTGRES,
    "postgres": _POSTGRES,
    "redshift": _System("redshift", "redshift", 5439, folds="lower"),
    "cockroachdb": _System("cockroachdb", "postgres", 26257, folds="lower"),
    "mysql": _System("mysql", "mysql", 3306, parts=2),
    "mariadb": _System("mysql", "mysql", 3306, parts=2),
    "mssql": _System("mssql", "tsql", 1433),
    "oracle": _System("oracle", "oracle", 1521, folds="upper"),
    "snowflake": _System("snowflake", "snowflake", folds="upper"),
    "bigquery": _System("bigquery", "bigquery"),
    "trino": _System("trino", "trino", 8080, folds="lower"),
    "presto": _System("presto", "presto", 8080, folds="lower"),
    "clickhouse": _System("clickhouse", "clickhouse", 8123, parts=2),
    "clickhousedb": _System("clickhouse", "clickhouse", 8123, parts=2),
    "databricks": _System("databricks", "databricks", folds="lower"),
    "hive": _System("hive", "hive", 10000, parts=2, folds="lower"),
    "awsathena": _System("awsathena", "athena", folds="lower"),
    "teradatasql": _System("teradata", "teradata", 1025, parts=2),
    "db2": _System("db2", "", 50000, folds="upper"),
    "ibm_db_sa": _System("db2", "", 50000, folds="upper"),
    "crate": _System("crate", "postgres", 4200, folds="lower"),
    "duckdb": _System("duckdb", "duckdb"),
    "sqlite": _System("sqlite", "sqlite", parts=1),
}
# Databases that end a transaction when a table is made, and those that have no transactions.
COMMIT_ON_DEFINE = frozenset({"mysql", "mariadb", "oracle", "snowflake", "teradatasql"})
NO_TRANSACTIONS = frozenset(
    [
        "bigquery",
        "trino",
        "presto",
        "clickhouse",
        "clickhousedb",
        "databricks",
        "hive",
        "awsathena",
        "crate",
        "drill",
        "druid",
        "impala",
    ]
)
_SYSTEM_SCHEMAS = frozenset(
    [
        "information_schema",
        "pg_catalog",
        "pg_toast",
        "sys",
        "performance_schema",
        "pg_internal",
        "sqlite_master",
        "sqlite_schema",
    ]
)
_SYSTEM_OF_MYSQL = frozenset({"mysql"})
_SYSTEM_OF_ORACLE = ("ALL_", "DBA_", "USER_", "V$", "GV$")


@dataclass(frozen=True, slots=True)
class Database:
    """`around` are the parts that stand before a table that is named alone."""

    kind: str
    namespace: str
    dialect: str = ""
    around: tuple[str, ...] = ()
    parts: int = 3
    folds: str = ""
    in_memory: bool = False

    def name_of(self, table: Table) -> Name | None:
        """None of what the database keeps for itself, of what is in memory, and of a file without a place."""
        if table.address:
            return name_of(file_spec(table.address), "file")
        if self.in_memory or self.is_system(table):
            return None
        if self.kind == "sqlite":
            inner = "" if table.schema.lower() in ("", "main") else f"{table.schema}."
            return self.namespace, inner + table.name
        given = [part for part in (*table.catalog.split("."), table.schema, table.name) if part]
        missing = max(0, self.parts - len(given))
        before = list(self.around[: len(self.around) - (len(given) - 1)] if len(given) > 1 else self.around)
        return self.namespace, ".".join([*before[-missing:], *given] if missing else given)

    def table_of(self, name: str, schema: str | None = None) -> Table:
        """As SQLAlchemy names it: in lower case what the database folds."""
        folded = [one.upper() if self.folds == "upper" and one.islower() else one for one in (name, schema or "")]
        *before, last = folded[1].split(".")
        return Table(folded[0], last, ".".join(before))

    def is_system(self, table: Table) -> bool:
        schema, name = table.schema.lower(), table.name.lower()
        if schema in _SYSTEM_SCHEMAS or name.startswith(("sqlite_", "pg_catalog.")):
            return True
        if not schema and self.dialect in ("postgres", "redshift") and name.startswith(("pg_", "stl_", "svv_", "stv_")):
            return True
        if self.kind in ("mysql", "mariadb"):
            return schema in _SYSTEM_OF_MYSQL or name == "dual"
        if self.kind == "oracle":
            return name == "dual" or schema in ("sys", "system") or table.name.startswith(_SYSTEM_OF_ORACLE)
        return self.dialect == "duckdb" and name.startswith("duckdb_")


def of_url(url: Any, default_schema: str | None) -> Database:
    """Of SQLAlchemy's URL; the default schema is what the server said when the program connected."""
    kind = str(url.get_backend_name())
    if kind == "sqlite":
        return of_sqlite(_file_of(url))
    system = _SYSTEMS.get(kind) or _System(kind, "")
    if kind == "duckdb":
        return _duckdb(url.database)
    namespace, around = _place(kind, system, url, default_schema)
    return Database(kind, namespace, system.dialect, tuple(p for p in around if p), system.parts, system.folds)


def _place(kind: str, system: _System, url: Any, default_schema: str | None) -> tuple[str, Sequence[str | None]]:
    query: Mapping[str, Any] = url.query
    host, port = _host(url, query), _first(query.get("port")) or url.port or system.port
    authority = f"{host}:{port}" if port else host
    database, _, schema = (url.database or "").partition("/")
    if kind == "bigquery":
        return "bigquery", (url.host or "", url.database or "")
    if kind == "redshift" and host.endswith(".redshift.amazonaws.com") and host.count(".") >= 4:
        cluster, _, region, *_ = host.split(".")
        return f"redshift://{cluster}.{region}:{port}", (database, default_schema)
    if kind == "snowflake":
        account = host.removesuffix(".snowflakecomputing.com")
        return f"snowflake://{account}", (database.upper(), (schema or default_schema or "PUBLIC").upper())
    if kind == "awsathena":
        return f"awsathena://{host}", ("awsdatacatalog", database or default_schema)
    if kind == "databricks":
        return f"databricks://{host}", (_first(query.get("catalog")), _first(query.get("schema")) or default_schema)
    if kind == "oracle":
        service = _first(query.get("service_name")) or database
        return f"oracle://{authority}", (service, (default_schema or url.username or "").upper())
    if system.parts == 2:
        return f"{system.scheme}://{authority}", (database or default_schema,)
    return f"{system.scheme}://{authority}", (database, schema or default_schema)


def _host(url: Any, query: Mapping[str, Any]) -> str:
    """A socket in a folder is this machine."""
    host = url.host or _first(query.get("host")) or ""
    return "localhost" if not host or host.startswith(("/", "@")) else host.partition(":")[0] if not url.host else host


def _first(value: Any) -> str:
    text = (value[0] if value else "") if isinstance(value, tuple | list) else (value or "")
    return str(text).split(",")[0]


def _file_of(url: Any) -> str | None:
    path = url.database
    if path and path.startswith("file:"):
        memory = ":memory:" in path or url.query.get("mode") == "memory" or "mode=memory" in path
        return None if memory else str(path).removeprefix("file:").partition("?")[0]
    return str(path) if path else None


def of_sqlite(path: str | None) -> Database:
    if not path or path == ":memory:":
        return Database("sqlite", "sqlite://", "sqlite", in_memory=True)
    return Database("sqlite", f"sqlite://{os.path.abspath(path)}", "sqlite", parts=1)  # noqa: PTH100 - keeps links


def _duckdb(path: str | None) -> Database:
    if not path or path.startswith(":memory:"):
        return Database("duckdb", "duckdb://", "duckdb", in_memory=True)
    if path.startswith("md:"):
        return Database("duckdb", "duckdb://md", "duckdb", (path.removeprefix("md:").partition("?")[0], "main"))
    catalog = os.path.splitext(os.path.basename(path))[0]  # noqa: PTH119, PTH122
    return Database("duckdb", f"duckdb://{os.path.abspath(path)}", "duckdb", (catalog, "main"))  # noqa: PTH100


def of_connection(connection: Any) -> Database | None:
    """Of a driver's own connection, when it is sqlite3's or psycopg's; others don't say where they lead."""
    module = type(connection).__module__.partition(".")[0]
    if module == "sqlite3":
        rows = connection.execute("PRAGMA database_list").fetchall()
        return of_sqlite(next((str(tuple(row)[2]) for row in rows if tuple(row)[1] == "main"), None))
    if module in ("psycopg", "psycopg2"):
        info = connection.info
        host = info.host if info.host and not info.host.startswith(("/", "@")) else "localhost"
        return Database(
            "postgresql", f"postgres://{host}:{info.port}", "postgres", (str(info.dbname), "public"), folds="lower"
        )
    return None


def file_spec(address: str) -> DatasetSpec:
    """A path is of this machine, and absolute."""
    if "://" in address:
        return DatasetSpec.of(address)
    return DatasetSpec("file", os.path.abspath(os.path.expanduser(address)))  # noqa: PTH100, PTH111
