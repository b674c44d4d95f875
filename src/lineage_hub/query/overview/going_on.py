"""An answer that has not looked at everything enters; the rest is looked at beside the next ones, until all is known.

It rests as long as it works, and stops when nobody has asked for a while.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from lineage_hub.errors import LineageHubError
from lineage_hub.logs import get_logger
from lineage_hub.model import EVERYTHING, NOW
from lineage_hub.query.overview.overview import overview
from lineage_hub.query.overview.patience import ENDLESS, Patience
from lineage_hub.query.queries import Queries

STEP_S = 0.4
ASKED_FOR_S = 60.0


class GoingOn:
    """One for what one hub remembers; use it from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._hours = 1
        self._asked_at = 0.0
        self.working: threading.Thread | None = None

    def go_on(self, queries: Queries, clock: Callable[[], int], hours: int) -> None:
        with self._lock:
            self._asked_at, self._hours = time.monotonic(), max(hours, self._hours)
            if self.working is None:
                work = (queries, clock)
                self.working = threading.Thread(target=self._work, args=work, daemon=True, name="overview")
                self.working.start()

    def _work(self, queries: Queries, clock: Callable[[], int]) -> None:
        try:
            while queries.store.is_open and time.monotonic() - self._asked_at < ASKED_FOR_S:
                began = time.monotonic()
                with queries.at(EVERYTHING, NOW) as snapshot:
                    if snapshot.lately.going_on is not self:
                        # What is remembered was begun anew, and so is this with the next question.
                        break
                    told = overview(snapshot, clock(), self._hours, Patience(STEP_S))
                    if told["silentProducers"]["truncated"]:
                        overview(snapshot, clock(), self._hours, ENDLESS)
                    # Counts of events by time, which the answer itself doesn't wait for.
                    snapshot.slices.pieces(snapshot.reader, 0, 1)
                if not told["truncated"]:
                    break
                time.sleep(min(time.monotonic() - began, 1.0))
        except LineageHubError as error:
            # The store was closed, or doesn't answer: the next question begins again where this has ended.
            get_logger("overview").warning("the overview is not whole yet", error=str(error))
        finally:
            with self._lock:
                self.working = None
