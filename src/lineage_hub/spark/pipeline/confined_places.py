"""A path or a JDBC URL enters; it leaves as it will be used, or is refused because it leads out of what is allowed."""

import itertools
import os
import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote

from lineage_hub.spark.pipeline.problems import shortened

SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
WILD = re.compile(r"[*?\[\]]")
# Hadoop reads these in ways of its own: alternatives with slashes, escapes, lists of paths.
STRANGE = re.compile(r"[\x00-\x1f\x7f\\{}^,]")
NO_SIGNS = "take out \\ { } ^ and commas"
LONGEST_PATH = 4_096
MOST_MATCHES = 100_000


class Refused(Exception):
    """Leads out of what an administrator allows."""

    def __init__(self, says: str, action: str) -> None:
        super().__init__(says)
        self.says = says
        self.action = action


def place_path(text: str, roots: Sequence[Path], uris: Sequence[str], base: Path | None, *, writes: bool) -> str:
    """A path that is written must lie below a root: to replace a root itself would take everything in it."""
    if len(text) > LONGEST_PATH or STRANGE.search(text):
        raise Refused(f"`{shortened(text)}` is too long, or has a sign that could lead elsewhere", NO_SIGNS)
    if any(part in ("..", "~") for form in _decoded(text) for part in re.split(r"[/\\:]", form)):
        raise Refused(f"`{shortened(text)}` goes upwards", "write the path without `..`")
    scheme = SCHEME.match(text)
    if scheme is not None and scheme[1].lower() != "file":
        return _within_uris(text, uris, writes)
    local = text[len(scheme[0]) :] if scheme else text
    local = local.removeprefix("//") if scheme and local.startswith("///") else local
    if local.startswith("//") or (scheme and not local.startswith("/")):
        raise Refused(f"`{shortened(text)}` names a host, or no full path", "write a path that begins with one `/`")
    if not local.startswith("/"):
        if base is None:
            raise Refused(f"`{shortened(text)}` is not a full path", "write a path that begins with `/`")
        local = f"{base}/{local}"
    for form in _decoded(local):
        _within_roots(form, text, roots, writes)
    return text if text.startswith("/") or scheme else local


def _decoded(text: str) -> list[str]:
    """The text, and what it becomes when it is read as a URI, again and again."""
    forms = [text]
    while (further := unquote(forms[-1])) != forms[-1]:
        forms.append(further)
    return forms


def _within_roots(path: str, text: str, roots: Sequence[Path], writes: bool) -> None:
    parts = Path(path).parts
    fixed = parts if writes else tuple(itertools.takewhile(lambda part: not WILD.search(part), parts))
    wild = re.sub(r"\*+", "*", "/".join(parts[len(fixed) :]))
    places = [Path(*fixed), *itertools.islice(Path(*fixed).glob(wild) if wild else (), MOST_MATCHES)]
    if len(places) > MOST_MATCHES:
        raise Refused(f"`{shortened(text)}` matches more than {MOST_MATCHES:,} paths", "name a folder")
    for place in places:
        # Links are followed, as Spark will follow them.
        real = Path(os.path.realpath(place))
        if not any(real.is_relative_to(root) and not (writes and real == root) for root in map(_real, roots)):
            raise Refused(f"`{shortened(text)}` is outside of the allowed folders", "use a path below one of them")


def _real(root: Path) -> Path:
    return Path(os.path.realpath(root))


def _within_uris(text: str, uris: Sequence[str], writes: bool) -> str:
    for prefix in uris:
        begin = prefix.rstrip("/")
        if (text.rstrip("/") == begin and not writes) or (text.startswith(f"{begin}/") and text.rstrip("/") != begin):
            return text
    raise Refused(f"`{shortened(text.rpartition('@')[2])}` is outside of the allowed places", "use one that is allowed")


def place_database(url: str, databases: Sequence[str]) -> str:
    """After an allowed prefix only plain names may follow: a driver's parameters can load classes and change hosts."""
    for prefix in databases:
        rest = url[len(prefix) :]
        bounded = prefix.endswith(("/", ":")) or rest.startswith("/")
        if url == prefix:
            return url
        if url.startswith(prefix) and bounded and re.fullmatch(r"/?(?!.*\.\.)[\w.-]+(/[\w.-]+)*", rest, re.ASCII):
            return url
    # A URL may carry a password: it isn't repeated.
    raise Refused("this database is not allowed, or its URL has parameters", "use a URL that is allowed, as it stands")
