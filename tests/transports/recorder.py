"""A server that takes events as an OpenLineage server does, keeps them, and fails in the ways it is told to."""

import json
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

# Status, headers, body.
Reply = tuple[int, dict[str, str], bytes]
TAKEN: Reply = (204, {}, b"")


@dataclass
class Request:
    path: str
    headers: dict[str, str]
    body: bytes
    method: str = "POST"

    @property
    def events(self) -> list[dict[str, Any]]:
        if not self.body:
            return []
        if self.headers.get("content-type") == "application/x-ndjson":
            return [json.loads(line) for line in self.body.splitlines()]
        body = json.loads(self.body)
        return list(body["events"]) if "events" in body else [body]


@dataclass
class Recorder:
    """`reply` decides; without it everything is taken."""

    reply: Callable[[Request], Reply] = lambda _: TAKEN
    requests: list[Request] = field(default_factory=list)
    taken: list[dict[str, Any]] = field(default_factory=list)
    port: int = 0

    def __enter__(self) -> Self:
        recorder = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"] or 0))
                headers = {name.lower(): value for name, value in self.headers.items()}
                request = Request(self.path, headers, body, self.command)
                status, more, text = recorder.reply(request)
                recorder.requests.append(request)
                if status < 300:
                    recorder.taken.extend(request.events)
                # A client that gave up, or was killed, needs no answer.
                with suppress(ConnectionError):
                    self.send_response(status)
                    for name, value in {"Content-Length": str(len(text)), **more}.items():
                        self.send_header(name, value)
                    self.end_headers()
                    self.wfile.write(text)

            do_GET = do_POST  # noqa: N815

            def log_message(self, *_: Any) -> None:
                """Silent."""

        self._server = ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def numbers(self) -> list[int]:
        """Of the events taken, in their order."""
        return [event["number"] for event in self.taken if "number" in event]
