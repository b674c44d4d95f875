"""A text column enters; the same text in one spelling leaves, by Spark's own functions: no Python runs for a row."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import cache

from pyspark.sql import Column
from pyspark.sql import functions as sf

# What Python's `strip` takes away, and the mark that some programs write at the beginning of a file.
WHITE = (
    "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
# Letters that Unicode doesn't take apart, though people do.
_TAKEN_APART = {
    "ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "đ": "d", "Đ": "D",
    "ð": "d", "Ð": "D", "ł": "l", "Ł": "L", "þ": "th", "Þ": "Th", "ħ": "h", "Ħ": "H", "ı": "i",
    "‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-",
}  # fmt: skip


def stripped(text: Column) -> Column:
    return sf.btrim(text, sf.lit(WHITE))


def one_space(text: Column) -> Column:
    """White space at the ends goes, every run of it inside becomes one space."""
    return stripped(sf.regexp_replace(text, f"[{WHITE}]+", " "))


def digits(text: Column) -> Column:
    return sf.regexp_replace(text, "[^0-9]", "")


def ascii_letters(text: Column) -> Column:
    """Letters lose their accents; what has no like in ASCII goes."""
    accented, plain = _translation()
    for letter, letters in _TAKEN_APART.items():
        if len(letters) > 1:
            text = sf.replace(text, sf.lit(letter), sf.lit(letters))
    return sf.regexp_replace(sf.translate(text, accented, plain), "[^\\x00-\\x7F]", "")


@cache
def _translation() -> tuple[str, str]:
    """Letters that are one ASCII letter and marks, and that letter, for `translate`."""
    pairs = {one: plain for one, plain in _TAKEN_APART.items() if len(plain) == 1}
    for code in range(0x80, 0x10000):
        letter = chr(code)
        plain = unicodedata.normalize("NFKD", letter).encode("ascii", "ignore").decode()
        if len(plain) == 1:
            pairs.setdefault(letter, plain)
    return "".join(pairs), "".join(pairs.values())


def email(text: Column) -> Column:
    return sf.lower(stripped(text))


def empty_to_null(text: Column) -> Column:
    return sf.when(stripped(text) != "", text)


NORMALISED: dict[str, Callable[[Column], Column]] = {
    "lower": sf.lower,
    "upper": sf.upper,
    "title": sf.initcap,
    "spaces": one_space,
    "digits": digits,
    "ascii": ascii_letters,
    "email": email,
    "empty_to_null": empty_to_null,
}
