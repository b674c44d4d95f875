"""The clauses of a flow of changes enter; a query that reads the same columns leaves, as tokens.

Keys and order decide about rows, so they stand in its ORDER BY; conditions stand in its WHERE.
"""

from __future__ import annotations

from itertools import pairwise

from sqlglot import Token, TokenType

from lineage_hub.connectors.databricks.sql import tokens as t

_CLAUSES = ("KEYS", "WHERE", "IGNORE", "APPLY", "SEQUENCE", "COLUMNS", "STORED", "TRACK")


def as_query(tokens: t.Tokens, at: int) -> list[Token]:
    """`FROM source KEYS (…) APPLY AS DELETE WHEN … SEQUENCE BY … COLUMNS … STORED AS …`, from a place before it."""
    begin = t.find(tokens, at, ("FROM",))
    begin += t.word(tokens, begin + 1) == "SNAPSHOT" and t.is_name(tokens, begin + 2)
    places = [begin]
    while places[-1] < len(tokens):
        places.append(t.find(tokens, places[-1] + 1, _CLAUSES))
    clauses = {t.word(tokens, one): (one, end) for one, end in pairwise(places[1:])}
    conditions = [list(_condition(tokens, *one)) for one in pairwise(places[1:])]
    source = tokens[begin + 1 : places[1]] if len(places) > 1 else []
    sequence = _within(tokens, clauses.get("SEQUENCE"), 2)
    line = tokens[min(begin, len(tokens) - 1)].line
    made = [_sign(TokenType.SELECT, "SELECT", line), *_columns(tokens, clauses.get("COLUMNS"), line)]
    stored = clauses.get("STORED")
    if sequence and stored and any(str(one.text) == "2" for one in tokens[stored[0] : stored[1]]):
        for name in ("__START_AT", "__END_AT"):
            made += [_sign(TokenType.COMMA, ",", line), *sequence, _sign(TokenType.ALIAS, "AS", line)]
            made.append(_sign(TokenType.VAR, name, line))
    made += [_sign(TokenType.FROM, "FROM", line), *source]
    for number, condition in enumerate(one for one in conditions if one):
        made.append(_sign(TokenType.AND, "AND", line) if number else _sign(TokenType.WHERE, "WHERE", line))
        made += [_sign(TokenType.L_PAREN, "(", line), *condition, _sign(TokenType.R_PAREN, ")", line)]
    keys = _within(tokens, clauses.get("KEYS"), 1)
    order = [*_without_brackets(keys), *([_sign(TokenType.COMMA, ",", line)] if keys and sequence else []), *sequence]
    if order:
        made += [_sign(TokenType.ORDER_BY, "ORDER BY", line), *order]
    return made


def _columns(tokens: t.Tokens, clause: tuple[int, int] | None, line: int) -> list[Token]:
    given = _within(tokens, clause, 1)
    return [*_without_brackets(given)] if given else [_sign(TokenType.STAR, "*", line)]


def _condition(tokens: t.Tokens, begin: int, end: int) -> t.Tokens:
    """Of `WHERE …` and `APPLY AS DELETE WHEN …`: both decide which rows are there."""
    if t.word(tokens, begin) == "WHERE":
        return tokens[begin + 1 : end]
    return tokens[begin + 4 : end] if t.says(tokens, begin, "APPLY", "AS") else []


def _within(tokens: t.Tokens, clause: tuple[int, int] | None, words: int) -> list[Token]:
    return list(tokens[clause[0] + words : clause[1]]) if clause else []


def _without_brackets(tokens: list[Token]) -> list[Token]:
    if t.word(tokens, 0) == "(" and t.after_brackets(tokens, 0) == len(tokens):
        return tokens[1:-1]
    return tokens


def _sign(kind: TokenType, text: str, line: int) -> Token:
    return Token(kind, text, line=line)
