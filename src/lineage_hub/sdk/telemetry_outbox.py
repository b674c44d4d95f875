"""Spans and metrics enter from any thread and leave in the background. Nothing is ever raised, and memory has a bound.

Unlike events, spans wait in memory: while a receiver is down the newest tell most, so the oldest are dropped and
counted, and a warning says so once.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol
from urllib.parse import unquote
from weakref import WeakSet

import msgspec

from lineage_hub.errors import Overloaded, Refusal, Transient
from lineage_hub.sdk.config import LineageHubConfig, get_config
from lineage_hub.sdk.spans import Metric, Span, telemetry_text
from lineage_hub.sdk.warnings import warn_once
from lineage_hub.transports.patience import Patience

if TYPE_CHECKING:
    from lineage_hub.transports.http import HttpConnection

Told = Span | Metric
# OpenTelemetry's variables: another receiver than the hub.
OTLP_ENDPOINT, OTLP_HEADERS = "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_HEADERS"
MOST_BYTES = 32 * 1024 * 1024
# What a span takes in memory, without the texts of its events.
_SPAN_BYTES = 1024
EXIT_S = 3.0


class Post(Protocol):
    def __call__(self, namespace: str, told: list[Told], /) -> int:
        """Of one kind. How many of them were refused; raises if nothing is known of any."""

    def close(self) -> None: ...


class SpanOutbox:
    def __init__(self, config: LineageHubConfig, post: Post, most_bytes: int = MOST_BYTES) -> None:
        self._batch_size, self._interval_s = max(1, config.batch_size), max(0.0, config.flush_interval)
        self._namespace = config.namespace
        self._post, self._most_bytes = post, most_bytes
        self._changed = threading.Condition()
        self._waiting: deque[Told] = deque()
        self._bytes = self._in_flight = self._waited_for = 0
        self._retired = False
        self._patience = Patience()
        self._thread: threading.Thread | None = None
        self.taken = self.sent = self.dropped = 0
        _every_outbox.add(self)

    def put(self, span: Told) -> None:
        with self._changed:
            self._waiting.append(span)
            self._bytes += _size(span)
            self.taken += 1
            self._drop_oldest()
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._work, name="lineage-hub telemetry", daemon=True)
                self._thread.start()
            if len(self._waiting) in (1, self._batch_size):
                self._changed.notify_all()

    def flush(self, timeout: float = -1.0) -> bool:
        """Whether all spans have left within so many seconds; a negative number waits for it."""
        with self._changed:
            self._waited_for += 1
            self._changed.notify_all()
            try:
                return self._changed.wait_for(
                    lambda: not self._waiting and not self._in_flight, None if timeout < 0 else timeout
                )
            finally:
                self._waited_for -= 1

    def leave(self, timeout: float = EXIT_S) -> None:
        """At the end of the program: wait as long as it is worth while, and no longer."""
        until = time.monotonic() + timeout
        while time.monotonic() < until and not self.flush(0.05) and not self._patience.failures:
            continue

    def retire(self) -> None:
        """What waits is sent; nothing more comes."""
        with self._changed:
            self._retired = True
            self._changed.notify_all()

    def close(self, timeout: float) -> bool:
        """Whether all spans have left within so many seconds; those that haven't are tried on in the background."""
        done = self.flush(timeout)
        thread = self._thread
        self.retire()
        if done and thread is not None:
            thread.join(timeout=1.0)
        return done

    def _drop_oldest(self) -> None:
        while self._bytes > self._most_bytes and len(self._waiting) > 1:
            self._bytes -= _size(self._waiting.popleft())
            self.dropped += 1
            warn_once("spans dropped", "too many spans wait to be sent: the oldest are counted and dropped")

    def _work(self) -> None:
        while batch := self._next_batch():
            again, pause_s = self._deliver(batch)
            with self._changed:
                self._waiting.extendleft(reversed(again))
                self._bytes += sum(map(_size, again))
                self._drop_oldest()
                self._in_flight = 0
                self._changed.notify_all()
            time.sleep(pause_s)
        self._post.close()

    def _next_batch(self) -> list[Told]:
        """Waits for a span, then for company. Nothing means that none will come."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._retired)
            self._changed.wait_for(
                lambda: len(self._waiting) >= self._batch_size or self._waited_for or self._retired, self._interval_s
            )
            batch = [self._waiting.popleft() for _ in range(min(self._batch_size, len(self._waiting)))]
            self._bytes -= sum(map(_size, batch))
            self._in_flight = len(batch)
            if not batch:
                # A span that comes all the same begins a thread anew.
                self._thread = None
            return batch

    def _deliver(self, batch: Sequence[Told]) -> tuple[list[Told], float]:
        """What is to be sent again, and after how many seconds."""
        groups: dict[tuple[str, type], list[Told]] = {}
        for span in batch:
            # Apart by kind too: what was taken must not be sent again because the other wasn't.
            groups.setdefault((span.namespace or self._namespace, type(span)), []).append(span)
        while groups:
            group = next(iter(groups))
            try:
                refused = self._post(group[0], groups[group])
            except Exception as error:
                if _is_worth_another_try(error):
                    warn_once(f"spans {type(error).__name__}", "spans wait to be sent: %s", error)
                    wait_s = error.retry_after_s if isinstance(error, Transient) else 0.0
                    return [span for each in groups.values() for span in each], self._patience.failed(wait_s)
                warn_once(f"spans {type(error).__name__}", "spans can't be sent and are dropped: %s", error)
                refused = len(groups[group])
            self.dropped += refused
            self.sent += len(groups.pop(group)) - refused
        self._patience.succeeded()
        return [], 0.0


def _is_worth_another_try(error: Exception) -> bool:
    """A wrong key or address says nothing against the spans."""
    return isinstance(error, Transient) or (isinstance(error, Refusal) and not error.blames_the_event)


def _size(span: Told) -> int:
    if isinstance(span, Metric):
        return _SPAN_BYTES
    return _SPAN_BYTES + sum([len(str(text)) for event in span.events for text in event.attributes.values()])


class HubPost:
    """By the lean connection of the transports: this runs in the background of someone's program."""

    def __init__(self, config: LineageHubConfig) -> None:
        self._config = config
        self._connection: HttpConnection | None = None

    def __call__(self, namespace: str, told: list[Told]) -> int:
        from lineage_hub.sdk.answers import TelemetryResult
        from lineage_hub.sdk.hub_api import TELEMETRY, envelope

        spans = [telemetry_text(one) for one in told if isinstance(one, Span)]
        metrics = [telemetry_text(one) for one in told if isinstance(one, Metric)]
        answer = self._connected().post(TELEMETRY, envelope(namespace, None, traces=spans, metrics=metrics))
        try:
            taken = msgspec.json.decode(answer.body, type=TelemetryResult)
        except msgspec.DecodeError:
            raise Overloaded("the answer is no hub's", subject=answer.body[:80].decode(errors="replace")) from None
        rejected = taken.traces_rejected + taken.metrics_rejected
        if rejected:
            warn_once("spans rejected", "the hub rejected spans: %s", "; ".join(taken.errors[:3]))
        return min(len(told), max(0, rejected))

    def _connected(self) -> HttpConnection:
        from lineage_hub.sdk.destination import Destination
        from lineage_hub.transports.http import HttpConnection

        if self._connection is None:
            to = Destination.of(config=self._config)
            self._connection = HttpConnection(to.url, to.authorization, to.timeout_s)
        return self._connection

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()


class OtlpPost:
    """To any receiver of OTLP/HTTP."""

    def __init__(self, url: str, headers: str, timeout_s: float) -> None:
        from lineage_hub.transports.http import HttpConnection

        pairs = (one.partition("=") for one in headers.split(",") if one.strip())
        given = {name.strip(): unquote(value.strip()) for name, _, value in pairs}
        self._connection = HttpConnection(url.rstrip("/"), given, timeout_s)

    def __call__(self, namespace: str, told: list[Told]) -> int:
        from lineage_hub.sdk import otlp

        are_spans = isinstance(told[0], Span)
        path, body = (otlp.TRACES, otlp.traces_body) if are_spans else (otlp.METRICS, otlp.metrics_body)
        answer = self._connection.post(path, body(told, namespace))
        try:
            refused, why = otlp.read_response(answer.body)
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise Overloaded("the answer is no OTLP", subject=self._connection.shown_url) from None
        if refused:
            warn_once("spans rejected", "the receiver rejected spans: %s", why)
        return min(len(told), max(0, refused))

    def close(self) -> None:
        self._connection.close()


class PrintingPost:
    def __call__(self, namespace: str, told: list[Told]) -> int:
        sys.stderr.write("".join(f"{telemetry_text(one).decode(errors='replace')}\n" for one in told))
        return 0

    def close(self) -> None:
        """Standard error stays open."""


_lock = threading.Lock()
_made: tuple[LineageHubConfig, SpanOutbox] | None = None
_every_outbox: WeakSet[SpanOutbox] = WeakSet()


def send(span: Told) -> None:
    try:
        _outbox(get_config()).put(span)
    except Exception as error:
        warn_once(f"spans {type(error).__name__}", "spans can't be sent: %s", error)


def _outbox(config: LineageHubConfig) -> SpanOutbox:
    """One for each process and configuration."""
    global _made  # noqa: PLW0603
    made = _made
    if made is None or made[0] is not config:
        with _lock:
            made = _made
            if made is None or made[0] is not config:
                if made is not None:
                    made[1].retire()
                _made = made = (config, SpanOutbox(config, _post_for(config)))
    return made[1]


def _post_for(config: LineageHubConfig) -> Post:
    if config.dry_run:
        return PrintingPost()
    if os.environ.get(OTLP_ENDPOINT):
        return OtlpPost(os.environ[OTLP_ENDPOINT], os.environ.get(OTLP_HEADERS, ""), config.timeout)
    if not config.hub_endpoint:
        warn_once("no hub", "no hub is configured, so spans are printed; set LINEAGE_HUB_URL=http://host:8000")
        return PrintingPost()
    return HubPost(config)


def flush(timeout: float = -1.0) -> bool:
    """Whether all spans of this process have left within so many seconds; a negative number waits for it."""
    until = time.monotonic() + timeout
    left = [one.flush(timeout if timeout < 0 else max(0.0, until - time.monotonic())) for one in list(_every_outbox)]
    return all(left)


def close(timeout: float = 0.0) -> bool:
    """As `flush`; the next span begins anew."""
    global _made
    with _lock:
        made, _made = _made, None
    return made[1].close(timeout) if made is not None else True


def _leave() -> None:
    until = time.monotonic() + EXIT_S
    for one in list(_every_outbox):
        one.leave(max(0.0, until - time.monotonic()))


def _forked() -> None:
    """What waits is the parent's to send; its threads and locks did not come along."""
    global _made, _lock
    _made, _lock = None, threading.Lock()
    _every_outbox.clear()


os.register_at_fork(after_in_child=_forked)
atexit.register(_leave)
