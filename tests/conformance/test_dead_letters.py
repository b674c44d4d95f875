"""What holds for dead letters on an in-memory database holds on every store."""

from collections.abc import Callable

import pytest
from sqlalchemy import Connection

from lineage_hub.store.open import LineageStore
from tests.store import test_dead_letters

CHECKS = {name: check for name, check in vars(test_dead_letters).items() if name.startswith("test_")}


@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS.keys())
def test_dead_letters_are_kept(store: LineageStore, check: Callable[[Connection], None]) -> None:
    with store.writing() as connection:
        check(connection)
