"""What a call says of itself enters; the START, COMPLETE, FAIL or ABORT of its run leave as OpenLineage events.

Events are put together as text on the caller's thread, in microseconds; sending them is another thread's work.
"""

from __future__ import annotations

import threading
import traceback
import uuid
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar, Token
from datetime import UTC, datetime
from typing import Any

import msgspec

from lineage_hub import __version__
from lineage_hub.sdk import threads
from lineage_hub.sdk.datasets import DatasetSpec, name_of, resolved
from lineage_hub.sdk.trace_context import TraceContext, begun_by, facet_content, of_new_run
from lineage_hub.sdk.warnings import warn_once

PRODUCER = f"https://github.com/lineage-hub/lineage-hub/tree/{__version__}/sdk"
RUN_EVENT = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent"
FACETS = "https://openlineage.io/spec/facets"
TRACE_FACET = "lineageHub_trace"
START, COMPLETE, FAIL, ABORT = "START", "COMPLETE", "FAIL", "ABORT"
_encode = msgspec.json.Encoder(enc_hook=str).encode
Send = Callable[[bytes], None]


def facet(path: str, **content: Any) -> dict[str, Any]:
    """`path` as in the spec: 1-0-1/ParentRunFacet."""
    name = path.rpartition("/")[2]
    return {"_producer": PRODUCER, "_schemaURL": f"{FACETS}/{path}.json#/$defs/{name}", **content}


class Run:
    """One run of a job, from its START on. What is added to it stands in its next event."""

    def __init__(
        self, namespace: str, name: str, send: Send, *, run_id: str | None = None, parent: Run | None = None
    ) -> None:
        self.namespace, self.name, self._send = namespace, name, send
        self.id = run_id or str(uuid.uuid4())
        self.parent = parent
        self._lock = threading.Lock()
        self._datasets: dict[str, dict[tuple[str, str], dict[str, Any]]] = {"inputs": {}, "outputs": {}}
        self._run_facets: dict[str, Any] = {}
        self._job_facets: dict[str, Any] = {"jobType": _PYTHON}
        self._ended = False
        if parent is not None:
            root = parent.root
            self._run_facets["parent"] = facet(
                "1-1-0/ParentRunFacet",
                run={"runId": parent.id},
                job={"namespace": parent.namespace, "name": parent.name},
                root={"run": {"runId": root.id}, "job": {"namespace": root.namespace, "name": root.name}},
            )
        self.trace: TraceContext | None = of_new_run(self.id, parent.trace if parent is not None else None)
        if self.trace is not None:
            self.add_facet(TRACE_FACET, facet_content(self.trace))

    @property
    def root(self) -> Run:
        return self if self.parent is None else self.parent.root

    def begin_trace(self) -> TraceContext:
        """The trace that it is in; a run in none begins one, with the runs around it."""
        if self.trace is None:
            if self.parent is not None:
                self.parent.begin_trace()
            self.trace = begun_by(self.root.id, self.id)
            self.add_facet(TRACE_FACET, facet_content(self.trace))
        return self.trace

    def add_input(self, dataset: Any, **facets: Any) -> None:
        self._add("inputs", dataset, facets)

    def add_output(self, dataset: Any, *, columns: Mapping[str, Iterable[Any]] | None = None, **facets: Any) -> None:
        """`columns` tells of each field of the output which fields it is made from, as (dataset, field)."""
        self._add("outputs", dataset, facets, columns)

    def add_facet(self, name: str, content: Mapping[str, Any], *, of: str = "run") -> None:
        """Of the run, or with `of="job"` of its job."""
        with self._lock:
            (self._job_facets if of == "job" else self._run_facets)[name] = {
                "_producer": PRODUCER, "_schemaURL": f"{PRODUCER}/facets/{name}.json", **content,
            }  # fmt: skip

    def describe(self, text: str) -> None:
        self._job_facets["documentation"] = facet("1-1-0/DocumentationJobFacet", description=text)

    def tag(self, tags: Mapping[str, Any] | Iterable[str]) -> None:
        pairs = tags.items() if isinstance(tags, Mapping) else ((tag, "true") for tag in tags)
        found = [{"key": str(key), "value": str(value), "source": "USER"} for key, value in pairs]
        self._job_facets["tags"] = facet("1-0-0/TagsJobFacet", tags=found)

    def start(self) -> None:
        self._send(self._event(START))

    def end(self, error: BaseException | None = None) -> None:
        """Once: what comes after says nothing."""
        with self._lock:
            if self._ended:
                return
            self._ended = True
        kind = COMPLETE
        if error is not None:
            kind = FAIL if isinstance(error, Exception) else ABORT
            self._run_facets["errorMessage"] = facet(
                "1-0-1/ErrorMessageRunFacet",
                message=_message(error),
                programmingLanguage="python",
                stackTrace="".join(traceback.format_exception(error)),
            )
        self._send(self._event(kind))

    def _add(
        self, side: str, dataset: Any, facets: Mapping[str, Any], columns: Mapping[str, Iterable[Any]] | None = None
    ) -> None:
        """Of what describes no dataset nothing is told: that mustn't be the end of what is observed."""
        try:
            key, wrong = resolved(DatasetSpec.of(dataset), self.namespace)
            told = {name: content for name, content in facets.items() if content is not None} if facets else {}
            if columns:
                told["columnLineage"] = self._columns(columns)
            with self._lock:
                self._datasets[side].setdefault(key, {}).update(told)
            if wrong is not None:
                warn_once(f"dataset {wrong}", "a dataset has a plain name only: %s", wrong)
        except Exception as error:
            warn_once(f"dataset {type(error).__name__}", "a dataset is not told of as it should be: %s", error)

    def _columns(self, columns: Mapping[str, Iterable[Any]]) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        for target, sources in columns.items():
            inputs = []
            for dataset, field in sources:
                namespace, name = name_of(DatasetSpec.of(dataset), self.namespace)
                inputs.append({"namespace": namespace, "name": name, "field": field})
            fields[target] = {"inputFields": inputs}
        return facet("1-2-0/ColumnLineageDatasetFacet", fields=fields)

    def _event(self, kind: str) -> bytes:
        with self._lock:
            sides = {
                side: [{"namespace": key[0], "name": key[1], "facets": dict(facets)} for key, facets in found.items()]
                for side, found in self._datasets.items()
            }
            return _encode(
                {
                    "eventTime": datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z"),
                    "eventType": kind,
                    "producer": PRODUCER,
                    "schemaURL": RUN_EVENT,
                    "run": {"runId": self.id, "facets": self._run_facets},
                    "job": {"namespace": self.namespace, "name": self.name, "facets": self._job_facets},
                    **sides,
                }
            )


_PYTHON = facet("2-0-3/JobTypeJobFacet", processingType="BATCH", integration="PYTHON", jobType="FUNCTION")


def _message(error: BaseException) -> str:
    try:
        return str(error) or type(error).__name__
    except Exception:
        return type(error).__name__


_current: ContextVar[Run | None] = ContextVar("lineage_hub_run", default=None)
threads.carry(_current)


def current_run() -> Run | None:
    return _current.get()


def enter(run: Run) -> Token[Run | None]:
    return _current.set(run)


def leave(token: Token[Run | None]) -> None:
    _current.reset(token)
