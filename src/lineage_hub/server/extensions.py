"""Entry points enter; what they add to the hub leaves: routes, and what runs beside it while it is up."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import entry_points
from typing import Any, Protocol

from fastapi import APIRouter

from lineage_hub.settings import Settings

GROUP = "lineage_hub.routes"
# An event enters as text and is durable when the call returns.
Tell = Callable[[bytes], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a hub gives to its extensions."""

    settings: Settings
    tell: Tell


class Extension(Protocol):
    """`running` holds what it needs while the hub is up; its routes find that in `app.state` under the name.

    `components` are the named JSON schemas that its routes refer to in the document.
    """

    name: str
    title: str
    router: APIRouter

    @property
    def components(self) -> Mapping[str, dict[str, Any]]: ...

    def running(self, around: Surroundings) -> AbstractAsyncContextManager[Any]: ...


@lru_cache(maxsize=1)
def extensions() -> tuple[Extension, ...]:
    return tuple(one.load() for one in sorted(entry_points(group=GROUP), key=lambda one: one.name))
