"""Paths and globs enter; the notebooks and files that they mean leave, with their texts and those that they take in.

A workspace and a folder of this machine answer alike. Each folder is listed once a scan; a text that has not changed
since it was last exported comes from the cache.
"""

from __future__ import annotations

import asyncio
import os
import posixpath
import re
from collections.abc import Callable, Coroutine, Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol, TypeVar

from lineage_hub.connectors.databricks.cache import Cache
from lineage_hub.connectors.databricks.client import DatabricksClient, WorkspaceObject
from lineage_hub.connectors.databricks.references import Reference, folders_above, references_of
from lineage_hub.errors import InvalidRequest, LineageHubError, NotFound, SourceUnreadable

T = TypeVar("T")
EXTENSIONS = (".py", ".sql", ".ipynb")
_MOST_BYTES = 10 * 1024 * 1024
_MOST_TAKEN_IN = 200


class Tree(Protocol):
    """Where programs are kept."""

    async def listed(self, folder: str) -> Listed: ...

    async def found(self, path: str) -> WorkspaceObject: ...

    async def text(self, one: WorkspaceObject) -> str: ...

    def top(self, path: str) -> str:
        """The highest folder in which modules of a program are looked for."""
        ...


class WorkspaceTree:
    """Of a workspace. `/Workspace` before a path means nothing."""

    def __init__(self, client: DatabricksClient, cache: Cache, roots: tuple[str, ...] = ()) -> None:
        self._client, self._cache = client, cache
        self._roots = roots
        self._folders: dict[str, asyncio.Future[Listed]] = {}
        self._texts: dict[str, asyncio.Future[str]] = {}
        self.exported = 0

    async def listed(self, folder: str) -> Listed:
        return await once(self._folders, plain_path(folder), self._list)

    async def _list(self, folder: str) -> Listed:
        return Listed(await self._client.list_folder(folder))

    async def found(self, path: str) -> WorkspaceObject:
        path = plain_path(path)
        try:
            return (await self.listed(posixpath.dirname(path))).program(path)
        except NotFound:
            raise
        except LineageHubError:
            # Who may not list a folder may still read what is in it.
            return await self._client.status(path)

    async def text(self, one: WorkspaceObject) -> str:
        return await once(self._texts, one.path, lambda _: self._exported(one))

    async def _exported(self, one: WorkspaceObject) -> str:
        kept = self._cache.source(self._client.host, one.path, one.modified_at)
        if kept is not None:
            return kept
        text = await self._client.export(one.path, is_file=one.kind == "FILE")
        self.exported += 1
        self._cache.keep_source(self._client.host, one.path, one.modified_at, text)
        return text

    def top(self, path: str) -> str:
        """The Git folder or root of a pipeline that it is in, else the folder below the user's own."""
        above = [root for root in self._roots if path.startswith(root.rstrip("/") + "/")]
        if above:
            return max(above, key=len)
        parts = path.split("/")
        depth = 3 if parts[1:2] in (["Users"], ["Repos"]) else 2
        return "/".join(parts[: depth + 1])


class FolderTree:
    """Of this machine. Paths begin with a slash, which is the folder itself."""

    def __init__(self, folder: Path) -> None:
        self.file = folder.name if folder.is_file() else ""
        self.folder = folder.parent if self.file else folder
        self._folders: dict[str, Listed] = {}
        if not folder.exists():
            raise InvalidRequest(f"there is no folder {folder}", subject="--path", action="name one that exists")
        if not self.file and not folder.is_dir():
            raise InvalidRequest(
                f"{folder} is neither a folder nor a file", subject="--path", action="name one of them"
            )

    async def listed(self, folder: str) -> Listed:
        if folder not in self._folders:
            self._folders[folder] = self._list(folder)
        return self._folders[folder]

    def _list(self, folder: str) -> Listed:
        try:
            entries = sorted(os.scandir(self.folder / folder.strip("/")), key=lambda one: one.name)
        except OSError as error:
            raise NotFound(f"{folder} can't be listed: {error.strerror}", subject=folder) from None
        return Listed(self._object(one, folder) for one in entries if not one.name.startswith("."))

    def _object(self, one: os.DirEntry[str], folder: str) -> WorkspaceObject:
        path = posixpath.join("/", folder, one.name)
        if one.is_dir(follow_symlinks=False):
            return WorkspaceObject(path, "DIRECTORY")
        try:
            found = one.stat()
        except OSError:
            return WorkspaceObject(path, "FILE")
        return WorkspaceObject(path, "FILE", modified_at=int(found.st_mtime * 1000), size=found.st_size)

    async def found(self, path: str) -> WorkspaceObject:
        return (await self.listed(posixpath.dirname(path))).program(path)

    async def text(self, one: WorkspaceObject) -> str:
        if one.size > _MOST_BYTES:
            raise SourceUnreadable(f"{one.path} has {one.size:,} bytes", subject=one.path, action="leave it out")
        try:
            return (self.folder / one.path.lstrip("/")).read_bytes().decode("utf-8-sig")
        except OSError as error:
            raise SourceUnreadable(f"{one.path} can't be read: {error.strerror}", subject=one.path) from None
        except UnicodeDecodeError:
            raise SourceUnreadable(f"{one.path} is not UTF-8", subject=one.path, action="save it as UTF-8") from None

    def top(self, path: str) -> str:
        return "/"


def plain_path(path: str) -> str:
    """As the workspace's API spells it."""
    path = posixpath.normpath("/" + path.strip().removeprefix("file:").lstrip("/"))
    return path.removeprefix("/Workspace") or "/"


class Listed(list[WorkspaceObject]):
    """What a folder holds, also by path: a folder of a thousand notebooks is asked a thousand times."""

    def __init__(self, objects: Iterable[WorkspaceObject]) -> None:
        super().__init__(objects)
        self.by_path = {one.path: one for one in self}

    def program(self, path: str) -> WorkspaceObject:
        """By its path, with or without the extension that code and exports leave out."""
        stem, extension = posixpath.splitext(path)
        for one in [path, *(path + one for one in EXTENSIONS), *([stem] if extension in EXTENSIONS else [])]:
            found = self.by_path.get(one)
            if found is not None and not found.is_folder:
                return found
        raise NotFound(f"there is nothing at {path}", subject=path, action="check the path in the pipeline or job")


async def once(known: dict[str, asyncio.Future[T]], key: str, ask: Callable[[str], Coroutine[Any, Any, T]]) -> T:
    """Those who want the same at the same time wait for one answer."""
    if key not in known:
        known[key] = asyncio.ensure_future(ask(key))
    return await asyncio.shield(known[key])


async def expanded(
    tree: Tree, pattern: str, failed: Callable[[str, LineageHubError], None] | None = None
) -> list[WorkspaceObject]:
    """All programs that a glob means: `*` within a folder, `**` through all below; a folder alone means all in it.

    `failed` is told of folders below the first that can't be listed.
    """
    pattern = plain_path(pattern)
    wild = next((at for at, part in enumerate(pattern.split("/")) if _is_wild(part)), None)
    if wild is None:
        base, matcher = pattern, _matcher(pattern.rstrip("/") + "/**")
    else:
        base, matcher = "/".join(pattern.split("/")[:wild]) or "/", _matcher(pattern)
    is_deep = wild is None or "**" in pattern
    depth = 64 if is_deep else pattern.count("/") - base.rstrip("/").count("/") - 1
    found: list[WorkspaceObject] = []
    folders = [base]
    for _ in range(depth + 1):
        lists = await asyncio.gather(*(tree.listed(one) for one in folders), return_exceptions=True)
        objects: list[WorkspaceObject] = []
        for folder, each in zip(folders, lists, strict=True):
            if not isinstance(each, BaseException):
                objects += each
            elif not isinstance(each, LineageHubError) or failed is None or folder == base:
                raise each
            else:
                failed(folder, each)
        found += [one for one in objects if one.is_source and matcher.fullmatch(one.path)]
        folders = [one.path for one in objects if one.is_folder and not one.path.endswith("/__pycache__")]
        if not folders:
            break
    return sorted(found, key=lambda one: one.path)


def _is_wild(part: str) -> bool:
    return any(sign in part for sign in "*?[")


@lru_cache(maxsize=256)
def _matcher(pattern: str) -> re.Pattern[str]:
    """`**` also stands for no folder at all, so that `a/**/b.py` finds `a/b.py`."""
    made, at = "", 0
    while at < len(pattern):
        if pattern.startswith("**/", at):
            made, at = made + "(?:.*/)?", at + 3
        elif pattern.startswith("**", at):
            made, at = made + ".*", at + 2
        elif pattern[at] in "*?":
            made, at = made + ("[^/]*" if pattern[at] == "*" else "[^/]"), at + 1
        elif pattern[at] == "[" and (end := pattern.find("]", at + 2)) > 0:
            made, at = (
                made + "[" + re.escape(pattern[at + 1 : end]).replace(r"\-", "-").replace("!", "^", 1) + "]",
                end + 1,
            )
        else:
            made, at = made + re.escape(pattern[at]), at + 1
    return re.compile(made)


class Taken(dict[str, str]):
    """Texts by path of what a program takes in, and of what could not be had the reason."""

    def __init__(self) -> None:
        super().__init__()
        self.problems: dict[str, str] = {}
        self.modified_at = 0


async def taken_in(tree: Tree, path: str, source: str) -> Taken:
    """Notebooks of `%run` and modules of imports, with those that they take in themselves."""
    found = Taken()
    waiting = [(path, source)]
    while waiting and len(found) < _MOST_TAKEN_IN:
        at, text = waiting.pop()
        for one in references_of(text, at):
            for target in await _targets(tree, at, one, found):
                if target.path in found or target.path == path:
                    continue
                try:
                    found[target.path] = await tree.text(target)
                except LineageHubError as error:
                    found.problems[target.path] = said(error)
                    continue
                found.modified_at = max(found.modified_at, target.modified_at)
                if one.kind != "file":
                    waiting.append((target.path, found[target.path]))
    return found


async def _targets(tree: Tree, at: str, one: Reference, found: Taken) -> list[WorkspaceObject]:
    if one.kind == "run":
        target = one.path if one.path.startswith("/") else posixpath.join(posixpath.dirname(at), one.path)
        try:
            return [await tree.found(plain_path(target))]
        except LineageHubError as error:
            found.problems[plain_path(target)] = said(error)
            return []
    if one.kind == "file":
        return await _document(tree, posixpath.join(posixpath.dirname(at), one.path))
    folders = folders_above(at, tree.top(at))
    if one.level:
        folders = folders[one.level - 1 : one.level]
    for folder in folders:
        modules = await _module(tree, folder, one.path)
        if modules:
            return modules
    return []


async def _document(tree: Tree, path: str) -> list[WorkspaceObject]:
    """A file that is not there may be made when the program runs, or be no file at all."""
    path = posixpath.normpath(plain_path(path))
    try:
        found = (await tree.listed(posixpath.dirname(path))).by_path.get(path)
    except LineageHubError:
        return []
    return [found] if found is not None and found.kind == "FILE" else []


async def _module(tree: Tree, folder: str, path: str) -> list[WorkspaceObject]:
    """The file of a module, with the `__init__.py` of the packages that it is in."""
    head, _, rest = path.partition("/")
    try:
        objects = (await tree.listed(folder)).by_path
    except LineageHubError:
        # Most imports are of no file; a folder that can't be listed is no more telling than one without it.
        return []
    place = posixpath.join(folder, head)
    if rest and place in objects and objects[place].is_folder:
        package = await _module(tree, place, "__init__")
        return [*package, *await _module(tree, place, rest)]
    if rest:
        return []
    if place + ".py" in objects:
        return [objects[place + ".py"]]
    if place in objects and objects[place].kind == "NOTEBOOK":
        return [objects[place]]
    if place in objects and objects[place].is_folder and head != "__init__":
        return await _module(tree, place, "__init__")
    return []


def said(error: LineageHubError) -> str:
    return f"{error.message}; {error.action}" if error.action else error.message
