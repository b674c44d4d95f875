"""Two values of JSON enter; what was added, removed and changed leaves path by path, and how much is equal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

# Who says it and by which schema is no part of what a facet says.
_ABOUT = frozenset({"_producer", "_schemaURL"})
MOST_CHANGES = 100
LONGEST_TEXT = 2_000
# What nests further is compared as a whole.
DEEPEST = 60


class Difference(NamedTuple):
    """`kind` is added, removed or changed."""

    kind: str
    path: str
    before: object
    after: object


class Compared(NamedTuple):
    differences: list[Difference]
    equal: int


def compare(before: Any, after: Any) -> Compared:
    """Leaf by leaf; lists are compared place by place."""
    differences: list[Difference] = []
    equal = 0
    for one in _walk(before, after, "", DEEPEST):
        if one is None:
            equal += 1
        else:
            differences.append(one)
    return Compared(differences, equal)


def _walk(before: Any, after: Any, path: str, deeper: int) -> Iterator[Difference | None]:
    if deeper and isinstance(before, dict) and isinstance(after, dict):
        for key in sorted(before.keys() | after.keys()):
            if path or key not in _ABOUT:
                below = f"{path}.{key}" if path else key
                if key not in after:
                    yield Difference("removed", below, before[key], None)
                elif key not in before:
                    yield Difference("added", below, None, after[key])
                else:
                    yield from _walk(before[key], after[key], below, deeper - 1)
    elif deeper and isinstance(before, list) and isinstance(after, list):
        for number in range(max(len(before), len(after))):
            below = f"{path}[{number}]"
            if number >= len(after):
                yield Difference("removed", below, before[number], None)
            elif number >= len(before):
                yield Difference("added", below, None, after[number])
            else:
                yield from _walk(before[number], after[number], below, deeper - 1)
    elif before == after and isinstance(before, bool) == isinstance(after, bool):
        yield None
    else:
        yield Difference("changed", path, before, after)
