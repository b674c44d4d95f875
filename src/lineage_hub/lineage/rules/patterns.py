"""How a text is matched and what it is replaced by enter; a function from text to text leaves.

Patterns are run by RE2, whose work grows with the length of the text only: no pattern of a user keeps the hub busy.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from lineage_hub.errors import InvalidRequest

MATCHES = ("exact", "prefix", "glob", "regex")
MAX_PATTERN = 1_000
_REFERENCE = re.compile(r"\$(?:\$|([0-9]+)|\{([A-Za-z0-9_]+)\}|)")
_MEMORY = 1 << 20

# The new text; None where the pattern doesn't match.
Replace = Callable[[str], str | None]
Test = Callable[[str], bool]


def replacing(match: str, pattern: str, replacement: str, subject: str) -> Replace:
    """Exact, glob and regex match the whole text. Groups of a regex, and the wildcards of a glob, are $1, $2, …"""
    _check_length(pattern, f"{subject}.pattern")
    _check_length(replacement, f"{subject}.replacement")
    if match == "exact":
        return lambda text: replacement if text == pattern else None
    if match == "prefix":
        return lambda text: replacement + text[len(pattern) :] if text.startswith(pattern) else None
    if match == "glob":
        compiled = _compiled(_of_glob(pattern), pattern, subject)
    elif match == "regex":
        compiled = _compiled(pattern, pattern, subject)
    else:
        raise InvalidRequest(
            f"match {match[:40]!r} is unknown", subject=f"{subject}.match", action="use " + ", ".join(MATCHES)
        )
    return _filling(compiled, _pieces(replacement, compiled, subject))


def matching(glob: str, subject: str) -> Test:
    if "*" not in glob and "?" not in glob:
        return lambda text: text == glob
    _check_length(glob, subject)
    compiled = _compiled(_of_glob(glob), glob, subject)
    return lambda text: compiled.fullmatch(text) is not None


def _check_length(text: str, subject: str) -> None:
    if len(text) > MAX_PATTERN or "\0" in text:
        raise InvalidRequest(
            f"{subject} is longer than {MAX_PATTERN} characters, or holds NUL", subject=subject, action="shorten it"
        )


def _of_glob(glob: str) -> str:
    parts = {"*": "(.*)", "?": "(.)"}
    return "(?s)" + "".join(parts.get(character) or re.escape(character) for character in glob)


def _compiled(pattern: str, shown: str, subject: str) -> Any:
    import re2  # a hub without such rules doesn't load it

    options = re2.Options()
    options.log_errors, options.max_mem = False, _MEMORY
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        why = error.args[0].decode(errors="replace") if error.args and isinstance(error.args[0], bytes) else str(error)
        raise InvalidRequest(
            f"the pattern {shown[:80]!r} can't be used: {why}",
            subject=f"{subject}.pattern",
            action="write it in RE2's syntax: no look-around, no references back",
        ) from None


def _pieces(replacement: str, compiled: Any, subject: str) -> list[str | int]:
    """Texts, and numbers of groups."""
    pieces: list[str | int] = []
    at = 0
    for found in _REFERENCE.finditer(replacement):
        pieces.append(replacement[at : found.start()])
        at = found.end()
        if found.group() == "$$":
            pieces.append("$")
            continue
        wanted = found.group(1) or found.group(2)
        if wanted is None:
            raise InvalidRequest(
                f"a $ in {replacement[:80]!r} names no group",
                subject=f"{subject}.replacement",
                action="write $1 or ${name} for a group, and $$ for a dollar",
            )
        number = int(wanted) if wanted.isdigit() else compiled.groupindex.get(wanted)
        if number is None or number > compiled.groups:
            raise InvalidRequest(
                f"the pattern has no group ${wanted[:40]}",
                subject=f"{subject}.replacement",
                action=f"it has {compiled.groups} groups: name one of them, or write $$ for a dollar",
            )
        pieces.append(number)
    return [*pieces, replacement[at:]]


def _filling(compiled: Any, pieces: list[str | int]) -> Replace:
    def replace(text: str) -> str | None:
        found = compiled.fullmatch(text)
        if found is None:
            return None
        return "".join([piece if isinstance(piece, str) else found.group(piece) or "" for piece in pieces])

    return replace
