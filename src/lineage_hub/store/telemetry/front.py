"""Requests of ClickHouse's HTTP interface enter; answers of the embedded engine leave, as a server would give them.

It is what clickhouse-connect uses: statements, bound parameters, settings, inserts, compression and error codes.
"""

import asyncio
import gzip
import hmac
import json
import zlib
from base64 import b64decode
from binascii import Error as NotBase64
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from email.parser import BytesParser
from email.policy import HTTP
from urllib.parse import parse_qsl
from uuid import uuid4

import lz4.frame  # type: ignore[import-untyped]
import zstandard
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from lineage_hub.store.telemetry.connections import Answer, Connections, Refused
from lineage_hub.store.telemetry.statements import Statement, read_statement

AUTHENTICATION_FAILED = 516
CANNOT_DECOMPRESS = 354
# As the server maps them; what isn't listed is 500.
_STATUS = {
    AUTHENTICATION_FAILED: 403,
    **dict.fromkeys((36, 43, 42, 47, 53, 62, 115, 386, 456, 457), 400),
    **dict.fromkeys((60, 81), 404),
    159: 408,
    202: 503,
}


def _zstd_whole(data: bytes) -> bytes:
    return zstandard.ZstdDecompressor().decompressobj().decompress(data)


_INFLATE: Mapping[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.decompress,
    "deflate": zlib.decompress,
    "zstd": _zstd_whole,
    "lz4": lz4.frame.decompress,
}
_DEFLATE: Mapping[str, Callable[[bytes], bytes]] = {
    "lz4": lz4.frame.compress,
    "zstd": lambda data: zstandard.ZstdCompressor(1).compress(data),
    "gzip": lambda data: gzip.compress(data, 1),
    "deflate": lambda data: zlib.compress(data, 1),
}


def front(connections: Connections, secret: str, *, readers: int, writers: int) -> ASGIApp:
    # As many threads as connections: what waits, waits for a thread and not in one.
    reading = ThreadPoolExecutor(readers, "read")
    writing = ThreadPoolExecutor(writers, "write")

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        if request.url.path == "/ping":
            await PlainTextResponse("Ok.\n")(scope, receive, send)
            return
        arguments = dict(parse_qsl(scope["query_string"].decode(), keep_blank_values=True))
        try:
            if not _knows(secret, request, arguments):
                raise Refused(AUTHENTICATION_FAILED, "Code: 516. DB::Exception: wrong secret (AUTHENTICATION_FAILED)")
            body = _inflated(request, await request.body())
            statement = _read(request, arguments, body)
            done = await asyncio.get_running_loop().run_in_executor(
                writing if statement.is_insert else reading, connections.run, statement
            )
            response = _response(request, arguments, statement, done)
        except Refused as refused:
            response = _refusal(refused)
        except UnicodeDecodeError as error:
            response = _refusal(Refused.of(error))
        await response(scope, receive, send)

    return answer


def _knows(secret: str, request: Request, arguments: Mapping[str, str]) -> bool:
    given = request.headers.get("x-clickhouse-key") or arguments.get("password", "")
    scheme, _, credentials = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "basic":
        try:
            given = b64decode(credentials).decode().partition(":")[2]
        except (NotBase64, UnicodeDecodeError):
            given = ""
    return hmac.compare_digest(given.encode(), secret.encode())


def _inflated(request: Request, body: bytes) -> bytes:
    encoding = request.headers.get("content-encoding", "identity").lower()
    if encoding == "identity" or not body:
        return body
    try:
        return _INFLATE[encoding](body)
    except Exception as error:
        text = f"Code: {CANNOT_DECOMPRESS}. DB::Exception: the body is not {encoding} (CANNOT_DECOMPRESS)"
        raise Refused(CANNOT_DECOMPRESS, text) from error


def _read(request: Request, arguments: dict[str, str], body: bytes) -> Statement:
    """Long parameters come as a form instead of in the address."""
    kind = request.headers.get("content-type", "")
    if not kind.startswith("multipart/form-data"):
        return read_statement(arguments, body)
    form = BytesParser(policy=HTTP).parsebytes(b"Content-Type: " + kind.encode() + b"\r\n\r\n" + body)
    fields = {}
    for part in form.iter_parts():
        name = part.get_param("name", header="content-disposition")
        content = part.get_payload(decode=True)
        if isinstance(name, str) and isinstance(content, bytes):
            fields[name] = content.decode()
    return read_statement({**arguments, **fields}, b"")


def _response(request: Request, arguments: Mapping[str, str], statement: Statement, answer: Answer) -> Response:
    summary = {
        "read_rows": answer.rows_read,
        "read_bytes": answer.bytes_read,
        "written_rows": answer.rows_written,
        "written_bytes": answer.bytes_written,
        "elapsed_ns": int(answer.elapsed_s * 1e9),
    }
    headers = {
        "X-ClickHouse-Summary": json.dumps({name: str(value) for name, value in summary.items()}),
        "X-ClickHouse-Query-Id": arguments.get("query_id") or str(uuid4()),
        "X-ClickHouse-Format": statement.format,
        "X-ClickHouse-Timezone": "UTC",
    }
    body = answer.body
    if body and arguments.get("enable_http_compression") == "1":
        accepted = [word.split(";")[0].strip() for word in request.headers.get("accept-encoding", "").split(",")]
        chosen = next((encoding for encoding in accepted if encoding in _DEFLATE), None)
        if chosen:
            body = _DEFLATE[chosen](body)
            headers["Content-Encoding"] = chosen
    return Response(body, headers=headers, media_type="application/octet-stream")


def _refusal(refused: Refused) -> Response:
    return PlainTextResponse(
        refused.message + "\n",
        _STATUS.get(refused.code, 500),
        {"X-ClickHouse-Exception-Code": str(refused.code)},
    )
