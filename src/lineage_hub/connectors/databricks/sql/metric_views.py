"""The YAML of a metric view enters; the tables and queries that it is made of leave, each with its line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lineage_hub.connectors.databricks.sql import tokens as t
from lineage_hub.connectors.databricks.sql.splitting import Body

_LONGEST = 60_000
_DEEPEST = 20
_MOST = 200


def sources_in(body: Body) -> Iterator[tuple[str, int]]:
    """Texts of `source`, of the view itself and of what it joins; what is no such YAML is raised."""
    import yaml  # type: ignore[import-untyped]

    if len(body.text) > _LONGEST:
        raise t.Unreadable(f"the YAML of a metric view has more than {_LONGEST:,} characters")
    try:
        document = yaml.compose(body.text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, ValueError):
        raise t.Unreadable("the YAML of a metric view can't be parsed") from None
    found = list(_sources(document, 0))
    if not found:
        raise t.Unreadable("the YAML of a metric view names no source")
    for node in found[:_MOST]:
        # The text of a block begins on the line after its sign.
        yield node.value, body.line + node.start_mark.line + (node.style in ("|", ">"))


def _sources(node: Any, depth: int) -> Iterator[Any]:
    members = _members(node)
    source = members.get("source")
    if source is not None and isinstance(source.value, str) and source.value.strip():
        yield source
    joins = members.get("joins")
    if joins is not None and joins.id == "sequence" and depth < _DEEPEST:
        for one in joins.value[:_MOST]:
            yield from _sources(one, depth + 1)


def _members(node: Any) -> dict[str, Any]:
    if node is None or node.id != "mapping":
        return {}
    return {key.value: value for key, value in node.value if isinstance(key.value, str)}
