"""A text of a definition enters; its pieces, literal text and `${…}` slots, leave, by what kind of text it is."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from lineage_hub.spark.pipeline.problems import Path
from lineage_hub.spark.pipeline.sql_text import Unclear, tokens

Kind = Literal["plain", "spark", "jdbc", "table"]
# In small letters, as Spark compares them.
SQL_OPTIONS = frozenset({"query", "dbtable", "preparequery", "sessioninitstatement"})
_PIECE = re.compile(r"\$\$\{|\$\{([^{}]*)\}|\$\{")


@dataclass(frozen=True)
class Slot:
    """`${name}`, or `${env:NAME}`."""

    inside: str

    @property
    def variable(self) -> str | None:
        return self.inside.removeprefix("env:") if self.inside.startswith("env:") else None


def kind_of(path: Path) -> Kind:
    """What a text at a path is read as: a value must not become a part of its SQL."""
    match path:
        case ("stages", _, "transform", "steps", _, "filter" | "sql"):
            return "spark"
        case ("stages", _, "transform", "steps", _, "derive", _):
            return "spark"
        case ("stages", _, "transform", "steps", _, "join", "condition"):
            return "spark"
        case ("stages", _, "transform", "steps", _, "window", "columns", _):
            return "spark"
        case ("stages", _, "transform", "steps", _, "window" | "drop_duplicates", "order_by", *_):
            return "spark"
        case ("stages", _, "rules", _, "expression"):
            return "spark"
        case ("stages", _, "load", "options", str(option)) if option.lower() == "replacewhere":
            return "spark"
        case ("stages", _, "extract", "query"):
            return "jdbc"
        case ("stages", _, "extract" | "load", "options", str(option)) if option.lower() in SQL_OPTIONS:
            return "jdbc"
        case ("stages", _, "extract" | "load", "table"):
            return "table"
    return "plain"


def pieces(text: str, kind: Kind) -> list[str | Slot]:
    """Raises `Unclear` where a slot can't stand."""
    if "${" not in text:
        return [text]
    if kind in ("spark", "jdbc"):
        if "$${" in text:
            raise Unclear("`$${` can't stand in SQL", "write concat('$', '{')")
        cut = tokens(text, "jdbc" if kind == "jdbc" else "spark")
        return [Slot(token.text[2:-1]) if token.kind == "slot" else token.text for token in cut]
    found: list[str | Slot] = []
    end = 0
    for match in _PIECE.finditer(text):
        found.append(text[end : match.start()])
        end = match.end()
        if match[0] == "${":
            raise Unclear("a `${` isn't closed", "write `${name}`, or `$${` for the signs themselves")
        found.append("${" if match[1] is None else Slot(match[1]))
    return [piece for piece in [*found, text[end:]] if piece != ""]


def texts(value: Any, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """Every text below a value; what parameters say of themselves is not among them."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if path or key != "parameters":
                yield from texts(item, (*path, key))
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from texts(item, (*path, index))


def mapped(value: Any, change: Callable[[Path, str], str], path: Path = ()) -> Any:
    """A copy in which `change(path, text)` has replaced every text that `texts` gives."""
    if isinstance(value, str):
        return change(path, value)
    if isinstance(value, Mapping):
        return {
            key: mapped(item, change, (*path, key)) if path or key != "parameters" else item
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [mapped(item, change, (*path, index)) for index, item in enumerate(value)]
    return value
