"""A port that speaks plainly enters; one that speaks TLS and passes on what it hears leaves."""

import asyncio
import ssl
import threading
from asyncio import StreamReader, StreamWriter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def tls_before(plain: int, certificate: Path, key: Path) -> Iterator[int]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    loop = asyncio.new_event_loop()
    listening = loop.run_until_complete(asyncio.start_server(_to(plain), "127.0.0.1", 0, ssl=context))
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield listening.sockets[0].getsockname()[1]
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        listening.close()
        loop.close()


def _to(plain: int):
    async def passes(reader: StreamReader, writer: StreamWriter) -> None:
        other_reader, other_writer = await asyncio.open_connection("127.0.0.1", plain)
        await asyncio.gather(_pump(reader, other_writer), _pump(other_reader, writer))

    return passes


async def _pump(reader: StreamReader, writer: StreamWriter) -> None:
    while piece := await reader.read(1 << 16):
        writer.write(piece)
        await writer.drain()
    writer.close()
