"""A target on a filesystem of this machine enters; it is replaced in one step, whatever kills the process.

The staging folder is locked while its owner lives: what isn't locked was left by a killed run, and is removed.
"""

import fcntl
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from lineage_hub.errors import Conflict, TargetUnwritable
from lineage_hub.spark.pipeline.load.exchange import exchange, make_durable, sync
from lineage_hub.spark.pipeline.load.folder import MARKER, marker_of, tokens_in
from lineage_hub.spark.pipeline.load.staged import short

_OLD = "old"
_NEW = "new"
# A reader that had opened the old folder just before lists it whole, if it does so within this.
_GRACE_S = 0.1


class LocalFolder:
    """`Folder` by the calls of the operating system."""

    def __init__(self, path: str, token: str) -> None:
        # What a link leads to is replaced, not the link.
        self._target = Path(os.path.realpath(path))
        self._prefix = f".{self._target.name}.lineage-hub-"
        self._staging = self._target.with_name(self._prefix + short(token))
        self._is_mine = False
        self._lock: int | None = None

    def begin(self) -> None:
        if self._target.exists() and not self._target.is_dir():
            raise TargetUnwritable(
                f"{self._target} is a file, a folder is needed",
                subject=str(self._target),
                action="load into another path, or take the file away",
            )
        self._target.parent.mkdir(parents=True, exist_ok=True)
        for left in self._target.parent.glob(_escaped(self._prefix) + "*"):
            self._remove_left(left)
        try:
            self._staging.mkdir()
        except FileExistsError as error:
            raise Conflict(
                f"another run is loading {self._target} at this moment",
                subject=str(self._target),
                action="run again when it has ended",
            ) from error
        self._is_mine = True
        self._lock = _locked(self._staging)

    def place(self, part: str) -> str:
        return _spelled(self._staging / part)

    def target(self) -> str:
        return _spelled(self._target)

    def holds(self, name: str) -> bool:
        return (self._target / name).exists()

    def files(self) -> dict[str, int]:
        return _sizes(self._target)

    def staged_files(self, part: str) -> dict[str, int]:
        return _sizes(self._staging / part)

    def tokens(self) -> list[str]:
        try:
            return tokens_in((self._target / MARKER).read_bytes())
        except FileNotFoundError:
            return []

    def replace(self, part: str, tokens: list[str], seen: dict[str, int] | None) -> None:
        new = self._staging / part
        (new / MARKER).write_bytes(marker_of(tokens))
        self._keep_rights(new)
        make_durable(new)
        with self._alone():
            if seen is not None and seen != self.files():
                raise Conflict(
                    f"{self._target} was changed while rows were merged with it",
                    subject=str(self._target),
                    action="run again",
                )
            self._swap(new)

    def add(self, part: str, token: str) -> None:
        """Old files keep their names: a reader in the middle of them goes on undisturbed."""
        made, new = self._staging / part, self._staging / _NEW
        make_durable(made)
        with self._alone():
            tokens = self.tokens()
            _link_all(self._target, new)
            _link_all(made, new)
            (new / MARKER).unlink(missing_ok=True)  # a link too: the old folder's must stay as it is
            (new / MARKER).write_bytes(marker_of([*tokens, token]))
            self._keep_rights(new)
            sync(new / MARKER)
            for at, _, _ in os.walk(new):
                sync(Path(at))
            self._swap(new)

    def end(self) -> None:
        if self._is_mine:
            shutil.rmtree(self._staging, ignore_errors=True)
            self._is_mine = False
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _swap(self, new: Path) -> None:
        if not self._target.exists():
            new.rename(self._target)
        else:
            if not exchange(new, self._target):
                self._target.rename(self._staging / _OLD)
                try:
                    new.rename(self._target)
                except OSError:
                    (self._staging / _OLD).rename(self._target)
                    raise
            time.sleep(_GRACE_S)
        sync(self._target.parent)

    def _keep_rights(self, new: Path) -> None:
        if self._target.is_dir():
            shutil.copymode(self._target, new)
            was = self._target.stat()
            with suppress(PermissionError):
                os.chown(new, was.st_uid, was.st_gid)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """One load at a time changes what is in the folder above."""
        lock = _locked(self._target.parent, wait=True)
        try:
            yield
        finally:
            if lock is not None:
                os.close(lock)

    def _remove_left(self, left: Path) -> None:
        try:
            lock = _locked(left)
        except FileNotFoundError:
            return
        except BlockingIOError:
            return  # its owner lives
        if lock is None and left != self._staging:
            return  # nobody can tell
        try:
            with self._alone():
                # Killed between the two renames of a filesystem that can't exchange.
                if (left / _OLD).is_dir() and not self._target.exists():
                    (left / _OLD).rename(self._target)
            shutil.rmtree(left, ignore_errors=True)
        finally:
            if lock is not None:
                os.close(lock)


def _locked(folder: Path, wait: bool = False) -> int | None:
    """Gone with the process. None where folders can't be locked, as on some network filesystems."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        os.close(opened)
        raise
    except OSError:
        os.close(opened)
        return None
    return opened


def _sizes(folder: Path) -> dict[str, int]:
    return {
        str(Path(at, name).relative_to(folder)): Path(at, name).stat().st_size
        for at, _, names in os.walk(folder)
        for name in names
    }


def _link_all(source: Path, into: Path) -> None:
    into.mkdir(exist_ok=True)
    for at, folders, files in os.walk(source):
        there = into / Path(at).relative_to(source)
        for name in folders:
            (there / name).mkdir(exist_ok=True)
        for name in files:
            with suppress(FileExistsError):  # `_SUCCESS` is in both
                os.link(Path(at, name), there / name)


def _escaped(text: str) -> str:
    return "".join(f"[{char}]" if char in "*?[" else char for char in text)


def _spelled(path: Path) -> str:
    """As Hadoop reads it: nothing is escaped."""
    return f"file://{path}"
