"""A SELECT enters; the sources that its columns can be of leave, with the names by which they are called there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from lineage_hub.sdk.instrumentation.statement import arg


@dataclass(frozen=True)
class Source:
    """A table, a query or a function beside the others; `names` are its parts as far as they can be said."""

    node: Any
    names: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.names[-1]

    @property
    def is_generator(self) -> bool:
        """A function that makes rows of those beside it."""
        return isinstance(self.node, exp.Lateral) and not isinstance(self.node.this, exp.Subquery)

    @property
    def columns(self) -> list[str]:
        """As its alias names them; empty where it doesn't."""
        alias = self.node.args.get("alias")
        return [one.name for one in alias.args.get("columns") or ()] if alias is not None else []


def source_nodes(select: Any) -> list[Any]:
    """In order, with what stands beside others last."""
    nodes = [one.this for one in [arg(select, "from"), *(select.args.get("joins") or ())] if one is not None]
    return sorted([*nodes, *(select.args.get("laterals") or ())], key=lambda one: isinstance(one, exp.Lateral))


def sources_of(select: Any) -> list[Source] | None:
    """None where one of them can't be told, as with PIVOT."""
    found = []
    for node in source_nodes(select):
        if node.args.get("pivots") or node.args.get("joins"):
            return None
        names = _names(node)
        if not names:
            return None
        found.append(Source(node, names))
    return found


def _names(node: Any) -> tuple[str, ...]:
    alias = node.args.get("alias")
    if alias is not None and alias.name:
        return (alias.name,)
    if isinstance(node, exp.Table) and all(isinstance(part, exp.Identifier) for part in node.parts):
        return tuple(part.name for part in node.parts)
    return ()


def enclosing(select: Any) -> Iterator[Any]:
    """Queries around it, whose columns may be seen in it."""
    node = select.parent
    while node is not None:
        if isinstance(node, exp.Select):
            yield node
        node = node.parent


def inner_nodes(node: Any, wanted: type[Any]) -> list[Any]:
    """Those that are not inside of a query within."""
    walk = node.walk(prune=lambda one: isinstance(one, exp.Query) and one is not node)
    return [one for one in walk if isinstance(one, wanted)]


def matched(parts: Sequence[str], sources: Sequence[Source]) -> tuple[Source, int] | None:
    """The source that a name begins with, and how many of its parts are the source's: the longest beginning counts."""
    for length in range(len(parts) - 1, 0, -1):
        for source in sources:
            if tuple(parts[:length]) == source.names[-length:]:
                return source, length
    return None


def query_of(source: Source) -> Any:
    """The query that a source is: in brackets, or by a name of WITH."""
    node = source.node
    if isinstance(node, exp.Subquery):
        return node.unnest()
    if not isinstance(node, exp.Table) or node.args.get("db") is not None:
        return None
    inner: Any = node
    outer: Any = node.parent
    while outer is not None:
        with_ = outer if isinstance(outer, exp.With) else arg(outer, "with")
        for cte in reversed(with_.expressions if with_ is not None and with_ is not inner else ()):
            if cte.alias == node.name and cte is not inner:
                return cte.this.unnest() if isinstance(cte.this, exp.Subquery) else cte.this
        inner, outer = outer, outer.parent
    return None
