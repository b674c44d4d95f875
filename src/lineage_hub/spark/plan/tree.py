"""The JSON of a Spark plan enters: a flat list of nodes in pre-order; a tree of nodes leaves.

Expressions and inner plans stand inside of fields in the same flat form, and become trees when they are asked for.
Nothing here recurses: plans can be deeper than Python's stack.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

Json = Any
"""What Spark wrote; only this module and the rules that name a field of it know its shape."""


class Node:
    """An operator or an expression, named by the last part of its class."""

    __slots__ = ("_trees", "ask", "children", "index", "kind", "parent", "raw")

    def __init__(self, raw: dict[str, Json], children: list[Node]) -> None:
        self.raw = raw
        self.kind: str = raw["class"].rpartition(".")[2].removesuffix("$")
        self.children = children
        self.parent: Node | None = None
        self.index: int | str = 0
        """Where it stands in its parent: the number of a child, or the name of a field."""
        self._trees: dict[str, list[Node]] = {}
        self.ask: Callable[[Node, str], list[list[Node]]] | None = None
        """Of a root: who can tell what a field holds that Spark has left out of the JSON."""

    def __repr__(self) -> str:
        return f"<{self.kind}>"

    @property
    def class_name(self) -> str:
        return str(self.raw["class"])

    @property
    def id(self) -> int:
        """Of an attribute, an alias or a variable: what ties a use to where it comes from."""
        return int(self.raw["exprId"]["id"])

    @property
    def name(self) -> str:
        return str(self.raw["name"])

    @property
    def type(self) -> Json:
        return self.raw.get("dataType")

    def tree(self, field: str) -> Node | None:
        """The expression or plan in a field, whether it stands there or is a child."""
        found = self.trees(field)
        return found[0] if found else None

    def trees(self, field: str) -> list[Node]:
        """All of a field that holds several; the same objects at every call."""
        if field not in self._trees:
            self._trees[field] = self._read(field)
        return self._trees[field]

    def _read(self, field: str) -> list[Node]:
        value = self.raw.get(field)
        if value is None:
            return [one for many in self._left_out(field) for one in many]
        if isinstance(value, int):
            return [self.children[value]]
        if not isinstance(value, list) or not value:
            return []
        if isinstance(value[0], int):
            return [self.children[one] for one in value]
        if _is_tree(value):
            return [self._adopt(parse(value), field)]
        return [self._adopt(parse(one), field) for one in value if _is_tree(one)]

    def _adopt(self, tree: Node, field: str) -> Node:
        tree.parent, tree.index = self, field
        return tree

    def nested(self, field: str) -> list[list[Node]]:
        """A field with lists of lists of expressions, as the projections of Expand."""
        value = self.raw.get(field)
        return self._left_out(field) if value is None else [[parse(one) for one in many] for many in value]

    def _left_out(self, field: str) -> list[list[Node]]:
        """Spark writes null for a sequence that it has no form for; a field without a value isn't there at all."""
        if field not in self.raw:
            return []
        root = self
        while root.parent is not None:
            root = root.parent
        return root.ask(self, field) if root.ask else []

    def walk(self) -> Iterator[Node]:
        """This node and what is beneath, in pre-order; not what stands in fields."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))


def _is_tree(value: Json) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict) and "num-children" in value[0]


def decode(text: str | bytes) -> Node:
    return parse(msgspec.json.decode(text))


def parse(flat: list[dict[str, Json]]) -> Node:
    """Read backwards, the children of a node are the trees that were made last."""
    made: list[Node] = []
    for raw in reversed(flat):
        count = raw["num-children"]
        if not count:
            made.append(Node(raw, []))
            continue
        children = made[: -count - 1 : -1]
        del made[-count:]
        node = Node(raw, children)
        for index, child in enumerate(children):
            child.parent, child.index = node, index
        made.append(node)
    return made[0]
