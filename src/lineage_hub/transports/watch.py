"""Threads that wait for work enter; how often they look, and when they are roused, is decided here."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class Watch:
    """How a thread waits for work: it looks often while there is some, and sleeps when there was none for a while.

    Waking it for each event would cost the caller more than the event itself.
    """

    ATTENTIVE_S = 1.0

    def __init__(self) -> None:
        self._alarm = threading.Event()
        self.is_asleep = self._hurried = False
        self._busy_at = time.monotonic()

    def rouse(self) -> None:
        """There is work: it may wait until the thread looks."""
        if self.is_asleep:
            self._alarm.set()

    def hurry(self) -> None:
        """Someone waits for it."""
        self._hurried = True
        self._alarm.set()

    def wait(self, often_s: float, seldom_s: float, is_idle: Callable[[], bool]) -> None:
        now = time.monotonic()
        if not is_idle():
            self._busy_at = now
        if now - self._busy_at >= self.ATTENTIVE_S:
            self.is_asleep = True
            # What came before it said that it sleeps rouses nobody.
            if is_idle():
                self._alarm.wait(seldom_s)
            self.is_asleep = False
            if not self._hurried:
                self._alarm.clear()
        # What came gets company.
        if not self._hurried and (now - self._busy_at < self.ATTENTIVE_S or not is_idle()):
            self._alarm.wait(often_s)
        self._hurried = False
        self._alarm.clear()
