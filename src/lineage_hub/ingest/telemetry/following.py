"""The lineage store enters; `pipeline_runs` follows it in the background, from where it was left the last time.

Where it stands is kept in a small file beside the telemetry. A row that is written twice counts once, so that file need
not be the newest.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

import msgspec
from msgspec import Struct

from lineage_hub.errors import ExtraMissing, LineageHubError
from lineage_hub.ingest.telemetry.runs import Page, RunProjector, RunRow, columns_of
from lineage_hub.logs import get_logger
from lineage_hub.model import EVERYTHING, NOW
from lineage_hub.store.counters import counters
from lineage_hub.store.open import LineageStore
from lineage_hub.store.reader import Reader

TABLE = "pipeline_runs"
FILE = "runs.cursor"
PAGE_EVENTS = 1000
# New events are looked for this often; between two pages of old ones the others get their turn.
LOOK_EVERY_S, BREATH_S, LONGEST_PAUSE_S = 1.0, 0.005, 30.0
_ANY = f"SELECT count() AS found FROM (SELECT 1 FROM {TABLE} LIMIT 1)"
_STORED = f"""
SELECT DISTINCT namespace, run_id, pipeline_name, stage FROM {TABLE}
WHERE namespace IN {{namespaces:Array(String)}} AND run_id IN {{runs:Array(String)}}
"""
_REMOVE = f"""
DELETE FROM {TABLE} WHERE namespace = {{namespace:String}} AND run_id = {{run:String}}
AND pipeline_name = {{pipeline:String}} AND stage = {{stage:String}}
"""
_REMOVE_LATER = f"DELETE FROM {TABLE} WHERE version > {{last:UInt64}}"
_log = get_logger("telemetry")


class RunTable(Protocol):
    """What is asked of the telemetry store here."""

    def insert(self, table: str, columns: Mapping[str, Sequence[Any]], batch: int) -> None: ...

    def ask(self, sql: str, parameters: Mapping[str, Any] | None = None) -> list[dict[str, Any]]: ...

    def run(self, sql: str, parameters: Mapping[str, Any] | None = None) -> None: ...


class Cursor(Struct):
    seq: int = 0
    of: str = ""
    # The rules by which the lineage was folded, of which the rows tell.
    rules: int = 0


class RunFollower:
    def __init__(self, lineage: LineageStore, telemetry: RunTable, folder: Path, clickhouse_url: str = "") -> None:
        self._lineage, self._telemetry, self._path = lineage, telemetry, folder / FILE
        # A cursor says nothing about other tables, nor of another lineage.
        self._of = sha256(f"{lineage.url}\0{clickhouse_url}".encode()).hexdigest()[:16]
        self._projector = RunProjector()
        self._seq: int | None = None
        self._rules = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="telemetry runs", daemon=True)

    @property
    def seq(self) -> int:
        """The event up to which all are in the table."""
        return self._seq or 0

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def catch_up(self) -> int:
        """Up to the last event, or until it is stopped; how many rows were written leaves."""
        seq = self._begin() if self._seq is None else self._seq
        written = 0
        while not self._stop.is_set():
            page = self._next_page(seq)
            if page is None:
                break
            self._write(page.rows)
            self._seq = seq = page.last_seq
            self._save(seq)
            written += len(page.rows)
            self._stop.wait(BREATH_S)
        return written

    def _follow(self) -> None:
        pause_s = LOOK_EVERY_S
        while not self._stop.wait(pause_s if self._seq is not None else 0 if pause_s == LOOK_EVERY_S else pause_s):
            try:
                self.catch_up()
                pause_s = LOOK_EVERY_S
            except ExtraMissing as error:
                _log.warning("runs_are_not_followed", reason=error.message)
                return
            except LineageHubError as error:
                pause_s = min(2 * pause_s, LONGEST_PAUSE_S)
                _log.warning("runs_wait_to_be_followed", reason=error.message)
            except Exception:  # a defect here must not end it for good
                pause_s = LONGEST_PAUSE_S
                _log.exception("runs_wait_to_be_followed")

    def _begin(self) -> int:
        with self._lineage.reading() as connection:
            last = Reader(connection, self._lineage.library, EVERYTHING, NOW).last_seq()
        seq = self._saved()
        if seq > last:
            # The lineage was brought back from a backup: rows of events that it no longer has would win for ever.
            self._telemetry.run(_REMOVE_LATER, {"last": last})
            seq = 0
        if seq and not self._telemetry.ask(_ANY)[0]["found"]:
            seq = 0
        self._seq = seq
        return seq

    def _next_page(self, seq: int) -> Page | None:
        with self._lineage.reading() as connection:
            found = counters(connection)
            if found.refolded != self._rules:
                # Jobs may have other names than before: every run is looked at once more.
                self._projector, self._rules, seq = RunProjector(), found.refolded, 0
            reader = Reader(connection, self._lineage.library, EVERYTHING, NOW)
            return self._projector.page(reader, seq, PAGE_EVENTS) if reader.last_seq() > seq else None

    def _write(self, rows: Sequence[RunRow]) -> None:
        """A run that has changed its pipeline leaves its old row, which no newer one would replace."""
        if not rows:
            return
        self._telemetry.insert(TABLE, columns_of(rows), max(row.version for row in rows))
        asked = {
            "namespaces": sorted({row.namespace for row in rows}),
            "runs": sorted({row.run_id for row in rows}),
        }
        stored = {
            (found["namespace"], found["run_id"], found["pipeline_name"], found["stage"])
            for found in self._telemetry.ask(_STORED, asked)
        }
        for namespace, run, pipeline, stage in stored - {row.key for row in rows}:
            self._telemetry.run(_REMOVE, {"namespace": namespace, "run": run, "pipeline": pipeline, "stage": stage})

    def _saved(self) -> int:
        try:
            cursor = msgspec.json.decode(self._path.read_bytes(), type=Cursor)
        except (OSError, msgspec.DecodeError):
            return 0
        self._rules = cursor.rules if cursor.of == self._of else 0
        return cursor.seq if cursor.of == self._of else 0

    def _save(self, seq: int) -> None:
        temporary = self._path.with_suffix(".next")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            temporary.write_bytes(msgspec.json.encode(Cursor(seq, self._of, self._rules)))
            temporary.replace(self._path)
        except OSError as error:
            _log.warning("cursor_not_written", path=str(self._path), reason=error.strerror)
