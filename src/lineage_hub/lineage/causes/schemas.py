"""The schemas of a failed run's inputs enter, now and at its last success; the changes that can have broken it leave.

A column that is gone or means less breaks its readers; one that nobody reads breaks none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from lineage_hub.lineage.causes.facts import Facts, Name, Run, Use
from lineage_hub.lineage.causes.findings import SCHEMA_CHANGE, Cause, Evidence, Figure, dataset_node

_GONE, _CHANGED, _ADDED = 0.8, 0.75, 0.3
_WIDER = ("tinyint", "byte", "smallint", "short", "int", "integer", "bigint", "long", "float", "real", "double")


@dataclass(frozen=True, slots=True)
class Change:
    column: str
    before: str | None
    after: str | None

    @property
    def weight(self) -> float:
        """How likely such a change breaks a reader."""
        if self.after is None:
            return _GONE
        if self.before is None or _widens(self.before, self.after):
            return _ADDED
        return _CHANGED

    def __str__(self) -> str:
        if self.after is None:
            return f"{self.column} is gone"
        if self.before is None:
            return f"{self.column} is new"
        return f"{self.column} was {self.before} and is {self.after}"


def schema_changes(before: Mapping[str, str], after: Mapping[str, str]) -> list[Change]:
    names = dict.fromkeys((*before, *after))
    return [Change(n, before.get(n), after.get(n)) for n in names if before.get(n) != after.get(n)]


def broken_by_schemas(facts: Facts, run: Run, good: Run) -> list[Cause]:
    """`good` is the last run of the job that completed."""
    found = []
    read = {use.dataset: use for use in good.inputs}
    for use in facts.inputs_of(run):
        old = read.get(use.dataset)
        changes = _since(facts, use, old, run, good)
        reads = use.columns if use.columns is not None else (old.columns if old is not None else None)
        mattering = [one for one in changes if reads is None or one.before is None or one.column in reads]
        if mattering:
            found.append(_cause(facts, run, good, use.dataset, mattering, known=reads is not None))
    return found


def _since(facts: Facts, use: Use, old: Use | None, run: Run, good: Run) -> list[Change]:
    """What the run itself saw counts, else what others saw last before the two runs."""
    after = _seen(facts, use.dataset, run.started_at) or use.schema
    before = _seen(facts, use.dataset, good.started_at) or (old.schema if old is not None else None)
    if use.schema is not None and old is not None and old.schema is not None and use.schema != old.schema:
        before, after = old.schema, use.schema
    return schema_changes(before, after) if before and after else []


def _seen(facts: Facts, dataset: Name, before: float) -> Mapping[str, str] | None:
    found: tuple[float, Mapping[str, str]] | None = None
    for runs in facts.runs.values():
        for run in runs:
            if run.ended_at is None or run.ended_at > before or run.failed:
                continue
            for at, uses in ((run.started_at, run.inputs), (run.ended_at, run.outputs)):
                for use in uses:
                    if use.dataset == dataset and use.schema and (found is None or at > found[0]):
                        found = (at, use.schema)
    return found[1] if found else None


def _cause(facts: Facts, run: Run, good: Run, dataset: Name, changes: list[Change], *, known: bool) -> Cause:
    changes = sorted(changes, key=lambda one: (_is_named(one, run), one.weight), reverse=True)
    first = changes[0]
    named = _is_named(first, run)
    score = 0.97 if named and first.weight > _ADDED else 0.8 if named else first.weight + (0.08 if known else 0.0)
    path, origin = _origin(facts, run, good, dataset, {one.column for one in changes if one.weight > _ADDED})
    said = "; ".join(str(one) for one in changes[:4]) + (f"; {len(changes) - 4} more" if len(changes) > 4 else "")
    where = origin[1] if origin == dataset else f"{origin[1]}, from which {dataset[1]} is made,"
    sentence = f"the schema of {where} changed since the last good run: {said}"
    if named:
        sentence += f"; the error names {first.column}"
    evidence = Evidence(
        (run.id, good.id),
        tuple(path),
        figures=tuple(Figure(one.column, one.before, one.after) for one in changes),
        messages=(run.error,) if run.error and named else (),
    )
    return Cause(SCHEMA_CHANGE, score, dataset_node(origin), sentence, evidence)


def _is_named(change: Change, run: Run) -> bool:
    """Whether the error speaks of the column."""
    said = " ".join([run.error or "", *(stage.error or "" for stage in run.stages)])
    return re.search(rf"(?<![A-Za-z0-9_]){re.escape(change.column)}(?![A-Za-z0-9_])", said) is not None


def _origin(facts: Facts, run: Run, good: Run, dataset: Name, columns: set[str]) -> tuple[list[Name], Name]:
    """Upstream as long as a dataset lost or changed the same columns meanwhile."""
    path = [dataset]
    while columns:
        further = [
            use.dataset
            for runs in facts.runs.values()
            for writer in runs[-3:]
            if any(out.dataset == path[-1] for out in writer.outputs)
            for use in writer.inputs
            if use.dataset not in path and columns & _lost(facts, use, run, good)
        ]
        if not further:
            break
        path.append(further[0])
    return path, path[-1]


def _lost(facts: Facts, use: Use, run: Run, good: Run) -> set[str]:
    before = _seen(facts, use.dataset, good.started_at)
    after = _seen(facts, use.dataset, run.started_at)
    if not before or not after:
        return set()
    return {one.column for one in schema_changes(before, after) if one.weight > _ADDED}


def _widens(before: str, after: str) -> bool:
    old, new = before.lower(), after.lower()
    return old in _WIDER and new in _WIDER and _WIDER.index(new) > _WIDER.index(old)
