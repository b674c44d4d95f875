"""The text of SQL enters; its statements leave, each with the line where its text begins.

Strings, quoted names and comments are known as such, so that nothing in them ends a statement. What stands for a
value from outside, as `${name}` does, is replaced; where the value is unknown, `UNKNOWN` is in its place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

UNKNOWN = "\ue0f0"  # a letter of no script: a name or string that holds it isn't wholly known
_DEEPEST = 5
_LONGEST_VALUES = 200_000  # letters of all that stands for names in one statement
_SPECIAL = re.compile(r"""(?<!\w)[rR](?:'|")|'|"|`|--|/\*|;|\$\$""")
_ENDS = {
    "'": re.compile(r"[^'\\]*(?:\\.[^'\\]*)*'", re.DOTALL),
    '"': re.compile(r'[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL),
    "r'": re.compile(r"[^']*'"),
    'r"': re.compile(r'[^"]*"'),
    "`": re.compile(r"[^`]*`"),
    "--": re.compile(r"[^\n]*"),
    "$$": re.compile(r".*?\$\$", re.DOTALL),
}
_COMMENT = re.compile(r"/\*|\*/")
_VALUE = re.compile(r"\$\{([^{}]*)\}|\{\{\s*([\w.\-]+)\s*\}\}|\$([A-Za-z_]\w*)")
_PLACES = frozenset({"spark", "sparkconf", "hivevar", "hiveconf"})

Substitute = Callable[[str], str | None]


@dataclass(frozen=True)
class Body:
    """What stands between `$$` and `$$`, with the line on which it begins."""

    text: str
    line: int


@dataclass
class Statement:
    """Parts of a text in order: code, strings, quoted names; comments are blanks."""

    line: int
    parts: list[tuple[str, str]] = field(default_factory=list)
    last_body: Body | None = None
    broken: bool = False  # a string or comment in it never ends

    @property
    def is_empty(self) -> bool:
        return not any(text.strip() for _, text in self.parts)

    @property
    def length(self) -> int:
        return sum(len(text) for _, text in self.parts)

    @property
    def first_line(self) -> int:
        """Where its first word stands, after blanks and comments."""
        whole = "".join(text for _, text in self.parts)
        return self.line + whole.count("\n", 0, len(whole) - len(whole.lstrip()))

    def text(self, substitute: Substitute) -> str:
        """With the values that are known, and `UNKNOWN` for those that are not."""
        room = _Room(substitute)
        return "".join(_with_values(kind, text, room) for kind, text in self.parts)

    def body(self, substitute: Substitute) -> Body | None:
        """The same of what is code of another language there."""
        if self.last_body is None:
            return None
        return Body(_with_values("string", self.last_body.text, _Room(substitute)), self.last_body.line)


def split_statements(text: str, line: int = 1) -> Iterator[Statement]:
    """Those that hold anything but blanks and comments, one after the other as they are found."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace(UNKNOWN, "?")
    found = Statement(line)
    at = 0
    while at < len(text):
        special = _SPECIAL.search(text, at)
        begin = special.start() if special else len(text)
        if begin > at:
            found.parts.append(("code", text[at:begin]))
        if special is None:
            break
        opening = special[0]
        line += text.count("\n", at, special.start())
        at = special.end()
        if opening == ";":
            if not found.parts:
                found.line = line
                continue
            if not found.is_empty:
                yield found
            found = Statement(line)
            continue
        end = _end_of_comment(text, at) if opening == "/*" else _end(opening, text, at)
        whole = text[special.start() : end if end is not None else len(text)]
        if opening == "$$":
            found.last_body = Body(whole[2:-2], line)
        line += whole.count("\n")
        found.broken = end is None
        found.parts.append(_part(opening, whole))
        at = special.start() + len(whole)
    if found.broken or not found.is_empty:
        yield found


def _end(opening: str, text: str, at: int) -> int | None:
    found = _ENDS[opening.lower()].match(text, at)
    return found.end() if found else None


def _end_of_comment(text: str, at: int) -> int | None:
    """Comments of this kind stand inside of each other."""
    depth = 1
    for found in _COMMENT.finditer(text, at):
        depth += 1 if found[0] == "/*" else -1
        if depth == 0:
            return found.end()
    return None


def _part(opening: str, whole: str) -> tuple[str, str]:
    if opening == "--":
        return "blank", ""
    if opening == "/*":
        # A hint looks like a comment, and says nothing of data.
        return "blank", " " + "\n" * whole.count("\n")
    if opening == "$$":
        # The body of a function is code of another language.
        return "blank", "''" + "\n" * whole.count("\n")
    return ("name" if opening == "`" else "string"), whole


class _Room:
    """Values for one statement, as long as they are not too many or too long: each may stand for several others."""

    def __init__(self, substitute: Substitute) -> None:
        self._substitute, self._left = substitute, _LONGEST_VALUES

    def value(self, name: str) -> str | None:
        self._left -= 1
        found = self._substitute(name) if self._left > 0 else None
        self._left -= len(found or "")
        return found if self._left > 0 else None


def _with_values(kind: str, text: str, room: _Room, depth: int = 0) -> str:
    if kind == "blank" or ("$" not in text and "{{" not in text):
        return text

    def value(found: re.Match[str]) -> str:
        braced, doubled, bare = found.groups()
        if bare is not None and kind == "name":
            return found[0]
        known = room.value(_plain(braced if braced is not None else doubled or bare))
        if known is None:
            return UNKNOWN
        known = known.replace("\n", " ")
        return _with_values(kind, known, room, depth + 1) if depth < _DEEPEST else UNKNOWN

    return _VALUE.sub(value, text)


def _plain(name: str) -> str:
    place, colon, rest = name.strip().partition(":")
    return rest if colon and place.lower() in _PLACES else name.strip()
