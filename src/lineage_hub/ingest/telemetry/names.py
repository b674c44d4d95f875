"""Names of metrics enter with their namespace; those for which there is no room leave.

Each name makes a stretch of the table, an entry of a dictionary and a line of every list: without a bound, one producer
that writes an id into a name makes all of them slow.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Collection
from typing import Any, Protocol

# Of more namespaces the names are asked for again when they come back.
_MOST_NAMESPACES = 256
_STORED = "SELECT DISTINCT metric_name FROM metrics WHERE namespace = {namespace:String} LIMIT {most:UInt64}"


class Askable(Protocol):
    def ask(self, sql: str, parameters: dict[str, Any] | None = None) -> list[dict[str, Any]]: ...


class MetricNames:
    def __init__(self, store: Askable, most: int) -> None:
        self._store, self.most = store, most
        self._known: OrderedDict[str, set[str]] = OrderedDict()
        self._lock = threading.Lock()

    def are_known(self, namespace: str, names: Collection[str]) -> bool:
        known = self._known.get(namespace)
        return known is not None and known.issuperset(names)

    def admit(self, namespace: str, names: Collection[str]) -> set[str]:
        """The names that are refused; the others have their place from now on. Asks the store once a namespace."""
        with self._lock:
            known = self._known.get(namespace)
            if known is None:
                known = self._learn(namespace)
            self._known.move_to_end(namespace)
            fresh = [name for name in dict.fromkeys(names) if name not in known]
            room = max(self.most - len(known), 0)
            known.update(fresh[:room])
            return set(fresh[room:])

    def _learn(self, namespace: str) -> set[str]:
        # More than the bound can be there when it was lowered: they stay and are taken, up to twice as many.
        rows = self._store.ask(_STORED, {"namespace": namespace, "most": 2 * self.most})
        known = self._known[namespace] = {row["metric_name"] for row in rows}
        if len(self._known) > _MOST_NAMESPACES:
            self._known.popitem(last=False)
        return known
