"""Rules that have changed enter; history is folded by them in the background, in steps that events can overtake.

How far it has come is kept in the store, so that any hub on it goes on from there, also after a crash.
"""

from __future__ import annotations

import asyncio
import contextlib
import time

from lineage_hub.errors import LineageHubError
from lineage_hub.ingest.intake import Intake
from lineage_hub.ingest.threads import in_thread
from lineage_hub.logs import get_logger
from lineage_hub.store.counters import counters
from lineage_hub.store.open import LineageStore

# Another hub may have left work behind; it is looked for this often.
LOOK_EVERY_S, LONGEST_PAUSE_S = 5.0, 30.0
_log = get_logger("rules")


class Refolding:
    def __init__(self, store: LineageStore, intake: Intake) -> None:
        self._store, self._intake = store, intake
        self._woken = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self._follow())

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    def wake(self) -> None:
        """Rules have changed."""
        self._woken.set()

    async def _follow(self) -> None:
        pause_s = 0.0
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._woken.wait(), pause_s)
            self._woken.clear()
            try:
                if await in_thread(self._is_needed):
                    await self._fold_again()
                pause_s = LOOK_EVERY_S
            except LineageHubError as error:
                pause_s = min(2 * max(pause_s, 1.0), LONGEST_PAUSE_S)
                _log.warning("history_waits_to_be_folded", reason=error.message)
            except Exception:  # a defect here must not end it for good
                pause_s = LONGEST_PAUSE_S
                _log.exception("history_waits_to_be_folded")

    def _is_needed(self) -> bool:
        with self._store.reading() as connection:
            return counters(connection).refolding

    async def _fold_again(self) -> None:
        changed = 0
        while True:
            started = time.perf_counter()
            progress = await self._intake.fold_again()
            changed += progress.changed
            if progress.done:
                break
            # As long as it worked it rests, so that whoever sends events has half of the writer at least.
            await asyncio.sleep(time.perf_counter() - started)
        _log.info("history_is_folded", changed=changed)
