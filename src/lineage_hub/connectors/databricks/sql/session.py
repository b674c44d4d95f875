"""Texts of SQL enter one after the other, as cells of a notebook do; what each reads and fills leaves.

What a statement sets counts for those after it: the catalog and schema in use, values, variables, temporary views, and
the columns of tables. Nothing is raised, and time is bounded.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import Token, TokenType, exp
from sqlglot.errors import ParseError, TokenError

from lineage_hub.connectors.databricks.reading import ColumnOrigin, DefinedTable, Problem, Reading, StreamSource
from lineage_hub.connectors.databricks.sql import tokens as t
from lineage_hub.connectors.databricks.sql.constants import Constants
from lineage_hub.connectors.databricks.sql.definitions import after_name
from lineage_hub.connectors.databricks.sql.names import is_global_view, is_live, spelled
from lineage_hub.connectors.databricks.sql.references import known_name, read_table
from lineage_hub.connectors.databricks.sql.scripting import Blocks, Values
from lineage_hub.connectors.databricks.sql.splitting import UNKNOWN, Body, Statement, Substitute, split_statements
from lineage_hub.connectors.databricks.sql.statements import Effect, StatementReader

LONGEST_TEXT = 2_000_000
LONGEST_STATEMENT = 250_000
SECONDS = 0.7
_SETTING = re.compile(r"\s*SET\s+`?([^\s=`]+)`?\s*=\s*(.*?)\s*\Z", re.IGNORECASE | re.DOTALL)
_QUIET = frozenset({
    "ADD", "ALTER", "ANALYZE", "BEGIN", "CALL", "CLEAR", "COMMENT", "COMMIT", "CONVERT", "DENY", "DESC", "DESCRIBE",
    "EXPLAIN", "FSCK", "GENERATE", "GET", "GRANT", "LIST", "MSCK", "OPTIMIZE", "PUT", "REFRESH", "REMOVE",
    "REORG", "REPAIR", "RESET", "RESTORE", "REVOKE", "ROLLBACK", "SHOW", "START", "SYNC", "TRUNCATE", "UNCACHE",
    "UNDROP", "VACUUM",
})  # fmt: skip


@dataclass
class QueryReading:
    """What one piece of SQL inside of another program does: its reads, without a target where it is only a query."""

    sources: list[StreamSource] = field(default_factory=list)
    tables: list[DefinedTable] = field(default_factory=list)
    columns: Mapping[str, tuple[ColumnOrigin, ...]] | None = None
    problems: list[Problem] = field(default_factory=list)
    shown: list[StreamSource] = field(default_factory=list)  # those of the last statement, if it is a query that runs


class Session:
    """`substitute` gives the value of `${name}`, `:name` or a widget, or None where that can't be known."""

    def __init__(
        self,
        substitute: Substitute = lambda _: None,
        catalog: str | None = None,
        schema: str | None = None,
        *,
        traces_columns: bool = True,
    ) -> None:
        self._outside = substitute
        self.traces_columns = traces_columns  # about half of the time that a statement takes
        self.catalog, self.schema = catalog, schema
        self.settings: dict[str, str | None] = {}
        self.touched: set[str] = set()  # settings that were set; whoever keeps settings elsewhere takes them from here
        self.views: set[str] = set()  # temporary views, whose names no catalog or schema stands before
        self.known_columns: dict[str, Sequence[str]] = {}
        self._variables: dict[str, str | None] = {}
        self._widgets: dict[str, str] = {}
        self.constants = Constants(self.value, lambda name: self._variables.get(name.lower()))

    def read(self, text: str, line: int = 1) -> Reading:
        """All statements of a text; `line` is that of its first line in the file."""
        return self._read(text, line)[0]

    def query(self, sql: str, line: int = 1) -> QueryReading:
        reading, effects = self._read(sql, line)
        last = effects[-1] if effects else None
        if last is None or last.fills:
            return QueryReading(reading.sources, reading.tables, None, reading.problems)
        shown = [one for one in last.sources if one.confidence == 1.0]
        return QueryReading(reading.sources, reading.tables, last.columns, reading.problems, shown)

    def value(self, name: str) -> str | None:
        if name in self.settings:
            return self.settings[name]
        try:
            found = self._outside(name)
        except Exception:
            return None
        return found if isinstance(found, str) else self._widgets.get(name)

    # What a reader of one statement asks

    def qualify(self, parts: Sequence[str]) -> str | None:
        if is_live(parts):
            return spelled(parts[1:])
        if is_global_view(parts):
            return spelled(parts)
        if len(parts) == 1 and parts[0].lower() in self.views:
            return spelled(parts)
        return known_name(parts, self.catalog, self.schema)

    def columns_of(self, table: str) -> Sequence[str] | None:
        return self.known_columns.get(table.lower())

    # One text

    def _read(self, text: object, line: int) -> tuple[Reading, list[Effect]]:
        reading = Reading()
        effects: list[Effect] = []
        if not isinstance(text, str):
            return reading, effects
        if len(text) > LONGEST_TEXT:
            reading.problems.append(Problem(line, f"the text has more than {LONGEST_TEXT:,} characters"))
            return reading, effects
        until, blocks = time.thread_time() + SECONDS, Blocks(self._values, self._set_values)
        for statement in split_statements(text, line):
            if time.thread_time() > until:
                reading.problems.append(Problem(statement.line, "reading took too long: the rest was left out"))
                break
            found, problem = self._statement(statement, blocks)
            effects += found
            if problem is not None:
                reading.problems.append(problem)
        _assemble(reading, effects)
        return reading, effects

    def _statement(self, statement: Statement, blocks: Blocks) -> tuple[list[Effect], Problem | None]:
        first = statement.first_line
        found: list[Effect] = []
        problem: Problem | None = None
        if statement.broken:
            return found, Problem(first, "a string or a comment never ends")
        if statement.length > LONGEST_STATEMENT:
            return found, Problem(first, f"a statement has more than {LONGEST_STATEMENT:,} characters")
        try:
            text, body = statement.text(self.value), statement.body(self.value)
            for tokens, may_not_run in blocks.unwrap(t.tokenize(text)):
                for effect in self._effects(tokens, text, statement.line, body):
                    found.append(self._noted(effect, may_not_run))
                    if effect.fills and effect.target is None:
                        return found, Problem(effect.line, "the name of the table can't be known")
                    if effect.partly:
                        problem = Problem(first, "a part of the statement can't be known, and may read more")
        except ParseError as error:
            return found, Problem(first, f"can't be parsed: {_reason(error)}")
        except TokenError:
            return found, Problem(first, "can't be split into words")
        except (t.TooDeep, RecursionError):
            return found, Problem(first, "it is too long, or its brackets or expressions stand too deep in each other")
        except t.Unreadable as error:
            return found, Problem(first, str(error))
        except Exception as error:
            return found, Problem(first, f"can't be parsed: the parser gives up on it ({type(error).__name__})")
        return found, problem

    def _effects(self, tokens: t.Tokens, text: str, line: int, body: Body | None) -> Iterator[Effect]:
        first = t.word(tokens, 0)
        if first == "USE" or t.says(tokens, 0, "SET", "CATALOG"):
            self._use(tokens, text)
        elif first == "SET":
            yield from self._set(tokens, text, line)
        elif first == "DECLARE":
            self._declare(tokens, text)
        elif first == "EXECUTE":
            yield from self._execute(tokens, line)
        elif t.says(tokens, 0, "CREATE", "WIDGET"):
            self._widget(tokens)
        elif first in ("DROP", "ALTER"):
            self._forget(tokens)
            if (redefined := _as_definition(tokens)) is not None:
                yield from StatementReader(redefined, text, line, self, body).read()
        elif len(tokens) == 1 and UNKNOWN in tokens[0].text:
            raise t.Unreadable("the text of the statement can't be known")
        elif first not in _QUIET:
            yield from StatementReader(tokens, text, line, self, body).read()

    def _noted(self, effect: Effect, may_not_run: bool) -> Effect:
        if effect.fills and effect.target is not None:
            if effect.temporary:
                effect.target = effect.target.rpartition(".")[2] if "`" not in effect.target else effect.target
                self.views.add(effect.target.lower())
            key = effect.target.lower()
            if effect.column_names and all(one and UNKNOWN not in one for one in effect.column_names):
                self.known_columns[key] = list(effect.column_names)
            elif effect.creates:
                self.known_columns.pop(key, None)
        if may_not_run:
            effect.sources = [replace(one, confidence=0.5) for one in effect.sources]
        return effect

    def _values(self) -> Values:
        """What statements have set so far."""
        used = {"catalog": self.catalog, "schema": self.schema}
        kinds = (("use", used), ("setting", self.settings), ("variable", self._variables))
        return {(kind, name): value for kind, known in kinds for name, value in known.items()}

    def _set_values(self, values: Values) -> None:
        self.catalog, self.schema = values.get(("use", "catalog")), values.get(("use", "schema"))
        for kind, known in (("setting", self.settings), ("variable", self._variables)):
            known.clear()
            known.update({name: value for (one, name), value in values.items() if one == kind})

    # Statements that count for those after them

    def _use(self, tokens: t.Tokens, text: str) -> None:
        kind = t.word(tokens, 1)
        at = 2 if kind in ("CATALOG", "SCHEMA", "DATABASE", "NAMESPACE") and len(tokens) > 2 else 1
        parts = [tokens[at].text] if t.is_string(tokens, at) else t.name_parts(tokens, at)[0]
        if t.word(tokens, at) == "IDENTIFIER" and t.word(tokens, at + 1) == "(":
            parts = self._identifier(tokens[at : after_name(tokens, at)], text)
        known = bool(parts) and all(part and UNKNOWN not in part for part in parts)
        if kind == "CATALOG" and at == 2:
            self.catalog, self.schema = (parts[0] if known else None), None
        else:
            self.schema = parts[-1] if known else None
            self.catalog = parts[-2] if known and len(parts) > 1 else self.catalog

    def _identifier(self, tokens: t.Tokens, text: str) -> list[str]:
        head = [
            Token(kind, said)
            for kind, said in ((TokenType.SELECT, "SELECT"), (TokenType.STAR, "*"), (TokenType.FROM, "FROM"))
        ]
        table = t.parse([*head, *tokens], text).find(exp.Table)
        name = read_table(table, self.constants, spelled, 1).path
        return name.split(".") if name and "`" not in name else []

    def _set(self, tokens: t.Tokens, text: str, line: int) -> Iterator[Effect]:
        is_variable = t.word(tokens, 1) in ("VAR", "VARIABLE")
        at = 2 if is_variable else 1
        names, equals = t.name_parts(tokens, at)
        if names and t.word(tokens, equals) == "=" and (is_variable or names[-1].lower() in self._variables):
            expression = t.parse([Token(TokenType.SELECT, "SELECT"), *tokens[equals + 1 :]], text)
            self._variables[names[-1].lower()] = self.constants.text(expression.expressions[0])
        setting = None if is_variable else _SETTING.match(text)
        if setting is not None:
            self.settings[setting[1]] = setting[2] if UNKNOWN not in setting[2] else None
            self.touched.add(setting[1])
        if any(t.word(tokens, place) == "SELECT" for place in range(len(tokens))):
            begin = t.find(tokens, at, ("=",)) + 1
            yield from StatementReader([Token(TokenType.SELECT, "SELECT"), *tokens[begin:]], text, line, self).read()

    def _declare(self, tokens: t.Tokens, text: str) -> None:
        at = 3 if t.says(tokens, 1, "OR", "REPLACE") else 1
        at += t.word(tokens, at) in ("VARIABLE", "VAR")
        end = t.find(tokens, at, ("DEFAULT", "="))
        value = None
        if end < len(tokens):
            parsed = t.parse([Token(TokenType.SELECT, "SELECT"), *tokens[end + 1 :]], text)
            value = self.constants.text(parsed.expressions[0])
        while t.is_name(tokens, at):
            self._variables[tokens[at].text.lower()] = value
            if t.word(tokens, at + 1) != ",":
                break
            at += 2

    def _execute(self, tokens: t.Tokens, line: int) -> Iterator[Effect]:
        at = tokens[0].line - 1
        inner = t.tokenize(" ".join(one.text for one in tokens[1:2])) if len(tokens) == 2 else list(tokens[1:])
        if t.word(inner, 0) != "IMMEDIATE":
            return
        end = t.find(inner, 1, ("INTO", "USING"))
        expression = t.parse([Token(TokenType.SELECT, "SELECT"), *inner[1:end]], "")
        said = self.constants.text(expression.expressions[0])
        if said is None:
            raise t.Unreadable("the text that EXECUTE IMMEDIATE runs can't be known")
        for statement in split_statements(said, line + at):
            text = statement.text(self.value)
            yield from self._effects(t.tokenize(text), text, statement.line, statement.body(self.value))

    def _widget(self, tokens: t.Tokens) -> None:
        """`CREATE WIDGET TEXT name DEFAULT 'value'`"""
        default = t.find(tokens, 3, ("DEFAULT",)) + 1
        if t.is_name(tokens, 3) and t.is_string(tokens, default) and UNKNOWN not in tokens[default].text:
            self._widgets[tokens[3].text] = tokens[default].text

    def _forget(self, tokens: t.Tokens) -> None:
        """What was known of a table that goes, or is changed."""
        at = 4 if t.says(tokens, 2, "IF", "EXISTS") else 2
        name = self.qualify(t.name_parts(tokens, at)[0] or [UNKNOWN])
        if name is not None and t.word(tokens, 1) in ("TABLE", "VIEW"):
            self.known_columns.pop(name.lower(), None)
            if t.word(tokens, 0) == "DROP":
                self.views.discard(name.lower())


def _as_definition(tokens: t.Tokens) -> list[Token] | None:
    """`ALTER VIEW v AS query` defines the view anew."""
    at = 4 if t.says(tokens, 2, "IF", "EXISTS") else 2
    if not t.says(tokens, 0, "ALTER", "VIEW") or t.word(tokens, after_name(tokens, at)) != "AS":
        return None
    first = tokens[0]
    create = Token(TokenType.CREATE, "CREATE", line=first.line, start=first.start, end=first.end)
    return [create, tokens[1], *tokens[at:]]


def _reason(error: ParseError) -> str:
    """Without the text around it, in which a secret may stand."""
    described = [str(one.get("description") or "") for one in error.errors]
    return (described[0] if described else "the statement has another shape than is known")[:200]


def _assemble(reading: Reading, effects: list[Effect]) -> None:
    tables: dict[str, DefinedTable] = {}
    filled: set[str] = set()
    told: set[str] = set()
    for effect in effects:
        for source in effect.sources:
            made = replace(source, target_table=effect.target) if effect.fills else source
            if repr(made) not in told:
                reading.sources.append(made)
                told.add(repr(made))
        if effect.fills and effect.target is not None:
            key = effect.target.lower()
            tables[key] = _joined(tables.get(key), effect, key in filled)
            if effect.has_rows:
                filled.add(key)
    reading.sources.sort(key=lambda one: (one.line, one.target_table or ""))
    reading.tables.extend(tables.values())


def _joined(known: DefinedTable | None, effect: Effect, filled: bool) -> DefinedTable:
    """One table, however many statements fill it; its columns are known if each says of them."""
    reads = [one.path for one in effect.sources if one.kind == "table" and one.path is not None]
    made = DefinedTable(
        effect.target or "",
        effect.kind,
        tuple(dict.fromkeys(reads)),
        effect.expectations,
        effect.columns,
        effect.comment,
        effect.line,
    )
    if known is None:
        return made
    columns = made.columns
    if filled:
        columns = None if not effect.has_rows else _merged(known.columns, made.columns)
        columns = known.columns if not effect.has_rows else columns
    elif not effect.has_rows:
        columns = None
    return replace(
        known,
        kind=made.kind if effect.creates else known.kind,
        reads=tuple(dict.fromkeys((*known.reads, *made.reads))),
        expectations=(*known.expectations, *(one for one in made.expectations if one not in known.expectations)),
        columns=columns,
        comment=known.comment or made.comment,
    )


def _merged(
    one: Mapping[str, tuple[ColumnOrigin, ...]] | None, other: Mapping[str, tuple[ColumnOrigin, ...]] | None
) -> Mapping[str, tuple[ColumnOrigin, ...]] | None:
    if one is None or other is None:
        return None
    return {name: tuple(dict.fromkeys((*one.get(name, ()), *other.get(name, ())))) for name in {**one, **other}}
