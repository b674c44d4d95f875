"""Two runs enter; what differs between them leaves as added, removed and changed, and what is equal as a count.

Durations, volumes, datasets with their schemas and versions, code, SQL, and all facets of the runs and their jobs.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

import msgspec

from lineage_hub.errors import NotFound
from lineage_hub.lineage.comparing import LONGEST_TEXT, MOST_CHANGES, Difference, compare
from lineage_hub.lineage.schema_changes import schema_change
from lineage_hub.lineage.shapes import run_id as run_text
from lineage_hub.query.run_words import Facets, RunWords, counted, volume_of, words_of
from lineage_hub.query.runs import find_run
from lineage_hub.query.schema_history import change_answer
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.wire import instant_text
from lineage_hub.wire.canonical import canonical
from lineage_hub.wire.columns import schema_columns
from lineage_hub.wire.facets import version as version_name
from lineage_hub.wire.quality import READ_FACET, WRITTEN_FACET

Answer = dict[str, Any]
# Compared for themselves.
_OWN = frozenset({"schema", "version", READ_FACET, WRITTEN_FACET})
_CODE = ("sourceCodeLocation", "sourceCode", "sql")


def compare_runs(snapshot: Snapshot, first: str, second: str) -> Answer:
    a, b = words_of(snapshot, [_find(snapshot, first), _find(snapshot, second)])
    volumes = volume_of(a), volume_of(b)
    return {
        "a": _run(snapshot, a),
        "b": _run(snapshot, b),
        "sameJob": a.run.key[1] == b.run.key[1],
        "state": _pair(a.run.state, b.run.state),
        "durationMs": _numbers(_took(a), _took(b)),
        "volume": {
            "rowsRead": _numbers(volumes[0].rows_read, volumes[1].rows_read),
            "rowsWritten": _numbers(volumes[0].rows_written, volumes[1].rows_written),
            "bytesRead": _numbers(volumes[0].bytes_read, volumes[1].bytes_read),
            "bytesWritten": _numbers(volumes[0].bytes_written, volumes[1].bytes_written),
        },
        "inputs": _datasets(snapshot, a.inputs, b.inputs, READ_FACET),
        "outputs": _datasets(snapshot, a.outputs, b.outputs, WRITTEN_FACET),
        "code": _facets(_only(a.job_facets, _CODE[:2]), _only(b.job_facets, _CODE[:2])),
        "sql": _sql(a.job_facets.get("sql"), b.job_facets.get("sql")),
        "runFacets": _facets(a.run_facets, b.run_facets),
        "jobFacets": _facets(_without(a.job_facets, _CODE), _without(b.job_facets, _CODE)),
    }


def _find(snapshot: Snapshot, run_id: str) -> Any:
    found, _ = find_run(snapshot, run_id)
    if found is None:
        raise NotFound(f"Run '{run_id}' not found.", subject=run_id, action="check the run id and the moment")
    return found


def _run(snapshot: Snapshot, words: RunWords) -> Answer:
    run = words.run
    namespace, name = snapshot.name(run.key[1])
    return {
        "id": run_text(run.key[2]),
        "job": {"namespace": namespace, "name": name},
        "startedAt": instant_text(run.start[0]),
        "endedAt": instant_text(run.end[0]) if run.end is not None else None,
    }


def _took(words: RunWords) -> int | None:
    end = words.run.end
    return (end[0] - words.run.start[0]) // 1_000_000 if end is not None else None


def _pair(a: object, b: object) -> Answer:
    return {"a": a, "b": b, "equal": a == b}


def _numbers(a: int | None, b: int | None) -> Answer:
    answer = _pair(a, b)
    if a is not None and b is not None:
        answer["difference"] = b - a
        answer["ratio"] = b / a if a else None
    return answer


def _datasets(snapshot: Snapshot, a: Mapping[int, Facets], b: Mapping[int, Facets], counting: str) -> Answer:
    names = snapshot.names({*a, *b})

    def listed(datasets: set[int]) -> list[Answer]:
        return [_named(names[one]) for one in sorted(datasets, key=names.__getitem__)]

    changed, equal = [], 0
    for dataset in sorted(a.keys() & b.keys(), key=names.__getitem__):
        found = _dataset(a[dataset], b[dataset], counting)
        if found:
            changed.append({"dataset": _named(names[dataset]), **found})
        else:
            equal += 1
    return {
        "added": listed(b.keys() - a.keys()),
        "removed": listed(a.keys() - b.keys()),
        "changed": changed,
        "equal": equal,
    }


def _dataset(a: Facets, b: Facets, counting: str) -> Answer:
    """What differs; nothing if all is equal."""
    found: Answer = {}
    if "schema" in a and "schema" in b:
        change = schema_change(*(schema_columns(canonical(facets["schema"])) for facets in (a, b)))
        if change:
            found["schema"] = change_answer(change)
    versions = [version_name(canonical(facets["version"])) if "version" in facets else None for facets in (a, b)]
    if versions[0] != versions[1]:
        found["version"] = _pair(*versions)
    figures = [counted(facets, counting) for facets in (a, b)]
    for name in ("rowCount", "size", "fileCount"):
        values = getattr(figures[0], name), getattr(figures[1], name)
        if values[0] != values[1]:
            found[name] = _numbers(*values)
    facets = _facets(_without(a, _OWN - _one_sided(a, b)), _without(b, _OWN - _one_sided(a, b)))
    if facets["added"] or facets["removed"] or facets["changed"]:
        found["facets"] = facets
    return found


def _one_sided(a: Facets, b: Facets) -> frozenset[str]:
    """A schema that only one of them tells is shown as a facet that the other lacks."""
    return frozenset({"schema"} if ("schema" in a) != ("schema" in b) else ())


def _facets(a: Facets, b: Facets) -> Answer:
    changed, equal = [], 0
    for name in sorted(a.keys() & b.keys()):
        found = compare(_value(a[name]), _value(b[name]))
        if found.differences:
            shown = [_difference(one) for one in found.differences[:MOST_CHANGES]]
            hidden = len(found.differences) - len(shown)
            changed.append({"facet": name, "differences": shown, "hidden": hidden, "equal": found.equal})
        else:
            equal += 1
    return {
        "added": [_shown_facet(name, b[name]) for name in sorted(b.keys() - a.keys())],
        "removed": [_shown_facet(name, a[name]) for name in sorted(a.keys() - b.keys())],
        "changed": changed,
        "equal": equal,
    }


def _difference(one: Difference) -> Answer:
    return {"kind": one.kind, "path": one.path, "a": _shown(one.before), "b": _shown(one.after)}


def _shown_facet(name: str, text: bytes) -> Answer:
    return {"facet": name, "value": _shown(_value(text))}


def _shown(value: object) -> object:
    """Plans and stack traces are long; a run's own page has them whole."""
    if isinstance(value, str):
        return value if len(value) <= LONGEST_TEXT else value[:LONGEST_TEXT] + "…"
    if isinstance(value, dict | list):
        text = msgspec.json.encode(value).decode()
        return value if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT] + "…"
    return value


def _value(text: bytes) -> Any:
    """However it was spelled; numbers that no machine has are compared as they are written."""
    body = canonical(text)
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError):
        return body.decode()


def _sql(a: bytes | None, b: bytes | None) -> Answer:
    """As a unified diff, without regard to white space at the ends of lines."""
    queries = [_query(text) for text in (a, b)]
    answer = {"a": _shown(queries[0]), "b": _shown(queries[1]), "equal": _lines(queries[0]) == _lines(queries[1])}
    if not answer["equal"] and all(query is not None for query in queries):
        lines = difflib.unified_diff(_lines(queries[0]), _lines(queries[1]), "a", "b", lineterm="")
        answer["diff"] = [line for line, _ in zip(lines, range(MOST_CHANGES * 5), strict=False)]
    return answer


def _query(text: bytes | None) -> str | None:
    value = _value(text) if text is not None else None
    query = value.get("query") if isinstance(value, dict) else None
    return query if isinstance(query, str) else None


def _lines(query: str | None) -> list[str]:
    return [line.rstrip() for line in (query or "").strip().splitlines()]


def _only(facets: Facets, names: tuple[str, ...]) -> Facets:
    return {name: facets[name] for name in names if name in facets}


def _without(facets: Facets, names: frozenset[str] | tuple[str, ...]) -> Facets:
    return {name: text for name, text in facets.items() if name not in names}


def _named(name: tuple[str, str]) -> Answer:
    return {"namespace": name[0], "name": name[1]}
