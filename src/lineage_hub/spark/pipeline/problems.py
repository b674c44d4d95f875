"""What is wrong at a path of a definition enters as a finding; a problem with the path in words and its line leaves."""

import difflib
import itertools
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from lineage_hub.errors import Problem

Path = tuple[str | int, ...]
# The item of a list or mapping by the name of one of them: `steps`, 1 is "step 2".
ITEMS = {"stages": "stage", "parameters": "parameter", "steps": "step", "rules": "rule"}


@dataclass(frozen=True)
class Mark:
    """A place in a text, counted from 1."""

    line: int
    column: int


@dataclass(frozen=True)
class Finding:
    """Something at a path; `at` says whether its key or its value is meant."""

    path: Path
    says: str
    action: str | None = None
    level: Literal["error", "warning"] = "error"
    at: Literal["key", "value"] = "value"

    def problem(self, mark: Mark | None = None) -> Problem:
        return Problem(
            self.level,
            self.says,
            self.action,
            where=in_words(self.path),
            stage=str(self.path[1]) if len(self.path) > 1 and self.path[0] == "stages" else None,
            line=mark.line if mark else None,
            column=mark.column if mark else None,
        )


def in_words(path: Path) -> str:
    return ", ".join(_words(path))


def _words(path: Path) -> Iterator[str]:
    items = iter(path)
    for key in items:
        if key not in ITEMS:
            yield str(key + 1) if isinstance(key, int) else key
        elif (item := next(items, None)) is None:
            yield str(key)
        else:
            yield f"{ITEMS[str(key)]} {item + 1 if isinstance(item, int) else item}"


def nearest(wrong: str, right: Iterable[str]) -> str | None:
    """The one that was probably meant; case is the commonest slip."""
    # A pipeline of a stranger may have thousands of names; the comparison is slow.
    by_case = {name.lower(): name for name in itertools.islice(right, 500)}
    found = difflib.get_close_matches(wrong[:128].lower(), by_case, n=1, cutoff=0.6)
    return by_case[found[0]] if found else None


def advise(wrong: str, right: Collection[str]) -> str:
    """The nearest of the right ones, or all of them."""
    near = nearest(wrong, right)
    if near is not None:
        return f"did you mean `{near}`?"
    return f"use {one_of(sorted(right))}" if right else "there is none yet"


def one_of(names: Collection[str], joint: str = "or") -> str:
    quoted = [f"`{name}`" for name in names]
    if len(quoted) > 20:
        return ", ".join(quoted[:20]) + f" and {len(quoted) - 20} more"
    return f" {joint} ".join([", ".join(quoted[:-1]), quoted[-1]]) if len(quoted) > 1 else "".join(quoted)


def shortened(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "…"
