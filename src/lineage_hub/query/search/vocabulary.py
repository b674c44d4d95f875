"""Words enter and get numbers; those that fit a word leave, each with how well it fits.

Words that begin like it are found in a sorted list, those that hold it in one long text, those with one mistake by
trying each.
"""

from __future__ import annotations

from bisect import bisect_left, insort

from lineage_hub.query.search.likeness import (
    LEAST_WITHIN,
    SAME,
    beginning,
    mistaken,
    with_one_mistake,
    within,
)

# Of the words that begin with a letter or two, the shortest: there may be thousands.
MOST_FITTING = 400
# How many words may wait until the long text is made anew.
MOST_RECENT = 2_000
# Most letters that a mistake is tried with; names in many scripts have more, of which the usual ones count.
MOST_LETTERS = 120
MOST_ASKED = 1_000
# So many are put into their places one by one.
FEW = 50
END = "\n"


class Vocabulary:
    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self._sorted: list[str] = []
        self._unsorted: list[str] = []
        self._text = END
        self._recent: list[str] = []
        self._letters: dict[str, int] = {}
        # What was asked for since a word came last.
        self._asked: dict[str, dict[str, float]] = {}

    def number(self, word: str) -> int:
        found = self.numbers.get(word)
        if found is None:
            found = self.numbers[word] = len(self.numbers)
            self._unsorted.append(word)
        return found

    def fitting(self, asked: str) -> dict[str, float]:
        """The best first."""
        self._take_in()
        known = self._asked.get(asked)
        if known is None:
            if len(self._asked) >= MOST_ASKED:
                self._asked.clear()
            known = self._asked[asked] = self._fitting(asked)
        return known

    def _fitting(self, asked: str) -> dict[str, float]:
        numbers = self.numbers
        found: dict[str, float] = {}
        for word in self._holding(asked) if len(asked) >= LEAST_WITHIN else ():
            found[word] = within(asked, word)
        for word in self._beginning(asked):
            found[word] = beginning(asked, word)
        for word in with_one_mistake(asked, self._usual_letters()) & numbers.keys():
            found[word] = max(found.get(word, 0.0), mistaken(asked, word))
        if asked in numbers:
            found[asked] = SAME
        best = sorted(sorted(found), key=found.__getitem__, reverse=True)
        return {word: found[word] for word in best[:MOST_FITTING]}

    def knows(self, word: str) -> bool:
        return word in self.numbers

    def _take_in(self) -> None:
        fresh = self._unsorted
        if not fresh:
            return
        self._unsorted = []
        self._asked.clear()
        if len(fresh) < FEW:
            for word in fresh:
                insort(self._sorted, word)
        else:
            # Nearly sorted already, which Python's sort makes use of.
            self._sorted += sorted(fresh)
            self._sorted.sort()
        self._recent += fresh
        if len(self._recent) > MOST_RECENT:
            self._text = END.join(["", *self._sorted, ""])
            self._recent = []
        for word in fresh:
            if len(word) > 1:
                for letter in word:
                    self._letters[letter] = self._letters.get(letter, 0) + 1

    def _usual_letters(self) -> str:
        letters = self._letters
        if len(letters) <= MOST_LETTERS:
            return "".join(letters)
        return "".join(sorted(letters, key=lambda letter: (-letters[letter], letter))[:MOST_LETTERS])

    def _beginning(self, asked: str) -> list[str]:
        start = bisect_left(self._sorted, asked)
        end = bisect_left(self._sorted, asked + "\U0010ffff", start)
        found = self._sorted[start:end]
        return found if len(found) <= MOST_FITTING else sorted(found, key=len)[:MOST_FITTING]

    def _holding(self, asked: str) -> list[str]:
        text = self._text
        found = [word for word in self._recent if asked in word]
        at = text.find(asked)
        while at >= 0:
            end = text.index(END, at)
            found.append(text[text.rindex(END, 0, at) + 1 : end])
            at = text.find(asked, end)
        return found
