"""An expression of SQL enters; its text leaves if every part of it is known, and nothing otherwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from lineage_hub.connectors.databricks.sql.splitting import UNKNOWN

Lookup = Callable[[str], str | None]
_LONGEST = 100_000


class Constants:
    """`parameter` gives values of `:name` and of widgets, `variable` those of the session's variables."""

    def __init__(self, parameter: Lookup, variable: Lookup) -> None:
        self._parameter, self._variable = parameter, variable

    def text(self, node: Any) -> str | None:
        found = self._text(node)
        return None if found is None or UNKNOWN in found or len(found) > _LONGEST else found

    def known(self, text: str) -> str | None:
        return None if UNKNOWN in text else text

    def _text(self, node: Any) -> str | None:
        match node:
            case exp.Literal() | exp.RawString():
                return str(node.this)
            case exp.Boolean():
                return "true" if node.this else "false"
            case exp.Placeholder():
                return self._parameter(str(node.this)) if node.this else None
            case exp.Paren() | exp.Alias():
                return self.text(node.this)
            case exp.Cast() | exp.TryCast():
                return self.text(node.this) if node.to.is_type(*exp.DataType.TEXT_TYPES) else None
            case exp.DPipe():
                return self._joined([node.this, node.expression])
            case exp.ConcatWs():
                first, *rest = node.expressions or [None]
                return self._joined(rest, self.text(first))
            case exp.Concat():
                return self._joined(node.expressions)
            case exp.Lower() | exp.Upper() | exp.Trim():
                return self._changed(node)
            case exp.Replace():
                given = [self.text(one) for one in (node.this, node.expression, node.args.get("replacement"))]
                return given[0].replace(given[1], given[2]) if None not in given and given[1] else None  # type: ignore[union-attr, arg-type]
            case exp.Coalesce():
                return self.text(node.this)
            case exp.Column():
                return self._of_variable(node)
            case exp.Anonymous() if str(node.this).lower() == "getargument" and node.expressions:
                name = self.text(node.expressions[0])
                return self._parameter(name) if name is not None else None
        return None

    def _joined(self, nodes: list[Any], between: str | None = "") -> str | None:
        texts = [self.text(node) for node in nodes]
        return None if between is None or None in texts else between.join(text for text in texts if text is not None)

    def _changed(self, node: Any) -> str | None:
        text = self.text(node.this)
        if text is None or (isinstance(node, exp.Trim) and node.expression is not None):
            return None
        return (
            text.lower()
            if isinstance(node, exp.Lower)
            else text.upper()
            if isinstance(node, exp.Upper)
            else text.strip()
        )

    def _of_variable(self, node: Any) -> str | None:
        parts = [part.name.lower() for part in node.parts if isinstance(part, exp.Identifier)]
        if len(parts) != len(node.parts) or parts[:-1] not in ([], ["session"], ["system", "session"]):
            return None
        return self._variable(parts[-1])
