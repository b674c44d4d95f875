"""Settings enter; the file of the embedded store leaves, what is known about it, and whole copies of it.

SQLite's online backup reads one snapshot while a hub goes on writing; a copy is one file, without a log.
"""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from lineage_hub.errors import Conflict, ExtraMissing, InvalidRequest, NotFound, StorageFull, StoreTooNew
from lineage_hub.settings import Settings

SQLITE = "sqlite:///"
STEP_PAGES = 1024
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Facts:
    """`problems` is what SQLite's check found; none when the file is sound."""

    revision: str | None
    journal: str
    size: int
    problems: tuple[str, ...]

    def summary(self) -> str:
        more = len(self.problems) - 1
        return self.problems[0] + (f" and {more} more" if more else "")


def newest_revision() -> str:
    try:
        from lineage_hub.store.migrate import HEAD
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("lineage_hub"):
            raise
        raise ExtraMissing.of("server", "reading the store") from None
    return HEAD


def embedded_file(settings: Settings, postgres_action: str) -> Path:
    """The store's file; a PostgreSQL database has none, and `postgres_action` says what to do then."""
    url = settings.resolved_database_url
    if not url.startswith(SQLITE):
        raise InvalidRequest(
            "the lineage store is a PostgreSQL database, which has tools of its own for this",
            subject="database_url",
            action=postgres_action,
        )
    return Path(url.removeprefix(SQLITE).partition("?")[0])


def look_at(path: Path, *, deep: bool = False) -> Facts:
    """Read-only; `deep` compares the indexes too, which takes as long as reading everything."""
    check = "integrity_check" if deep else "quick_check"
    with closing(_open_for_reading(path)) as connection:
        try:
            journal = str(connection.execute("PRAGMA journal_mode").fetchone()[0])
            found = [line for row in connection.execute(f"PRAGMA {check}(20)") for line in str(row[0]).splitlines()]
            revision = _revision(connection)
        except sqlite3.DatabaseError as error:
            return Facts(None, "", path.stat().st_size, (str(error),))
    # A line with stars says which of several files the next ones are about; here there is one.
    problems = tuple(one for one in found if one != "ok" and not one.startswith("***"))
    return Facts(revision, journal, path.stat().st_size, problems)


def require_restorable(path: Path) -> Facts:
    """Refuse a file that is damaged, not a hub's, or written by a newer hub."""
    if not path.is_file():
        raise NotFound(
            f"there is no backup at {path}", subject=str(path), action="name a file that `lineage-hub backup` made"
        )
    facts = look_at(path, deep=True)
    if facts.problems:
        raise InvalidRequest(
            f"{path} is not a sound backup: {facts.summary()}",
            subject=str(path),
            action="use another backup",
        )
    if facts.revision is None:
        raise InvalidRequest(
            f"{path} is not a backup of a hub",
            subject=str(path),
            action="name a file that `lineage-hub backup` made",
        )
    if facts.revision > newest_revision():
        raise StoreTooNew(
            f"{path} has schema {facts.revision}, this hub knows up to {newest_revision()}",
            subject=facts.revision,
            action="upgrade lineage-hub, then restore again",
        )
    return facts


def copy_whole(source: Path, target: Path, progress: Progress | None = None) -> Facts:
    """Durable and under its name only when complete and sound, so that a crash leaves no half of a copy."""
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        with closing(_open_for_reading(source)) as reading, closing(sqlite3.connect(partial)) as writing:
            # Holding a snapshot keeps a busy hub's commits from starting the copy over between two steps.
            reading.execute("BEGIN")
            reading.execute("SELECT count(*) FROM sqlite_master").fetchone()
            tell = (lambda _status, left, all_pages: progress(left, all_pages)) if progress else None
            reading.backup(writing, pages=STEP_PAGES, progress=tell)
            writing.execute("PRAGMA journal_mode=DELETE").fetchone()
        facts = look_at(partial, deep=True)
        if facts.problems:
            raise _damaged(source, facts.summary())
        _make_durable(partial)
        partial.replace(target)
        _make_durable(target.parent)
        return facts
    except (sqlite3.Error, OSError) as error:
        if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError):
            raise _damaged(source, str(error)) from error
        raise StorageFull(
            f"{target} could not be written: {error}",
            subject=str(target),
            action="check free space and permissions",
        ) from error
    finally:
        partial.unlink(missing_ok=True)


def _damaged(source: Path, problem: str) -> InvalidRequest:
    return InvalidRequest(
        f"{source} is damaged and was not copied: {problem}",
        subject=str(source),
        action="bring an earlier backup back with `lineage-hub restore FILE --force`",
    )


def require_unused(path: Path) -> None:
    """A file that a running hub has open must not be replaced under it."""
    try:
        with closing(sqlite3.connect(path, timeout=0.5)) as connection:
            # Leaving WAL mode needs every other connection to be gone.
            connection.execute("PRAGMA journal_mode=DELETE").fetchone()
    except sqlite3.OperationalError as error:
        if "locked" in str(error):
            raise Conflict(
                f"a hub is using {path}", subject=str(path), action="stop that hub, then restore again"
            ) from None
    except sqlite3.DatabaseError:
        # Damaged, which is a reason to restore.
        pass


def _open_for_reading(path: Path) -> sqlite3.Connection:
    if not path.is_file():
        raise NotFound(f"there is no database at {path}", subject=str(path), action="name the data folder with --data")
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=10)
    connection.isolation_level = None
    return connection


def _revision(connection: sqlite3.Connection) -> str | None:
    named = "SELECT count(*) FROM sqlite_master WHERE name = 'alembic_version'"
    if connection.execute(named).fetchone()[0] == 0:
        return None
    row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    return str(row[0]) if row else None


def _make_durable(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
