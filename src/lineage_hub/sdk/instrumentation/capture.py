"""Datasets that were read or written enter, one by one; each is added to the run that it belongs to.

That is the innermost run that hasn't ended, else the run of the process. What is told twice is told once; rows add up.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lineage_hub.sdk.datasets import Name
from lineage_hub.sdk.frames import Field, rows_facet, schema_facet
from lineage_hub.sdk.instrumentation import process
from lineage_hub.sdk.instrumentation.flows import How, Origin
from lineage_hub.sdk.runs import Run
from lineage_hub.sdk.said import facet
from lineage_hub.sdk.warnings import warn_once

MOST_DATASETS = 10_000
MOST_STATEMENTS, MOST_TEXT = 20, 20_000
_MOST_RUNS = 500
UNCOUNTED = -1


@dataclass(frozen=True, slots=True)
class Dataset:
    name: Name
    fields: Sequence[Field] = ()
    rows: int | None = None
    """`UNCOUNTED` when rows were written, but nobody knows how many."""
    adds: bool = False
    """Whether these rows come to those told before."""
    columns: Mapping[str, Sequence[Origin[Name]]] = field(default_factory=dict)
    whole: Sequence[Origin[Name]] = ()


def sum_of(before: int | None, more: int | None, *, adds: bool) -> int | None:
    """Rows told before and rows told now; once a part is uncounted, so is the sum."""
    if more is None or (before == UNCOUNTED and adds):
        return before
    return more if not adds or before is None or more == UNCOUNTED else before + more


def merged(first: Dataset, then: Dataset) -> Dataset:
    """What two writes of one dataset say together."""
    columns = {
        column: tuple(dict.fromkeys((*first.columns.get(column, ()), *then.columns.get(column, ()))))
        for column in (*first.columns, *then.columns)
    }
    rows = sum_of(first.rows, then.rows, adds=then.adds)
    whole = tuple(dict.fromkeys((*first.whole, *then.whole)))
    return Dataset(then.name, then.fields or first.fields, rows, first.adds and then.adds, columns, whole)


@dataclass(slots=True)
class _Entry:
    """What a run has told of one dataset so far."""

    fields: Sequence[Field] = ()
    rows: int | None = None
    columns: dict[str, dict[Origin[Name], None]] = field(default_factory=dict)
    whole: dict[Origin[Name], None] = field(default_factory=dict)

    def add(self, told: Dataset) -> bool:
        """Whether it says anything but a number of rows that wasn't said before."""
        news = False
        if told.fields and told.fields != self.fields:
            self.fields, news = told.fields, True
        self.rows = sum_of(self.rows, told.rows, adds=told.adds)
        for column, origins in told.columns.items():
            known = self.columns.setdefault(column, {})
            before = len(known)
            known.update(dict.fromkeys(origins))
            news = news or len(known) != before
        before = len(self.whole)
        self.whole.update(dict.fromkeys(told.whole))
        return news or len(self.whole) != before

    def facets(self, side: str) -> dict[str, Any]:
        told = {**schema_facet(self.fields), **rows_facet(None if self.rows == UNCOUNTED else self.rows, side)}
        if self.columns or self.whole:
            told["columnLineage"] = _column_lineage(self.columns, self.whole)
        return told


@dataclass(slots=True)
class _Ledger:
    datasets: dict[tuple[str, Name], _Entry] = field(default_factory=dict)
    statements: dict[str, None] = field(default_factory=dict)
    length: int = 0


_lock = threading.RLock()
_ledgers: OrderedDict[str, _Ledger] = OrderedDict()


def _forked() -> None:
    """Another thread may have held the lock; of what the parent told, the child knows nothing."""
    global _lock  # noqa: PLW0603
    _lock = threading.RLock()
    _ledgers.clear()


os.register_at_fork(after_in_child=_forked)


def tell(
    inputs: Iterable[Dataset] = (),
    outputs: Iterable[Dataset] = (),
    *,
    statements: Iterable[str] = (),
    dialect: str = "",
    run: Run | None = None,
) -> None:
    """`statements` are texts of SQL. Never raises."""
    try:
        run = process.open_run(run)
        with _lock:
            ledger = _ledger_of(run)
            news = _add(run, ledger, "inputs", inputs) | _add(run, ledger, "outputs", outputs)
            for text in statements:
                news |= _keep(run, ledger, text, dialect)
        if news and process.is_inherited(run):
            process.update_from_child(run)
    except Exception as error:
        trouble(error)


def trouble(error: BaseException) -> None:
    warn_once(f"capture {type(error).__name__}", "a read or write is not told of: %s: %s", type(error).__name__, error)


def _ledger_of(run: Run) -> _Ledger:
    ledger = _ledgers.get(run.id)
    if ledger is None:
        ledger = _ledgers[run.id] = _Ledger()
        if len(_ledgers) > _MOST_RUNS:
            _ledgers.popitem(last=False)
    return ledger


def _add(run: Run, ledger: _Ledger, side: str, datasets: Iterable[Dataset]) -> bool:
    news = False
    for told in datasets:
        entry = ledger.datasets.get((side, told.name))
        if entry is None:
            if len(ledger.datasets) >= MOST_DATASETS:
                warn_once("many", "a run has more than %s datasets; those after them are not told of", MOST_DATASETS)
                continue
            entry = ledger.datasets[side, told.name] = _Entry()
            news = True
        rows = entry.rows
        if entry.add(told) or entry.rows != rows or news:
            news = news or entry.rows == rows
            run.put(side, told.name, entry.facets(side))
    return news


def _keep(run: Run, ledger: _Ledger, text: str, dialect: str) -> bool:
    """The first statements of a run are what its job does in SQL."""
    if text in ledger.statements or len(ledger.statements) >= MOST_STATEMENTS or ledger.length >= MOST_TEXT:
        return False
    ledger.statements[text] = None
    ledger.length += len(text)
    more = {"dialect": dialect} if dialect else {}
    query = ";\n".join(ledger.statements)
    run.add_facet("sql", facet("1-1-0/SQLJobFacet", query=query[:MOST_TEXT], **more), of="job")
    return True


def _column_lineage(columns: Mapping[str, Iterable[Origin[Name]]], whole: Iterable[Origin[Name]]) -> dict[str, Any]:
    fields = {column: {"inputFields": _input_fields(origins)} for column, origins in columns.items()}
    return facet("1-2-0/ColumnLineageDatasetFacet", fields=fields, dataset=_input_fields(whole))


def _input_fields(origins: Iterable[Origin[Name]]) -> list[dict[str, Any]]:
    """A column that comes in several ways is one field with several transformations."""
    found: dict[tuple[Name, str], list[dict[str, Any]]] = {}
    for one in origins:
        found.setdefault((one.table, one.column), []).append(_transformation(one.how, one.masking))
    return [
        {"namespace": name[0], "name": name[1], "field": column, "transformations": ways}
        for (name, column), ways in found.items()
    ]


def _transformation(how: How, masking: bool) -> dict[str, Any]:
    return {"type": how.type, "subtype": how.value, "masking": masking}
