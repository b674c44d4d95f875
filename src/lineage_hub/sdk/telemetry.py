"""A function enters; one that behaves the same leaves, and each of its calls is a span of a trace.

Whatever goes wrong here stays here: the function runs exactly once, and its results and errors are its own.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypeVar, overload

from lineage_hub.sdk import telemetry_outbox, trace_context
from lineage_hub.sdk.config import get_config
from lineage_hub.sdk.runs import current_run
from lineage_hub.sdk.spans import Span, SpanEvent, Status, default_service, tags_as_attributes, text
from lineage_hub.sdk.trace_context import TraceContext
from lineage_hub.sdk.warnings import warn_once
from lineage_hub.sdk.wrapping import Begin, Call, wrapped

F = TypeVar("F", bound=Callable[..., Any])
RUN_ID = "pipeline.run_id"
# The end of a stack says where it happened; a recursion's is endless.
_MOST_OF_A_STACK = 16 * 1024


class _Described(NamedTuple):
    name: str
    service_name: str
    namespace: str
    attributes: Mapping[str, Any]


class _Call:
    """A span that never raises."""

    def __init__(self, described: _Described) -> None:
        self._described = described
        self._context: TraceContext | None = None
        self._parent = ""
        self._run_id = ""
        try:
            run = current_run()
            around = trace_context.ambient()
            if around is None:
                around = run.begin_trace() if run is not None else trace_context.from_environment()
            self._run_id = run.id if run is not None else ""
            self._parent = around.span_id if around is not None and around.is_span else ""
            span_id = trace_context.new_span_id()
            if around is not None:
                self._context = around._replace(span_id=span_id, is_span=True)
            else:
                self._context = TraceContext(trace_context.new_trace_id(), span_id)
        except Exception as error:
            _warn(error)
        self._start_ns = time.time_ns()
        # The wall clock may be set meanwhile; how long it took is another clock's.
        self._started = time.perf_counter_ns()

    def complete(self, result: Any = None) -> None:
        del result
        self._end("OK", "", ())

    def fail(self, error: BaseException) -> None:
        if isinstance(error, GeneratorExit):
            # Whoever iterated had enough.
            self._end("OK", "", ())
            return
        try:
            event = exception_event(error, self._now())
            self._end("ERROR", str(event.attributes["exception.message"]), (event,))
        except Exception as trouble:
            _warn(trouble)

    def _now(self) -> int:
        return self._start_ns + time.perf_counter_ns() - self._started

    def _end(self, status: Status, message: str, events: tuple[SpanEvent, ...]) -> None:
        context, self._context = self._context, None
        if context is None:
            return
        try:
            name, service_name, namespace, attributes = self._described
            telemetry_outbox.send(
                Span(
                    name=name,
                    start_ns=self._start_ns,
                    end_ns=self._now(),
                    trace_id=context.trace_id,
                    span_id=context.span_id,
                    parent_span_id=self._parent,
                    trace_state=context.state,
                    status=status,
                    message=message,
                    service_name=service_name or default_service(),
                    attributes={**attributes, RUN_ID: self._run_id} if self._run_id else attributes,
                    events=events,
                    namespace=namespace,
                )
            )
        except Exception as error:
            _warn(error)

    def __enter__(self) -> None:
        """Spans and runs that begin meanwhile are in this one."""
        self._token = trace_context.enter(self._context) if self._context is not None else None

    def __exit__(self, *_: object) -> None:
        if self._token is not None:
            trace_context.leave(self._token)


class _Off:
    """Of a call that isn't told of."""

    def complete(self, result: Any = None) -> None:
        pass

    def fail(self, error: BaseException) -> None:
        pass

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        pass


_OFF = _Off()


def exception_event(error: BaseException, time_ns: int) -> SpanEvent:
    """As OpenTelemetry records one."""
    kind = type(error)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    try:
        message = text(str(error))
    except Exception:
        message = ""
    try:
        stack = text("".join(traceback.format_exception(error))[-_MOST_OF_A_STACK:])
    except Exception:
        stack = ""
    attributes = {
        "exception.type": name,
        "exception.message": message[:_MOST_OF_A_STACK],
        "exception.stacktrace": stack,
    }
    return SpanEvent("exception", time_ns, attributes)


def _warn(error: Exception) -> None:
    warn_once(f"span {type(error).__name__}", "a call has no span: %s: %s", type(error).__name__, error)


@overload
def telemetry_track(span_name: F) -> F: ...
@overload
def telemetry_track(
    span_name: str | None = None,
    service_name: str | None = None,
    namespace: str | None = None,
    tags: Mapping[str, Any] | Iterable[str] | None = None,
) -> Callable[[F], F]: ...
def telemetry_track(
    span_name: Any = None,
    service_name: str | None = None,
    namespace: str | None = None,
    tags: Mapping[str, Any] | Iterable[str] | None = None,
) -> Any:
    """Bare or with arguments, on functions, methods, generators and their async kinds. Tags become attributes."""
    if span_name is not None and not isinstance(span_name, str):
        return wrapped(span_name, _begin_for(None, None, None, None))
    return lambda function: wrapped(function, _begin_for(span_name, service_name, namespace, tags))


def _begin_for(
    span_name: str | None, service_name: str | None, namespace: str | None, tags: Any
) -> Callable[[str], Begin]:
    try:
        attributes = tags_as_attributes(tags)
    except Exception as error:
        _warn(error)
        attributes = {}

    def begin_for(name: str) -> Begin:
        described = _Described(span_name or name, service_name or "", namespace or "", attributes)

        def begin(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
            del args, kwargs
            return _Call(described) if get_config().enable_telemetry else _OFF

        return begin

    return begin_for
