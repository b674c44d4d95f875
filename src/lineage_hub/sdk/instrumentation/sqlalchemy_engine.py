"""Statements that went through an engine of SQLAlchemy enter; what they read and wrote is told.

A read is told at once. A write is told when it is committed, by the run that wrote it; one that failed, was rolled
back or was left with the connection is not. Async engines use the same ones inside.
"""

from __future__ import annotations

import functools
import os
import re
import threading
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any
from weakref import WeakKeyDictionary

from lineage_hub.sdk.instrumentation.analysis import SELECT, analyse
from lineage_hub.sdk.instrumentation.capture import UNCOUNTED, Dataset, tell, trouble
from lineage_hub.sdk.instrumentation.databases import COMMIT_ON_DEFINE, NO_TRANSACTIONS, Database, of_url
from lineage_hub.sdk.instrumentation.flows import Flow, Kind, Table
from lineage_hub.sdk.instrumentation.tables import Column, Seen, columns_for, resolve
from lineage_hub.sdk.instrumentation.transactions import Session

_KEY = "lineage_hub"
_STAR = re.compile(r"\s*SELECT\s+\*\s+FROM\s+[^\s,()]+\s*(?:;?\s*$|WHERE\b|LIMIT\b|ORDER\b)", re.IGNORECASE)
_lock = threading.Lock()
_databases: WeakKeyDictionary[Any, Database] = WeakKeyDictionary()
_seen: dict[Database, Seen] = {}
_savepoints: WeakKeyDictionary[Any, int] = WeakKeyDictionary()


def _forked() -> None:
    """Locks may be held by threads that the child doesn't have."""
    global _lock  # noqa: PLW0603
    _lock = threading.Lock()
    _seen.clear()


os.register_at_fork(after_in_child=_forked)


def install(sqlalchemy: ModuleType) -> None:
    from sqlalchemy.engine import Engine
    from sqlalchemy.pool import Pool

    listen = sqlalchemy.event.listen
    for name, listener in (
        ("after_cursor_execute", _executed),
        ("rollback", _rolled_back),
        ("savepoint", _savepoint),
        ("rollback_savepoint", _rolled_back_to),
        ("commit_twophase", _committed),
        ("rollback_twophase", _rolled_back),
    ):
        listen(Engine, name, _guarded(listener))
    listen(Pool, "checkin", _guarded(_given_back))


def _guarded(listener: Callable[..., None]) -> Callable[..., None]:
    # SQLAlchemy looks at the number of arguments, and takes any.
    def guarded(*args: Any) -> None:
        try:
            listener(*args)
        except Exception as error:
            trouble(error)

    return guarded


def _executed(conn: Any, cursor: Any, statement: str, parameters: Any, context: Any, executemany: bool) -> None:
    seen, session = _seen_by(conn), _session(conn)
    flows, text = _flows(conn, seen, session, statement, context)
    for flow in flows:
        _apply(flow, text, conn, seen, session, _rows(flow, seen, cursor, parameters, executemany))
    reads = flows[0].inputs if len(flows) == 1 and flows[0].kind is Kind.READ else ()
    if cursor.description and len(reads) == 1 and _STAR.match(statement):
        seen.learn(reads[0], [(str(column[0]), "") for column in cursor.description])


def _seen_by(conn: Any) -> Seen:
    engine = conn.engine
    database = _databases.get(engine)
    with _lock:
        if database is None:
            database = _databases[engine] = of_url(engine.url, conn.dialect.default_schema_name)
            _follow_commits(conn.dialect)
        seen = _seen.get(database)
        if seen is None:
            seen = _seen[database] = Seen(database)
        return seen


def _follow_commits(dialect: Any) -> None:
    """SQLAlchemy's own event comes before a commit, which may yet fail."""
    commit = dialect.do_commit
    if getattr(commit, "_lineage_hub", False):
        return

    @functools.wraps(commit)
    def committed(connection: Any) -> None:
        commit(connection)
        try:
            session = connection.info.get(_KEY)
            if isinstance(session, Session):
                session.commit()
        except Exception as error:
            trouble(error)

    committed._lineage_hub = True  # type: ignore[attr-defined]
    dialect.do_commit = committed


def _session(conn: Any) -> Session:
    if conn.closed or conn.invalidated:
        # To ask it would connect it again; it holds nothing any more.
        return Session()
    found = conn.info.get(_KEY)
    if not isinstance(found, Session):
        found = conn.info[_KEY] = Session()
    return found


def _flows(conn: Any, seen: Seen, session: Session, statement: str, context: Any) -> tuple[tuple[Flow, ...], str]:
    compiled = getattr(context, "compiled", None)
    construct = getattr(compiled, "statement", None)
    translated = bool((getattr(context, "execution_options", None) or {}).get("schema_translate_map"))
    if construct is not None and not translated and _is_plain_insert(context, construct, statement):
        table = construct.table
        target = seen.database.table_of(table.name, table.schema)
        if not seen.columns_of(seen.name_of(target) or ("", "")):
            _learn(seen, table, conn)
        head = statement.partition(" SELECT " if "imp_sen(" in statement else " VALUES ")[0]
        return (Flow(Kind.WRITE, output=target, counts_rows=True, adds=True),), f"{head} VALUES (…)"
    if construct is not None and not translated and seen.is_new(statement):
        for one in _tables_in(construct):
            _learn(seen, one, conn)
    database, temporaries = seen.database, session.temporaries
    return analyse(
        statement,
        database.dialect,
        columns_for(seen, temporaries, functools.partial(_look_up, conn)),
        lambda: (database, seen.changes, *((name, one.names) for name, one in temporaries.items())),
    )


def _is_plain_insert(context: Any, construct: Any, statement: str) -> bool:
    """One of Core or the ORM: it says itself which table it writes, however long its text."""
    table = getattr(construct, "table", None)
    if not getattr(context, "isinsert", False) or not hasattr(table, "columns") or not getattr(table, "name", ""):
        return False
    # SQLAlchemy itself writes many rows as a SELECT of VALUES, so that they come back in their order.
    return getattr(construct, "select", None) is None and ("imp_sen(" in statement or not SELECT.search(statement))


def _tables_in(construct: Any) -> list[Any]:
    from sqlalchemy import Table as SqlalchemyTable
    from sqlalchemy.sql import visitors

    element = getattr(construct, "element", None)
    if isinstance(element, SqlalchemyTable):
        return [element]
    return [one for one in visitors.iterate(construct) if isinstance(one, SqlalchemyTable)]


def _learn(seen: Seen, table: Any, conn: Any) -> None:
    columns = [(str(column.name), _type_of(column, conn)) for column in table.columns]
    seen.learn(seen.database.table_of(str(table.name), table.schema), columns)


def _type_of(column: Any, conn: Any) -> str:
    try:
        return str(column.type.compile(dialect=conn.dialect))
    except Exception:
        return ""


def _look_up(conn: Any, table: Table) -> Sequence[Column]:
    """SQLite answers from this process; to ask another database would cost a way over the network."""
    try:
        if conn.dialect.driver != "pysqlite":
            return ()
        quoted = [part.replace('"', '""') for part in (table.schema or "main", table.name)]
        rows = conn.connection.dbapi_connection.execute('PRAGMA "{}".table_info("{}")'.format(*quoted)).fetchall()
        return [(str(row[1]), str(row[2])) for row in rows]
    except Exception:
        return ()


def _rows(flow: Flow, seen: Seen, cursor: Any, parameters: Any, executemany: bool) -> int | None:
    """As the driver counts them."""
    if not flow.counts_rows:
        return None
    counted = getattr(cursor, "rowcount", -1)
    # sqlite3 counts rows that come back only once they have been fetched.
    if isinstance(counted, int) and counted >= 0 and not (cursor.description and seen.database.kind == "sqlite"):
        return counted
    return len(parameters) if executemany else UNCOUNTED


def _apply(flow: Flow, text: str, conn: Any, seen: Seen, session: Session, rows: int | None) -> None:
    kind, dialect = conn.dialect.name, seen.database.dialect
    if flow.kind is Kind.COMMIT or (flow.commits and kind in COMMIT_ON_DEFINE):
        session.commit()
    if flow.kind is Kind.ROLLBACK:
        session.roll_back()
    if flow.kind is Kind.UNKNOWN:
        tell(statements=[text], dialect=dialect)
    if flow.output is not None and flow.kind is Kind.FORGET:
        session.temporaries.pop(flow.output.name.lower(), None)
        seen.forget(flow.output)
    if flow.kind not in (Kind.READ, Kind.WRITE, Kind.DEFINE):
        return
    found = resolve(flow, seen, session.temporaries)
    if flow.output is not None and flow.defines and not flow.temporary:
        seen.learn(flow.output, flow.defines)
    if flow.kind is Kind.DEFINE:
        return
    inputs = tuple(Dataset(name, _fields(seen, name)) for name in found.inputs)
    if found.output is None:
        if inputs:
            tell(inputs, statements=[text], dialect=dialect)
        return
    output = Dataset(
        found.output, _fields(seen, found.output), rows, flow.adds, columns=found.columns, whole=found.whole
    )
    session.add(inputs, output, text, dialect)
    if kind in NO_TRANSACTIONS or (flow.commits and kind in COMMIT_ON_DEFINE) or _commits_itself(conn):
        session.commit()


def _fields(seen: Seen, name: tuple[str, str]) -> list[dict[str, Any]]:
    return [{"name": column, **({"type": kind} if kind else {})} for column, kind in seen.columns_of(name)]


def _commits_itself(conn: Any) -> bool:
    """In autocommit every statement is its own transaction; sqlite3 says whether one is open."""
    driver = conn.connection.dbapi_connection
    if conn.dialect.driver == "pysqlite":
        return not driver.in_transaction
    if conn.get_execution_options().get("isolation_level") == "AUTOCOMMIT":
        return True
    detect = getattr(conn.dialect, "detect_autocommit_setting", None)
    try:
        return bool(detect(driver)) if detect is not None else getattr(driver, "autocommit", None) is True
    except NotImplementedError:
        return getattr(conn.dialect, "_on_connect_isolation_level", None) == "AUTOCOMMIT"


def _committed(conn: Any, *_: Any) -> None:
    _session(conn).commit()


def _rolled_back(conn: Any, *_: Any) -> None:
    _session(conn).roll_back()


def _savepoint(conn: Any, name: str | None) -> None:
    """One without a name gets its number, which the event doesn't tell yet."""
    number = _savepoints[conn] = _savepoints.get(conn, 0) + (name is None)
    _session(conn).savepoint(name or f"sa_savepoint_{number}")


def _rolled_back_to(conn: Any, name: str, *_: Any) -> None:
    _session(conn).roll_back_to(name)


def _given_back(_: Any, record: Any) -> None:
    """A pool rolls back what is left open."""
    session = record.info.get(_KEY) if record is not None else None
    if isinstance(session, Session):
        session.roll_back()
