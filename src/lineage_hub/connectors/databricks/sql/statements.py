"""The tokens of one statement enter; what it does leaves: the reads, the table that they feed, and its columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import Token, TokenType, exp

from lineage_hub.connectors.databricks.reading import Expectation, StreamSource
from lineage_hub.connectors.databricks.sql import changes
from lineage_hub.connectors.databricks.sql import tokens as t
from lineage_hub.connectors.databricks.sql.columns import Origins, Traced
from lineage_hub.connectors.databricks.sql.definitions import (
    Definition,
    after_name,
    items,
    options_in,
    read_definition,
)
from lineage_hub.connectors.databricks.sql.functions import read_options
from lineage_hub.connectors.databricks.sql.metric_views import sources_in
from lineage_hub.connectors.databricks.sql.names import PATH_FORMATS, format_and_path, parts_of, spelled
from lineage_hub.connectors.databricks.sql.queries import (
    Names,
    Query,
    merged_columns,
    read_expression,
    read_merge,
    read_query_tokens,
)
from lineage_hub.connectors.databricks.sql.references import read_table
from lineage_hub.connectors.databricks.sql.splitting import UNKNOWN, Body

# A table of these has its rows where the table is; one of another format shows those of another system.
_STORED_HERE = PATH_FORMATS | {"hive", "unity_catalog", "deltasharing"}
_MOST_BRANCHES = 100
_ENDS_SELECT = (
    "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "LATERAL", "CLUSTER", "DISTRIBUTE", "SORT", "WINDOW", "QUALIFY",
    "UNION",
)  # fmt: skip


@dataclass
class Effect:
    """What a statement does. `fills` without a target: the table's name isn't known."""

    line: int
    sources: list[StreamSource] = field(default_factory=list)
    target: str | None = None
    fills: bool = False
    kind: str = "table"
    temporary: bool = False
    columns: Mapping[str, Origins] | None = None
    column_names: Sequence[str] | None = None  # of the table, for who reads it later
    partly: bool = False  # a part of it can't be known, and may read more
    has_rows: bool = True  # False: it is only defined
    creates: bool = False
    expectations: tuple[Expectation, ...] = ()
    comment: str | None = None


class StatementReader:
    """One statement; `line` is that of the first line of its text."""

    def __init__(self, tokens: t.Tokens, text: str, line: int, names: Names, body: Body | None = None) -> None:
        self._tokens, self._text, self._line, self._names = tokens, text, line, names
        self._body = body  # what stands in `$$`
        self._prefix: list[Token] = []  # a WITH before INSERT
        self._partly = False

    def read(self) -> Iterator[Effect]:
        first = t.word(self._tokens, 0)
        if first == "WITH":
            self._take_prefix()
            first = t.word(self._tokens, 0)
        handlers: dict[str, Callable[[], Iterator[Effect]]] = {
            "CREATE": self._create, "INSERT": lambda: self._insert(0), "MERGE": self._merge, "COPY": self._copy,
            "APPLY": lambda: self._changes(0), "AUTO": lambda: self._changes(0), "CACHE": self._cache,
            "DELETE": self._change, "UPDATE": self._change, "FROM": self._from, "LOAD": self._load,
            "REPLACE": self._create,
        }  # fmt: skip
        for effect in handlers.get(first, self._select)():
            effect.partly = self._partly
            yield effect

    def _at(self, place: int) -> int:
        return self._line + self._tokens[min(place, len(self._tokens) - 1)].line - 1

    def _query(self, tokens: t.Tokens) -> Query:
        if t.word(tokens, 0) == "VALUES" and not any(t.word(tokens, at) == "SELECT" for at in range(len(tokens))):
            return Query()
        query = read_query_tokens([*self._prefix, *tokens], self._text, self._line, self._names)
        self._partly = self._partly or query.partly
        return query

    def _name(self, begin: int, end: int) -> str | None:
        """What a table's name stands for, be it a path or an expression."""
        if t.word(self._tokens, begin + 1) != "(":
            parts, _ = t.name_parts(self._tokens[:end], begin)
            by_path = format_and_path(parts, quoted=t.is_quoted(self._tokens, end - 1))
            return self._names.constants.known(by_path[1]) if by_path else self._names.qualify(parts)
        first = self._tokens[begin]
        select = [Token(kind, text, line=first.line) for kind, text in _SELECT_FROM]
        table = t.parse([*select, *self._tokens[begin:end]], self._text).find(exp.Table)
        return read_table(table, self._names.constants, self._names.qualify, self._line).path

    def _shared_name(self, begin: int, end: int) -> str | None:
        name = self._name(begin, end)
        return None if name is None else spelled(["global_temp", parts_of(name)[-1]])

    def _take_prefix(self) -> None:
        at = t.find(self._tokens, 0, ("INSERT", "MERGE", "UPDATE", "DELETE"))
        if at < len(self._tokens):
            self._prefix, self._tokens = list(self._tokens[:at]), self._tokens[at:]

    def _select(self) -> Iterator[Effect]:
        query = self._query(self._tokens)
        traced = query.traced.named() if query.traced else None
        yield Effect(self._at(0), query.sources, columns=traced)

    # CREATE

    def _create(self) -> Iterator[Effect]:
        if t.word(self._tokens, 1) == "FLOW":
            at = t.find(self._tokens, 2, ("AS",)) + 1
            yield from self._insert(at) if t.word(self._tokens, at) == "INSERT" else self._changes(at)
            return
        made = read_definition(self._tokens, self._text, self._line)
        if made is None:
            return
        effect = Effect(
            made.line,
            target=self._shared_name(*made.name) if made.shared else self._name(*made.name),
            fills=True,
            kind=made.kind,
            temporary=made.temporary and not made.shared,
            has_rows=False,
            creates=True,
            expectations=tuple(made.expectations),
            comment=made.comment,
            column_names=made.columns or None,
        )
        if made.query and t.word(self._tokens, made.query) in ("AUTO", "APPLY"):
            made.flow, made.query = made.query, 0
        if made.query and made.kind == "view" and self._body is not None and t.is_string(self._tokens, made.query):
            yield from self._metric_view(effect, self._body)
            return
        if made.query:
            self._fill(effect, self._query(self._tokens[made.query :]), made)
        elif made.flow:
            self._fill_by_flow(effect, made)
        elif made.clone:
            self._fill(effect, self._query(self._all_of(made.clone, after_name(self._tokens, made.clone))), made)
        elif made.format and (made.temporary or made.format not in _STORED_HERE):
            if UNKNOWN in made.format:
                raise t.Unreadable("the format of what is read can't be known")
            effect.sources = [self._by_format(made)]
            effect.has_rows = True
        yield effect

    def _metric_view(self, effect: Effect, body: Body) -> Iterator[Effect]:
        """What could be read of it counts, whatever comes then."""
        effect.has_rows = True
        try:
            for text, line in sources_in(body):
                tokens = t.tokenize(text)
                if not t.begins_query(tokens, 0) or t.word(tokens, 1) == ".":
                    tokens = [*(Token(kind, said) for kind, said in _SELECT_FROM), *tokens]
                effect.sources += read_query_tokens(tokens, text, line, self._names).sources
        finally:
            yield effect

    def _all_of(self, begin: int, end: int) -> list[Token]:
        first = self._tokens[begin]
        return [*(Token(kind, text, line=first.line) for kind, text in _SELECT_FROM), *self._tokens[begin:end]]

    def _fill(self, effect: Effect, query: Query, made: Definition) -> None:
        effect.sources, effect.has_rows = query.sources, True
        traced = query.traced
        if traced is None:
            return
        given = made.columns
        by_name = not given or {one.lower() for one in given} >= {one.lower() for one in traced.names}
        if by_name and (made.typed or not given):
            effect.columns = traced.named()
            effect.column_names = given or traced.names
        else:
            effect.columns = traced.named(given)

    def _fill_by_flow(self, effect: Effect, made: Definition) -> None:
        at = made.flow
        if t.says(self._tokens, at, "AUTO", "CDC") or t.says(self._tokens, at, "APPLY", "CHANGES"):
            query = self._query(changes.as_query(self._tokens, at))
        else:
            at = t.find(self._tokens, at, ("SELECT", "WITH", "VALUES", "FROM", "TABLE", "("))
            query = self._query(self._tokens[at:])
        self._fill(effect, query, made)

    def _by_format(self, made: Definition) -> StreamSource:
        options = {}
        if made.options is not None:
            for key, (name, (begin, end)) in options_in(self._tokens, *made.options).items():
                head = Token(TokenType.SELECT, "SELECT", line=self._tokens[begin].line)
                value = t.parse([head, *self._tokens[begin:end]], self._text).expressions[0]
                options[key] = (name, value)
        return read_options(made.format, options, self._names.constants, made.line)

    def _cache(self) -> Iterator[Effect]:
        at = t.find(self._tokens, 0, ("TABLE",)) + 1
        end = after_name(self._tokens, at)
        begin = t.find(self._tokens, end, ("AS", "SELECT", "WITH", "VALUES", "FROM"))
        if begin >= len(self._tokens):
            return
        query = self._query(self._tokens[begin + (t.word(self._tokens, begin) == "AS") :])
        yield Effect(
            self._at(at),
            query.sources,
            self._name(at, end),
            True,
            "temporary_view",
            True,
            *_named(query.traced),
            creates=True,
        )

    # Rows for a table that is there

    def _insert(self, start: int) -> Iterator[Effect]:
        at = start + 1
        overwrites = t.word(self._tokens, at) == "OVERWRITE"
        at += t.word(self._tokens, at) in ("INTO", "OVERWRITE")
        at += t.word(self._tokens, at) == "ONCE"
        if overwrites and "DIRECTORY" in (t.word(self._tokens, at), t.word(self._tokens, at + 1)):
            yield from self._insert_files(at)
            return
        at += t.word(self._tokens, at) == "TABLE"
        end = after_name(self._tokens, at)
        target = self._name(at, end)
        given, by_name, begin = self._before_rows(end)
        query = self._query(self._tokens[begin:])
        effect = Effect(self._at(at), query.sources, target, True)
        if query.traced is not None:
            names = given or (None if by_name else self._names.columns_of(target) if target else None)
            effect.columns = query.traced.named(names) if names or by_name else None
        yield effect

    def _before_rows(self, at: int) -> tuple[list[str], bool, int]:
        """The columns that are given, whether rows go by name, and where the query begins."""
        given: list[str] = []
        by_name = False
        while at < len(self._tokens):
            said = t.word(self._tokens, at)
            if said in ("SELECT", "WITH", "VALUES", "FROM", "TABLE"):
                break
            if said == "(":
                if t.begins_query(self._tokens, at + 1):
                    break
                end = t.after_brackets(self._tokens, at)
                if t.word(self._tokens, at - 1) not in ("PARTITION", "USING", "ON"):
                    given = [self._tokens[begin].text for begin, _ in items(self._tokens, at + 1, end - 1)]
                at = end
                continue
            by_name = by_name or (said == "BY" and t.word(self._tokens, at + 1) == "NAME")
            at += 1
        return given, by_name, at

    def _insert_files(self, at: int) -> Iterator[Effect]:
        path = t.find(self._tokens, at, ("DIRECTORY",)) + 1
        begin = t.find(self._tokens, path, ("SELECT", "WITH", "VALUES", "FROM", "TABLE"))
        query = self._query(self._tokens[begin:])
        target = self._names.constants.known(self._tokens[path].text) if t.is_string(self._tokens, path) else None
        yield Effect(self._at(at), query.sources, target, True)

    def _from(self) -> Iterator[Effect]:
        """`FROM t INSERT INTO a SELECT x INSERT INTO b SELECT y`"""
        tokens = self._tokens
        places = list(_top(tokens, "INSERT"))
        if not places:
            yield from self._select()
            return
        if len(places) > _MOST_BRANCHES:
            raise t.TooDeep
        source = list(tokens[: places[0]])
        for begin, end in zip(places, [*places[1:], len(tokens)], strict=True):
            part = tokens[begin:end]
            stop = t.find(part, t.find(part, 0, ("SELECT",)), _ENDS_SELECT)
            self._tokens = [*part[:stop], *source, *part[stop:]]
            yield from self._insert(0)

    def _merge(self) -> Iterator[Effect]:
        at = t.find(self._tokens, 0, ("INTO",)) + 1
        end = after_name(self._tokens, at)
        effect = Effect(self._at(at), target=self._name(at, end), fills=True)
        try:
            query = read_merge(t.parse([*self._prefix, *self._tokens], self._text), self._line, self._names)
        except Exception:
            # Of what it does with the rows it may say more than is understood; where they come from is plain.
            using = t.find(self._tokens, end, ("USING",))
            stop = t.find(self._tokens, using, ("ON",))
            query = replace(self._query(self._all_of(using + 1, stop)), traced=None)
        effect.sources = query.sources
        effect.columns = merged_columns(query.traced).named() if query.traced else None
        yield effect

    def _copy(self) -> Iterator[Effect]:
        at = t.find(self._tokens, 0, ("INTO",)) + 1
        end = after_name(self._tokens, at)
        place = t.find(self._tokens, end, ("FROM",)) + 1
        tokens = _with_paths(self._tokens)
        shift = 0
        if t.is_string(self._tokens, place):
            query = self._query(_with_paths(self._all_of(place, place + 1)))
        else:
            shift = next((at for at in range(place, len(tokens)) if t.word(tokens, at) == "("), len(tokens))
            query = self._query(tokens[shift : t.after_brackets(tokens, shift)])
        yield Effect(self._at(at), query.sources, self._name(at, end), True, columns=_named(query.traced)[0])

    def _load(self) -> Iterator[Effect]:
        """`LOAD DATA INPATH 'path' INTO TABLE t`"""
        path = t.find(self._tokens, 0, ("INPATH",)) + 1
        at = t.find(self._tokens, path, ("TABLE",)) + 1
        query = self._query(_with_paths(self._all_of(path, path + 1)))
        yield Effect(self._at(at), query.sources, self._name(at, after_name(self._tokens, at)), True)

    def _changes(self, start: int) -> Iterator[Effect]:
        at = t.find(self._tokens, start, ("INTO",)) + 1
        end = after_name(self._tokens, at)
        query = self._query(changes.as_query(self._tokens, end))
        columns, names = _named(query.traced)
        yield Effect(
            self._at(at),
            query.sources,
            self._name(at, end),
            True,
            "streaming_table",
            columns=columns,
            column_names=names,
        )

    def _change(self) -> Iterator[Effect]:
        """DELETE and UPDATE; what they look at in other tables decides about rows of this one."""
        if not any(t.word(self._tokens, at) in ("SELECT", "FROM") for at in range(2, len(self._tokens))):
            return
        expression = t.parse([*self._prefix, *self._tokens], self._text)
        query = read_expression(expression, self._line, self._names, traced=False, written=expression.this)
        if query.sources:
            target = read_table(expression.this, self._names.constants, self._names.qualify, self._line).path
            yield Effect(self._at(0), query.sources, target, True)


_SELECT_FROM = ((TokenType.SELECT, "SELECT"), (TokenType.STAR, "*"), (TokenType.FROM, "FROM"))


def _named(traced: Traced | None) -> tuple[Mapping[str, Origins] | None, list[str] | None]:
    return (traced.named(), traced.names) if traced is not None else (None, None)


def _top(tokens: t.Tokens, wanted: str) -> Iterator[int]:
    at = t.find(tokens, 0, (wanted,))
    while at < len(tokens):
        yield at
        at = t.find(tokens, at + 1, (wanted,))


def _with_paths(tokens: t.Tokens) -> list[Token]:
    """COPY reads files of a path in a string, where a query has a table."""
    made: list[Token] = []
    for at, token in enumerate(tokens):
        if t.is_string(tokens, at) and t.word(tokens, at - 1) == "FROM":
            for kind, text in ((TokenType.VAR, "binaryFile"), (TokenType.DOT, "."), (TokenType.IDENTIFIER, token.text)):
                made.append(Token(kind, text, line=token.line, start=token.start, end=token.end))
        else:
            made.append(token)
    return made
