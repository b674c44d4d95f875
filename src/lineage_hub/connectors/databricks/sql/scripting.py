"""Tokens of a part of a script enter, with the blocks that it stands in; the statement inside of them leaves.

A script is cut at its semicolons like any text, so that BEGIN, IF … THEN and the like stand before a statement.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sqlglot import Token, TokenType

from lineage_hub.connectors.databricks.sql import tokens as t

_MAY_NOT_RUN = frozenset({"IF", "CASE", "WHILE", "FOR", "HANDLER", "PROCEDURE"})
_LOOPS = frozenset({"BEGIN", "LOOP", "WHILE", "REPEAT", "FOR"})
_AGAIN = _LOOPS - {"BEGIN"}
_MOST_HEADS = 200
_LEFT_OUT = frozenset({"LEAVE", "ITERATE", "SIGNAL", "RESIGNAL", "RETURN", "GET", "OPEN", "FETCH", "CLOSE"})


Values = Mapping[tuple[str, str], str | None]
"""What statements set for those after them, by its kind and name; None: it can't be known."""


@dataclass
class _Block:
    kind: str
    before: Values
    ends: list[Values] = field(default_factory=list)  # of its branches that are over
    runs_one: bool = False  # of its branches, since there is an ELSE


class Blocks:
    """Blocks of a script that are open where the next statement stands.

    `take` gives what is set there, and `put` sets it: a branch sees nothing of the others, and after a block only that
    is known which each of its branches leaves.
    """

    def __init__(self, take: Callable[[], Values] = dict, put: Callable[[Values], None] = lambda _: None) -> None:
        self._open: list[_Block] = []
        self._take, self._put = take, put
        self._closes = False  # a handler of one statement, which was the last

    @property
    def may_not_run(self) -> bool:
        return any(one.kind in _MAY_NOT_RUN for one in self._open)

    @property
    def inside(self) -> bool:
        return bool(self._open)

    def unwrap(self, tokens: t.Tokens) -> list[tuple[t.Tokens, bool]]:
        """The statements there (one, none, or the queries of conditions and of a FOR and what follows).

        Each with whether it may not run.
        """
        if self._closes:
            self._closes = False
            self._end()
        found: list[tuple[t.Tokens, bool]] = []
        heads = 0
        while tokens:
            heads += 1
            if heads > _MOST_HEADS:
                raise t.TooDeep
            if t.is_name(tokens, 0) and t.word(tokens, 1) == ":" and t.word(tokens, 2) in _LOOPS:
                tokens = tokens[2:]
            after = self._after_head(tokens, found)
            if after is None:
                break
            tokens = tokens[after:]
        if tokens and not (self.inside and t.word(tokens, 0) in _LEFT_OUT):
            found.append((tokens, self.may_not_run))
        return found

    def _begin(self, kind: str) -> None:
        self._open.append(_Block(kind, self._take()))

    def _branch(self, *, is_last: bool) -> None:
        if self._open:
            block = self._open[-1]
            block.ends.append(self._take())
            block.runs_one = block.runs_one or is_last
            self._put(block.before)

    def _end(self) -> None:
        block = self._open.pop()
        if block.kind == "BEGIN":
            return
        ends = [*block.ends, self._take()]
        # How often a loop goes round isn't known: what it changes is not either.
        if not block.runs_one or block.kind in _AGAIN:
            ends.append(block.before)
        names = dict.fromkeys(name for end in ends for name in end)
        self._put({name: ends[0].get(name) if _agree(name, ends) else None for name in names})

    def _after_head(self, tokens: t.Tokens, found: list[tuple[t.Tokens, bool]]) -> int | None:
        """The place after the words that open or close a block, None where a statement begins."""
        said = t.word(tokens, 0)
        if said == "BEGIN" and t.word(tokens, 1) != "TRANSACTION":
            self._begin("BEGIN")
            return {"ATOMIC": 2, "NOT": 3}.get(t.word(tokens, 1), 1)
        if said == "CREATE" and "PROCEDURE" in (t.word(tokens, 1), t.word(tokens, 3)):
            self._begin("PROCEDURE")
            return t.find(tokens, 1, ("BEGIN",))
        if not self.inside:
            return None
        if said == "END":
            return self._after_end(tokens)
        if said in ("IF", "CASE", "WHILE"):
            end = t.find(tokens, 1, ("DO",) if said == "WHILE" else ("THEN",))
            found += self._condition(tokens[:end])
            self._begin(said)
            return end + 1
        if said in ("ELSEIF", "WHEN"):
            self._branch(is_last=False)
            end = t.find(tokens, 1, ("THEN",))
            found += self._condition(tokens[:end])
            return end + 1
        if said in ("LOOP", "REPEAT"):
            self._begin(said)
            return 1
        if said == "ELSE":
            self._branch(is_last=True)
            return 1
        if said == "UNTIL":
            end = t.find(tokens, 1, ("END",))
            found += self._condition(tokens[:end])
            return end
        if said == "FOR":
            return self._after_for(tokens, found)
        if said == "DECLARE" and "HANDLER" in (t.word(tokens, 1), t.word(tokens, 2)):
            self._begin("HANDLER")
            end = t.find(tokens, 1, ("BEGIN", "SET", "INSERT", "MERGE", "UPDATE", "DELETE"))
            self._closes = t.word(tokens, end) != "BEGIN"
            return end
        return None

    def _condition(self, tokens: t.Tokens) -> list[tuple[t.Tokens, bool]]:
        """What a condition reads, as a query of its value."""
        if t.word(tokens, 0) in ("CASE", "WHEN") or not any(
            t.word(tokens, at) == "SELECT" for at in range(len(tokens))
        ):
            return []
        return [([Token(TokenType.SELECT, "SELECT", line=tokens[0].line), *tokens[1:]], self.may_not_run)]

    def _after_end(self, tokens: t.Tokens) -> int:
        self._end()
        if self._open and self._open[-1].kind in ("HANDLER", "PROCEDURE"):
            self._end()
        after = 2 if t.word(tokens, 1) in ("IF", "CASE", "WHILE", "FOR", "LOOP", "REPEAT") else 1
        return after + 1 if t.is_name(tokens, after) else after

    def _after_for(self, tokens: t.Tokens, found: list[tuple[t.Tokens, bool]]) -> int:
        do = t.find(tokens, 1, ("DO",))
        begin = 3 if t.word(tokens, 2) == "AS" else 1
        if begin < do:
            found.append((tokens[begin:do], self.may_not_run))
        self._begin("FOR")
        return do + 1


def _agree(name: tuple[str, str], ends: list[Values]) -> bool:
    return all(name in one for one in ends) and len({one[name] for one in ends}) == 1
