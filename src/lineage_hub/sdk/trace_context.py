"""W3C trace context enters from OpenTelemetry, from tracked spans or from the environment; the one that counts leaves.

https://www.w3.org/TR/trace-context/: which trace and which span of it, as 32 and 16 hexadecimal digits.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import sys
from contextvars import ContextVar, Token
from typing import Any, NamedTuple

from lineage_hub.sdk import threads
from lineage_hub.sdk.config import get_config

TRACEPARENT, TRACESTATE = "TRACEPARENT", "TRACESTATE"
SAMPLED = 1
# And that the trace's id was drawn at random.
_KNOWN_FLAGS = 3
_FORM = re.compile(r"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?", re.ASCII)
_MEMBER = re.compile(r"[a-z0-9][a-z0-9_\-*/@]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]")
_MOST_MEMBERS = 32
_OPENTELEMETRY = "opentelemetry.trace"


class TraceContext(NamedTuple):
    trace_id: str
    span_id: str
    flags: int = SAMPLED
    state: str = ""
    is_span: bool = True
    """Else the trace was begun by a run, whose own id the span id is."""

    @property
    def traceparent(self) -> str:
        return f"00-{self.trace_id}-{self.span_id}-{self.flags:02x}"


class Inner(NamedTuple):
    """A span of ours, and OpenTelemetry's span that was current when it began."""

    context: TraceContext
    around: str


def parse(traceparent: str, tracestate: str = "") -> TraceContext | None:
    """None for what is not valid; a later version's first four parts count."""
    match = _FORM.fullmatch(traceparent.strip())
    if match is None:
        return None
    version, trace_id, span_id, flags, more = match.groups()
    if version == "ff" or (version == "00" and more) or not (is_id(trace_id, 32) and is_id(span_id, 16)):
        return None
    return TraceContext(trace_id, span_id, int(flags, 16) & _KNOWN_FLAGS, _checked_state(tracestate))


def is_id(text: str, digits: int) -> bool:
    """Of a trace (32 digits) or a span (16): not all zeros."""
    return len(text) == digits and all(char in "0123456789abcdef" for char in text) and bool(text.strip("0"))


def _checked_state(text: str) -> str:
    """As a whole or not at all: a part that can't be read makes the rest doubtful."""
    members = [member for part in text.split(",") if (member := part.strip())]
    if len(members) > _MOST_MEMBERS or not all(_MEMBER.fullmatch(member) for member in members):
        return ""
    return ",".join(members)


def new_trace_id() -> str:
    """From the system, so that neither a fork nor a team's `random.seed` makes two the same."""
    return os.urandom(16).hex()


def new_span_id() -> str:
    return os.urandom(8).hex()


def begun_by(root_run_id: str, run_id: str) -> TraceContext:
    """A trace for runs that are in none: its id is the outermost run's, so each can be found by the other."""
    return TraceContext(_digits(root_run_id, 32), _digits(run_id, 16), is_span=False)


def _digits(run_id: str, count: int) -> str:
    text = run_id.replace("-", "").lower()
    if not is_id(text, 32):
        text = hashlib.sha256(run_id.encode(errors="surrogatepass")).hexdigest()[:32]
    return text[-count:] if text[-count:].strip("0") else "1".rjust(count, "0")


_inner: ContextVar[Inner | None] = ContextVar("lineage_hub_span", default=None)
threads.carry(_inner)


def enter(context: TraceContext) -> Token[Inner | None]:
    around = from_opentelemetry()
    return _inner.set(Inner(context, around.span_id if around is not None else ""))


def leave(token: Token[Inner | None]) -> None:
    # A coroutine that was given up is closed in the context of whoever closes it, where there is nothing to undo.
    with contextlib.suppress(ValueError):
        _inner.reset(token)


def ambient() -> TraceContext | None:
    """The innermost span: OpenTelemetry's, unless one of ours began inside it."""
    inner, other = _inner.get(), from_opentelemetry()
    if other is not None and (inner is None or inner.around != other.span_id):
        return other
    return inner.context if inner is not None else None


def from_opentelemetry() -> TraceContext | None:
    # Whoever has a span has imported it already.
    module: Any = sys.modules.get(_OPENTELEMETRY)
    if module is None:
        return None
    try:
        found = module.get_current_span().get_span_context()
        if not found.is_valid:
            return None
        state = found.trace_state.to_header() if found.trace_state else ""
        return TraceContext(f"{found.trace_id:032x}", f"{found.span_id:016x}", int(found.trace_flags), state)
    except Exception:
        # Half imported, or another's module of that name: as if there were none.
        return None


_given: tuple[object, TraceContext | None] = (None, None)


def from_environment() -> TraceContext | None:
    """What the program that started this one passed on; read again when the SDK is configured anew."""
    global _given  # noqa: PLW0603
    config = get_config()
    if _given[0] is not config:
        found = os.environ.get(TRACEPARENT)
        _given = (config, parse(found, os.environ.get(TRACESTATE, "")) if found else None)
    return _given[1]


def around_new_run(parent: TraceContext | None) -> TraceContext | None:
    """`parent` is the context of the run that it is inside of."""
    if parent is None and _inner.get() is None and _OPENTELEMETRY not in sys.modules:
        # So it mostly is, and each call asks.
        return from_environment()
    return ambient() or parent or from_environment()


def of_run(run_id: str, around: TraceContext) -> TraceContext:
    """Where no span is, the run's own id stands for one."""
    return around if around.is_span else around._replace(span_id=_digits(run_id, 16))


def facet_content(context: TraceContext) -> dict[str, str]:
    content = {"traceparent": context.traceparent, "traceId": context.trace_id, "spanId": context.span_id}
    return {**content, "tracestate": context.state} if context.state else content
