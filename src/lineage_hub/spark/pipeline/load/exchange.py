"""Two folders enter; each has the other's name when it leaves, in one step that no reader can see the middle of."""

import ctypes
import errno
import os
import sys
import tempfile
from pathlib import Path

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2
_RENAME_SWAP = 2  # macOS
# A kernel, a C library or a filesystem that doesn't know it.
_UNABLE = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}


def exchange(one: Path, other: Path) -> bool:
    """False where the filesystem can't, and nothing has happened."""
    libc = ctypes.CDLL(None, use_errno=True)
    first, second = os.fsencode(one), os.fsencode(other)
    try:
        if sys.platform == "darwin":
            failed = libc.renamex_np(first, second, ctypes.c_uint(_RENAME_SWAP))
        else:
            failed = libc.renameat2(_AT_FDCWD, first, _AT_FDCWD, second, ctypes.c_uint(_RENAME_EXCHANGE))
    except AttributeError:  # a C library without it
        return False
    if not failed:
        return True
    number = ctypes.get_errno()
    if number in _UNABLE:
        return False
    raise OSError(number, os.strerror(number), str(one), None, str(other))


def can_exchange(folder: Path) -> bool:
    """Tried where the folder is, or will be: only the filesystem knows."""
    there = next(one for one in [folder, *folder.parents] if one.is_dir())
    try:
        with tempfile.TemporaryDirectory(prefix=".lineage-hub-try-", dir=there) as made:
            one, other = Path(made, "one"), Path(made, "other")
            one.mkdir()
            other.mkdir()
            return exchange(one, other)
    except OSError:
        return True  # nothing can be written there: that will be told when it is tried


def make_durable(folder: Path) -> None:
    """What is in the folder survives a power failure."""
    for at, _, files in os.walk(folder):
        for name in files:
            sync(Path(at, name))
        sync(Path(at))


def sync(path: Path) -> None:
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    except OSError as error:
        # Some network filesystems can't sync a folder; they keep it in order themselves.
        if error.errno not in _UNABLE:
            raise
    finally:
        os.close(opened)
