"""A text of SQL enters; its tokens leave, as Spark's own lexer cuts them, or a refusal where readers could differ.

Values are put into statements and dangerous words are looked for by these tokens. A text that is cut otherwise by
Spark would let a value become code, so whatever is open to doubt is refused.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from lineage_hub.spark.pipeline.definition import ParameterType
from lineage_hub.spark.pipeline.problems import shortened

Dialect = Literal["spark", "jdbc"]

TABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*")
_TOKEN = re.compile(
    r"""
      (?P<text>    [rR]'[^']*' | [rR]"[^"]*" | '(?:[^'\\]|\\.)*' | "(?:[^"\\]|\\.)*" )
    | (?P<name>    `(?:[^`]|``)*` )
    | (?P<comment> --(?:\\\n|[^\r\n])* | /\*.*?\*/ )
    | (?P<slot>    \$\{[^{}]*\} )
    | (?P<address> [^\W\d_]+:// )
    | (?P<word>    \w+ )
    | (?P<space>   \s+ )
    | (?P<sign>    . )
    """,
    re.VERBOSE | re.DOTALL,
)


class Unclear(Exception):
    """A text whose tokens can't be told for certain, or with a slot where no value can stand."""

    def __init__(self, says: str, action: str) -> None:
        super().__init__(says)
        self.says = says
        self.action = action


@dataclass(frozen=True)
class Token:
    kind: str
    text: str

    @property
    def word(self) -> str:
        """What a word or a name in backquotes says, in small letters: SQL doesn't tell them apart by case."""
        return self.text.strip("`").replace("``", "`").lower() if self.kind in ("word", "name") else ""


def tokens(text: str, dialect: Dialect = "spark") -> Iterator[Token]:
    """A slot is `${…}` outside of quotes and comments."""
    before = Token("space", "")
    for match in _TOKEN.finditer(text):
        token = Token(match.lastgroup or "", match[0])
        _refuse_doubt(token, before, dialect)
        yield token
        before = token


def _refuse_doubt(token: Token, before: Token, dialect: Dialect) -> None:
    kind, text = token.kind, token.text
    if kind in ("text", "name", "comment") and "${" in text:
        raise Unclear(f"`${{` stands inside {shortened(text)}", "leave the quotes out: a value gets its own")
    if kind == "text" and before.kind == "word" and before.text[-1] in "rR":
        raise Unclear(f"{shortened(before.text + text)} can be read in two ways", "put a space before the quote")
    if kind == "comment" and text.startswith("/*") and (re.search(r"['\"`]", text) or text.count("/*") > 1):
        raise Unclear(f"the comment {shortened(text)} holds quotes or a comment", "write it with `--`")
    if kind == "sign" and (text in "'\"`" or before.text + text == "/*"):
        raise Unclear(f"a {'/*' if text == '*' else text} isn't closed", "close it")
    if kind == "sign" and text == "$":
        raise Unclear("a `$` stands outside of quotes", "take it out, or write `${name}`")
    if kind == "address":
        raise Unclear(f"`{text}` stands outside of quotes", "read files by an extract, not in SQL")
    if dialect == "jdbc" and ("\\" in text or (kind == "sign" and text == "#")):
        raise Unclear(f"databases differ on {shortened(text)}", "leave `\\` and `#` out where a parameter stands")


def written(value: str, kind: ParameterType, dialect: Dialect) -> str:
    """A parameter's value as SQL; it has been checked to be of its kind."""
    match kind:
        case "number":
            return f"({value})" if value.startswith(("-", "+")) else value
        case "date":
            return f"DATE '{value}'"
        case "identifier":
            return f"`{value}`" if dialect == "spark" else value
    if dialect == "spark":
        # No quote, escape or `${` of Spark's own substitution is left, so that no reader can end the text early.
        return "'" + re.sub(r"['\"`\\$]", lambda found: f"\\u{ord(found[0]):04X}", value) + "'"
    if "\\" in value:
        raise Unclear("a `\\` in a value means different things to databases", "leave it out")
    return "'" + value.replace("'", "''") + "'"
