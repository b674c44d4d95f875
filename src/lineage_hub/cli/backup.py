"""A data folder and a file enter; a whole copy of the store leaves in one of them, made from the other."""

import shlex
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from lineage_hub.cli import database_file
from lineage_hub.cli.app import app
from lineage_hub.cli.options import takes_settings
from lineage_hub.cli.sending import progress
from lineage_hub.errors import Conflict, ExtraMissing
from lineage_hub.settings import Settings, make_data_dir
from lineage_hub.terminal import print_json

STORE = ("data_dir", "database_url")
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command(epilog="Example: lineage-hub backup /backups/lineage-$(date +%F).db — safe while the hub runs.")
@takes_settings(*STORE)
def backup(
    settings: Settings,
    file: Annotated[Path, typer.Argument(help="The file to write.", show_default=False)],
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")] = False,
    as_json: Json = False,
) -> None:
    """Copy the store into one file; the hub may go on taking events meanwhile."""
    dump = f"pg_dump --format=custom --file={shlex.quote(str(file))} {_for_tools(settings.database_url)}"
    source = database_file.embedded_file(settings, f"run: {dump}")
    if file.exists() and not force:
        raise Conflict(f"{file} exists", subject=str(file), action="name another file, or replace it with --force")
    facts = _copy(source, file, "Copying pages")
    if as_json:
        print_json({"file": str(file), "bytes": facts.size, "schema": facts.revision})
    else:
        print(f"{file}: {facts.size:,} bytes, schema {facts.revision}, integrity checked")


@app.command(epilog="Example: lineage-hub restore /backups/lineage-2026-11-12.db --data ./restored")
@takes_settings(*STORE)
def restore(
    settings: Settings,
    file: Annotated[Path, typer.Argument(help="A file that `lineage-hub backup` made.", show_default=False)],
    force: Annotated[
        bool, typer.Option("--force", help="Replace the store of a folder that has one; it is kept aside.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Bring a backup into the data folder, after checking it; stop the hub first."""
    database = _for_tools(settings.database_url)
    load = f"pg_restore --clean --if-exists --dbname={database} {shlex.quote(str(file))}"
    target = database_file.embedded_file(settings, f"run: {load}")
    facts = database_file.require_restorable(file)
    folder = target.parent
    if folder.is_dir() and any(folder.iterdir()) and not force:
        raise Conflict(
            f"the data folder {folder} is not empty",
            subject=str(folder),
            action="name an empty one with --data, or use --force: the old store is then kept aside",
        )
    make_data_dir(folder)
    aside = _put_aside(target)
    _copy(file, target, "Restoring pages")
    if as_json:
        kept = None if aside is None else str(aside)
        print_json({"database": str(target), "bytes": facts.size, "schema": facts.revision, "previous": kept})
        return
    print(f"{target}: {facts.size:,} bytes restored, schema {facts.revision}, integrity checked")
    if aside is not None:
        print(f"the store that was there is now {aside}")


def _copy(source: Path, target: Path, label: str) -> database_file.Facts:
    # Pages aren't known before the first step, so the bar counts to a hundred.
    with progress(100, label) as bar:
        done = 0

        def tell(left: int, pages: int) -> None:
            nonlocal done
            now = 100 if pages == 0 else 100 - left * 100 // pages
            bar.advance(now - done)
            done = now

        return database_file.copy_whole(source, target, tell)


def _put_aside(target: Path) -> Path | None:
    if not target.exists():
        return None
    database_file.require_unused(target)
    aside = target.with_name(f"{target.name}.replaced-{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}")
    for suffix in ("-wal", "-shm", ""):
        part = target.with_name(target.name + suffix)
        if part.exists():
            part.rename(aside.with_name(aside.name + suffix))
    return aside


def _for_tools(url: str) -> str:
    """As PostgreSQL's tools take it; they ask for the password, or read it from PGPASSWORD."""
    if not url:
        return ""
    try:
        from lineage_hub.store import postgres
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("lineage_hub"):
            raise
        raise ExtraMissing.of("server", "reading the store") from None
    return shlex.quote(postgres.for_tools(url)) if postgres.is_postgres(url) else ""
