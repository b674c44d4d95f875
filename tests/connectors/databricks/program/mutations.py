# ruff: noqa: E501 - one case is one line
"""Programs enter; programs with a few of their words deleted, swapped, doubled or cut off leave, seeded."""

from __future__ import annotations

import random
import re

WORDS = re.compile(r"\w+|\s+|[^\w\s]")
STRANGE = (
    "10**10**10", "[0]*10**9", "'a'*10**10", "while True:", "lambda:", "yield", "await ", "*args", "**kw", "None", "=",
    "(", ")", "[", "]", "{", "}", ":", "\n", "\n    ", "\t", "'''", '"', "\\", "#", "@", ".load()", "return ", "import ",
    "for x in y:", "\x00", "é", "self", "spark", "dlt", "df", "if", "else", "-1", "0", "1e308", "...", "not ", "f'{x}'",
)  # fmt: skip


def mutate(text: str, rng: random.Random) -> str:
    words = WORDS.findall(text)
    for _ in range(rng.randint(1, 4)):
        if not words:
            break
        at = rng.randrange(len(words))
        kind = rng.randrange(7)
        if kind == 0:
            del words[at]
        elif kind == 1:
            other = rng.randrange(len(words))
            words[at], words[other] = words[other], words[at]
        elif kind == 2:
            words.insert(at, words[rng.randrange(len(words))])
        elif kind == 3:
            words = words[: at + 1] if rng.random() < 0.3 else words[:at] + words[at + rng.randint(1, 8) :]
        elif kind == 4:
            words.insert(at, rng.choice(STRANGE))
        elif kind == 5:
            end = at + rng.randint(1, 12)
            words[at:at] = words[at:end] * rng.randint(1, 3)
        else:
            words[at] = rng.choice(STRANGE)
    return "".join(words)
