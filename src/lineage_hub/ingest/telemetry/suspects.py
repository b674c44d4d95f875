"""Requests enter that were there when the store went away; which of them must go alone leaves, and which never again.

One that ends the store would end it for all others as often as its sender tries: after a few times it is refused.
"""

from __future__ import annotations

from collections.abc import Iterable

from lineage_hub.errors import InvalidRequest

# To be there by chance so often, alone, and each time right after the store had answered, is unlikely indeed.
MOST_TIMES = 5
# Most are sent again at once, and leave; a client that gave up leaves its mark.
_MOST_SUSPECTS = 10_000


class Suspects:
    """Used by one thread."""

    def __init__(self) -> None:
        self._times: dict[bytes, int] = {}
        """How often the store went away while it took this request and no other."""

    def __contains__(self, request: bytes) -> bool:
        return request in self._times

    def add(self, requests: Iterable[bytes]) -> None:
        for request in requests:
            if len(self._times) < _MOST_SUSPECTS:
                self._times.setdefault(request, 0)

    def count(self, request: bytes) -> None:
        """It was alone."""
        if request in self._times:
            self._times[request] += 1

    def clear(self, requests: Iterable[bytes]) -> None:
        for request in requests:
            self._times.pop(request, None)

    def refusal(self, request: bytes) -> InvalidRequest | None:
        """Of one that has been tried often enough."""
        times = self._times.get(request, 0)
        if times < MOST_TIMES:
            return None
        return InvalidRequest(
            f"the telemetry store went away {times} times while it took this request and no other",
            subject="telemetry",
            action="send its items in smaller requests to find the one that it is; see `lineage-hub doctor`",
        )
