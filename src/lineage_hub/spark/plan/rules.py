"""Tables of rules, written with one line for each rule, enter; tables with one entry for each class leave."""

from __future__ import annotations

from typing import TypeVar

_Rule = TypeVar("_Rule")


def by_class(*lines: tuple[_Rule, str]) -> dict[str, _Rule]:
    """Each line is a rule and the names of the classes that it is for."""
    return {kind: rule for rule, kinds in lines for kind in kinds.split()}
