"""The address of a PostgreSQL database enters as its users write it; how a hub connects to it leaves.

What a hub needs of a connection is set here: it notices a server that is gone, and holds no lock for ever.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlencode

from sqlalchemy import Connection, text
from sqlalchemy.engine import URL, make_url

from lineage_hub.errors import InvalidSetting, LineageHubError, StorageFull, StoreUnavailable

SCHEMES = ("postgres", "postgresql", "postgresql+psycopg")
DISK_FULL, READ_ONLY, NOT_ALLOWED = "53100", "25006", "42501"
# A server that vanished is noticed within about half a minute, where the system's own patience is two hours.
NOTICING: Mapping[str, int] = {
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}
# A hub never pauses within a transaction: one that does is gone, and its locks are in the way of the others.
IDLE_IN_TRANSACTION_S = 60


def is_postgres(address: str) -> bool:
    return address.partition("://")[0] in SCHEMES


def url_of(address: str) -> URL:
    """Of libpq's URLs too, which may name several hosts before the path; such a server is looked for in turn."""
    _, _, rest = address.partition("://")
    place, _, path = rest.partition("/")
    user, at, hosts = place.rpartition("@")
    if "," not in hosts:
        return _with_password_apart(make_url(f"postgresql+psycopg://{rest}"))
    name, _, query = path.partition("?")
    given = [*(("host", unquote(host)) for host in hosts.split(",")), *parse_qsl(query, keep_blank_values=True)]
    return _with_password_apart(make_url(f"postgresql+psycopg://{user}{at}/{name}?{urlencode(given)}"))


def _with_password_apart(url: URL) -> URL:
    """One among the parameters would be shown wherever the URL is."""
    given = url.normalized_query.get("password")
    return url.difference_update_query(["password"]).set(password=given[-1]) if given else url


def for_tools(address: str) -> str:
    """The URL as `pg_dump` takes it, without the password, which the tools ask for or read from PGPASSWORD."""
    url = url_of(address)
    given = [(name, value) for name, values in url.normalized_query.items() for value in values]
    listed = [value for name, value in given if name == "host"]
    hosts = ",".join(listed) if len(listed) > 1 else _host(url)
    query = urlencode([one for one in given if one[0] != "password" and not (one[0] == "host" and len(listed) > 1)])
    user = f"{quote(url.username, safe='')}@" if url.username else ""
    return f"postgresql://{user}{hosts}/{quote(url.database or '', safe='')}" + (f"?{query}" if query else "")


def _host(url: URL) -> str:
    host = f"[{url.host}]" if url.host and ":" in url.host else url.host or ""
    return f"{host}:{url.port}" if url.port else host


def connect_args(url: URL) -> dict[str, Any]:
    """What the address doesn't say itself."""
    return {name: value for name, value in NOTICING.items() if name not in url.query}


def prepare_session(connection: Any, lock_timeout_s: float) -> None:
    """For each new connection of the driver. Zero would mean to wait for ever."""
    settings = {
        "lock_timeout": max(1, round(lock_timeout_s * 1000)),
        "idle_in_transaction_session_timeout": IDLE_IN_TRANSACTION_S * 1000,
    }
    with connection.cursor() as cursor:
        for name, value in settings.items():
            cursor.execute(f"SET {name} = {value}")
    connection.commit()


def wait_for_migrations(connection: Connection, key: int) -> None:
    """Of hubs that start at once one migrates; however long it takes, the others wait."""
    connection.execute(text("SET LOCAL lock_timeout = 0"))
    connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": key})


def require_unicode(connection: Connection) -> None:
    encoding: str = connection.execute(text("SHOW server_encoding")).scalar_one()
    if encoding != "UTF8":
        raise InvalidSetting(
            f"the database keeps text as {encoding}, which can't hold every name",
            subject="database_url",
            action="make one with: createdb --encoding=UTF8 --template=template0 NAME",
        )


def refusal(state: str, message: str) -> LineageHubError:
    """What the server said, by its code; the message never holds a password."""
    said = " ".join(message.split())
    if state == DISK_FULL:
        return StorageFull(
            f"the database can't write: {said}",
            subject="store",
            action="free space on the database's disk; a running hub goes on by itself",
        )
    if state == READ_ONLY:
        return StoreUnavailable(
            f"the database only reads at present: {said}",
            subject="store",
            action="name all its hosts and target_session_attrs=read-write in database_url",
        )
    if state == NOT_ALLOWED:
        return StoreUnavailable(
            f"the database user may not do that: {said}",
            subject="database_url",
            action="make the user the owner of the database",
        )
    return StoreUnavailable(
        f"the store does not answer: {said}",
        subject="store",
        action="check the database and database_url with `lineage-hub doctor`; a running hub goes on by itself",
    )
