"""A body enters, the answer of an HTTP server leaves; what goes wrong leaves as Transient or Terminal.

On the standard library: a sender in the background of someone's program must cost it as little as can be, and a
client of full size takes a millisecond of Python a request.
"""

from __future__ import annotations

import http.client
import ssl
import threading
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

from lineage_hub import __version__
from lineage_hub.errors import InvalidSetting, LineageHubError, Overloaded, Refusal, Unreachable

# A timeout, too early, too many, and all that is the server's own trouble.
_WORTH_ANOTHER_TRY = frozenset({408, 425, 429})
_MOST_OF_A_REASON = 500


class Answer(NamedTuple):
    status: int
    body: bytes


class HttpConnection:
    """One connection that is kept, for one thread at a time."""

    def __init__(self, url: str, headers: Mapping[str, str], timeout_s: float, *, verify: bool = True) -> None:
        self.url = _checked(url)
        for name, value in headers.items():
            if not (value.isascii() and value.isprintable()):
                # The library's own message would show it, and it may be a key.
                raise InvalidSetting(
                    f"the header {name} can't be sent", subject=name, action="copy its value again, without line breaks"
                )
        self._headers = {"User-Agent": f"lineage-hub/{__version__}", **headers}
        self._timeout_s, self._verify = timeout_s, verify
        self._connection: http.client.HTTPConnection | None = None
        self._lock = threading.Lock()

    def post(self, path: str, body: bytes, content_type: str = "application/json") -> Answer:
        return self.request("POST", path, body, {"Content-Type": content_type})

    def request(self, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] = {}) -> Answer:
        """Any answer of 2xx; everything else is an error."""
        with self._lock:
            try:
                answer, retry_after = self._ask(method, path, body, headers)
            except LineageHubError:
                raise
            except Exception as error:
                self._drop()
                raise Unreachable(
                    f"{self.shown_url} does not answer: {type(error).__name__}: {error}",
                    subject=self.shown_url,
                    action="check the address, and that the server runs",
                ) from error
        if 200 <= answer.status < 300:
            return answer
        reason = answer.body[:_MOST_OF_A_REASON].decode(errors="replace")
        message = f"{self.shown_url} answered {answer.status}: {reason}"
        if answer.status in _WORTH_ANOTHER_TRY or answer.status >= 500:
            raise Overloaded(message, subject=self.shown_url, retry_after_s=retry_after)
        raise Refusal(message, answered=answer.status, subject=self.shown_url)

    def _ask(self, method: str, path: str, body: bytes, headers: Mapping[str, str]) -> tuple[Answer, int]:
        reused = self._connection is not None
        try:
            return self._exchange(method, path, body, headers)
        except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
            self._drop()
            if not reused:
                raise
            # The server closed a connection that was idle; events that arrive twice count once.
            return self._exchange(method, path, body, headers)

    def _exchange(self, method: str, path: str, body: bytes, headers: Mapping[str, str]) -> tuple[Answer, int]:
        connection = self._connection = self._connection or self._connect()
        connection.request(method, self.url.path.rstrip("/") + path, body, {**self._headers, **headers})
        response = connection.getresponse()
        answer = Answer(response.status, response.read())
        if response.will_close:
            self._drop()
        return answer, _seconds(response.getheader("Retry-After"))

    def _connect(self) -> http.client.HTTPConnection:
        host, port = self.url.hostname or "", self.url.port
        if self.url.scheme == "https":
            context = ssl.create_default_context() if self._verify else ssl._create_unverified_context()
            return http.client.HTTPSConnection(host, port, timeout=self._timeout_s, context=context)
        return http.client.HTTPConnection(host, port, timeout=self._timeout_s)

    @property
    def shown_url(self) -> str:
        """Without user and password."""
        host = self.url.netloc.rpartition("@")[2]
        return f"{self.url.scheme}://{host}{self.url.path}"

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def after_fork(self) -> None:
        """The socket is the parent's: two processes must not write to it."""
        self._lock = threading.Lock()
        self._connection = None

    def close(self) -> None:
        with self._lock:
            self._drop()


def _checked(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname)
        _ = parts.port
    except ValueError:
        valid = False
    if not valid:
        raise InvalidSetting(f"{url!r} is not the address of a server", subject="url", action="write http://host:port")
    return parts


def _seconds(header: str | None) -> int:
    """Of Retry-After, which may also be a date; then a few seconds do."""
    if header is None:
        return 1
    return int(header) if header.strip().isdigit() else 5
