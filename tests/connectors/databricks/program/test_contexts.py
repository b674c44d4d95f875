"""with statements: what their managers do with errors decides what runs after them."""

from __future__ import annotations

import pytest

from tests.connectors.databricks.program.reading_programs import topics

SUPPRESSED = """
import contextlib

class Holds:
    def __init__(self, holds):
        self.holds = holds
    def __enter__(self):
        return self
    def __exit__(self, *error):
        return self.holds

x = "before"
with {manager}:
    x = "within"
    raise ValueError(x)
    x = "never"
spark.readStream.format("kafka").option("subscribe", x).load()
"""


@pytest.mark.parametrize(
    ("manager", "wanted"),
    [
        ("contextlib.suppress(ValueError)", [["within"]]),
        ("contextlib.suppress(KeyError, ValueError), open('f')", [["within"]]),
        ("Holds(True)", [["within"]]),
        ("contextlib.suppress(KeyError)", []),
        ("Holds(False)", []),
        ("open('f')", []),
    ],
)
def test_a_manager_may_hold_an_error_back(manager: str, wanted: list[list[str]]) -> None:
    assert topics(SUPPRESSED.replace("{manager}", manager)) == wanted
