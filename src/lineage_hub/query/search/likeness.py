"""Two words enter; how well the one that was asked for fits the one that is there leaves, from 0 to 1.

A word fits if it is the same, begins the other, stands in it, or has one mistake: a letter too many, too few,
another one, or two that changed places.
"""

from __future__ import annotations

# Shorter words have too many others within one mistake.
LEAST_WITH_MISTAKE, LEAST_WITHIN = 4, 3
SAME = 1.0
# A letter that was left out, or two that changed places, are likelier than any one wrong letter.
LEFT_OUT, OTHER, AT_FIRST = 0.85, 0.79, -0.03


def likeness(asked: str, there: str) -> float:
    if asked == there:
        return SAME
    found = 0.0
    if there.startswith(asked):
        found = beginning(asked, there)
    elif len(asked) >= LEAST_WITHIN and asked in there:
        found = within(asked, there)
    if found < LEFT_OUT and one_mistake(asked, there):
        found = max(found, mistaken(asked, there))
    return found


def beginning(asked: str, there: str) -> float:
    return 0.62 + 0.28 * len(asked) / len(there)


def within(asked: str, there: str) -> float:
    return 0.42 + 0.28 * len(asked) / len(there)


def mistaken(asked: str, there: str) -> float:
    """Of words with one mistake. Few people mistake a first letter."""
    likely = len(asked) < len(there) or (len(asked) == len(there) and sorted(asked) == sorted(there))
    return (LEFT_OUT if likely else OTHER) + (AT_FIRST if asked[0] != there[0] else 0.0)


def one_mistake(asked: str, there: str) -> bool:
    length, other = len(asked), len(there)
    if length < LEAST_WITH_MISTAKE or not -1 <= length - other <= 1:
        return False
    at, shorter = 0, min(length, other)
    while at < shorter and asked[at] == there[at]:
        at += 1
    if length == other:
        swapped = asked[at + 1 : at + 2] + asked[at : at + 1]
        return asked[at + 1 :] == there[at + 1 :] or (
            there[at : at + 2] == swapped and asked[at + 2 :] == there[at + 2 :]
        )
    if length > other:
        return asked[at + 1 :] == there[at:]
    return asked[at:] == there[at + 1 :]


def with_one_mistake(word: str, letters: str) -> set[str]:
    """All words that this one may have been meant as, made of these letters."""
    if len(word) < LEAST_WITH_MISTAKE:
        return set()
    halves = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    found = {before + after[1:] for before, after in halves if after}
    found.update([before + after[1] + after[0] + after[2:] for before, after in halves if len(after) > 1])
    for before, after in halves:
        rest = after[1:]
        found.update([before + letter + after for letter in letters])
        if after:
            found.update([before + letter + rest for letter in letters])
    return found
