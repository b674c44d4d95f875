"""Hand-made histories: a test states one with its expectations, and other tests may put it to the product."""

from __future__ import annotations

from collections.abc import Callable

from tests.oracle.build import Body, taken
from tests.oracle.view import View, view

HISTORIES: dict[str, list[Body]] = {}


def history(*bodies: Body) -> Callable[[Callable[[View], None]], Callable[[], None]]:
    """The decorated test is given the oracle's view of these events, whatever their order here."""

    def registered(expectations: Callable[[View], None]) -> Callable[[], None]:
        name = expectations.__name__
        assert name not in HISTORIES
        HISTORIES[name] = list(bodies)

        def test() -> None:
            expectations(view(taken(*bodies)))
            expectations(view(taken(*reversed(bodies), *bodies)))

        test.__name__ = name
        test.__doc__ = expectations.__doc__
        test.__module__ = expectations.__module__
        return test

    return registered
