"""What a call says of itself enters; the START, COMPLETE, FAIL or ABORT of its run leave as OpenLineage events.

Events are put together as text on the caller's thread, in microseconds; sending them is another thread's work.
"""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar, Token
from typing import Any

from lineage_hub.sdk import threads
from lineage_hub.sdk.run_ids import new_run_id
from lineage_hub.sdk.said import Said, encode, facet, own_facet
from lineage_hub.sdk.trace_context import TraceContext, around_new_run, begun_by, facet_content, of_run

TRACE_FACET = "lineageHub_trace"
START, RUNNING, COMPLETE, FAIL, ABORT = b"START", b"RUNNING", b"COMPLETE", b"FAIL", b"ABORT"
Send = Callable[[bytes], None]


class Run:
    """One run of a job, from its START on. What is added to it stands in its next event."""

    __slots__ = (
        "_ended", "_id", "_lock", "_new_id", "_run_facets", "_said", "_send", "_shares",
        "name", "namespace", "parent", "trace",
    )  # fmt: skip

    def __init__(
        self,
        namespace: str,
        name: str,
        send: Send,
        run_id: str | None = None,
        parent: Run | None = None,
        said: Said | None = None,
    ) -> None:
        """`said` is shared with other runs: it is copied before anything is added."""
        self.namespace, self.name, self._send = namespace, name, send
        self._id = run_id or None
        self._new_id = b"" if run_id else new_run_id()
        self.parent = parent
        self._lock = threading.Lock()
        self._shares = said is not None
        self._said = said if said is not None else Said(namespace, name)
        self._run_facets: dict[str, Any] = {}
        self._ended = False
        if parent is not None:
            root = parent.root
            self._run_facets["parent"] = facet(
                "1-1-0/ParentRunFacet",
                run={"runId": parent.id},
                job={"namespace": parent.namespace, "name": parent.name},
                root={"run": {"runId": root.id}, "job": {"namespace": root.namespace, "name": root.name}},
            )
        around = around_new_run(parent.trace if parent is not None else None)
        self.trace: TraceContext | None = None
        if around is not None:
            self.trace = of_run(self.id, around)
            self.add_facet(TRACE_FACET, facet_content(self.trace))

    @property
    def id(self) -> str:
        if self._id is None:
            # Few ask: its events hold it as it was made.
            self._id = self._new_id.decode()
        return self._id

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

    @property
    def ended(self) -> bool:
        """Whether its last event has been told."""
        return self._ended

    def add_input(self, dataset: Any, *, frame: Any = None, **facets: Any) -> None:
        """`frame` is a DataFrame that holds it: its columns, and its rows where they are counted, are told too."""
        with self._lock:
            self._own().add_dataset("inputs", dataset, facets, frame=frame)

    def add_output(
        self, dataset: Any, *, columns: Mapping[str, Iterable[Any]] | None = None, frame: Any = None, **facets: Any
    ) -> None:
        """`columns` tells of each field of the output which fields it is made from, as (dataset, field)."""
        with self._lock:
            self._own().add_dataset("outputs", dataset, facets, columns, frame)

    def put(self, side: str, key: tuple[str, str], facets: Mapping[str, Any]) -> None:
        """A dataset by its OpenLineage name, on the side `inputs` or `outputs`."""
        with self._lock:
            self._own().put(side, key, facets)

    def add_facet(self, name: str, content: Mapping[str, Any], *, of: str = "run") -> None:
        """Of the run, or with `of="job"` of its job."""
        told = own_facet(name, content)
        with self._lock:
            if of == "job":
                self._own().add_job_facet(name, told)
            else:
                self._run_facets[name] = told

    def describe(self, text: str) -> None:
        with self._lock:
            self._own().describe(text)

    def tag(self, tags: Mapping[str, Any] | Iterable[str]) -> None:
        with self._lock:
            self._own().tag(tags)

    def _own(self) -> Said:
        if self._shares:
            self._said, self._shares = self._said.copy(), False
        return self._said

    def start(self) -> None:
        self._tell(START)

    def update(self) -> None:
        """What was added so far is told now, by an event of its own."""
        self._tell(RUNNING)

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
        self._tell(kind)

    def _tell(self, kind: bytes) -> None:
        said, facets = self._said.made, b"{}"
        if said is None or self._run_facets:
            with self._lock:
                said, facets = self._said.text(), encode(self._run_facets)
        now = time.time()
        second, text = _second
        if not 0.0 <= now - second < 1.0:
            second, text = _next_second(now)
        self._send(
            b'{"eventTime":"%b.%06dZ","eventType":"%b","run":{"runId":"%b","facets":%b},%b}'
            % (text, (now - second) * 1e6, kind, self._new_id or encode(self._id)[1:-1], facets, said)
        )


_second: tuple[float, bytes] = (0.0, b"")


def _next_second(now: float) -> tuple[float, bytes]:
    """When it began, and its text."""
    global _second  # noqa: PLW0603
    second = now // 1
    _second = second, time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(second)).encode()
    return _second


def _message(error: BaseException) -> str:
    try:
        return str(error) or type(error).__name__
    except Exception:
        return type(error).__name__


innermost: ContextVar[Run | None] = ContextVar("lineage_hub_run", default=None)
threads.carry(innermost)


def current_run() -> Run | None:
    """The run that this code is inside of."""
    return innermost.get()


def leave(token: Token[Run | None]) -> None:
    try:
        innermost.reset(token)
    except ValueError:
        pass  # a coroutine may be closed from another context than the one that it ran in
