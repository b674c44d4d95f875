"""What a program gives pandas to read from or write to enters; the dataset's name leaves, or None for what has none.

Paths, addresses and files that are open have names; buffers, standard streams and members of archives have none.
"""

from __future__ import annotations

import os
import re
from typing import Any

from lineage_hub.sdk.datasets import Name, name_of
from lineage_hub.sdk.instrumentation.databases import file_spec

# Older versions of pandas take these texts for the content itself.
_CONTENT = re.compile(r"\s*[<{\[]|.*\n", re.DOTALL)
_FILES = ("_io", "io", "tempfile", "gzip", "bz2", "lzma")


def names_of(place: Any) -> list[Name]:
    places = place if isinstance(place, list | tuple) else [place]
    found = (address_of(one) for one in places)
    return list(dict.fromkeys(name_of(file_spec(address), "file") for address in found if address))


def address_of(place: Any) -> str | None:
    if isinstance(place, str):
        # Of a chain of file systems the last is where the data are.
        content = _CONTENT.match(place) and not os.path.exists(place)  # noqa: PTH110
        return None if not place or content else place.rpartition("::")[2]
    if isinstance(place, os.PathLike):
        path = os.fspath(place)
        return path if isinstance(path, str) else os.fsdecode(path)
    if isinstance(place, bytes | bytearray | memoryview) or place is None:
        return None
    return _of_pandas_object(place) or _of_file_system(place) or _of_open_file(place)


def _of_pandas_object(place: Any) -> str | None:
    """A workbook or store that is open, of pandas' own classes."""
    if type(place).__module__.partition(".")[0] != "pandas":
        return None
    for attribute in ("path", "filename", "_io", "io"):
        inner = getattr(place, attribute, None)
        if inner is not None and inner is not place:
            return address_of(inner)
    return None


def _of_file_system(place: Any) -> str | None:
    """A file of fsspec."""
    system, path = getattr(place, "fs", None), getattr(place, "path", None)
    unstrip = getattr(system, "unstrip_protocol", None)
    return str(unstrip(path)) if unstrip is not None and isinstance(path, str) else None


def _of_open_file(place: Any) -> str | None:
    name = getattr(place, "name", None)
    if type(place).__module__.partition(".")[0] not in _FILES or not isinstance(name, str | os.PathLike):
        return None
    path = os.path.abspath(os.fspath(name))  # noqa: PTH100
    return path if os.path.isfile(path) else None  # noqa: PTH113
