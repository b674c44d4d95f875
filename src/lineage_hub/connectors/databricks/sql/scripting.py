"""Tokens of a part of a script enter, with the blocks that it stands in; the statement inside of them leaves.

A script is cut at its semicolons like any text, so that BEGIN, IF … THEN and the like stand before a statement.
"""

from __future__ import annotations

from lineage_hub.connectors.databricks.sql import tokens as t

_MAY_NOT_RUN = frozenset({"IF", "CASE", "WHILE", "FOR", "HANDLER", "PROCEDURE"})
_LOOPS = frozenset({"BEGIN", "LOOP", "WHILE", "REPEAT", "FOR"})
_MOST_HEADS = 200
_LEFT_OUT = frozenset({"LEAVE", "ITERATE", "SIGNAL", "RESIGNAL", "RETURN", "GET", "OPEN", "FETCH", "CLOSE"})


class Blocks:
    """Blocks of a script that are open where the next statement stands."""

    def __init__(self) -> None:
        self._open: list[str] = []

    @property
    def may_not_run(self) -> bool:
        return any(one in _MAY_NOT_RUN for one in self._open)

    @property
    def inside(self) -> bool:
        return bool(self._open)

    def unwrap(self, tokens: t.Tokens) -> list[tuple[t.Tokens, bool]]:
        """The statements there (one, none, or the query of a FOR and what follows), and whether each may not run."""
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

    def _after_head(self, tokens: t.Tokens, found: list[tuple[t.Tokens, bool]]) -> int | None:
        """The place after the words that open or close a block, None where a statement begins."""
        said = t.word(tokens, 0)
        if said == "BEGIN" and t.word(tokens, 1) != "TRANSACTION":
            self._open.append("BEGIN")
            return {"ATOMIC": 2, "NOT": 3}.get(t.word(tokens, 1), 1)
        if said == "CREATE" and "PROCEDURE" in (t.word(tokens, 1), t.word(tokens, 3)):
            self._open.append("PROCEDURE")
            return t.find(tokens, 1, ("BEGIN",))
        if not self.inside:
            return None
        if said == "END":
            return self._after_end(tokens)
        if said in ("IF", "CASE", "WHILE"):
            self._open.append(said)
            return t.find(tokens, 1, ("DO",) if said == "WHILE" else ("THEN",)) + 1
        if said in ("ELSEIF", "WHEN"):
            return t.find(tokens, 1, ("THEN",)) + 1
        if said in ("LOOP", "REPEAT"):
            self._open.append(said)
            return 1
        if said == "ELSE":
            return 1
        if said == "UNTIL":
            return t.find(tokens, 1, ("END",))
        if said == "FOR":
            return self._after_for(tokens, found)
        if said == "DECLARE" and "HANDLER" in (t.word(tokens, 1), t.word(tokens, 2)):
            self._open.append("HANDLER")
            return t.find(tokens, 1, ("BEGIN", "SET", "INSERT", "MERGE", "UPDATE", "DELETE"))
        return None

    def _after_end(self, tokens: t.Tokens) -> int:
        self._open.pop()
        if self._open and self._open[-1] in ("HANDLER", "PROCEDURE"):
            self._open.pop()
        after = 2 if t.word(tokens, 1) in ("IF", "CASE", "WHILE", "FOR", "LOOP", "REPEAT") else 1
        return after + 1 if t.is_name(tokens, after) else after

    def _after_for(self, tokens: t.Tokens, found: list[tuple[t.Tokens, bool]]) -> int:
        do = t.find(tokens, 1, ("DO",))
        begin = 3 if t.word(tokens, 2) == "AS" else 1
        if begin < do:
            found.append((tokens[begin:do], self.may_not_run))
        self._open.append("FOR")
        return do + 1
