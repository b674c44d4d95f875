"""A path that a browser asks for enters; a file of the built page leaves, or the page itself, which knows its own ways.

Only what lies in the folder can be asked for: names are looked up among those found there, never made into paths.
"""

from __future__ import annotations

import hashlib
import mimetypes
import re
from pathlib import Path
from typing import NamedTuple

from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from lineage_hub.server.prefixes import OWN

FOLDER = Path(__file__).parent / "page"
ASSETS = "assets/"
# What the page needs, and nothing from elsewhere.
SAFE = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
        "connect-src 'self'; worker-src 'self' blob:; base-uri 'self'; form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
# The name of an asset changes with its content.
FOR_EVER = "public, max-age=31536000, immutable"
# The best first.
_ENCODINGS = {"br": ".br", "gzip": ".gz"}
_BASE = re.compile(rb"\s*<base\b[^>]*>")
_HEAD = re.compile(rb"<head\b[^>]*>")
_TYPES = {".js": "text/javascript", ".mjs": "text/javascript", ".woff2": "font/woff2", ".map": "application/json"}
_NOT_BUILT = b"""<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Lineage Hub</title></head>
<body>
<h1>Lineage Hub</h1>
<p>The hub runs. It was installed without its page: build it with <code>make page</code> in a checkout.</p>
<p><a href="docs">Every route of the API, to read and to try</a></p>
</body>
</html>
"""

router = APIRouter(include_in_schema=False)


class File(NamedTuple):
    body: bytes
    tag: str


class _Found(NamedTuple):
    """What lies in the folder, by name; `state` is that of index.html, which a new build writes last."""

    state: tuple[int, int]
    files: dict[str, Path]


class Page:
    """Reads a file when it is first asked for, and keeps it until there is another build."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self._folder = folder
        self._found: _Found | None = None
        self._kept: dict[str, File] = {}

    def file(self, name: str) -> File | None:
        """None if the build has no file of that name."""
        path = self._look().files.get(name)
        if path is None:
            return None
        kept = self._kept.get(name)
        if kept is None:
            try:
                kept = self._kept[name] = _file_of(path.read_bytes())
            except OSError:
                # A build that is under way has taken it away.
                return None
        return kept

    def index(self, prefix: str) -> File | None:
        """Its addresses are relative: the base says what they are relative to, whichever path was asked for."""
        found = self.file("index.html")
        return None if found is None else _file_of(_based(found.body, prefix))

    def _look(self) -> _Found:
        try:
            stat = (self._folder / "index.html").stat()
        except OSError:
            return _Found((0, 0), {})
        state = (stat.st_mtime_ns, stat.st_size)
        if self._found is None or self._found.state != state:
            every = [path for path in self._folder.rglob("*") if path.is_file() and not path.is_symlink()]
            self._kept = {}
            self._found = _Found(state, {path.relative_to(self._folder).as_posix(): path for path in every})
        return self._found


@router.get("/")
async def get_page(request: Request) -> Response:
    shown = await answer(request)
    return shown or _html(request, _file_of(_based(_NOT_BUILT, request.scope.get("root_path", ""))))


@router.get("/assets/{name:path}")
async def get_asset(request: Request, name: str) -> Response:
    found = await run_in_threadpool(_named, request, _page_of(request), ASSETS + name)
    if found is None:
        raise HTTPException(404)
    return found


async def answer(request: Request) -> Response | None:
    """For a path that no route takes: a file beside the page, or the page if a browser asks; else None."""
    path = request.scope["path"].lstrip("/")
    if request.method != "GET" or path.split("/")[0] in OWN:
        return None
    page = _page_of(request)

    def make() -> Response | None:
        is_index = path in ("", "index.html")
        found = None if is_index else _named(request, page, path)
        if found is not None or not (is_index or _wants_html(request)):
            return found
        index = page.index(request.scope.get("root_path", ""))
        return None if index is None else _html(request, index)

    made = await run_in_threadpool(make)
    if made is not None:
        # So that metrics and lines of the log name one route, however many ways the page has.
        request.scope["route"] = _ANY
    return made


class _Any:
    path_format = "/{page}"


_ANY = _Any()


def _page_of(request: Request) -> Page:
    page: Page = request.app.state.page
    return page


def _named(request: Request, page: Page, name: str) -> Response | None:
    found = page.file(name)
    # The compressed form of a file is no file of its own.
    if found is None or (name.endswith(tuple(_ENCODINGS.values())) and page.file(name.rpartition(".")[0]) is not None):
        return None
    headers = {"Vary": "Accept-Encoding", "Cache-Control": FOR_EVER if name.startswith(ASSETS) else "no-cache"}
    accepted = _accepted(request.headers.get("accept-encoding", ""))
    for encoding, suffix in _ENCODINGS.items():
        packed = page.file(name + suffix) if encoding in accepted else None
        if packed is not None:
            found, headers["Content-Encoding"] = packed, encoding
            break
    media_type = _TYPES.get(Path(name).suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
    return _answer(request, found, media_type, headers)


def _html(request: Request, shown: File) -> Response:
    return _answer(request, shown, "text/html", {"Cache-Control": "no-cache"})


def _answer(request: Request, shown: File, media_type: str, headers: dict[str, str]) -> Response:
    every = {**SAFE, **headers, "ETag": shown.tag}
    known = [one.strip().removeprefix("W/") for one in request.headers.get("if-none-match", "").split(",")]
    if shown.tag in known or "*" in known:
        every.pop("Content-Encoding", None)
        return Response(status_code=304, headers=every)
    return Response(shown.body, media_type=media_type, headers=every)


def _file_of(body: bytes) -> File:
    return File(body, f'"{hashlib.sha256(body).hexdigest()[:32]}"')


def _based(text: bytes, prefix: str) -> bytes:
    bare = _BASE.sub(b"", text, count=1)
    head = _HEAD.search(bare)
    at = head.end() if head is not None else 0
    return bare[:at] + f'<base href="{prefix}/">'.encode() + bare[at:]


def _wants_html(request: Request) -> bool:
    """Browsers name it when a person goes somewhere; their scripts, and other programs, don't."""
    parts = [part.split(";")[0].strip().lower() for part in request.headers.get("accept", "").split(",")]
    return "text/html" in parts


def _accepted(header: str) -> set[str]:
    found = set()
    for part in header.lower().split(","):
        name, _, rest = part.partition(";")
        weight = rest.replace(" ", "").removeprefix("q=")
        if name.strip() in _ENCODINGS and not re.fullmatch(r"0(\.0*)?", weight):
            found.add(name.strip())
    return found
