"""A test asks for `lineage_events`; what the code under test tells of its lineage leaves by it, and nowhere else.

PYTEST_DONT_REWRITE, as in the package.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from lineage_hub.testing.events import LineageEvents


@pytest.fixture
def lineage_events() -> Iterator[LineageEvents]:
    """Every event that the SDK would have sent while the test runs, from any thread or task."""
    from lineage_hub.testing.recording import recorded

    with recorded() as events:
        yield events
