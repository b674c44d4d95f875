"""A statement's text enters; its tokens leave, with what it takes to walk over clauses and to parse a part of them.

Parsing is sqlglot's. What it has no words for is rewritten here, token by token, so that lines stay what they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from sqlglot import Token, TokenType, exp
from sqlglot.dialects import Dialect
from sqlglot.errors import ErrorLevel, ParseError

from lineage_hub.connectors.databricks.sql.splitting import UNKNOWN
from lineage_hub.sdk.instrumentation.sql import quietly

DEEPEST = 150
_DEEPEST_TYPE = 50  # a type in a type takes the parser as long as all those around it
_MOST_TOKENS = 30_000
_MOST_QUERIES = 1_000  # joined by UNION and the like, each of which stands inside of the next
DIALECT = Dialect.get_or_raise("databricks")
_OPEN = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE})
_CLOSED = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE})
_BETWEEN_QUERIES = frozenset({TokenType.UNION, TokenType.EXCEPT, TokenType.INTERSECT})
_NO_WORDS = frozenset({TokenType.STRING, TokenType.RAW_STRING, TokenType.IDENTIFIER, TokenType.NUMBER})
_ENDS_EXPRESSION = _CLOSED | {
    TokenType.STRING, TokenType.IDENTIFIER, TokenType.NUMBER, TokenType.VAR, TokenType.STAR, TokenType.NULL,
    TokenType.TRUE, TokenType.FALSE, TokenType.END,
}  # fmt: skip
_STRINGS = frozenset({TokenType.STRING, TokenType.RAW_STRING})
# Where a table can stand, the word before its name.
_BEFORE_TABLES = frozenset({"FROM", "JOIN", "USING", ",", "(", "LATERAL"})
_BEGINS_QUERY = frozenset({"SELECT", "WITH", "FROM", "VALUES", "TABLE", "(", "MAP", "REDUCE"})

_TYPES = frozenset({TokenType.ARRAY, TokenType.MAP, TokenType.STRUCT})
_BEFORE_ARGUMENTS = frozenset({"(", ",", "=>"})
_HOW_ROWS_COME = frozenset({"PARTITION", "DISTRIBUTE", "ORDER", "SORT", "WITH"})
_REWRITTEN = frozenset({"STREAM", "WATERMARK", "WITH", "TABLE", "@"})

Tokens = Sequence[Token]


class TooDeep(Exception):
    """Brackets in brackets, or queries beside queries, beyond what is followed."""


class Unreadable(Exception):
    """A statement that depends on what isn't there, with the reason."""


def tokenize(text: str) -> list[Token]:
    tokens: list[Token] = DIALECT.tokenize(text)
    depth = queries = types = 0
    before = None
    for token in tokens:
        kind = token.token_type
        depth += (kind in _OPEN) - (kind in _CLOSED)
        queries += kind in _BETWEEN_QUERIES
        if kind is TokenType.LT and before in _TYPES:
            types += 1
        elif kind is TokenType.GT and types:
            types -= 1
        before = kind
        if depth > DEEPEST or queries > _MOST_QUERIES or types > _DEEPEST_TYPE:
            raise TooDeep
    return tokens


def word(tokens: Tokens, at: int) -> str:
    """The word or sign there in capitals, of several like ORDER BY the first; of strings and quoted names nothing."""
    if not 0 <= at < len(tokens):
        return ""
    return _word(tokens[at])


def _word(token: Token) -> str:
    if token.token_type in _NO_WORDS:
        return ""
    said = str(token.text).upper()
    return said.partition(" ")[0] if " " in said else said


def says(tokens: Tokens, at: int, *words: str) -> bool:
    return all(word(tokens, at + offset) == one for offset, one in enumerate(words))


def is_string(tokens: Tokens, at: int) -> bool:
    return 0 <= at < len(tokens) and tokens[at].token_type in _STRINGS


def is_quoted(tokens: Tokens, at: int) -> bool:
    return 0 <= at < len(tokens) and tokens[at].token_type is TokenType.IDENTIFIER


def is_name(tokens: Tokens, at: int) -> bool:
    """Quoted, or a word: in Databricks nearly every word may be a name."""
    if not 0 <= at < len(tokens):
        return False
    token = tokens[at]
    if token.token_type is TokenType.IDENTIFIER:
        return True
    first = str(token.text)[:1]
    return token.token_type not in _NO_WORDS and (first.isalnum() or first in ("_", UNKNOWN))


def begins_query(tokens: Tokens, at: int) -> bool:
    return word(tokens, at) in _BEGINS_QUERY


def after_brackets(tokens: Tokens, at: int) -> int:
    """The place after the bracket that closes the one there; the end if none does."""
    depth = 0
    for place in range(at, len(tokens)):
        depth += (tokens[place].token_type in _OPEN) - (tokens[place].token_type in _CLOSED)
        if depth <= 0:
            return place + 1
    return len(tokens)


def find(tokens: Tokens, at: int, words: Iterable[str], end: int | None = None) -> int:
    """The first place of one of the words outside of brackets and of CASE … END; the end if there is none."""
    wanted = frozenset(words)
    end = len(tokens) if end is None else end
    cases = 0
    while at < end:
        said = word(tokens, at)
        if cases == 0 and said in wanted:
            return at
        if tokens[at].token_type in _OPEN:
            at = after_brackets(tokens, at)
            continue
        cases += (said == "CASE") - (said == "END" and cases > 0)
        at += 1
    return end


def name_parts(tokens: Tokens, at: int) -> tuple[list[str], int]:
    """A name with dots, and the place after it."""
    parts: list[str] = []
    while is_name(tokens, at):
        parts.append(str(tokens[at].text))
        if word(tokens, at + 1) != ".":
            return parts, at + 1
        if not is_name(tokens, at + 2):
            raise Unreadable("a name ends with a dot")
        at += 2
    return parts, at


def parse(tokens: Tokens, text: str) -> Any:
    """One statement or query; what sqlglot says is raised as it comes."""
    if len(tokens) > _MOST_TOKENS:
        raise TooDeep
    rewritten = list(_rewritten(tokens))
    with quietly():
        parsed = _parsed(rewritten, text)
    if len(parsed) != 1 or not isinstance(parsed[0], exp.Expr):
        raise Unreadable("it is no one statement")
    if isinstance(parsed[0], exp.Command):
        raise Unreadable("the statement has another shape than is known")
    return parsed[0]


def _parsed(rewritten: list[Token], text: str) -> list[Any]:
    try:
        return list(DIALECT.parser(error_level=ErrorLevel.RAISE, max_errors=20).parse(rewritten, text))
    except ParseError as error:
        if not all(_is_of_arguments(str(one.get("description"))) for one in error.errors) or len(error.errors) >= 20:
            raise
        # How many arguments a function takes is for Databricks to say.
        return list(DIALECT.parser(error_level=ErrorLevel.IGNORE).parse(rewritten, text))


def without_unknown_ends(tokens: Tokens) -> Iterable[Token]:
    """Without unknown parts that follow a whole expression, where more clauses may stand."""
    for at, token in enumerate(tokens):
        if token.text != UNKNOWN or at == 0 or tokens[at - 1].token_type not in _ENDS_EXPRESSION:
            yield token


def _is_of_arguments(description: str) -> bool:
    missing = re.match(r"Required keyword: '\w+' missing for <class '[\w.]*?(\w+)'>", description)
    if missing is None:
        return description.startswith("The number of provided arguments")
    of = getattr(exp, missing[1], None)
    return isinstance(of, type) and issubclass(of, exp.Func) and not issubclass(of, exp.Binary | exp.Case | exp.Cast)


def _rewritten(tokens: Tokens) -> Iterable[Token]:
    at, closing = 0, set[int]()
    skipped: dict[int, int] = {}
    while at < len(tokens):
        token = tokens[at]
        said = _word(token)
        if at in skipped:
            at = skipped[at]
            continue
        if said not in _REWRITTEN and token.token_type is not TokenType.WINDOW and at not in closing:
            yield token
            at += 1
            continue
        before = word(tokens, at - 1)
        if at in closing:
            at += 1
        elif said == "STREAM" and before in _BEFORE_TABLES and word(tokens, at + 1) == "(":
            if not begins_query(tokens, at + 2):
                closing.add(after_brackets(tokens, at + 1) - 1)
                at += 2
            else:
                at += 1
        elif said == "STREAM" and before in _BEFORE_TABLES and is_name(tokens, at + 1) and _is_table(tokens, at + 1):
            at += 1
        elif said == "STREAM":
            yield _like(token, TokenType.VAR, token.text)  # a name: `stream.orders` is a table of this schema
            at += 1
        elif said == "WATERMARK" and (end := _after_watermark(tokens, at)):
            at = end
        elif said == "WITH" and says(tokens, at + 1, "SCHEMA", "EVOLUTION"):
            at += 3
        elif said == "WITH" and at and word(tokens, at + 1) == "(":
            at = after_brackets(tokens, at + 1)  # how a table is read: WITH ('option' = 'value')
        elif said == "TABLE" and (at == 0 or before in ("(", "UNION", "ALL")) and is_name(tokens, at + 1):
            yield from (_like(token, TokenType.SELECT, "SELECT"), _like(token, TokenType.STAR, "*"))
            yield _like(token, TokenType.FROM, "FROM")
            at += 1
        elif said == "TABLE" and before in _BEFORE_ARGUMENTS and word(tokens, at + 1) == "(":
            # How a function gets the rows: f(TABLE(t) PARTITION BY x)
            end = after_brackets(tokens, at + 1)
            if word(tokens, end) in _HOW_ROWS_COME:
                skipped[end] = find(tokens, end, (",", ")"))
            yield token
            at += 1
        elif token.token_type is TokenType.WINDOW and not (is_name(tokens, at + 1) and word(tokens, at + 2) == "AS"):
            # A function of this name makes windows of time, and a column of them.
            yield _like(token, TokenType.VAR, token.text)
            at += 1
        elif said == "@" and before and is_name(tokens, at + 1):
            at += 2  # a version of a table: t@v3
        else:
            yield token
            at += 1


def _is_table(tokens: Tokens, at: int) -> bool:
    """`FROM stream AS s` and `FROM stream WHERE …` read a table of this name."""
    return word(tokens, at) not in {
        "AS", "WHERE", "GROUP", "ORDER", "JOIN", "LEFT", "RIGHT", "INNER", "FULL", "CROSS", "UNION", "LIMIT", "HAVING",
        "LATERAL", "PIVOT", "UNPIVOT", "QUALIFY", "WINDOW", "ON", "INTERSECT", "EXCEPT", "MINUS", "TABLESAMPLE",
        "VERSION", "TIMESTAMP", "SORT", "CLUSTER", "DISTRIBUTE", "ANTI", "SEMI", "NATURAL", "WHEN", "KEYS", "INSERT",
        "FROM", "IS", "IN", "LIKE", "ILIKE", "RLIKE", "BETWEEN", "AND", "OR", "NOT", "DIV", "COLLATE", "THEN", "ASC",
        "DESC", "OVER",
    }  # fmt: skip


def _after_watermark(tokens: Tokens, at: int) -> int:
    """After `WATERMARK column DELAY OF INTERVAL 10 MINUTES`; 0 where it is only a name."""
    delay = find(tokens, at + 1, ("DELAY",), min(len(tokens), at + 40))
    if not says(tokens, delay, "DELAY", "OF"):
        return 0
    after = delay + 2
    if word(tokens, after) == "INTERVAL":
        after += 1
    value = after_brackets(tokens, after) if word(tokens, after) == "(" else after + 1
    return value + 1 if is_name(tokens, value) and word(tokens, value) not in ("AS", "WHERE", "JOIN") else value


def _like(token: Token, kind: TokenType, text: str) -> Token:
    return Token(kind, text, line=token.line, col=token.col, start=token.start, end=token.end)
