"""A transaction enters; the numbers that tell how far the store is leave, or change.

`seq` is the last number of an event, `rules` the set of rules that counts, `refolded` that by which all of history is
folded. `fold` changes whenever what was said of the past may have changed, `swept` whenever something was removed.
"""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Connection, bindparam, select, update

from lineage_hub.store import tables
from lineage_hub.store.prepared import Prepared

_c = tables.counter.c


class Counters(NamedTuple):
    seq: int
    fold: int
    refolded: int
    rules: int
    swept: int

    @property
    def refolding(self) -> bool:
        return self.rules != self.refolded


_COUNTERS = Prepared(select(_c.name, _c.value).where(_c.name.in_(Counters._fields)))
_SET = update(tables.counter).where(_c.name == bindparam("which")).values(value=bindparam("to"))
_ADD = update(tables.counter).where(_c.name == bindparam("which")).values(value=_c.value + bindparam("count"))


def counters(connection: Connection) -> Counters:
    found: dict[str, int] = dict(_COUNTERS.rows(connection, {}))
    return Counters(**found)


def take(connection: Connection, count: int) -> Counters:
    """The row lock on the counter lets one writer in, so numbers become visible in their order."""
    count_up(connection, "seq", count)
    return counters(connection)


def count_up(connection: Connection, which: str, count: int = 1) -> None:
    connection.execute(_ADD, {"which": which, "count": count})


def set_counter(connection: Connection, which: str, to: int) -> None:
    connection.execute(_SET, {"which": which, "to": to})
