"""Text enters as producers write names and people write questions; the words that both are compared by leave.

A word is a run of letters and digits in lower case without accents; where several stand together (`OrdersDaily`,
`orders2024`) the parts count, and the whole too. Scripts without blanks give a word for each character.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

# Letters and digits with their accents, or one symbol that isn't ASCII, such as an emoji.
_RUN = re.compile(r"(?:[^\W_][\u0300-\u036f]*)+|(?![\x00-\x7f\s\u0300-\u036f\u200d\ufe0e\ufe0f])\W")
# The same for most texts, and several times as quick.
_ASCII_RUN = re.compile("[A-Za-z0-9]+")
# Thai, Japanese, Chinese.
_UNSPACED = r"\u0e00-\u0eff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_PART = re.compile(
    rf"[A-Z]+(?=[A-Z][a-z])|[A-Z]?(?:[^\W\d_A-Z{_UNSPACED}]|[\u0300-\u036f])+|[A-Z]+|\d+|[{_UNSPACED}]|\W"
)
_IS_UNSPACED = re.compile(f"[{_UNSPACED}]")
LONGEST = 100


class Word(NamedTuple):
    """`start` and `end` say where it stands in the text, in characters; `parts` has those that it is made of."""

    text: str
    start: int
    end: int
    parts: tuple[Word, ...] = ()


def words(text: str) -> list[Word]:
    """In their order."""
    found = []
    for run in (_ASCII_RUN if text.isascii() else _RUN).finditer(text):
        start = run.start()
        parts = _parts(run.group())
        if len(parts) == 1:
            found.append(Word(parts[0].text, start, run.end()))
        elif _IS_UNSPACED.search(run.group()):
            found += [Word(part.text, start + part.start, start + part.end) for part in parts]
        else:
            whole = fold(run.group())
            inner = tuple([Word(p.text, start + p.start, start + p.end) for p in parts])
            found.append(Word(whole, start, run.end(), inner))
    return found


@lru_cache(maxsize=8_192)
def _parts(run: str) -> tuple[Word, ...]:
    if run.islower() and run.isascii() and run.isalpha():
        return (Word(run[:LONGEST], 0, len(run)),)
    return tuple([Word(fold(part.group()), part.start(), part.end()) for part in _PART.finditer(run)]) or (
        Word(fold(run), 0, len(run)),
    )


def terms(text: str) -> set[str]:
    """What the text is found by: its words, and the parts of those that have some; single letters of a word aren't."""
    return set(list_terms(text))


def list_terms(text: str) -> list[str]:
    """The same, each as often as it stands there."""
    return [term for run in (_ASCII_RUN if text.isascii() else _RUN).findall(text) for term in _terms(run)]


@lru_cache(maxsize=32_768)
def _terms(run: str) -> tuple[str, ...]:
    parts = tuple([part.text for part in _parts(run)])
    if len(parts) == 1 or _IS_UNSPACED.search(run):
        return parts
    return (fold(run), *[part for part in parts if len(part) > 1])


def fold(text: str) -> str:
    text = text[:LONGEST]
    if text.isascii():
        return text.lower()
    apart = unicodedata.normalize("NFKD", text.casefold())
    return "".join([char for char in apart if not unicodedata.combining(char)]) or text
