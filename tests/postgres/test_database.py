"""What becomes of a database outside the hub: it is dumped and brought back, or isn't fit for a hub at all."""

import os
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from lineage_hub.errors import InvalidSetting, StoreUnavailable
from lineage_hub.model import EVERYTHING, NOW
from lineage_hub.query.queries import Queries
from lineage_hub.settings import Settings
from lineage_hub.store.open import open_store
from tests.conformance.asking import answers, assert_equal
from tests.conformance.databases import sending
from tests.conformance.histories import taken_over_time
from tests.hub_process import clean_environment
from tests.oracle.events import distinct
from tests.postgres_server import PostgresServer, find_programs
from tests.properties.hubs import Clock

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]


def told_to_run(command: str, file: Path, url: str) -> str:
    """The line that the command prints."""
    words = ["lineage-hub", command, str(file), "--database-url", url, "--config", os.devnull]
    shown = subprocess.run(words, capture_output=True, text=True, check=False, env=clean_environment() | _programs())
    assert shown.returncode == 2, shown
    return shown.stderr.partition("run: ")[2].strip()


def _programs() -> dict[str, str]:
    here = Path(sys.executable).parent
    return {"PATH": f"{find_programs()}:{here}:{os.environ['PATH']}"}


def test_a_dump_brought_back_by_the_lines_that_the_hub_prints_tells_the_same(
    postgres_server: PostgresServer, postgres_url: str, tmp_path: Path
) -> None:
    taken = taken_over_time(3, most=8)
    settings = Settings(data_dir=tmp_path, database_url=postgres_url)
    store = open_store(settings)
    with sending(store, settings, Clock()) as sender:
        sender.send_taken(taken)
    told = distinct(taken)
    expected = answers(Queries(store), EVERYTHING, NOW, told)
    store.close()
    dump = tmp_path / "hub.dump"
    with postgres_server.database() as other:
        for line in (told_to_run("backup", dump, postgres_url), told_to_run("restore", dump, other)):
            done = subprocess.run(
                line, shell=True, capture_output=True, text=True, env=os.environ | _programs(), check=False
            )
            assert done.returncode == 0, (line, done.stderr)
        restored = open_store(Settings(data_dir=tmp_path, database_url=other))
        assert_equal(answers(Queries(restored), EVERYTHING, NOW, told), expected)
        restored.close()


def test_a_database_that_does_not_keep_unicode_is_refused(postgres_url: str, tmp_path: Path) -> None:
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE_PROVIDER libc LOCALE 'C' TEMPLATE template0")
        try:
            url = postgres_url.replace(connection.info.dbname, "latin")
            with pytest.raises(InvalidSetting, match="LATIN1") as refused:
                open_store(Settings(data_dir=tmp_path, database_url=url))
            assert "createdb" in (refused.value.action or "")
        finally:
            connection.execute("DROP DATABASE latin")


def test_a_user_who_may_not_make_tables_is_told_what_is_missing(postgres_url: str, tmp_path: Path) -> None:
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("CREATE ROLE guest LOGIN")
        try:
            url = postgres_url.replace("hub@", "guest@")
            with pytest.raises(StoreUnavailable, match="permission denied") as refused:
                open_store(Settings(data_dir=tmp_path, database_url=url))
            assert "owner" in (refused.value.action or "")
        finally:
            connection.execute("DROP ROLE guest")
