"""What a caller wants of the hub enters; the talk that gets it leaves, and its end is the typed answer.

See `conversation.py` for what a talk is. Nothing here connects or waits; a dry run is printed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, TypeVar
from urllib.parse import quote

import msgspec

from lineage_hub.errors import InvalidEvent, InvalidRequest
from lineage_hub.sdk.answers import Health, LineageResult, Namespace, NamespacePage, TelemetryResult
from lineage_hub.sdk.conversation import Answer, Request, Talk, ask, decoded, stranger
from lineage_hub.sdk.destination import Destination
from lineage_hub.sdk.spans import telemetry_text
from lineage_hub.transports.base import Event, event_text
from lineage_hub.transports.hub import INGEST, Taken

HEALTH, NAMESPACES, TELEMETRY = "/api/v1/health", "/api/v1/namespaces", "/api/v1/telemetry/ingest"
# The hub lists as many errors in an answer, and takes this many bytes with room to spare.
MOST_IN_A_REQUEST = 1000
MOST_BYTES = 8 * 1024 * 1024
_PAGE = 500
T = TypeVar("T")
_decode_any = msgspec.json.Decoder(msgspec.Raw).decode


def check_health(to: Destination) -> Talk[Health]:
    """A hub that says it is unhealthy has answered."""
    return decoded(to, (yield from ask(to, Request("GET", HEALTH), _tells_of_health)), Health)


def _tells_of_health(answer: Answer) -> bool:
    if answer.status != 503:
        return answer.is_success
    try:
        return bool(msgspec.json.decode(answer.body, type=Health).status)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False


def get_namespace(to: Destination, name: str) -> Talk[Namespace]:
    if not name:
        raise InvalidRequest("a namespace needs a name", subject="name", action="name one of list_namespaces()")
    answer = yield from ask(to, Request("GET", f"{NAMESPACES}/{quote(name, safe='')}"))
    return decoded(to, answer, Namespace)


def list_namespaces(to: Destination) -> Talk[list[Namespace]]:
    """All of them, page by page."""
    found: list[Namespace] = []
    while True:
        request = Request("GET", f"{NAMESPACES}?limit={_PAGE}&offset={len(found)}")
        page = decoded(to, (yield from ask(to, request)), NamespacePage)
        found += page.namespaces
        if not page.namespaces or page.total is None or len(found) >= page.total:
            return found


def send_lineage(
    to: Destination, events: Iterable[Event], namespace: str | None = None, source: str | None = None
) -> Talk[LineageResult]:
    """In several requests where one would be too large; after an error all may be sent again, repeats count once."""
    namespace = namespace or to.namespace
    texts = [_one_text(at, event) for at, event in enumerate(listed(events, "events"))]
    if not to.config.enable_lineage or printed(to, texts):
        return LineageResult(namespace=namespace)
    accepted = rejected = sent = 0
    errors: list[str] = []
    for part in _parts(texts):
        answer = yield from ask(to, Request("POST", INGEST, envelope(namespace, source, events=part)))
        taken = decoded(to, answer, Taken)
        _check_sum(to, "events", len(part), taken.accepted, taken.rejected)
        accepted, rejected = accepted + taken.accepted, rejected + taken.rejected
        errors += [
            one.reason if one.index < 0 else f"event {sent + one.index}: {one.reason}" for one in taken.refused()
        ]
        sent += len(part)
    return LineageResult(accepted, rejected, tuple(errors), namespace)


def send_telemetry(
    to: Destination,
    traces: Iterable[Any] | None = None,
    metrics: Iterable[Any] | None = None,
    namespace: str | None = None,
    source: str | None = None,
) -> Talk[TelemetryResult]:
    namespace = namespace or to.namespace
    spans = [telemetry_text(one) for one in listed(traces, "traces")]
    points = [telemetry_text(one) for one in listed(metrics, "metrics")]
    result = TelemetryResult(namespace=namespace)
    if not to.config.enable_telemetry or printed(to, [*spans, *points]):
        return result
    nothing: list[bytes] = []
    for some_spans, some_points in zip_longest(_parts(spans), _parts(points), fillvalue=nothing):
        body = envelope(namespace, source, traces=some_spans, metrics=some_points)
        answer = decoded(to, (yield from ask(to, Request("POST", TELEMETRY, body))), TelemetryResult)
        _check_sum(to, "spans", len(some_spans), answer.traces_accepted, answer.traces_rejected)
        _check_sum(to, "metrics", len(some_points), answer.metrics_accepted, answer.metrics_rejected)
        result += answer
    return result


def _check_sum(to: Destination, what: str, sent: int, accepted: int, rejected: int) -> None:
    if accepted < 0 or rejected < 0 or accepted + rejected != sent:
        raise stranger(to, f"of {sent} {what} it took {accepted} and refused {rejected}")


def listed(given: Iterable[Any] | None, what: str) -> list[Any]:
    """One event in the place of a list is the usual slip: its keys or letters are no events."""
    if given is None:
        return []
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise InvalidRequest(f"{what} is a {type(given).__name__}, not a list", subject=what, action="send a list")
    return list(given)


def _one_text(at: int, event: Event) -> bytes:
    """Text that is no JSON goes as a JSON string: so it stays one event, which the hub refuses and keeps."""
    try:
        text = event_text(event)
        if isinstance(event, bytes | str):
            text = _checked(text)
        return text
    except InvalidEvent as error:
        raise InvalidEvent(f"event {at}: {error}", subject=f"event {at}", action=error.action) from error


def _checked(text: bytes) -> bytes:
    try:
        _decode_any(text)
        text.decode()
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return msgspec.json.encode(text.decode(errors="replace"))
    return text


def _parts(texts: Sequence[bytes]) -> Iterator[list[bytes]]:
    part: list[bytes] = []
    size = 0
    for text in texts:
        if part and (len(part) >= MOST_IN_A_REQUEST or size + len(text) > MOST_BYTES):
            yield part
            part, size = [], 0
        part.append(text)
        size += len(text)
    if part:
        yield part


def in_parts(items: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), MOST_IN_A_REQUEST):
        yield items[start : start + MOST_IN_A_REQUEST]


def envelope(namespace: str, source: str | None, **lists: list[bytes]) -> bytes:
    content: dict[str, Any] = {"namespace": namespace}
    content |= {name: [msgspec.Raw(text) for text in texts] for name, texts in lists.items()}
    if source:
        content["source"] = source
    return msgspec.json.encode(content)


def printed(to: Destination, texts: Sequence[bytes]) -> bool:
    if not to.config.dry_run:
        return False
    sys.stderr.write("".join(f"{text.decode(errors='replace')}\n" for text in texts))
    return True
