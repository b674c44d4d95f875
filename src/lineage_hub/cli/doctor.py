"""The machine, the data folder and the hub enter; a table of findings and next actions leaves."""

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated

import typer
from msgspec import Struct

from lineage_hub import __version__
from lineage_hub.cli import database_file
from lineage_hub.cli.app import app
from lineage_hub.cli.hub import Hub
from lineage_hub.cli.options import HUB, takes_settings
from lineage_hub.errors import LineageHubError, Unreachable
from lineage_hub.settings import Settings, mask_url
from lineage_hub.terminal import print_json, print_table

GB = 10**9
SERVER_PACKAGES = ("alembic", "fastapi", "prometheus-client", "sqlalchemy", "uvicorn", "zstandard")
BASE_PACKAGES = ("httpx", "msgspec", "openlineage-python", "rich", "structlog", "typer")


@dataclass(frozen=True, slots=True)
class Check:
    """`result` is ok, warn, fail or off (nothing to check)."""

    check: str
    result: str
    found: str
    action: str = ""


class _Part(Struct):
    status: str
    detail: str = ""
    latency_ms: float = 0


class _Health(Struct):
    status: str
    dependencies: dict[str, _Part] = {}


@app.command(epilog="Example: lineage-hub doctor --data ./lineage")
@takes_settings("data_dir", "database_url", *HUB)
def doctor(
    settings: Settings,
    deep: Annotated[bool, typer.Option("--deep", help="Compare every index with its table; slow when large.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Check Python, packages, disk, store and hub, and say what to do; exits with 1 if something fails."""
    checks = list(_every_check(settings, deep))
    if as_json:
        print_json([asdict(one) for one in checks])
    else:
        print_table(("check", "result", "found", "next action"), [tuple(asdict(one).values()) for one in checks])
    if any(one.result == "fail" for one in checks):
        raise typer.Exit(1)


def _every_check(settings: Settings, deep: bool) -> Iterator[Check]:
    yield _python()
    yield _packages("packages", BASE_PACKAGES, "lineage-hub", "fail")
    yield _packages("packages of the server", SERVER_PACKAGES, "lineage-hub[server]", "warn")
    if settings.resolved_database_url.startswith(database_file.SQLITE):
        yield _folder(settings.data_dir)
        path = database_file.embedded_file(settings, "")
        yield _disk(path)
        yield from _guarded("database", lambda: _database(path, deep))
    else:
        yield from _guarded("database", lambda: _postgres(settings))
    yield from _guarded("hub", lambda: _hub(settings))


def _guarded(name: str, checks: Callable[[], Iterator[Check]]) -> Iterator[Check]:
    """A check that can't be done is a finding, never a traceback."""
    try:
        yield from checks()
    except LineageHubError as error:
        yield Check(name, "fail", error.message, error.action or "")


def _python() -> Check:
    return Check("python", "ok", f"{sys.version.partition(' ')[0]}, lineage-hub {__version__}")


def _packages(name: str, wanted: tuple[str, ...], install: str, severity: str) -> Check:
    missing = [one for one in wanted if _version(one) is None]
    if missing:
        return Check(name, severity, f"missing: {', '.join(missing)}", f"pip install '{install}'")
    return Check(name, "ok", ", ".join(f"{one} {_version(one)}" for one in wanted))


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _folder(folder: Path) -> Check:
    nearest = next(one for one in (folder, *folder.absolute().parents) if one.exists())
    if not nearest.is_dir():
        return Check("data folder", "fail", f"{nearest} is a file", "name another folder with --data")
    if not os.access(nearest, os.R_OK | os.W_OK | os.X_OK):
        return Check("data folder", "fail", f"{nearest} can't be written", "change its owner, or use --data")
    found = str(folder) if nearest == folder else f"{folder} (made when the hub starts)"
    return Check("data folder", "ok", found)


def _disk(path: Path) -> Check:
    nearest = next(one for one in path.absolute().parents if one.exists())
    free = shutil.disk_usage(nearest).free
    found = f"{free / GB:.1f} GB free"
    if free < GB // 10:
        return Check("disk space", "fail", found, "free space: the hub refuses events when the disk is full")
    size = path.stat().st_size if path.exists() else 0
    if free < max(GB, size):
        return Check("disk space", "warn", found, "free space; a backup needs as much as the database")
    return Check("disk space", "ok", found)


def _database(path: Path, deep: bool) -> Iterator[Check]:
    if not path.exists():
        yield Check("database", "off", f"none at {path}", "it is made by the first `lineage-hub serve`")
        return
    facts = database_file.look_at(path, deep=deep)
    if facts.problems:
        yield Check(
            "integrity",
            "fail",
            facts.summary(),
            "restore a backup: lineage-hub restore FILE --force",
        )
        return
    yield _schema(facts.revision, f"{facts.size:,} bytes")
    yield Check(
        "integrity",
        "ok",
        "integrity_check passed" if deep else "quick_check passed (--deep checks indexes too)",
    )
    log = path.with_name(path.name + "-wal")
    log_size = log.stat().st_size if log.exists() else 0
    if facts.journal != "wal":
        yield Check(
            "write-ahead log",
            "warn",
            f"journal mode is {facts.journal}",
            "the hub turns WAL on when it starts",
        )
    elif log_size > GB:
        yield Check(
            "write-ahead log",
            "warn",
            f"{log_size:,} bytes",
            "restart the hub; a long read kept the log from shrinking",
        )
    else:
        yield Check("write-ahead log", "ok", f"{log_size:,} bytes")


def _schema(revision: str | None, beside: str) -> Check:
    newest = database_file.newest_revision()
    found = f"schema {revision or 'none'}, {beside}"
    if revision is not None and revision > newest:
        return Check("database", "fail", found, f"this hub knows up to {newest}: upgrade lineage-hub")
    if revision != newest:
        return Check("database", "warn", found, f"the next start brings it to {newest}; make a backup first")
    return Check("database", "ok", found)


def _postgres(settings: Settings) -> Iterator[Check]:
    from sqlalchemy import create_engine
    from sqlalchemy.exc import SQLAlchemyError

    from lineage_hub.store.migrate import revision
    from lineage_hub.store.open import store_url
    from lineage_hub.store.postgres import connect_args

    url = store_url(settings)
    try:
        engine = create_engine(url, connect_args=connect_args(url))
        with engine.connect() as connection:
            yield _schema(revision(connection), mask_url(settings.database_url))
        engine.dispose()
    except ModuleNotFoundError:
        yield Check("database", "fail", "psycopg is not installed", "pip install 'lineage-hub[postgres]'")
    except SQLAlchemyError as error:
        yield Check("database", "fail", str(error).partition("\n")[0], "check database_url and that PostgreSQL runs")


def _hub(settings: Settings) -> Iterator[Check]:
    with Hub(settings) as hub:
        try:
            health = hub.decode(_Health, hub.ask("GET", "/health", also=(503,)))
        except Unreachable:
            yield Check("hub", "off", f"none answers at {hub.shown_url}", "start one with `lineage-hub serve`")
            return
    yield _judged("hub", health.status, f"{hub.shown_url} says {health.status}")
    for name, part in health.dependencies.items():
        yield _judged(f"hub's {name}", part.status, f"{part.detail}, {part.latency_ms:g} ms")


def _judged(name: str, status: str, found: str) -> Check:
    result = {"healthy": "ok", "degraded": "warn"}.get(status, "fail")
    return Check(name, result, found, "" if result == "ok" else "see the hub's log")
