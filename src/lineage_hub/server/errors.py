"""Whatever goes wrong in a request enters; one JSON shape leaves, with the status and headers it needs.

What the framework raises is told in our tree of errors first, so a client meets one vocabulary.
"""

from __future__ import annotations

import json

import msgspec
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.types import Scope as Connection
from starlette.types import Send

from lineage_hub.errors import (
    BodyTooLarge,
    InternalError,
    InvalidRequest,
    LineageHubError,
    MethodNotAllowed,
    NotFound,
    Transient,
    UnsupportedEncoding,
)
from lineage_hub.server import page
from lineage_hub.server.notes import note_of

JSON = b"application/json"
Headers = list[tuple[bytes, bytes]]
_encode = msgspec.json.Encoder().encode


def render(value: object) -> bytes:
    """JSON, also of text that UTF-8 can't hold: messages quote what was sent."""
    try:
        return _encode(value)
    except UnicodeEncodeError:
        return json.dumps(value).encode()


def answer_of(error: LineageHubError, allow: str | None = None) -> tuple[int, Headers, bytes]:
    body = render(error.body())
    headers = [(b"content-type", JSON), (b"content-length", b"%d" % len(body))]
    if isinstance(error, Transient):
        headers.append((b"retry-after", b"%d" % max(1, error.retry_after_s)))
    if isinstance(error, BodyTooLarge):
        # The rest of the body may still be on its way: it must not be taken for the next request.
        headers.append((b"connection", b"close"))
    if isinstance(error, UnsupportedEncoding):
        headers.append((b"accept-encoding", b"gzip, deflate, zstd"))
    if allow:
        headers.append((b"allow", allow.encode("latin-1")))
    return error.status, headers, body


async def send_error(send: Send, error: LineageHubError) -> None:
    """For endpoints that are called without the framework."""
    status, headers, body = answer_of(error)
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def defect(correlation_id: str) -> InternalError:
    """Says nothing of the cause; the id leads to it in the log."""
    return InternalError(
        "the hub failed to answer",
        subject=correlation_id,
        action="look for this correlation id in the hub's log, and report the defect",
    )


def add_error_answers(app: FastAPI) -> None:
    app.add_exception_handler(LineageHubError, _answer_own)
    app.add_exception_handler(RequestValidationError, _answer_validation)
    app.add_exception_handler(HTTPException, _answer_framework)


def note_error(connection: Connection, error: LineageHubError) -> LineageHubError:
    """The error for the log line, and what the client is told of it."""
    note = note_of(connection)
    note.error = error.code
    return defect(note.correlation_id) if error.status == 500 else error


def _answer(request: Request, error: LineageHubError, allow: str | None = None) -> Response:
    status, headers, body = answer_of(note_error(request.scope, error), allow)
    response = Response(body, status)
    response.raw_headers = headers
    return response


async def _answer_own(request: Request, error: Exception) -> Response:
    assert isinstance(error, LineageHubError)
    return _answer(request, error)


async def _answer_validation(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where, *path = [str(part) for part in first["loc"]]
    name = ".".join(path) or where
    more = len(error.errors()) - 1
    message = f"{where} parameter {name}: {first['msg']}" + (f" (and {more} more)" if more else "")
    return _answer(request, InvalidRequest(message, subject=name, action="see /docs for what this route takes"))


def _methods(request: Request) -> str:
    """All of the path's methods; the framework names those of the first route that it met."""
    template = getattr(request.scope.get("route"), "path", "")
    return ", ".join(sorted(method.upper() for method in request.app.openapi()["paths"].get(template, ())))


async def _answer_framework(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    path = request.url.path
    if error.status_code == 404:
        shown = await page.answer(request)
        if shown is not None:
            return shown
        told: LineageHubError = NotFound(f"there is no route {path}", subject=path, action="see /docs for every route")
    elif error.status_code == 405:
        allow = _methods(request) or (error.headers or {}).get("Allow", "")
        told = MethodNotAllowed(
            f"{request.method} is not allowed on {path}",
            subject=path,
            action=f"use {allow}" if allow else None,
        )
        return _answer(request, told, allow)
    elif error.status_code == 413:
        told = BodyTooLarge(str(error.detail), subject="body", action="send less in one request")
    elif error.status_code == 415:
        told = UnsupportedEncoding(str(error.detail), subject="content-type", action="send JSON")
    elif error.status_code < 500:
        told = InvalidRequest(str(error.detail), subject=path, action="see /docs for what this route takes")
    else:
        told = defect(note_of(request.scope).correlation_id)
    return _answer(request, told)
