"""Values that no reader of a program can know: secrets, the environment, the clock, answers of other systems.

They taint every string made of them, and where a program branches on one an oracle decides, so that both ways are run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

MARK = "\ue000"


def is_tainted(value: object) -> bool:
    return MARK in str(value)


class Oracle:
    """Answers questions about unknowable values: the same question gets the same answer within one run."""

    def __init__(self) -> None:
        self.prescribed: list[bool] = []
        self.taken: list[bool] = []
        self.answers: dict[object, bool] = {}

    def begin(self, prescribed: list[bool]) -> None:
        self.prescribed, self.taken, self.answers = prescribed, [], {}

    def ask(self, *question: object) -> bool:
        key = tuple(map(str, question))
        if key not in self.answers:
            n = len(self.taken)
            self.answers[key] = self.prescribed[n] if n < len(self.prescribed) else True
            self.taken.append(self.answers[key])
        return self.answers[key]

    def explore(self, run: Callable[[], Any], limit: int = 32) -> list[Any]:
        """The results of every way through the program."""
        results, ways = [], [[]]  # type: ignore[var-annotated]
        while ways:
            way = ways.pop()
            self.begin(way)
            results.append(run())
            assert len(results) <= limit, "too many ways through the program"
            ways += [[*self.taken[:n], False] for n in range(len(way), len(self.taken))]
        return results


ORACLE = Oracle()


class Unknown(str):
    """A value of any type, whose text is tainted."""

    __slots__ = ()

    def __new__(cls, label: object) -> Unknown:
        return str.__new__(cls, MARK + str(label).replace(MARK, "").strip("<>") + MARK)

    def __getattr__(self, name: str) -> Unknown:
        if name.startswith("__"):
            raise AttributeError(name)
        return Unknown(f"{self}.{name}")

    def __call__(self, *args: object, **kwargs: object) -> Unknown:
        return Unknown(f"{self}()")

    def __getitem__(self, key: object) -> Unknown:
        return Unknown(f"{self}[{key}]")

    def __iter__(self) -> Iterator[Unknown]:
        if ORACLE.ask(self, "has one"):
            yield Unknown(f"{self}[0]")

    def items(self) -> Iterator[tuple[Unknown, Unknown]]:
        for key in self:
            yield key, Unknown(f"{key} value")

    def get(self, key: object = None, *rest: object, **more: object) -> Unknown:
        return Unknown(f"{self}[{key}]")

    def __enter__(self) -> Unknown:
        return self

    def __exit__(self, *args: object) -> None:
        return None

    def __bool__(self) -> bool:
        return ORACLE.ask(self, "is true")

    def __eq__(self, other: object) -> bool:
        return str.__eq__(self, other) is True or ORACLE.ask(self, "==", other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __lt__(self, other: object) -> bool:
        return ORACLE.ask(self, "<", other)

    def __gt__(self, other: object) -> bool:
        return ORACLE.ask(self, ">", other)

    def __le__(self, other: object) -> bool:
        return not self > other

    def __ge__(self, other: object) -> bool:
        return not self < other

    def __contains__(self, other: object) -> bool:
        return ORACLE.ask(other, "in", self)

    def __len__(self) -> int:
        return 1

    def __int__(self) -> int:
        return 1

    __hash__ = str.__hash__


def _derive(name: str) -> Callable[..., Unknown]:
    return lambda self, *args, **kwargs: Unknown(f"{self}.{name}{args or ''}")


def _question(name: str) -> Callable[..., bool]:
    return lambda self, *args: ORACLE.ask(self, name, *args)


for _name in [
    "lower",
    "upper",
    "strip",
    "lstrip",
    "rstrip",
    "replace",
    "format",
    "title",
    "removeprefix",
    "removesuffix",
]:
    setattr(Unknown, _name, _derive(_name))
for _name in ["__add__", "__radd__", "__sub__", "__rsub__", "__mul__", "__truediv__", "__mod__", "__neg__", "encode"]:
    setattr(Unknown, _name, _derive(_name))
for _name in ["startswith", "endswith", "isdigit"]:
    setattr(Unknown, _name, _question(_name))
Unknown.split = lambda self, *args: [Unknown(f"{self}.split")]  # type: ignore[method-assign, assignment, misc]
